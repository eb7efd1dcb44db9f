//! Finds parts of secrets in bytes, also where the bytes are escaped.

use std::ops::Range;

use super::SHORTEST;

/// Parts of a secret that are shorter are not searched for.
pub(crate) const WINDOW: usize = 12;
/// A part with fewer different bytes, such as a row of zeros, occurs by chance.
const DISTINCT: usize = 5;
/// The base of the rolling hash.
const BASE: u64 = 0x0100_0000_01b3;
/// The filter has this many bits, as a power of two.
const FILTER_BITS: u32 = 16;

/// How some values begin, so that most places need no comparison.
#[derive(Clone, Debug, Default)]
pub(super) struct Beginnings {
    /// Whether a value may begin with characters of this hash.
    filter: Vec<bool>,
    /// A value begins with other characters than ASCII: it may be anywhere.
    is_odd: bool,
    /// Whether a value, or an escape of its first character, may begin with this byte.
    first: Vec<bool>,
}

impl Beginnings {
    /// The beginnings of these values.
    pub(super) fn new<'v>(values: impl Iterator<Item = &'v [char]>) -> Beginnings {
        let mut beginnings = Beginnings::default();
        for value in values {
            if beginnings.first.is_empty() {
                beginnings.first = (0..=u8::MAX).map(is_escape).collect();
            }
            let mut utf8 = [0; 4];
            if let Some(c) = value.first() {
                beginnings.first[usize::from(c.encode_utf8(&mut utf8).as_bytes()[0])] = true;
            }
            let first: Option<Vec<u8>> = value.iter().take(SHORTEST).map(|c| u8::try_from(*c).ok()).collect();
            match first.filter(|first| first.is_ascii()) {
                Some(first) => {
                    beginnings.filter.resize(1 << FILTER_BITS, false);
                    beginnings.filter[filtered(hashed(&first))] = true;
                }
                None => beginnings.is_odd = true,
            }
        }
        beginnings
    }

    /// The first place from `at` on where a value may be, in any encoding.
    pub(super) fn next(&self, bytes: &[u8], at: usize) -> Option<usize> {
        if self.first.is_empty() {
            return None;
        }
        let mut at = at;
        loop {
            at += bytes.get(at..)?.iter().position(|byte| self.first[usize::from(*byte)])?;
            let first = bytes.get(at..at + SHORTEST)?;
            let is_escaped = self.is_odd || first.iter().any(|byte| is_escape(*byte));
            if is_escaped || self.filter[filtered(hashed(first))] {
                return Some(at);
            }
            at += 1;
        }
    }
}

/// Whether an escape begins with this byte.
const fn is_escape(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | b'+' | b'&')
}

/// Every window of some forms of secrets.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// Hash of a window, number of the form, offset in the form; sorted.
    windows: Vec<(u64, u32, u32)>,
    /// Whether a window may have a hash with these bits.
    filter: Vec<bool>,
}

