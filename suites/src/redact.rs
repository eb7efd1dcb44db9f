//! Secrets kept out of reports, however they are written there.

use crate::exchange::{Broken, Exchange};
use crate::verdict::Outcome;

/// What no report may show, and what stands there instead.
#[derive(Clone, Default)]
pub struct Hidden(Vec<(String, Vec<char>)>);

/// A shorter text is no secret, and stands anywhere by chance.
const SHORTEST: usize = 4;

impl Hidden {
    /// Hides `value`; `[redacted name]` stands instead.
    pub fn add(&mut self, name: &str, value: &str) {
        let characters: Vec<char> = value.chars().collect();
        if characters.len() >= SHORTEST && !self.0.iter().any(|(_, known)| *known == characters) {
            self.0.push((format!("[redacted {name}]"), characters));
            // The longest first, since one may begin another.
            self.0.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        }
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes what is hidden out of everything that an outcome shows.
    pub fn redact(&self, outcome: &mut Outcome) {
        if self.is_empty() {
            return;
        }
        let texts = outcome.notes.iter_mut().chain(&mut outcome.why).chain(&mut outcome.repeat);
        let failure = outcome.failure.iter_mut().flat_map(|f| [&mut f.place, &mut f.want, &mut f.got]);
        texts.chain(failure).chain([&mut outcome.reason]).for_each(|text| self.redact_text(text));
        for Exchange { base, request, response } in &mut outcome.exchanges {
            self.redact_text(base);
            self.redact_text(&mut request.target);
            self.redact_bytes(&mut request.body);
            request.headers.iter_mut().for_each(|(_, value)| self.redact_bytes(value));
            match response {
                Ok(response) => {
                    self.redact_bytes(&mut response.body);
                    response.headers.iter_mut().for_each(|(_, value)| self.redact_bytes(value));
                }
                Err(
                    Broken::Nonsense(text)
                    | Broken::Closed(text)
                    | Broken::Tls(text)
                    | Broken::Unreachable(text)
                    | Broken::Harness(text),
                ) => self.redact_text(text),
                Err(Broken::TimedOut(_) | Broken::Held | Broken::TooLarge(_)) => {}
            }
        }
    }

    /// Takes what is hidden out of a text.
    pub fn redact_text(&self, text: &mut String) {
        let mut bytes = std::mem::take(text).into_bytes();
        self.redact_bytes(&mut bytes);
        *text = String::from_utf8_lossy(&bytes).into_owned();
    }

    fn redact_bytes(&self, bytes: &mut Vec<u8>) {
        for (shown, value) in &self.0 {
            let mut out: Option<Vec<u8>> = None;
            let (mut at, mut kept) = (0, 0);
            while at < bytes.len() {
                if let Some(length) = length_at(&bytes[at..], value) {
                    let out = out.get_or_insert_default();
                    out.extend_from_slice(&bytes[kept..at]);
                    out.extend_from_slice(shown.as_bytes());
                    at += length;
                    kept = at;
                } else {
                    at += 1;
                }
            }
            if let Some(mut out) = out {
                out.extend_from_slice(&bytes[kept..]);
                *bytes = out;
            }
        }
    }
}

/// No secret in any output.
impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Hidden({})", self.0.len())
    }
}

/// The length of `value` at the beginning of `bytes`, where it stands there in any mixture of ways.
fn length_at(bytes: &[u8], value: &[char]) -> Option<usize> {
    value.iter().try_fold(0, |at, &c| Some(at + one_at(&bytes[at..], c)?))
}

/// The length of `c` at the beginning of `bytes`: as it is, percent-encoded, or as JSON and forms escape it.
fn one_at(bytes: &[u8], c: char) -> Option<usize> {
    let mut utf8 = [0; 4];
    let utf8 = c.encode_utf8(&mut utf8).as_bytes();
    match bytes.first()? {
        first if *first == utf8[0] && bytes.starts_with(utf8) => Some(utf8.len()),
        b'%' => {
            let encoded = bytes.get(..3 * utf8.len())?.chunks(3).zip(utf8);
            let is_same =
                |(part, byte): (&[u8], &u8)| part[0] == b'%' && hex(&part[1..]) == Some(u16::from(*byte));
            encoded.into_iter().all(is_same).then_some(3 * utf8.len())
        }
        b'\\' if bytes.get(1) == Some(&b'u') => {
            let mut utf16 = [0; 2];
            let utf16 = c.encode_utf16(&mut utf16);
            let encoded = bytes.get(..6 * utf16.len())?.chunks(6).zip(&*utf16);
            let is_same =
                |(part, unit): (&[u8], &u16)| part.starts_with(b"\\u") && hex(&part[2..]) == Some(*unit);
            encoded.into_iter().all(is_same).then_some(6 * utf16.len())
        }
        b'\\' => (utf8.len() == 1 && bytes.get(1) == Some(&utf8[0])).then_some(2),
        b'+' if c == ' ' => Some(1),
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)? as u16))
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
    fn a_value_is_found_however_it_is_written() {
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
    fn nothing_else_is_touched() {
        for text in ["", "abc", "ab%", "%61%62%63", "abc%6", "abc\\u006", "abc\\", "ABCD", "ab\\ncd", "%%%%"]
        {
            assert_eq!(redacted(&["abcd"], text), text);
        }
        assert_eq!(redacted(&["", "abc"], "abc"), "abc", "too short for a secret");
    }

    #[test]
    fn the_longer_of_two_goes_first() {
        assert_eq!(redacted(&["abcd", "abcdef"], "abcdef abcde"), "[redacted key] [redacted key]e");
    }
}
