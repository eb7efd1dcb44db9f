//! Finds parts of secrets in bytes, also where the bytes are escaped.

use std::ops::Range;

use super::SHORTEST;

/// Parts of a secret that are shorter are not searched for.
pub(crate) const WINDOW: usize = 12;
/// The length of a gram: one word.
const GRAM: usize = 8;
/// The distance of two lookups: each window contains a gram that is looked up.
const STEP: usize = WINDOW - GRAM + 1;
/// How many bits the filter has for each gram, at least.
const BITS_PER_GRAM: usize = 16;
/// A part with fewer different bytes, such as a row of zeros, occurs by chance.
const DISTINCT: usize = 5;
/// The base of the hash of a window.
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
///
/// A window contains [`STEP`] grams, so of the grams at every `STEP`th place it contains exactly one. Only those are looked
/// up; where one may be known, the windows around it are compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The windows, in sorted runs. Each run is more than twice as long as the next, so there are few.
    runs: Vec<Vec<Window>>,
    /// The hashes of all grams of the windows.
    grams: Vec<u64>,
    /// Whether a gram may have a hash with these bits. Its length is a power of two.
    filter: Vec<u64>,
}

/// A window: its hash, the number of its form, and the offset in it.
type Window = (u64, u32, u32);

impl Index {
    /// Adds the windows of a form.
    pub(super) fn add(&mut self, number: usize, form: &[u8]) {
        let mut run = Vec::with_capacity(form.len());
        // The grams before this place are added.
        let mut next = 0;
        for (offset, window) in form.windows(WINDOW).enumerate() {
            if is_distinctive(window) {
                run.push((hashed(window), number as u32, offset as u32));
                next = next.max(offset);
                for gram in form[next..offset + WINDOW].windows(GRAM) {
                    self.add_gram(gram_hash(gram));
                    next += 1;
                }
            }
        }
        while let Some(last) = self.runs.pop_if(|last| last.len() <= 2 * run.len()) {
            run.extend(last);
        }
        if !run.is_empty() {
            run.sort_unstable();
            self.runs.push(run);
        }
    }

    fn add_gram(&mut self, hash: u64) {
        self.grams.push(hash);
        if self.grams.len() * BITS_PER_GRAM > self.filter.len() * 64 {
            self.filter = vec![0; (self.filter.len() * 4).max(16)];
            for hash in &self.grams {
                let (word, bits) = self.bits(*hash);
                self.filter[word] |= bits;
            }
        }
        let (word, bits) = self.bits(hash);
        self.filter[word] |= bits;
    }

    /// The windows with this hash.
    fn candidates(&self, hash: u64) -> impl Iterator<Item = &Window> {
        self.runs.iter().flat_map(move |run| {
            let first = run.partition_point(|window| window.0 < hash);
            run[first..].iter().take_while(move |window| window.0 == hash)
        })
    }

    /// The word of the filter where a hash is noted, and its two bits there.
    fn bits(&self, hash: u64) -> (usize, u64) {
        ((hash >> 12) as usize & (self.filter.len() - 1), 1 << (hash & 63) | 1 << (hash >> 6 & 63))
    }

    /// The parts in some bytes: where each is, and the number of its form.
    pub(super) fn find(&self, forms: &[Vec<u8>], text: &[u8]) -> Vec<(Range<usize>, usize)> {
        if self.runs.is_empty() {
            return Vec::new();
        }
        let mut found = self.scan(forms, text);
        let scanned = next_escape(text, 0).map_or_else(Vec::new, |_| self.scan(forms, &decoded(text)));
        if !scanned.is_empty() {
            let places = places(text);
            found.extend(scanned.into_iter().map(|(part, form)| {
                let (first, last) = (&places[part.start], &places[part.end - 1]);
                (first.start..last.end, form)
            }));
            found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        }
        found
    }

    fn scan(&self, forms: &[Vec<u8>], bytes: &[u8]) -> Vec<(Range<usize>, usize)> {
        let (mut found, mut from) = (Vec::new(), 0);
        // The gram at `at` belongs to each window that begins in the `STEP` places up to it.
        let mut at = STEP - 1;
        while let Some(gram) = bytes.get(at..at + GRAM) {
            let (word, bits) = self.bits(gram_hash(gram));
            if self.filter[word] & bits == bits {
                let mut begins = (at + 1 - STEP).max(from)..at + 1;
                let part = begins.find_map(|begin| {
                    let (length, form) = self.longest(forms, &bytes[begin..])?;
                    Some((begin..begin + length, form))
                });
                if let Some((part, form)) = part {
                    from = part.end;
                    at = from + STEP - 1;
                    found.push((part, form));
                    continue;
                }
            }
            at += STEP;
        }
        found
    }

