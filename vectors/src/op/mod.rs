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

/// The known operations, in the protocol's order.
pub fn operations() -> &'static [&'static str] {
    &[
        "gateway.validate",
        "metadata.route",
        "metadata.record",
        "keccak256",
        "eip191.sign",
        "eip191.recover",
        "address.from_public_key",
        "record.canonical",
        "record.verify",
        "request.verify",
        "store.classify",
        "base64.decode",
        "key_e.derive",
        "ecies.encrypt",
        "ecies.decrypt",
        "envelope.seal",
        "envelope.open",
        "bundle.seal",
        "bundle.open",
        "amends.resolve",
        "vm_claim.select",
        "hosting.authority",
        "hosting.record",
        "hosting.recover",
        "domain.canonical",
        "vfkey.sign",
        "vfkey.verify",
        "publish.record.encode",
        "publish.record.parse",
        "transaction.encode",
        "transaction.decode",
        "publish.check_message",
        "publish.verify_transaction",
        "cid.file",
        "cid.directory",
        "drop.inspect_zip",
    ]
}

/// The operation that produces the bytes of a recipe only while it reads them.
const STREAMED: &str = "cid.file";

/// The reference's answer in the documents' dialect.
pub fn answer(op: &str, input: &Value, rules: &mut dyn Rules) -> Answer {
    answer_in(&Dialect::default(), op, input, rules)
}

/// The reference's answer in another dialect.
pub fn answer_in(dialect: &Dialect, op: &str, input: &Value, rules: &mut dyn Rules) -> Answer {
    let run: fn(&Dialect, &Members<'_>, &mut dyn Rules) -> Result<Value, OpError> = match op {
        "gateway.validate" => gateway::validate,
        "metadata.route" => metadata::route,
        "metadata.record" => metadata::record,
        "keccak256" => network::signing::keccak256,
        "eip191.sign" => network::signing::sign,
        "eip191.recover" => network::signing::recover,
        "address.from_public_key" => network::signing::address,
        "record.canonical" => network::signing::canonical_record,
        "record.verify" => network::signing::verify_record,
        "request.verify" => network::signing::verify_request,
        "store.classify" => network::store::classify,
        "base64.decode" => hosting::keys::base64_decode,
        "key_e.derive" => hosting::keys::derive,
        "ecies.encrypt" => hosting::keys::encrypt,
        "ecies.decrypt" => hosting::keys::decrypt,
        "envelope.seal" => hosting::sealed::seal_envelope,
        "envelope.open" => hosting::sealed::open_envelope,
        "bundle.seal" => hosting::sealed::seal_bundle,
        "bundle.open" => hosting::sealed::open_bundle,
        "amends.resolve" => hosting::records::resolve_amends,
        "vm_claim.select" => hosting::records::select_claim,
        "hosting.authority" => hosting::records::judge_authority,
        "hosting.record" => hosting::records::read_record,
        "hosting.recover" => hosting::recover::recover,
        "domain.canonical" => publish::domain::canonical,
        "vfkey.sign" => publish::vfkey::sign,
        "vfkey.verify" => publish::vfkey::verify,
        "publish.record.encode" => publish::record::encode_record,
        "publish.record.parse" => publish::record::parse_record,
        "transaction.encode" => publish::transaction::encode,
        "transaction.decode" => publish::transaction::decode,
        "publish.check_message" => publish::record::check_message,
        "publish.verify_transaction" => publish::record::verify_transaction,
        "cid.file" => drop::cid::file,
        "cid.directory" => drop::cid::directory,
        "drop.inspect_zip" => drop::zip::inspect,
        _ => return Answer::Unsupported,
    };
    let generated = bytes::generated(input);
    if generated > bytes::MEMORY_LIMIT && op != STREAMED {
        return Answer::Error(format!(
            "in: the recipes produce {generated} bytes; {op} reads at most 64 MiB in one request"
        ));
    }
    let outcome = Members::from_input(input).and_then(|members| run(dialect, &members, rules));
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
