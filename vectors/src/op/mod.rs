//! The operations of the JSON-lines protocol, implemented by the reference.
//!
//! Each operation is a function of its input and of `Rules`, which can switch single rules off. This shows that a case
//! is rejected by the rule that it names.

pub(crate) mod drop;
mod gateway;
mod hosting;
mod members;
mod metadata;
mod network;
pub(crate) mod publish;

use std::collections::BTreeSet;
use std::fmt;

use assay_spec::{Dialect, Id, Refused, Rules};
use serde_json::Value;

pub(crate) use members::Members;

use crate::bytes;
use crate::case::Step;
use crate::steps;

/// The result of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The operation's output.
    Ok(Value),
    /// The input is rejected.
    Reject(Reject),
    /// The request is malformed; the string names the member.
    Error(String),
    /// The operation is unknown.
    Unsupported,
}

/// A rejection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// The requirement that rejects. Its `rule` is the name in the protocol.
    pub row: Id,
    /// The stage that the input reached: parse, decode, check, verify.
    pub stage: &'static str,
    /// What was wrong with the input.
    pub why: String,
}

/// Why an operation has no output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpError {
    /// The input is rejected.
    #[error("{}: {}", .0.row.rule, .0.why)]
    Reject(Reject),
    /// The request is malformed: a member is missing or has another type.
    #[error("{0}")]
    BadRequest(String),
}

/// Rules that violate nothing and remember which rules were consulted.
#[derive(Default)]
pub(crate) struct Met(pub(crate) BTreeSet<Id>);

impl Rules for Met {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        self.0.insert(rule);
        None
    }
}

/// An operation of the protocol.
struct Operation {
    name: &'static str,
    /// What the reference does.
    run: Run,
    /// The intermediate values of an accepted case, from its input and its output.
    steps: Steps,
}

type Run = fn(&Dialect, &Members<'_>, &mut dyn Rules) -> Result<Value, OpError>;
type Steps = fn(&Value, &Value) -> Vec<Step>;

/// Every operation, in the protocol's order.
const OPERATIONS: &[Operation] = &[
    operation("gateway.validate", gateway::validate, |input, _| steps::body(input)),
    operation("gateway.read_stream", gateway::read_stream, |input, _| steps::events(input)),
    operation("metadata.route", metadata::route, |input, _| steps::raw_path(input)),
    operation("metadata.record", metadata::record, |input, _| {
        vec![steps::text("members", &steps::members(&input["document"]))]
    }),
    operation("keccak256", network::signing::keccak256, |input, _| steps::signing::keccak(input)),
    operation("eip191.sign", network::signing::sign, |input, _| steps::signing::personal(input)),
    operation("eip191.recover", network::signing::recover, |input, _| steps::signing::personal(input)),
    operation("address.from_public_key", network::signing::address, |input, _| {
        steps::signing::public_key(input)
    }),
    operation("record.canonical", network::signing::canonical_record, |input, _| {
        steps::signing::record(input)
    }),
    operation("record.verify", network::signing::verify_record, |input, _| steps::signing::record(input)),
    operation("request.verify", network::signing::verify_request, |input, _| steps::signing::request(input)),
    operation("store.classify", network::store::classify, |input, _| steps::signing::response(input)),
    operation("base64.decode", hosting::keys::base64_decode, steps::hosting::base64),
    operation("key_e.derive", hosting::keys::derive, steps::hosting::derive),
    operation("ecies.encrypt", hosting::keys::encrypt, steps::hosting::encrypt),
    operation("ecies.decrypt", hosting::keys::decrypt, |input, _| steps::hosting::decrypt(input)),
    operation("envelope.seal", hosting::sealed::seal_envelope, |input, ok| {
        steps::hosting::seal(input, &ok["envelope"])
    }),
    operation("envelope.open", hosting::sealed::open_envelope, |input, _| {
        steps::hosting::open(input, &input["envelope"])
    }),
    operation("bundle.seal", hosting::sealed::seal_bundle, |input, ok| {
        steps::hosting::seal(input, &ok["bundle"])
    }),
    operation("bundle.open", hosting::sealed::open_bundle, steps::hosting::open_bundle),
    operation("amends.resolve", hosting::records::resolve_amends, |input, _| steps::hosting::chain(input)),
    operation("vm_claim.select", hosting::records::select_claim, |input, _| steps::hosting::claims(input)),
    operation("hosting.authority", hosting::records::judge_authority, |input, _| steps::hosting::act(input)),
    operation("hosting.record", hosting::records::read_record, |input, _| steps::hosting::record(input)),
    operation("hosting.recover", hosting::recover::recover, steps::hosting::history),
    operation("domain.canonical", publish::domain::canonical, |input, _| steps::domain(&input["domain"])),
    operation("vfkey.sign", publish::vfkey::sign, |input, ok| steps::header(&ok["header"], input)),
    operation("vfkey.verify", publish::vfkey::verify, |input, _| {
        steps::header(&input["authorization"], input)
    }),
    operation("publish.record.encode", publish::record::encode_record, |_, ok| {
        vec![steps::utf8("record", &ok["record"])]
    }),
    operation("publish.record.parse", publish::record::parse_record, |input, _| {
        vec![steps::utf8("record", &input["record"])]
    }),
    operation("transaction.encode", publish::transaction::encode, |_, ok| steps::message(&ok["message"])),
    operation("transaction.decode", publish::transaction::decode, |input, _| {
        steps::message(&input["message"])
    }),
    operation("publish.check_message", publish::record::check_message, |input, ok| {
        [steps::message(&input["message"]), vec![steps::utf8("record", &ok["record"])]].concat()
    }),
    operation("publish.verify_transaction", publish::record::verify_transaction, |input, _| {
        [steps::message(&input["message"]), vec![steps::utf8("record", &input["record"])]].concat()
    }),
    operation("cid.file", drop::cid::file, |input, _| steps::unixfs::file(input)),
    operation("cid.directory", drop::cid::directory, |input, _| steps::unixfs::folder(input)),
    operation("drop.inspect_zip", drop::zip::inspect, |input, _| steps::unixfs::zip(input)),
];

const fn operation(name: &'static str, run: Run, steps: Steps) -> Operation {
    Operation { name, run, steps }
}

fn find(op: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == op)
}

