//! The valid counterparts: calls that must succeed, whatever was rejected before.

use assay_spec::Instant;
use serde_json::json;

use super::{Ask, Body, Model, Op, State, What};
use crate::common::{Call, Client, Prepared};

impl Model {
    /// A valid submit of a prepare whose invalid one was rejected.
    pub(crate) fn good_submit(&self, ask: &Ask) -> Option<(Client, Prepared, Option<&'static str>)> {
        let What::Submit { prepare: Some(at), .. } = ask.what else { return None };
        let prepare = &self.prepares[at];
        // The envelope and the transaction have the same signer here.
        if prepare.state != State::Prepared || prepare.key != ask.signer {
            return None;
        }
        let client = self.client(prepare.key, prepare.domain);
        Some((client, prepare.prepared.clone(), ask.accept.then_some("accept")))
    }

    /// A valid publish of every domain whose key is not frozen.
    pub(crate) fn good_prepares(&self) -> Vec<(Ask, impl Fn(Instant) -> Call + use<>)> {
        let free = (0..self.domains.len()).filter(|n| self.domains[*n].pending.is_none());
        free.map(|domain| {
            let signer = self.domains[domain].key;
            let client = self.client(signer, domain);
            let body = json!({ "cid": "bafy", "version": "1.0" });
            let what = What::Prepare { op: Op::Pub, body: Body::Good };
            let time = Instant(0);
            let ask = Ask { peer: 0, time, verifies: true, signer, domain, accept: false, what };
            (ask, move |now| client.prepare(&body, now))
        })
        .collect()
    }

    fn client(&self, key: usize, domain: usize) -> Client {
        Client { key: self.keys[key].clone(), domain: self.domains[domain].name.to_owned() }
    }
}