impl Index {
    /// The windows of these forms.
    pub(super) fn new<'f>(forms: impl Iterator<Item = &'f [u8]>) -> Index {
        let mut index = Index { windows: Vec::new(), filter: vec![false; 1 << FILTER_BITS] };
        for (number, form) in forms.enumerate() {
            for (offset, window) in form.windows(WINDOW).enumerate() {
                if is_distinctive(window) {
                    let hash = hashed(window);
                    index.filter[filtered(hash)] = true;
                    index.windows.push((hash, number as u32, offset as u32));
                }
            }
        }
        index.windows.sort_unstable();
        index
    }

    /// The parts in some bytes: where each is, and the number of its form.
    pub(super) fn find(&self, forms: &[Vec<u8>], text: &[u8]) -> Vec<(Range<usize>, usize)> {
        if self.windows.is_empty() {
            return Vec::new();
        }
        let mut found = self.scan(forms, text);
        if text.iter().any(|byte| matches!(byte, b'%' | b'\\' | b'&')) {
            let (bytes, places) = decoded(text);
            let scanned = self.scan(forms, &bytes).into_iter();
            found.extend(
                scanned.map(|(part, form)| (places[part.start].start..places[part.end - 1].end, form)),
            );
            found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        }
        found
    }

    fn scan(&self, forms: &[Vec<u8>], bytes: &[u8]) -> Vec<(Range<usize>, usize)> {
        let first = (1..WINDOW).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let (mut found, mut hash, mut begin, mut at) = (Vec::new(), 0_u64, 0, 0);
        while at < bytes.len() {
            if at - begin == WINDOW {
                hash = hash.wrapping_sub((u64::from(bytes[begin]) + 1).wrapping_mul(first));
                begin += 1;
            }
            hash = rolled(hash, bytes[at]);
            at += 1;
            if at - begin == WINDOW
                && self.filter[filtered(hash)]
                && let Some((length, form)) = self.longest(forms, hash, &bytes[begin..])
            {
                found.push((begin..begin + length, form));
                (begin, at, hash) = (begin + length, begin + length, 0);
            }
        }
        found
    }

    /// The length of the longest part at the start of `bytes`, and its form.
    fn longest(&self, forms: &[Vec<u8>], hash: u64, bytes: &[u8]) -> Option<(usize, usize)> {
        let from = self.windows.partition_point(|(known, ..)| *known < hash);
        let candidates = self.windows[from..].iter().take_while(|(known, ..)| *known == hash);
        let lengths = candidates.filter_map(|(_, number, offset)| {
            let form = &forms[*number as usize][*offset as usize..];
            let same = bytes.iter().zip(form).take_while(|(one, other)| one == other).count();
            (same >= WINDOW).then_some((same, *number as usize))
        });
        lengths.max_by_key(|(length, number)| (*length, std::cmp::Reverse(*number)))
    }
}

fn is_distinctive(window: &[u8]) -> bool {
    let mut bytes = window.to_vec();
    bytes.sort_unstable();
    bytes.dedup();
    bytes.len() >= DISTINCT
}

const fn rolled(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(byte as u64 + 1)
}

fn hashed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash, byte| rolled(hash, *byte))
}

const fn filtered(hash: u64) -> usize {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FILTER_BITS)) as usize
}

/// The bytes of a string without its percent-encoding and its escapes of JSON and HTML, and the place of each.
fn decoded(text: &[u8]) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut bytes, mut places) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let mut at = 0;
    while at < text.len() {
        let (plain, length) = match text[at] {
            b'%' | b'\\' | b'&' => escape(&text[at..]).unwrap_or_else(|| (vec![text[at]], 1)),
            byte => {
                bytes.push(byte);
                places.push(at..at + 1);
                at += 1;
                continue;
            }
        };
        places.extend(plain.iter().map(|_| at..at + length));
        bytes.extend(plain);
        at += length;
    }
    (bytes, places)
}

/// The meaning of the escape at the start of some bytes, and the length of the escape.
fn escape(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    match text.first()? {
        b'%' => Some((vec![hex(text.get(1..3)?)? as u8], 3)),
        b'\\' if text.get(1) == Some(&b'u') => {
            let unit = |at: usize| hex(text.get(at..at + 4)?);
            let first = unit(2)?;
            if let Some(c) = char::from_u32(first) {
                return Some((utf8(c), 6));
            }
            let second = text.get(6..8).filter(|start| *start == b"\\u").and_then(|_| unit(8))?;
            let pair = [first as u16, second as u16];
            Some((utf8(char::decode_utf16(pair).next()?.ok()?), 12))
        }
        b'\\' => Some((vec![*text.get(1)?], 2)),
        b'&' => {
            let (c, length) = entity(text)?;
            Some((utf8(c), length))
        }
        _ => None,
    }
}

/// The character of an HTML escape at the start of some bytes, and the length of the escape.
pub(super) fn entity(text: &[u8]) -> Option<(char, usize)> {
    const LONGEST: usize = 12;
    let end = text.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(text.get(1..end)?).ok()?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "sol" => '/',
        "plus" => '+',
        "equals" => '=',
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(number.ok()?)?
        }
    };
    Some((c, end + 1))
}

fn utf8(c: char) -> Vec<u8> {
    c.to_string().into_bytes()
}

pub(super) fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}
