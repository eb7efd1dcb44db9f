//! Strings: words of the question, unless a format or a pattern requires something else.

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Value};

use super::make::Maker;
use super::{count, number};

/// The maximum length of a string.
const LONGEST: usize = 4_096;
/// The maximum number of repetitions beyond the minimum.
const MORE: u32 = 3;

/// A string for a schema.
pub(super) fn make(maker: &mut Maker<'_>, members: &Map<String, Value>) -> Option<String> {
    let least = count(members, "minLength").unwrap_or_default();
    let most = number(members, "maxLength").map_or(LONGEST, |most| most.max(0.0) as usize);
    if least > LONGEST.min(most) {
        return None;
    }
    if let Some(pattern) = members.get("pattern").and_then(Value::as_str) {
        if !maker.budget.spend(pattern.len()) {
            return None;
        }
        let pattern = regex_syntax::parse(pattern).ok()?;
        // If the pattern leaves the length open, it fits only by chance.
        return (0..24).find_map(|_| {
            let mut text = String::new();
            matching(maker, &pattern, &mut text);
            (least..=most).contains(&text.chars().count()).then_some(text)
        });
    }
    let format = members.get("format").and_then(Value::as_str);
    let text = match format {
        Some(format) => formatted(maker, format).unwrap_or_else(|| maker.word()),
        None => maker.word(),
    };
    if format.is_some() && (least..=most).contains(&text.chars().count()) {
        return Some(text);
    }
    let mut text = text;
    while text.chars().count() < least {
        text.push(' ');
        text.push_str(&maker.word());
    }
    // Cut at the end of a word if enough is left.
    let cut: String = text.chars().take(most).collect();
    let trimmed = cut.trim_end();
    Some(if trimmed.chars().count() < least { cut } else { trimmed.to_owned() })
}

/// Whether a string fits the string keywords; a pattern is assumed to hold for strings made from it.
pub(super) fn fits(members: &Map<String, Value>, text: &str) -> bool {
    let length = text.chars().count();
    count(members, "minLength").is_none_or(|least| length >= least)
        && number(members, "maxLength").is_none_or(|most| length as f64 <= most)
}

/// A string without characters that names do not contain.
pub(super) fn plain(text: &str) -> String {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    if plain.is_empty() { "x".to_owned() } else { plain.to_lowercase() }
}

fn formatted(maker: &mut Maker<'_>, format: &str) -> Option<String> {
    let any = maker.dice.any();
    let word = plain(&maker.word());
    let (year, month, day) = (2020 + any % 10, 1 + any / 16 % 12, 1 + any / 256 % 28);
    let (hour, minute) = (any / 7 % 24, any / 11 % 60);
    Some(match format {
        "date" => format!("{year}-{month:02}-{day:02}"),
        "time" => format!("{hour:02}:{minute:02}:00Z"),
        "date-time" => format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z"),
        "duration" => format!("PT{}M", 1 + any % 90),
        "email" | "idn-email" => format!("{word}@mail.example"),
        "hostname" | "idn-hostname" => format!("{word}.example"),
        "uri" | "url" | "iri" => format!("https://{word}.example/"),
        "uri-reference" | "iri-reference" => format!("/{word}"),
        "ipv4" => format!("192.0.2.{}", any % 256),
        "ipv6" => format!("2001:db8::{:x}", any % 65_536),
        "uuid" => format!("{any:08x}-0000-4000-8000-{any:012x}"),
        "json-pointer" => format!("/{word}"),
        "regex" => word,
        _ => return None,
    })
}

/// A string that matches a pattern. Assertions about positions are assumed to hold.
fn matching(maker: &mut Maker<'_>, pattern: &Hir, text: &mut String) {
    if text.len() > LONGEST || !maker.budget.spend(1) {
        return;
    }
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.push(of_class(maker, class)),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(MORE));
            let more = maker.dice.below((most - repetition.min) as usize + 1);
            for _ in 0..repetition.min as usize + more {
                if text.len() > LONGEST || !maker.budget.spend(1) {
                    break;
                }
                matching(maker, &repetition.sub, text);
            }
        }
        HirKind::Capture(capture) => matching(maker, &capture.sub, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| matching(maker, part, text)),
        HirKind::Alternation(parts) => {
            let part = maker.dice.below(parts.len());
            matching(maker, &parts[part], text);
        }
    }
}

fn of_class(maker: &mut Maker<'_>, class: &Class) -> char {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|r| (r.start().into(), r.end().into())).collect(),
        Class::Bytes(class) => class.ranges().iter().map(|r| (r.start().into(), r.end().into())).collect(),
    };
    maker.budget.spend(ranges.len() / 16);
    // Letters and digits before punctuation, and ASCII first.
    let among = |wanted: &dyn Fn(char) -> bool| -> Vec<char> {
        let of = |(start, end): &(u32, u32)| (*start..=(*end).min(0x7e)).filter_map(char::from_u32).collect();
        ranges.iter().flat_map(|range| -> Vec<char> { of(range) }).filter(|c| wanted(*c)).collect()
    };
    let mut chars = among(&|c| c.is_ascii_alphanumeric());
    if chars.is_empty() {
        chars = among(&|c| c.is_ascii_graphic() || c == ' ');
    }
    let first = ranges.first().and_then(|(start, _)| char::from_u32(*start)).unwrap_or('x');
    chars.get(maker.dice.below(chars.len())).copied().unwrap_or(first)
}
