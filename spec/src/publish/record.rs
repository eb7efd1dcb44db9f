//! The record that a publish writes to the chain (document 3, "The record").

use std::io::Write;

use serde_json::{Map, Value};

use crate::publish::domain;
use crate::publish::mistakes::record::{TEXT, VALUES};
use crate::publish::requirements::record::{CANONICAL, CANONICAL_DOMAIN, EXACT_TIME, NOT_EMPTY};
use crate::{Dialect, Instant, Refused, Rules};

/// The kind of a record. It determines the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// `pub`: a domain's content identifier.
    Pub,
    /// `transfer`: a transfer of a domain to a new key.
    Transfer,
    /// `accept`: the new key accepts the domain.
    Accept,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [RecordKind; 3] = [RecordKind::Pub, RecordKind::Transfer, RecordKind::Accept];

    /// The kind's name, as in the record and in the request's `op`.
    pub const fn name(self) -> &'static str {
        match self {
            RecordKind::Pub => "pub",
            RecordKind::Transfer => "transfer",
            RecordKind::Accept => "accept",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<RecordKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The object's keys, in order.
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            RecordKind::Pub => &["d", "c", "v", "t"],
            RecordKind::Transfer => &["d", "newVault", "t"],
            RecordKind::Accept => &["d", "transfer", "t"],
        }
    }
}

/// A record: its kind and its values, one for each of the kind's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The kind.
    pub kind: RecordKind,
    values: Vec<String>,
}

impl Record {
    /// A `pub` record.
    pub fn publish(domain: &str, cid: &str, version: &str, time: Instant) -> Record {
        Self::with_values(RecordKind::Pub, [domain, cid, version, &time.to_string()])
    }

    /// A `transfer` record; `new_vault` is the key scheme followed by a base58 key.
    pub fn transfer(domain: &str, new_vault: &str, time: Instant) -> Record {
        Self::with_values(RecordKind::Transfer, [domain, new_vault, &time.to_string()])
    }

    /// An `accept` record; `transfer` is the transaction signature of the pending transfer.
    pub fn accept(domain: &str, transfer: &str, time: Instant) -> Record {
        Self::with_values(RecordKind::Accept, [domain, transfer, &time.to_string()])
    }

    pub(super) fn with_values<const N: usize>(kind: RecordKind, values: [&str; N]) -> Record {
        Record { kind, values: values.map(str::to_owned).to_vec() }
    }

    /// A record from a JSON object. The object must have exactly the kind's keys, as strings, in any order.
    pub fn from_fields(
        kind: RecordKind,
        fields: &Map<String, Value>,
        rules: &mut dyn Rules,
    ) -> Result<Record, Refused> {
        let values = rules.read(&VALUES, (kind, fields), |(kind, fields)| values(kind, fields))?;
        let record = Record { kind, values };
        record.check(rules)?;
        Ok(record)
    }

    /// Parses a record. Only its canonical encoding is accepted.
    pub fn parse(dialect: &Dialect, bytes: &[u8], rules: &mut dyn Rules) -> Result<Record, Refused> {
        let record = match Record::read(dialect, bytes) {
            Ok(record) => record,
            Err(why) => return rules.refuse(&TEXT, bytes, why),
        };
        record.check(rules)?;
        rules.require(&CANONICAL, record.encode(dialect) == bytes, || {
            "not the canonical encoding".to_owned()
        })?;
        Ok(record)
    }

