//! The steps of a walk, and the calls that they make.

use assay_spec::Instant;
use assay_spec::crypto::{ed25519, text};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::common::{Call, Client, PREPARE, SUBMIT};
use crate::publish::walk::model::{Ask, Model, What};

/// A step of a walk.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A prepare, signed by the admitted key unless another is named.
    Prepare { domain: usize, op: Op, signer: Option<usize>, header: Header, body: Body, peer: u8 },
    /// A submit of some prepare, or of an unknown one.
    Submit { which: Index, unknown: bool, signer: Option<usize>, header: Header, flaw: Flaw, peer: u8 },
    /// An earlier call again, byte for byte.
    Again { which: Index, peer: u8 },
    /// Time passes.
    Wait(i64),
    /// The chain fails in this way from now on.
    Chain(Option<&'static str>),
    /// An operator confirms a domain's transfer.
    Confirm(usize),
}

/// The operation of a prepare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Pub,
    Transfer(usize),
    Accept,
}

/// What is wrong with an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Header {
    Good,
    Missing,
    Stale,
    OtherBody,
    OtherPath,
    Broken,
}

/// What is wrong with a prepare's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Good,
    NoDomain,
    OtherDomain,
    Malformed,
    TooLarge,
}

/// What is wrong with a submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    Short,
    Flipped,
    OtherMessage,
    OtherDomain,
    OtherOp,
}

/// Any step; valid ones are more frequent.
pub(crate) fn any() -> impl Strategy<Value = Step> {
    let signer = || prop_oneof![6 => Just(None), 1 => (0..3usize).prop_map(Some)];
    let peer = || 0..2u8;
    let header = || {
        use Header::{Broken, Good, Missing, OtherBody, OtherPath, Stale};
        let bad = prop::sample::select(vec![Missing, Stale, OtherBody, OtherPath, Broken]);
        prop_oneof![8 => Just(Good), 1 => bad]
    };
    let op = prop_oneof![
        4 => Just(Op::Pub),
        2 => (0..3usize).prop_map(Op::Transfer),
        2 => Just(Op::Accept),
    ];
    let bad_body = vec![Body::NoDomain, Body::OtherDomain, Body::Malformed, Body::TooLarge];
    let body = prop_oneof![8 => Just(Body::Good), 1 => prop::sample::select(bad_body)];
    let prepare = (0..2usize, op, signer(), header(), body, peer()).prop_map(
        |(domain, op, signer, header, body, peer)| Step::Prepare { domain, op, signer, header, body, peer },
    );
    let flaws = vec![Flaw::Short, Flaw::Flipped, Flaw::OtherMessage, Flaw::OtherDomain, Flaw::OtherOp];
    let flaw = prop_oneof![4 => Just(Flaw::None), 1 => prop::sample::select(flaws)];
    let submit = (any_index(), prop::bool::weighted(0.05), signer(), header(), flaw, peer()).prop_map(
        |(which, unknown, signer, header, flaw, peer)| Step::Submit {
            which,
            unknown,
            signer,
            header,
            flaw,
            peer,
        },
    );
    let waits = vec![1, 399, 400, 1_000, 20_000, 59_999, 60_000, 180_000, 300_000, 600_000, 86_400_000];
    let faults = vec![
        None,
        Some("publish.chain-slow"),
        Some("publish.transaction-lost"),
        Some("publish.transaction-rejected"),
    ];
    prop_oneof![
        6 => prepare,
        6 => submit,
        2 => (any_index(), peer()).prop_map(|(which, peer)| Step::Again { which, peer }),
        4 => prop::sample::select(waits).prop_map(Step::Wait),
        1 => prop::sample::select(faults).prop_map(Step::Chain),
        1 => (0..2usize).prop_map(Step::Confirm),
    ]
}

fn any_index() -> impl Strategy<Value = Index> {
    proptest::arbitrary::any::<Index>()
}

