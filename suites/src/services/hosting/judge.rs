//! Judges every record of a kind, member by member.

use std::borrow::Cow;
use std::sync::Arc;

use assay_spec::crypto::address::Address;
use assay_spec::{Instant, crypto};
use serde_json::Value;

use super::found::{Found, found};
use super::message::{Message, MessageKind};
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::Probe;

/// A value at a place in a message, or its absence.
pub(super) struct Seen<'a> {
    pub(super) message: &'a Message,
    /// Its place, a JSON pointer.
    pub(super) place: String,
    pub(super) value: Option<&'a Value>,
}

impl Message {
    /// The value at a JSON pointer.
    pub(super) fn at(&self, pointer: &str) -> Seen<'_> {
        Seen { message: self, place: pointer.to_owned(), value: self.value.pointer(pointer) }
    }
}

/// Judges each of these values. Without any, the check is not testable.
pub(super) fn each<'a>(
    probe: &Probe<'_>,
    found: &Found,
    what: &str,
    seen: impl IntoIterator<Item = Seen<'a>>,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let mut count = 0;
    for Seen { message, place, value } in seen {
        count += 1;
        if !holds(value) {
            let got = value.map_or_else(|| "missing".to_owned(), ToString::to_string);
            return fail(probe, found, message, &place, want, &got);
        }
    }
    some(found, count, what)?;
    probe.expect(true, what, want, "")
}

/// Fails with a record that breaks its rule and the exchange that returned it.
pub(super) fn fail(
    probe: &Probe<'_>,
    found: &Found,
    message: &Message,
    place: &str,
    want: &str,
    got: &str,
) -> Checked {
    let place = format!("{place} of {}", message.hash());
    found.recall(probe, message)?.expect(false, &place, want, got)
}

/// States an expectation about a record.
pub(super) fn expect(
    probe: &Probe<'_>,
    found: &Found,
    message: &Message,
    holds: bool,
    place: &str,
    want: &str,
    got: &str,
) -> Checked {
    if holds { probe.expect(true, place, want, "") } else { fail(probe, found, message, place, want, got) }
}

/// Stops a check that found no value of a kind: it must not pass.
pub(super) fn some(found: &Found, count: usize, what: &str) -> Checked {
    if count > 0 {
        return Ok(());
    }
    Err(Stop::NotTestable(format!("{} has no {what} among its records", found.owner)))
}

/// Judges the value at `pointer` in every record of a kind.
pub(super) async fn every(
    probe: &Probe<'_>,
    kind: MessageKind,
    pointer: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let found = found(probe).await?;
    each(probe, &found, name(kind), found.of_kind(kind).into_iter().map(|one| one.at(pointer)), want, holds)
}

/// As [`every`], in creations and terminal records.
pub(super) async fn every_deployment(
    probe: &Probe<'_>,
    pointer: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let found = found(probe).await?;
    let seen = found.deployments().into_iter().map(|one| one.at(pointer));
    each(probe, &found, "record of a deployment", seen, want, holds)
}

/// The history, if it has at least one record of a kind; else the check is not testable.
pub(super) async fn with(probe: &Probe<'_>, kind: MessageKind) -> Result<Arc<Found>, Stop> {
    let found = found(probe).await?;
    some(&found, found.of_kind(kind).len(), name(kind))?;
    Ok(found)
}

/// The name of a kind in reports.
pub(super) const fn name(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Projects => "write to `projects`",
        MessageKind::Security => "write to `security`",
        MessageKind::Creation => "creation of a deployment",
        MessageKind::Amend => "terminal record of a deployment",
        MessageKind::Legacy => "record from before schema 4",
        MessageKind::Claim => "claim of a machine's key",
        MessageKind::Forget => "FORGET",
        MessageKind::Other => "other message",
    }
}

/// What a member must be: its name in a failure, and a test of the value.
pub(super) struct Form<F = fn(Option<&Value>) -> bool> {
    pub(super) want: Cow<'static, str>,
    pub(super) holds: F,
}

impl Form {
    pub(super) const fn new(want: &'static str, holds: fn(Option<&Value>) -> bool) -> Form {
        Form { want: Cow::Borrowed(want), holds }
    }
}

pub(super) const TEXT: Form = Form::new("a string", is_text);
pub(super) const TEXT_OR_NULL: Form = Form::new("a string or null", |value| is_null(value) || is_text(value));
pub(super) const NUMBER_OR_NULL: Form =
    Form::new("a number or null", |value| is_null(value) || value.is_some_and(Value::is_number));