    /// Reads the prefix, the kind and a JSON object with the kind's keys as strings.
    pub(super) fn read(dialect: &Dialect, bytes: &[u8]) -> Result<Record, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8")?;
        let rest = text.strip_prefix(dialect.record_prefix.as_str()).ok_or("the prefix is wrong")?;
        let (kind, json) = rest.split_once(':').ok_or("the kind is missing")?;
        let kind = RecordKind::named(kind).ok_or("the kind is unknown")?;
        let fields: Map<String, Value> = serde_json::from_str(json).map_err(|e| e.to_string())?;
        Ok(Record { kind, values: values(kind, &fields)? })
    }

    fn check(&self, rules: &mut dyn Rules) -> Result<(), Refused> {
        self.check_values(rules)?;
        rules.require(&EXACT_TIME, Instant::parse_exact(self.time()).is_some(), || {
            format!("t is {:?}", self.time())
        })
    }

    /// Rejects an empty value and a domain that is not canonical.
    pub(super) fn check_values(&self, rules: &mut dyn Rules) -> Result<(), Refused> {
        for (key, value) in self.fields() {
            rules.require(&NOT_EMPTY, !value.is_empty(), || format!("{key} is empty"))?;
        }
        rules.require(&CANONICAL_DOMAIN, domain::is_canonical(self.domain()), || {
            format!("{:?} is not canonical", self.domain())
        })
    }

    /// Keys and values, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.kind.keys().iter().copied().zip(self.values.iter().map(String::as_str))
    }

    /// The value of one of the kind's keys.
    pub fn field(&self, key: &str) -> Option<&str> {
        self.fields().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Changes the value of one key, if the kind has it.
    pub fn edit(&mut self, key: &str, edit: impl FnOnce(&str) -> String) {
        if let Some(at) = self.kind.keys().iter().position(|name| *name == key) {
            self.values[at] = edit(&self.values[at]);
        }
    }

    /// `d`.
    pub fn domain(&self) -> &str {
        &self.values[0]
    }

    /// `t`, as written.
    pub fn time(&self) -> &str {
        self.values.last().map_or("", String::as_str)
    }

    /// The canonical bytes: prefix, kind, colon, compact JSON with the kind's keys in order.
    pub fn encode(&self, dialect: &Dialect) -> Vec<u8> {
        let mut bytes = format!("{}{}:", dialect.record_prefix, self.kind.name()).into_bytes();
        for (n, (key, value)) in self.fields().enumerate() {
            bytes.push(if n == 0 { b'{' } else { b',' });
            let _ = write!(bytes, "\"{key}\":");
            // The standard serialiser escapes quote, backslash and control characters only.
            serde_json::to_writer(&mut bytes, value).expect("writing a string to a Vec cannot fail");
        }
        bytes.push(b'}');
        bytes
    }
}

/// The values of the kind's keys, if there are no other keys.
fn values(kind: RecordKind, fields: &Map<String, Value>) -> Result<Vec<String>, String> {
    if let Some(strange) = fields.keys().find(|key| !kind.keys().contains(&key.as_str())) {
        return Err(format!("unknown field {strange:?}"));
    }
    let value = |key: &&str| {
        let text = fields.get(*key).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| format!("{key} is not a string"))
    };
    kind.keys().iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Strict;
    use crate::publish::requirements::record::FORM;

    const T: Instant = Instant(1_767_323_045_678);

    #[test]
    fn each_kind_encodes_to_exact_bytes() {
        let dialect = Dialect::default();
        let cases = [
            (
                Record::publish("a.example", "bafy", "0", T),
                r#"svc-vf:1:pub:{"d":"a.example","c":"bafy","v":"0","t":"2026-01-02T03:04:05.678Z"}"#,
            ),
            (
                Record::transfer("a.example", "chain:9x", T),
                r#"svc-vf:1:transfer:{"d":"a.example","newVault":"chain:9x","t":"2026-01-02T03:04:05.678Z"}"#,
            ),
            (
                Record::accept("a.example", "5sig", T),
                r#"svc-vf:1:accept:{"d":"a.example","transfer":"5sig","t":"2026-01-02T03:04:05.678Z"}"#,
            ),
        ];
        for (record, text) in cases {
            assert_eq!(String::from_utf8(record.encode(&dialect)).as_deref(), Ok(text));
            assert_eq!(Record::parse(&dialect, text.as_bytes(), &mut Strict), Ok(record));
        }
    }

    #[test]
    fn strings_use_standard_json_escaping() {
        let record = Record::publish("a.example", "\"\\\u{1}\u{8}\n\u{7f}/\u{e9}\u{2028}\u{1f600}", "0", T);
        let text = String::from_utf8(record.encode(&Dialect::default())).expect("UTF-8");
        assert!(text.contains("\"c\":\"\\\"\\\\\\u0001\\b\\n\u{7f}/\u{e9}\u{2028}\u{1f600}\""), "{text}");
    }

    #[test]
    fn envelope_message_is_not_a_record() {
        let text = br#"svc-vf:1:auth:{"d":"a.example"}"#;
        assert_eq!(Record::parse(&Dialect::default(), text, &mut Strict).expect_err("kind").rule, &FORM);
    }

    proptest! {
        #[test]
        fn records_round_trip(cid in "\\PC{1,80}", version in "[ -~]{1,20}") {
            let record = Record::publish("a.example", &cid, &version, T);
            let bytes = record.encode(&Dialect::default());
            prop_assert_eq!(Record::parse(&Dialect::default(), &bytes, &mut Strict), Ok(record));
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Record::parse(&Dialect::default(), &bytes, &mut Strict);
        }
    }
}