impl Step {
    /// The call of a prepare or submit, and what the model needs to know about it.
    pub(crate) fn call(&self, model: &Model, now: Instant) -> (Ask, Call) {
        match self {
            Step::Prepare { domain, op, signer, header, body, peer } => {
                let signer = signer.unwrap_or_else(|| model.admitted(*domain, *op == Op::Accept));
                let sent = prepare_body(model, *domain, *op, *body);
                let what = What::Prepare { op: *op, body: *body };
                let accept = *op == Op::Accept && sent.get("op").is_some();
                sign(model, *domain, signer, *header, &sent, now, *peer, what, accept)
            }
            Step::Submit { which, unknown, signer, header, flaw, peer } => {
                submit(model, *which, *unknown, *signer, *header, *flaw, now, *peer)
            }
            _ => unreachable!("no other step makes a call"),
        }
    }
}

fn prepare_body(model: &Model, domain: usize, op: Op, body: Body) -> Value {
    let name = match body {
        Body::OtherDomain => model.domains[1 - domain].name,
        _ => model.domains[domain].name,
    };
    let mut sent = match op {
        Op::Pub => json!({ "domain": name, "cid": "bafy", "version": "1.0" }),
        Op::Transfer(to) => {
            let new_authority = format!("chain:{}", ed25519::address(&model.keys[to]));
            json!({ "domain": name, "op": "transfer", "newAuthority": new_authority })
        }
        Op::Accept => json!({ "domain": name, "op": "accept" }),
    };
    match body {
        Body::NoDomain => sent["domain"] = json!(7),
        Body::Malformed => sent = json!([sent]),
        Body::TooLarge => sent["cid"] = json!("x".repeat(1_000)),
        _ => {}
    }
    sent
}

#[expect(clippy::too_many_arguments, reason = "the parts of one step")]
fn submit(
    model: &Model,
    which: Index,
    unknown: bool,
    signer: Option<usize>,
    header: Header,
    flaw: Flaw,
    now: Instant,
    peer: u8,
) -> (Ask, Call) {
    let known = !unknown && !model.prepares.is_empty();
    let prepare = known.then(|| which.index(model.prepares.len()));
    let (id, key, op, message) = match prepare.map(|at| &model.prepares[at]) {
        Some(p) => (p.prepared.id.clone(), p.key, p.op, p.prepared.message.clone()),
        None => ("7b7f7d5e-0000-4000-8000-000000000000".to_owned(), 0, Op::Pub, vec![1, 2, 3]),
    };
    let own = prepare.map_or(0, |at| model.prepares[at].domain);
    let domain = if flaw == Flaw::OtherDomain { 1 - own } else { own };
    let accept = (op == Op::Accept) != (flaw == Flaw::OtherOp);
    let mut signature = ed25519::sign(&model.keys[key], &message).to_vec();
    match flaw {
        Flaw::Short => signature.truncate(63),
        Flaw::Flipped => signature[7] ^= 1,
        Flaw::OtherMessage => signature = ed25519::sign(&model.keys[key], b"svc-vf:1:auth:{}").to_vec(),
        _ => {}
    }
    let mut body = json!({ "prepareId": id, "signature": text::base64(&signature) });
    if accept {
        body["op"] = json!("accept");
    }
    let signer = signer.unwrap_or_else(|| model.admitted(domain, accept));
    let what = What::Submit { prepare, signature };
    sign(model, domain, signer, header, &body, now, peer, what, accept)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one step")]
fn sign(
    model: &Model,
    domain: usize,
    signer: usize,
    header: Header,
    body: &Value,
    now: Instant,
    peer: u8,
    what: What,
    accept: bool,
) -> (Ask, Call) {
    let client = Client { key: model.keys[signer].clone(), domain: model.domains[domain].name.to_owned() };
    let path = if matches!(what, What::Prepare { .. }) { PREPARE } else { SUBMIT };
    let bytes = body.to_string().into_bytes();
    let time = if header == Header::Stale { now - 600_001 } else { now };
    let mut call = match header {
        Header::OtherBody => client.call(path, b"{}", time),
        Header::OtherPath => client.call(if path == PREPARE { SUBMIT } else { PREPARE }, &bytes, time),
        _ => client.call(path, &bytes, time),
    };
    (call.target, call.body) = (path.to_owned(), bytes);
    match header {
        Header::Missing => drop(call.headers.remove(0)),
        Header::Broken => call.headers[0].1[20] ^= 1,
        _ => {}
    }
    let verifies = matches!(header, Header::Good | Header::Stale);
    (Ask { peer, time, verifies, signer, domain, accept, what }, call)
}
