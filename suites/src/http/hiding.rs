//! Hides secrets in strings and bytes, in every encoding.

mod parts;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use assay_spec::crypto::text::{self, base64};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) use parts::WINDOW;
use parts::{Beginnings, Index, entity, hex};

/// The secrets, and their replacements.
#[derive(Clone, Default)]
pub struct Hidden {
    /// Values and replacements; the longest value first, because one may be a prefix of another.
    values: Vec<(String, Vec<char>)>,
    /// How the values begin, made when first needed.
    beginnings: OnceLock<Beginnings>,
    /// Replacements of the forms.
    shown: Vec<String>,
    /// Forms of secrets of which every part is hidden.
    forms: Vec<Vec<u8>>,
    /// Replacements of whole forms, by number.
    wholes: BTreeMap<usize, String>,
    /// The forms, each with its number.
    numbers: BTreeMap<Vec<u8>, usize>,
    /// The parts of all forms.
    index: Index,
    disguises: Vec<Disguise>,
}

/// A replacement with the same form as the secret, so that checks of the form can be judged again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Disguise {
    /// The secret's name.
    pub name: String,
    /// The replacement.
    pub value: String,
}

/// Shorter strings are not treated as secrets, because they occur by chance.
const SHORTEST: usize = 4;
/// The longest part of a value that may remain after a cut, in characters.
const LONGEST_END: usize = 256;

impl Hidden {
    /// Replaces `value` with `[redacted name]`.
    pub fn add(&mut self, name: &str, value: &str) {
        self.put(value, || marked(name));
    }

    /// As [`Hidden::add`], but also hides the value in other letter cases, in hex and in base64, alone or inside other
    /// data, and every part of 12 characters or more of these forms.
    pub fn add_secret(&mut self, name: &str, value: &str) {
        for text in [value, &value.to_lowercase(), &value.to_uppercase()] {
            self.add(name, text);
        }
        self.add_forms(name, value);
    }

    /// Hides the derived forms of a value, and the parts of the value and its forms.
    fn add_forms(&mut self, name: &str, value: &str) {
        if value.chars().count() < SHORTEST {
            return;
        }
        let digits = value.trim_start_matches("0x");
        let mut forms = vec![value.to_owned(), value.to_lowercase(), value.to_uppercase()];
        let bytes: Option<Vec<u8>> = digits
            .as_bytes()
            .chunks(2)
            .map(|pair| Some(hex(pair)? as u8).filter(|_| pair.len() == 2))
            .collect();
        for plain in
            [Some(value.as_bytes().to_vec()), Some(digits.as_bytes().to_vec()), bytes].into_iter().flatten()
        {
            let digits = text::hex(&plain);
            forms.extend(base64_parts(&plain));
            forms.extend([digits.to_uppercase(), digits]);
        }
        if value.contains(' ') {
            forms.push(value.replace(' ', "+"));
        }
        for form in forms {
            if form.len() < WINDOW {
                self.add(name, &form);
            } else if !self.numbers.contains_key(form.as_bytes()) {
                self.push_form(form.into_bytes(), marked(name));
            }
        }
    }

    /// Adds a new form and its replacement.
    fn push_form(&mut self, form: Vec<u8>, shown: String) {
        let number = self.forms.len();
        self.index.add(number, &form);
        self.numbers.insert(form.clone(), number);
        self.forms.push(form);
        self.shown.push(shown);
    }

    /// Replaces `value` with a value of the same form, derived from `seed` and the number of earlier ones.
    pub fn disguise(&mut self, name: &str, value: &str, seed: &[u8; 32]) {
        let nth = self.disguises.len() as u64;
        let replacement = alike(value, seed, nth);
        if self.put(value, || replacement.clone()) {
            self.add_forms(name, value);
            if let Some(number) = self.numbers.get(value.as_bytes()) {
                self.wholes.insert(*number, replacement.clone());
            }
            self.disguises.push(Disguise { name: name.to_owned(), value: replacement });
        }
    }

