//! The long response bodies that a run keeps.

use std::collections::BTreeSet;

use bytes::Bytes;

use crate::harness::data::Outcome;

/// The maximum size of all kept response bodies; beyond it, long bodies are dropped.
const KEPT_BYTES: usize = 512 * 1024 * 1024;
/// A body up to this size is always kept, in bytes.
const SHORT_BYTES: usize = 4 * 1024;

/// The long response bodies of a run.
#[derive(Default)]
pub(super) struct Kept {
    /// Each is kept once.
    bodies: BTreeSet<Bytes>,
    /// Their size in bytes.
    bytes: usize,
}

/// Keeps equal long bodies once, and drops long bodies if a run has too many of them.
pub(super) fn bound(outcome: &mut Outcome, kept: &mut Kept) {
    let mut is_cut = false;
    for response in outcome.exchanges.iter_mut().filter_map(|exchange| exchange.response.as_mut().ok()) {
        let body = &mut response.body;
        if body.len() > SHORT_BYTES {
            if let Some(known) = kept.bodies.get(body) {
                *body = known.clone();
                continue;
            }
            if kept.bytes + body.len() > KEPT_BYTES {
                *body = Bytes::new();
                is_cut = true;
                continue;
            }
            kept.bodies.insert(body.clone());
        }
        kept.bytes += body.len();
    }
    outcome.is_cut |= is_cut;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::data::Verdict;
    use crate::http::exchange::{Exchange, Request, Response};
    use crate::services;

    #[test]
    fn a_run_keeps_bounded_bodies() {
        let check = services::checks()[0];
        let mut outcome = Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new());
        for length in [SHORT_BYTES, SHORT_BYTES + 1] {
            outcome.exchanges.push(Exchange {
                site: "gateway".to_owned(),
                base: "http://a".to_owned(),
                request: Request::new("GET", "/"),
                cut: None,
                slot: None,
                response: Ok(Response { status: 200, headers: Vec::new(), body: vec![b'x'; length].into() }),
            });
        }
        let lengths = |outcome: &Outcome| -> Vec<usize> {
            outcome
                .exchanges
                .iter()
                .map(|one| one.response.as_ref().map_or(0, |one| one.body.len()))
                .collect()
        };
        let mut kept = Kept::default();
        bound(&mut outcome, &mut kept);
        assert_eq!((lengths(&outcome), kept.bytes), (vec![4096, 4097], 8193));
        assert!(!outcome.is_cut);
        let mut equal = Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new());
        let mut exchange = outcome.exchanges[1].clone();
        exchange.response = Ok(Response { body: vec![b'x'; 4097].into(), ..Response::default() });
        equal.exchanges.push(exchange);
        bound(&mut equal, &mut kept);
        let body = |outcome: &Outcome, n: usize| {
            outcome.exchanges[n].response.as_ref().ok().map(|response| response.body.as_ptr())
        };
        assert_eq!(body(&equal, 0), body(&outcome, 1), "an equal long body is kept once");
        assert_eq!(kept.bytes, 8193);
        let mut kept = Kept { bytes: KEPT_BYTES, ..Kept::default() };
        bound(&mut outcome, &mut kept);
        assert_eq!(lengths(&outcome), [4096, 0], "short bodies are kept");
        assert!(outcome.is_cut);
    }
}
