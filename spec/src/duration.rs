//! Durations as users write them: `250ms`, `90s`, `1h30m`, `2d`.

use crate::instant::{DAY, HOUR, MINUTE, SECOND};

/// The units, the longest first, as a duration writes them.
const UNITS: [(&str, i64); 5] = [("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", 1)];

/// What every duration matches, as a regular expression of JSON Schema.
pub const PATTERN: &str = "^([0-9]+d([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?\
    |[0-9]+h([0-9]+m)?([0-9]+s)?([0-9]+ms)?\
    |[0-9]+m([0-9]+s)?([0-9]+ms)?\
    |[0-9]+s([0-9]+ms)?\
    |[0-9]+ms)$";

/// A duration in milliseconds: numbers with units, the longest unit first, each at most once.
pub fn parse(text: &str) -> Result<i64, String> {
    let wrong = || format!("{text:.60?} is not a duration; write 250ms, 90s, 1h30m or 2d");
    let (mut total, mut rest, mut units) = (0_i64, text, UNITS.iter());
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = rest.split_at(digits);
        let letters = behind.bytes().take_while(u8::is_ascii_lowercase).count();
        let (unit, behind) = behind.split_at(letters);
        // Units before the one that is found are skipped for good, so that none comes twice or later.
        let (_, ms) = units.find(|(name, _)| *name == unit && !number.is_empty()).ok_or_else(wrong)?;
        let long = || format!("{text:.60?} is too long a duration");
        let part = number.parse::<i64>().ok().and_then(|number| number.checked_mul(*ms)).ok_or_else(long)?;
        total = total.checked_add(part).ok_or_else(long)?;
        rest = behind;
    }
    if text.is_empty() { Err(wrong()) } else { Ok(total) }
}

/// A duration in its longest units, such as `1h30m`; the opposite of [`parse`].
pub fn write(ms: u64) -> String {
    let (mut text, mut rest) = (String::new(), ms);
    for (name, unit) in UNITS {
        let unit = unit.unsigned_abs();
        if rest >= unit {
            text.push_str(&format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for (text, ms) in [
            ("250ms", 250),
            ("90s", 90_000),
            ("1h", HOUR),
            ("2d", 2 * DAY),
            ("1h30m", HOUR + 30 * MINUTE),
            ("1d2h3m4s5ms", DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND + 5),
            ("1m1ms", MINUTE + 1),
            ("0s", 0),
            ("007s", 7 * SECOND),
        ] {
            assert_eq!(parse(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn nonsense_is_an_error_that_shows_the_form() {
        for text in [
            "", "1", "h", "1 h", " 1h", "1h ", "-1h", "+1h", "1.5h", "1H", "1w", "1hour", "30m1h", "1h1h",
            "1ms1s", "1h30", "1\u{b5}s", "\u{661}s", "1e3ms",
        ] {
            let why = parse(text).expect_err(text);
            assert!(why.ends_with("is not a duration; write 250ms, 90s, 1h30m or 2d"), "{why}");
        }
        for text in ["9223372036854775808ms", "106751991168d", "9223372036854775807ms", "106751991167d9000h"]
        {
            let long = text != "9223372036854775807ms";
            assert_eq!(parse(text).is_err_and(|why| why.ends_with("is too long a duration")), long, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(ms in 0..=i64::MAX) {
            prop_assert_eq!(parse(&write(ms.unsigned_abs())), Ok(ms));
        }
    }
}