    fn put(&mut self, value: &str, shown: impl FnOnce() -> String) -> bool {
        let characters: Vec<char> = value.chars().collect();
        let is_new =
            characters.len() >= SHORTEST && !self.values.iter().any(|(_, known)| *known == characters);
        if is_new {
            self.values.push((shown(), characters));
            self.beginnings = OnceLock::new();
            self.values.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        }
        is_new
    }

    /// The replacements that have the form of a secret.
    pub(crate) fn disguises(&self) -> &[Disguise] {
        &self.disguises
    }

    /// The number of forms of which every part is hidden.
    pub(crate) fn forms(&self) -> usize {
        self.forms.len()
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.forms.is_empty()
    }

    /// Redacts a string.
    pub fn redact_text(&self, text: &mut String) {
        self.redact_string(text);
    }

    /// As [`Hidden::redact_text`]; returns whether there was a secret.
    pub(crate) fn redact_string(&self, text: &mut String) -> bool {
        let redacted = self.redacted(text.as_bytes());
        let found = redacted.is_some();
        if let Some(bytes) = redacted {
            *text = String::from_utf8(bytes)
                .unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned());
        }
        found | self.redact_end(text)
    }

    /// Whether [`Hidden::redact_string`] would find a secret.
    fn has_secret(&self, text: &str) -> bool {
        self.redacted(text.as_bytes()).is_some() || self.prefix_at_end(text).is_some()
    }

    /// Redacts a prefix of a value at the end of a string that was cut.
    fn redact_end(&self, text: &mut String) -> bool {
        let found = self.prefix_at_end(text);
        if let Some((range, shown)) = &found {
            text.replace_range(range.clone(), shown);
        }
        found.is_some()
    }

    /// Where the prefix of a value is at the end of a string that was cut, and its replacement.
    fn prefix_at_end(&self, text: &str) -> Option<(Range<usize>, &str)> {
        if self.values.is_empty() {
            return None;
        }
        let end = text.trim_end_matches(['"', '\u{2026}', ' ']).len();
        // A short end is not a secret.
        let mut tail = text[..end].char_indices().rev().map(|(at, _)| at).take(LONGEST_END);
        let last = tail.nth(2 * SHORTEST - 1)?;
        let mut next = tail.last().unwrap_or(last);
        let mut starts = Vec::new();
        while let Some(at) = self.beginnings().next(text.as_bytes(), next).filter(|at| *at <= last) {
            starts.extend(text.is_char_boundary(at).then_some(at));
            next = at + 1;
        }
        if starts.is_empty() {
            return None;
        }
        self.values.iter().find_map(|(shown, value)| {
            let begins = |at: &&usize| text[**at..end].chars().zip(value).all(|(c, known)| c == *known);
            let is_shorter = |at: &&usize| text[**at..end].chars().count() < value.len();
            // The longest prefix first.
            let at = *starts.iter().find(|at| begins(at) && is_shorter(at))?;
            Some((at..end, shown.as_str()))
        })
    }

    /// Redacts the strings of a JSON value, names included; returns whether there was a secret.
    pub(crate) fn redact_value(&self, value: &mut Value) -> bool {
        let mut found = false;
        match value {
            Value::String(text) => found = self.redact_string(text),
            Value::Array(items) => items.iter_mut().for_each(|item| found |= self.redact_value(item)),
            Value::Object(members) => {
                let mut is_renamed = false;
                for (name, member) in members.iter_mut() {
                    is_renamed |= self.has_secret(name);
                    found |= self.redact_value(member);
                }
                if is_renamed {
                    found = true;
                    for (mut name, member) in std::mem::take(members) {
                        self.redact_string(&mut name);
                        members.insert(name, member);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        found
    }

    /// Redacts bytes; returns whether there was a secret.
    pub(crate) fn redact_bytes<B: AsRef<[u8]> + From<Vec<u8>>>(&self, bytes: &mut B) -> bool {
        let redacted = self.redacted(bytes.as_ref());
        let found = redacted.is_some();
        if let Some(redacted) = redacted {
            *bytes = redacted.into();
        }
        found
    }

    /// The redacted bytes; `None` if nothing is redacted.
    fn redacted(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let without_values = self.without_values(bytes);
        self.without_parts(without_values.as_deref().unwrap_or(bytes)).or(without_values)
    }

    fn without_values(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (mut out, mut at, mut kept) = (Vec::new(), 0, 0);
        while let Some(place) = self.beginnings().next(bytes, at) {
            let rest = &bytes[place..];
            let found = self.values.iter().find_map(|(shown, value)| Some((shown, length_at(rest, value)?)));
            at = place + 1;
            if let Some((shown, length)) = found {
                out.extend_from_slice(&bytes[kept..place]);
                out.extend_from_slice(shown.as_bytes());
                at = place + length;
                kept = at;
            }
        }
        if kept == 0 {
            return None;
        }
        out.extend_from_slice(&bytes[kept..]);
        Some(out)
    }

    fn beginnings(&self) -> &Beginnings {
        self.beginnings.get_or_init(|| Beginnings::new(self.values.iter().map(|(_, value)| &value[..])))
    }

    fn without_parts(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let found = self.index.find(&self.forms, bytes);
        if found.is_empty() {
            return None;
        }
        let (mut out, mut kept) = (Vec::with_capacity(bytes.len()), 0);
        for (range, form) in found {
            if range.end <= kept {
                continue;
            }
            // Parts that overlap are one secret.
            if range.start >= kept {
                out.extend_from_slice(&bytes[kept..range.start]);
                let whole = self.wholes.get(&form).filter(|_| range.len() == self.forms[form].len());
                out.extend_from_slice(whole.unwrap_or(&self.shown[form]).as_bytes());
            }
            kept = range.end;
        }
        out.extend_from_slice(&bytes[kept..]);
        Some(out)
    }
}

impl Hidden {
    /// Whether each form of another is known.
    pub(crate) fn has_forms_of(&self, other: &Hidden) -> bool {
        other.forms.iter().all(|form| self.numbers.contains_key(form))
    }

    /// Takes over the forms of another, with their replacements.
    pub(crate) fn absorb(&mut self, other: &Hidden) {
        for (number, form) in other.forms.iter().enumerate() {
            if self.numbers.contains_key(form) {
                continue;
            }
            if let Some(whole) = other.wholes.get(&number) {
                self.wholes.insert(self.forms.len(), whole.clone());
                self.disguises
                    .extend(other.disguises.iter().find(|disguise| disguise.value == *whole).cloned());
            }
            self.push_form(form.clone(), other.shown[number].clone());
        }
    }
}

/// Debug output contains no secret.
impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Hidden({})", self.values.len())
    }
}

/// The base64 characters that depend only on `value`, for each of its three alignments inside other data; none if they
/// are too few to be distinctive.
fn base64_parts(value: &[u8]) -> Vec<String> {
    let part = |before: usize| {
        let encoded = base64(&[vec![0; before].as_slice(), value].concat());
        // Six bits per character: characters shared with neighbouring bytes are left out.
        let (first, last) = ((before * 8).div_ceil(6), (before + value.len()) * 8 / 6);
        encoded.get(first..last).filter(|part| part.len() >= 2 * SHORTEST).map(str::to_owned)
    };
    let parts = (0..3).filter_map(part);
    parts.flat_map(|part| [part.replace('+', "-").replace('/', "_"), part]).collect()
}

/// The replacement that readers see instead of a secret.
pub(crate) fn marked(name: &str) -> String {
    format!("[redacted {name}]")
}

/// A value of the same length and alphabet, independent of `value`. The last character is kept: in base64 not every
/// character can be the last one.
fn alike(value: &str, seed: &[u8; 32], nth: u64) -> String {
    let is_hex = value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
    let mut bytes = (0u64..).flat_map(|block| {
        let mut hash = Sha256::new_with_prefix(seed);
        hash.update(nth.to_be_bytes());
        hash.update(block.to_be_bytes());
        <[u8; 32]>::from(hash.finalize())
    });
    let last = value.char_indices().next_back().map_or(0, |(at, _)| at);
    let other = |(at, c): (usize, char)| {
        let alphabet: &[u8] = match c {
            _ if at == last => return c,
            '0'..='9' => b"0123456789",
            'a'..='f' if is_hex => b"abcdef",
            'a'..='z' => b"abcdefghijklmnopqrstuvwxyz",
            'A'..='Z' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            _ => return c,
        };
        let byte = bytes.next().unwrap_or_default();
        char::from(alphabet[usize::from(byte) % alphabet.len()])
    };
    value.char_indices().map(other).collect()
}

/// The length of `value` at the start of `bytes`, if it is there in any mixture of encodings.
fn length_at(bytes: &[u8], value: &[char]) -> Option<usize> {
    value.iter().try_fold(0, |at, &c| Some(at + one_at(&bytes[at..], c)?))
}

/// The length of `c` at the start of `bytes`: literal, percent-encoded, or escaped as in JSON, HTML or forms.
fn one_at(bytes: &[u8], c: char) -> Option<usize> {
    let mut utf8 = [0; 4];
    let utf8 = c.encode_utf8(&mut utf8).as_bytes();
    match bytes.first()? {
        first if *first == utf8[0] && bytes.starts_with(utf8) => Some(utf8.len()),
        b'%' => {
            let encoded = bytes.get(..3 * utf8.len())?.chunks(3).zip(utf8);
            let is_same =
                |(part, byte): (&[u8], &u8)| part[0] == b'%' && hex(&part[1..]) == Some(u32::from(*byte));
            encoded.into_iter().all(is_same).then_some(3 * utf8.len())
        }
        b'\\' if bytes.get(1) == Some(&b'u') => {
            let mut utf16 = [0; 2];
            let utf16 = c.encode_utf16(&mut utf16);
            let encoded = bytes.get(..6 * utf16.len())?.chunks(6).zip(&*utf16);
            let is_same = |(part, unit): (&[u8], &u16)| {
                part.starts_with(b"\\u") && hex(&part[2..]) == Some(u32::from(*unit))
            };
            encoded.into_iter().all(is_same).then_some(6 * utf16.len())
        }
        b'\\' => (utf8.len() == 1 && bytes.get(1) == Some(&utf8[0])).then_some(2),
        b'+' if c == ' ' => Some(1),
        b'&' => entity(bytes).filter(|(other, _)| *other == c).map(|(_, length)| length),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(values: &[&str], text: &str) -> String {
        let mut hidden = Hidden::default();
        for value in values {
            hidden.add("key", value);
        }
        let mut text = text.to_owned();
        hidden.redact_text(&mut text);
        text
    }

    #[test]
    fn a_value_is_found_in_every_encoding() {
        for written in [
            "a+/=\u{e9}\u{1f980} \"z",
            "a%2B%2f%3D%c3%A9%F0%9f%A6%80%20%22z",
            "a+\\/=\\u00E9\\ud83e\\uDD80 \\\"z",
            "%61\\u002b%2F=\u{e9}\u{1f980}+\\u0022z",
        ] {
            let shown = redacted(&["a+/=\u{e9}\u{1f980} \"z"], &format!("x{written}y%{written}"));
            assert_eq!(shown, "x[redacted key]y%[redacted key]", "{written}");
        }
    }

    #[test]
    fn the_prefix_of_a_value_is_found_where_a_string_was_cut() {
        assert_eq!(
            redacted(&["0123456789abcdef"], "got 0123456789ab \u{2026}"),
            "got [redacted key] \u{2026}"
        );
        assert_eq!(
            redacted(&["0123456789abcdef"], "invalid: \"??01234567\""),
            "invalid: \"??[redacted key]\""
        );
        assert_eq!(redacted(&["0123456789abcdef"], "01234567 and more"), "01234567 and more");
    }

    #[test]
    fn nothing_else_is_touched() {
        for text in ["", "abc", "ab%", "%61%62%63", "abc%6", "abc\\u006", "abc\\", "ABCD", "ab\\ncd", "%%%%"]
        {
            assert_eq!(redacted(&["abcd"], text), text);
        }
        assert_eq!(redacted(&["", "abc"], "abc"), "abc", "too short for a secret");
    }

    #[test]
    fn a_disguise_has_only_the_form_of_the_secret() {
        let (token, digest) = ("Zk3_q-0aXw9QmNcVbT7rLpS2dYhJ8uFgA1eK4iOo5Bx", "0f".repeat(32));
        let mut hidden = Hidden::default();
        hidden.disguise("claim token", token, &[7; 32]);
        hidden.disguise("key", &digest, &[7; 32]);
        let mut text = format!("{token} {digest}");
        hidden.redact_text(&mut text);
        let (first, second) = text.split_once(' ').unwrap();
        assert_eq!((first.len(), &first[3..4], &first[5..6]), (43, "_", "-"));
        assert!(second.len() == 64 && second.bytes().all(|b| b"0123456789abcdef".contains(&b)), "{second}");
        assert_ne!((first, second), (token, digest.as_str()));
        assert_eq!(hidden.disguises[0], Disguise { name: "claim token".into(), value: first.into() });
    }

    #[test]
    fn a_secret_is_found_in_base64_at_every_alignment() {
        let secret = "sk-live_\u{ff}\u{fe}0123456789>>??";
        let mut hidden = Hidden::default();
        hidden.add_secret("key", secret);
        for before in ["", "a", "ab", "Bearer ", "{\"key\":\""] {
            for after in ["", "\"}", "zzz"] {
                let standard = base64(format!("{before}{secret}{after}").as_bytes());
                for mut text in [standard.clone(), standard.replace('+', "-").replace('/', "_")] {
                    hidden.redact_text(&mut text);
                    assert!(text.contains("[redacted key]"), "{before} {after}: {text}");
                    assert!(text.len() < 40, "{before} {after}: {text}");
                }
            }
        }
        let mut text = secret.to_uppercase();
        hidden.redact_text(&mut text);
        assert_eq!(text, "[redacted key]");
    }

    #[test]
    fn every_part_of_every_form_is_found() {
        let secret = "k3y/Zq+71~aWxT0p9_Lm=rVbN";
        let mut hidden = Hidden::default();
        hidden.add_secret("key", secret);
        let digits = text::hex(secret.as_bytes());
        let html: String = secret.chars().map(|c| format!("&#{};", u32::from(c))).collect();
        let percent: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let forms = [secret.to_owned(), digits.to_uppercase(), digits, base64(secret.as_bytes())];
        for form in &forms {
            for begin in 0..=form.len() - 2 * WINDOW {
                let part = &form[begin..begin + WINDOW];
                let mut text = format!("a {part}{{");
                hidden.redact_text(&mut text);
                assert_eq!(text, "a [redacted key]{", "{part}");
            }
        }
        for (text, width) in [(html, 5), (percent, 3)] {
            let mut text = text[width..text.len() - width].to_owned();
            hidden.redact_text(&mut text);
            assert!(text.contains("[redacted key]") && text.len() < 40, "{text}");
        }
        for short in ["3y/Zq+71~aW", "Zq+71 aWxT0p9", "000000000000000"] {
            let mut text = short.to_owned();
            hidden.redact_text(&mut text);
            assert_eq!(text, short);
        }
        let mut zeros = Hidden::default();
        zeros.add_secret("key", &format!("{}1", "0".repeat(63)));
        let mut text = "000000000000 and 0000000000000000 too".to_owned();
        zeros.redact_text(&mut text);
        assert_eq!(text, "000000000000 and 0000000000000000 too", "a row of zeros occurs by chance");
    }

    #[test]
    fn longer_values_are_redacted_first() {
        assert_eq!(redacted(&["abcd", "abcdef"], "abcdef abcde"), "[redacted key] [redacted key]e");
    }
}