    /// The length of the longest part at the start of `bytes`, and its form.
    fn longest(&self, forms: &[Vec<u8>], bytes: &[u8]) -> Option<(usize, usize)> {
        let candidates = self.candidates(hashed(bytes.get(..WINDOW)?));
        let lengths = candidates.filter_map(|(_, number, offset)| {
            let form = &forms[*number as usize][*offset as usize..];
            let same = bytes.iter().zip(form).take_while(|(one, other)| one == other).count();
            (same >= WINDOW).then_some((same, *number as usize))
        });
        lengths.max_by_key(|(length, number)| (*length, std::cmp::Reverse(*number)))
    }
}

/// The hash of a gram.
fn gram_hash(gram: &[u8]) -> u64 {
    let bytes = gram.first_chunk::<GRAM>().map_or(0, |gram| u64::from_le_bytes(*gram));
    let product = bytes.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

fn is_distinctive(window: &[u8]) -> bool {
    let is_first = |(at, byte): &(usize, &u8)| !window[..*at].contains(byte);
    window.iter().enumerate().filter(is_first).count() >= DISTINCT
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

/// The first place from `at` on where an escape may begin.
fn next_escape(text: &[u8], at: usize) -> Option<usize> {
    Some(at + memchr::memchr3(b'%', b'\\', b'&', text.get(at..)?)?)
}

/// The bytes of a string without its percent-encoding and its escapes of JSON and HTML.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(place) = next_escape(text, at) {
        bytes.extend_from_slice(&text[at..place]);
        let (plain, length) = escape(&text[place..]).unwrap_or_else(|| (vec![text[place]], 1));
        bytes.extend(plain);
        at = place + length;
    }
    bytes.extend_from_slice(&text[at..]);
    bytes
}

/// The place of each byte of [`decoded`].
fn places(text: &[u8]) -> Vec<Range<usize>> {
    let mut places = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (bytes, length) = escape(&text[at..]).map_or((1, 1), |(plain, length)| (plain.len(), length));
        places.extend(std::iter::repeat_n(at..at + length, bytes));
        at += length;
    }
    places
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

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &[u8] = b"3y/Zq+71~aWxT0p9Lk";

    /// Forms with their index.
    struct Known(Vec<Vec<u8>>, Index);

    impl Known {
        fn new(forms: Vec<Vec<u8>>) -> Known {
            let mut index = Index::default();
            forms.iter().enumerate().for_each(|(number, form)| index.add(number, form));
            Known(forms, index)
        }

        /// Where parts begin and end.
        fn found(&self, text: &[u8]) -> Vec<(usize, usize)> {
            self.1.find(&self.0, text).into_iter().map(|(range, _)| (range.start, range.end)).collect()
        }
    }

    #[test]
    fn the_shortest_part_is_found_at_each_place() {
        let known = Known::new(vec![FORM.to_vec()]);
        for part in FORM.windows(WINDOW) {
            for (before, after) in (0..40).flat_map(|before| [(before, 0), (before, 1), (before, 20)]) {
                let text = [&vec![b'.'; before], part, &vec![b'.'; after]].concat();
                assert_eq!(known.found(&text), [(before, before + WINDOW)], "{before}, {after}");
                let shorter = [&vec![b'.'; before], &part[1..], &vec![b'.'; after]].concat();
                assert!(known.found(&shorter).is_empty(), "{before}, {after}");
            }
        }
    }

    #[test]
    fn adjacent_parts_are_found_one_after_the_other() {
        let text = [&FORM[2..16], &FORM[..WINDOW], &FORM[5..17]].concat();
        assert_eq!(Known::new(vec![FORM.to_vec()]).found(&text), [(0, 14), (14, 26), (26, 38)]);
    }

    #[test]
    fn each_of_many_forms_is_found() {
        let number = |n: u128| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let forms = (1..500).map(|n| format!("{:032x}", number(n)).into_bytes()).collect();
        let known = Known::new(forms);
        for form in &known.0 {
            assert_eq!(known.found(&[b"...", form.as_slice(), b"..."].concat()), [(3, 35)]);
        }
    }

    #[test]
    fn an_escaped_part_is_found_at_its_place_in_the_escaped_bytes() {
        let known = Known::new(vec![FORM.to_vec()]);
        for (text, place) in [
            (&br"a\n3y\/Zq+71~aWx."[..], (3, 16)),
            (b"a%203y%2FZq%2b71~aWx.", (4, 20)),
            (b"&lt;3y&#47;Zq+71~aWx&", (4, 20)),
            (br"% \ & 3\u0079/Zq+71~aWx", (6, 23)),
        ] {
            assert_eq!(known.found(text), [place], "{}", String::from_utf8_lossy(text));
        }
    }
}
