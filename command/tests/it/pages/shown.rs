//! The comparison of a transcript on a page with what a command printed.
//!
//! In a transcript, `…` alone in a line means any lines, and `…` within a line any characters. Numbers of ten or more
//! digits (times and seeds) and ports are equal to each other.

use super::terminal::PORTS;

/// What differs, if anything.
pub(super) fn difference(shown: &[&str], printed: &str) -> Option<String> {
    let shown: Vec<String> = shown.iter().map(|line| plain(line)).collect();
    let got: Vec<String> = printed.trim_end().lines().map(plain).collect();
    let parts: Vec<&[String]> = shown.split(|line| line.trim() == "…").collect();
    if !shown.is_empty() && shown.iter().all(|line| line.trim() == "…") {
        return Some("the transcript shows nothing".to_owned());
    }
    let mut from = 0;
    for (n, part) in parts.iter().enumerate() {
        let (first, last) = (n == 0, n + 1 == parts.len());
        let found = match (first, last) {
            (true, true) => (got.len() == part.len() && agree(part, &got)).then_some(0),
            (true, false) => got.get(..part.len()).filter(|lines| agree(part, lines)).map(|_| 0),
            (false, true) => {
                got.len().checked_sub(part.len()).filter(|at| *at >= from && agree(part, &got[*at..]))
            }
            (false, false) => (from..got.len())
                .find(|at| got.get(*at..at + part.len()).is_some_and(|lines| agree(part, lines))),
        };
        let Some(at) = found else {
            let rest = &got[from.min(got.len())..];
            let missing = part.iter().find(|line| !rest.iter().any(|other| fits(line, other)));
            return Some(match missing {
                Some(line) => format!("no such line was printed: {line}"),
                None => format!("these lines were not printed one after another:\n{}", part.join("\n")),
            });
        };
        from = at + part.len();
    }
    None
}

fn agree(shown: &[String], printed: &[String]) -> bool {
    shown.len() == printed.len() && shown.iter().zip(printed).all(|(shown, printed)| fits(shown, printed))
}

fn fits(shown: &str, printed: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else { return shown == printed };
    let Some(mut printed) = printed.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = printed.find(part) else { return false };
        printed = &printed[at + part.len()..];
    }
    printed.ends_with(end)
}

/// The line without its long numbers, the ports of other sites than the documented ones, and spaces at its end.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.trim_end();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        text.push_str(before);
        let digits = &from[..end];
        let is_port = text.ends_with("127.0.0.1:") && !digits.parse().is_ok_and(|port| PORTS.contains(&port));
        text.push_str(if digits.len() >= 10 || is_port { "N" } else { digits });
        rest = &from[end..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_that_differs_is_found() {
        let printed = "gateway.auth  12 pass\nseed 1795380929344\n\nat http://127.0.0.1:4118 and http://127.0.0.1:39211\n12 checks\n";
        let same: [&[&str]; 4] = [
            &[
                "gateway.auth  12 pass",
                "seed 1795380000000",
                "",
                "at http://127.0.0.1:4118 and http://127.0.0.1:40000",
                "12 checks",
            ],
            &["gateway.auth  12 pass", "…", "12 checks"],
            &["…", "at …4118 and …", "12 checks"],
            &["gateway… pass", "…"],
        ];
        for shown in same {
            assert_eq!(difference(shown, printed), None, "{shown:?}");
        }
        let other: [&[&str]; 7] = [
            &["…"],
            &["gateway.auth  12 pass"],
            &["gateway.auth  13 pass", "…"],
            &["…", "at http://127.0.0.1:4117 and …", "…"],
            &["…", "12 checks", "…", "seed 1795380929344", "…"],
            &["…", "gateway.auth  12 pass", "12 checks"],
            &["…", "12 check"],
        ];
        for shown in other {
            assert!(difference(shown, printed).is_some(), "{shown:?}");
        }
    }
}
