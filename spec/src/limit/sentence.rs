//! How documents write the value of a limit.

use super::{Limit, Unit};
use crate::instant::{DAY, HOUR, MINUTE, SECOND};

/// The units of times, in milliseconds, with their names.
const TIMES: [(i64, &str); 5] =
    [(SECOND, "second"), (MINUTE, "minute"), (HOUR, "hour"), (DAY, "day"), (7 * DAY, "week")];

/// The units of sizes, in bytes, with their names.
const SIZES: [(i64, &str); 6] =
    [(1, "bytes"), (1_000, "kB"), (1_000_000, "MB"), (1 << 10, "KiB"), (1 << 20, "MiB"), (1, "byte")];

/// Numbers that documents write as words, from one.
const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// The most words between a number and the window in which it counts, with the window.
const NEAR: usize = 4;

impl Limit {
    /// Whether a sentence gives the value: its number in a unit that documents use, and for what is counted within a
    /// window also the window, such as `30 per minute`.
    pub fn is_stated_in(&self, sentence: &str) -> bool {
        let words: Vec<&str> = sentence.split(|c: char| c.is_whitespace() || "=/|".contains(c)).collect();
        let trimmed = words.into_iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        self.is_in(&trimmed.filter(|word| !word.is_empty()).collect::<Vec<_>>())
    }

    fn is_in(&self, words: &[&str]) -> bool {
        (0..words.len()).any(|at| {
            let Some(after) = self.begins(&words[at..]) else { return false };
            let near: Vec<&str> =
                after.iter().copied().take_while(|word| *word != "and").take(NEAR).collect();
            self.window.is_none_or(|(length, _)| length.is_in(&near))
        })
    }

    /// The words after the value, if it is the first.
    fn begins<'a>(&self, words: &'a [&'a str]) -> Option<&'a [&'a str]> {
        let times = || TIMES.into_iter().filter(|(ms, _)| self.value % ms == 0);
        match self.unit {
            Unit::Millisecond => times().find_map(|(ms, name)| {
                let is_name = |word: &str| word.strip_suffix('s').unwrap_or(word) == name;
                match (self.value / ms, words) {
                    (1, ["per" | "every", unit, rest @ ..]) if is_name(unit) => Some(rest),
                    (1, [word, rest @ ..]) if word.strip_suffix("ly") == Some(name) => Some(rest),
                    (count, _) => with_unit(&count.to_string(), is_name, words),
                }
            }),
            Unit::Byte => SIZES.into_iter().find_map(|(bytes, name)| {
                with_unit(&(self.value as f64 / bytes as f64).to_string(), |word| word == name, words)
            }),
            _ => words
                .split_first()
                .filter(|(word, _)| is_number(word, &self.value.to_string()))
                .map(|(_, rest)| rest),
        }
    }
}

/// The words after a number and its unit. In a range, as in `24 to 48 hours`, the unit comes last.
fn with_unit<'a>(
    number: &str,
    is_unit: impl Fn(&str) -> bool,
    words: &'a [&'a str],
) -> Option<&'a [&'a str]> {
    match words {
        [first, unit, rest @ ..] if is_number(first, number) && is_unit(unit) => Some(rest),
        [first, "to", _, unit, rest @ ..] if is_number(first, number) && is_unit(unit) => Some(rest),
        _ => None,
    }
}

fn is_number(word: &str, number: &str) -> bool {
    word == number
        || NUMBERS.iter().position(|name| *name == word).is_some_and(|at| (at + 1).to_string() == number)
}

#[cfg(test)]
mod tests {
    use crate::drop::limits::{CLAIM_WINDOW, DROPS_PER_DAY, DROPS_PER_HOUR, IPV6_PREFIX, ZIP};
    use crate::limit::Limit;
    use crate::network::limits::{
        BYTES_LEAVE_EARLIEST, BYTES_LEAVE_LATEST, FILE_PROBE, MEASUREMENT, METRICS_RETENTION, PAGE_MAXIMUM,
    };
    use crate::publish::limits::{BODY, PUBLISHES, REQUESTS};

    #[test]
    fn a_sentence_states_a_value_in_its_own_unit() {
        let stated: [(&Limit, &[&str]); 12] = [
            (&BODY, &["at most 64 KiB.", "bodies of 65536 bytes"]),
            (&ZIP, &["size | 10 MB | drop"]),
            (&FILE_PROBE, &["a file (6.7 kB) is read"]),
            (&CLAIM_WINDOW, &["removed after 4 hours.", "within four hours", "in 240 minutes"]),
            (&METRICS_RETENTION, &["two weeks", "the last 14 days"]),
            (&MEASUREMENT, &["probed hourly", "every hour, all nodes"]),
            (&BYTES_LEAVE_EARLIEST, &["about 24 to 48 hours"]),
            (&BYTES_LEAVE_LATEST, &["about 24 to 48 hours"]),
            (&IPV6_PREFIX, &["each /64 counts"]),
            (&PAGE_MAXIMUM, &["default 20, maximum 100", "`limit=100`"]),
            (&REQUESTS, &["30 per minute", "30 requests per minute"]),
            (&PUBLISHES, &["30 per rolling 24 hours", "30 per day"]),
        ];
        for (limit, sentences) in stated {
            for sentence in sentences {
                assert!(limit.is_stated_in(sentence), "{}: {sentence}", limit.name);
            }
        }
    }

    #[test]
    fn another_number_unit_or_window_is_not_the_value() {
        let others: [(&Limit, &[&str]); 6] = [
            (&BODY, &["64 KB", "at most 640 KiB", "64 bytes"]),
            (&ZIP, &["100 MB", "10 MiB", "10 files"]),
            (&CLAIM_WINDOW, &["4 minutes", "14 hours"]),
            (&REQUESTS, &["30 per hour", "300 per minute", "30 requests"]),
            (&DROPS_PER_HOUR, &["20 per hour and 10 per day"]),
            (&DROPS_PER_DAY, &["20 per hour and 10 per day"]),
        ];
        for (limit, sentences) in others {
            for sentence in sentences {
                assert!(!limit.is_stated_in(sentence), "{}: {sentence}", limit.name);
            }
        }
    }
}