pub(super) const BOOLEAN: Form = Form::new("a boolean", |value| value.is_some_and(Value::is_boolean));
pub(super) const OBJECT: Form = Form::new("an object", is_object);
pub(super) const ARRAY: Form = Form::new("an array", |value| value.is_some_and(Value::is_array));
pub(super) const NULL: Form = Form::new("null", is_null);
pub(super) const MOMENT: Form = Form::new("an ISO 8601 time", is_moment);
pub(super) const MOMENT_OR_NULL: Form =
    Form::new("an ISO 8601 time or null", |value| is_null(value) || is_moment(value));
pub(super) const POINT: Form =
    Form::new("0x04 and 128 hexadecimal digits, a point of the curve", is_public_key);

/// Exactly this string.
pub(super) fn exactly(text: &'static str) -> Form<impl Fn(Option<&Value>) -> bool> {
    Form { want: text.into(), holds: move |value: Option<&Value>| is(text)(value) }
}

/// One of two strings.
pub(super) fn either(one: &'static str, other: &'static str) -> Form<impl Fn(Option<&Value>) -> bool> {
    let holds = move |value: Option<&Value>| is(one)(value) || is(other)(value);
    Form { want: format!("{one} or {other}").into(), holds }
}

/// Exactly this integer.
pub(super) fn number(number: u64) -> Form<impl Fn(Option<&Value>) -> bool> {
    let holds = move |value: Option<&Value>| value.and_then(Value::as_u64) == Some(number);
    Form { want: number.to_string().into(), holds }
}

/// A string.
fn is_text(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_string)
}

/// An object.
pub(super) fn is_object(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_object)
}

/// Null; a missing value is not null.
pub(super) fn is_null(value: Option<&Value>) -> bool {
    value.is_some_and(Value::is_null)
}

/// Exactly this string.
pub(super) fn is(text: &str) -> impl Fn(Option<&Value>) -> bool + '_ {
    move |value| value.and_then(Value::as_str) == Some(text)
}

/// An ISO 8601 time, with or without an offset.
fn is_moment(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).and_then(moment).is_some()
}

/// Parses an ISO 8601 time; without an offset it is UTC.
pub(super) fn moment(text: &str) -> Option<Instant> {
    let has_time = text.len() <= 64 && text.contains('T');
    has_time.then(|| Instant::parse_iso(text).or_else(|| Instant::parse_iso(&format!("{text}Z")))).flatten()
}

/// A prefix and `length` characters of the identifier alphabet.
pub(super) fn is_id(prefix: &str, length: usize) -> impl Fn(Option<&Value>) -> bool + '_ {
    let of_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    move |value| {
        let tail = value.and_then(Value::as_str).and_then(|text| text.strip_prefix(prefix));
        tail.is_some_and(|tail| tail.len() == length && tail.bytes().all(of_alphabet))
    }
}

/// `0x` and 40 hexadecimal digits.
pub(super) fn is_address(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).is_some_and(|text| Address::parse(text).is_some())
}

/// This address; letter case is ignored.
pub(super) fn is_address_of(address: Address) -> impl Fn(Option<&Value>) -> bool {
    move |value| value.and_then(Value::as_str).and_then(Address::parse) == Some(address)
}

/// `0x04` and 128 hexadecimal digits of a curve point.
pub(super) fn is_public_key(value: Option<&Value>) -> bool {
    value.and_then(Value::as_str).and_then(public_key).is_some()
}

/// Parses such a key.
pub(super) fn public_key(text: &str) -> Option<crypto::secp256k1::PublicKey> {
    crypto::text::parse_prefixed_hex(text).and_then(|bytes| crypto::secp256k1::parse_public_key(&bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn valid_forms_pass_and_invalid_ones_do_not() {
        for good in ["2026-03-04T05:06:07.089Z", "2026-03-04T05:06:07+02:00", "2026-03-04T05:06:07"] {
            assert!(is_moment(Some(&json!(good))), "{good}");
        }
        for bad in
            [json!("2026-03-04"), json!(""), json!(1_772_600_767), json!("2026-02-30T00:00:00Z"), json!(null)]
        {
            assert!(!is_moment(Some(&bad)), "{bad}");
        }
        assert!(
            !is_moment(None)
                && !is_null(None)
                && !(TEXT_OR_NULL.holds)(None)
                && !(NUMBER_OR_NULL.holds)(None)
        );
        let is_project = is_id("proj_", 12);
        assert!(is_project(Some(&json!("proj_AZaz09_-AZaz"))));
        for bad in ["proj_AZaz09_-AZa", "proj_AZaz09_-AZazx", "proj_AZaz09_-AZa=", "AZaz09_-AZaz"] {
            assert!(!is_project(Some(&json!(bad))), "{bad}");
        }
        assert!(!is_public_key(Some(&json!("0x04"))) && !is_address(Some(&json!("0x12"))));
    }
}