/// The names of the operations, in the protocol's order.
pub fn operations() -> Vec<&'static str> {
    OPERATIONS.iter().map(|operation| operation.name).collect()
}

/// The intermediate values of an accepted case of `op`.
pub(crate) fn steps_of(op: &str, input: &Value, ok: &Value) -> Vec<Step> {
    find(op).map(|operation| (operation.steps)(input, ok)).unwrap_or_default()
}

/// The operation that produces the bytes of a recipe only while it reads them.
const STREAMED: &str = "cid.file";

/// The reference's answer in the documents' dialect.
pub fn answer(op: &str, input: &Value, rules: &mut dyn Rules) -> Answer {
    answer_in(&Dialect::default(), op, input, rules)
}

/// The reference's answer in another dialect.
pub fn answer_in(dialect: &Dialect, op: &str, input: &Value, rules: &mut dyn Rules) -> Answer {
    let Some(operation) = find(op) else { return Answer::Unsupported };
    let generated = bytes::generated(input);
    if generated > bytes::MEMORY_LIMIT && op != STREAMED {
        return Answer::Error(format!(
            "in: the recipes produce {generated} bytes; {op} reads at most 64 MiB in one request"
        ));
    }
    let outcome = Members::from_input(input).and_then(|members| (operation.run)(dialect, &members, rules));
    match outcome {
        Ok(ok) => Answer::Ok(ok),
        Err(OpError::Reject(reject)) => Answer::Reject(reject),
        Err(OpError::BadRequest(why)) => Answer::Error(why),
    }
}

/// Completes the sentence `the reference …`.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Ok(ok) => write!(f, "returns {ok}"),
            Answer::Reject(reject) => {
                write!(f, "rejects at stage {} by {}: {}", reject.stage, reject.row, reject.why)
            }
            Answer::Error(why) => write!(f, "cannot read the request: {why}"),
            Answer::Unsupported => write!(f, "does not know the operation"),
        }
    }
}

impl From<(Refused, &'static str)> for OpError {
    fn from((refused, stage): (Refused, &'static str)) -> Self {
        OpError::Reject(Reject { row: refused.rule, stage, why: refused.why })
    }
}

#[cfg(test)]
mod tests {
    use assay_spec::Strict;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_listed_operations_are_known() {
        for op in operations() {
            assert!(matches!(answer(op, &json!({}), &mut Strict), Answer::Error(_)), "{op}");
            assert!(matches!(answer(op, &json!(1), &mut Strict), Answer::Error(_)), "{op}");
        }
        assert_eq!(answer("domain", &json!({}), &mut Strict), Answer::Unsupported);
    }
}
