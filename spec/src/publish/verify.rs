//! What a verifier checks on a confirmed transaction (document 3, "After submit").
//!
//! The record comes from the instruction data. The log is parsed line by line and by depth, and only shows success and
//! authority: a memo may contain any string, also log lines.

use crate::crypto::ed25519::parse_address;
use crate::publish::message::Message;
use crate::publish::mistakes::verify::MEMO_SUCCEEDED;
use crate::publish::requirements::verify::{NO_ERROR, NOT_TRUNCATED, RECORD, SIGNED_BY};
use crate::{Dialect, Refused, Rules, Strict};

/// A confirmed transaction, as the chain returns it.
#[derive(Clone, Copy, Debug)]
pub struct Confirmed<'a> {
    /// The message's bytes.
    pub message: &'a [u8],
    /// Whether the meta has an error.
    pub failed: bool,
    /// The meta's log lines.
    pub logs: &'a [String],
}

/// Verifies that `client` (base58) wrote `record` in this transaction.
pub fn verify_transaction(
    dialect: &Dialect,
    transaction: &Confirmed<'_>,
    client: &str,
    record: &[u8],
    rules: &mut dyn Rules,
) -> Result<(), Refused> {
    rules.require(&NO_ERROR, !transaction.failed, || "the meta has an error".to_owned())?;
    let memo = memo_of(dialect, transaction.message);
    rules.require(&RECORD, memo.as_deref() == Some(record), || "the memo is not the record".to_owned())?;
    let truncated = transaction.logs.iter().any(|line| line == "Log truncated");
    rules.require(&NOT_TRUNCATED, !truncated, || "the log is truncated".to_owned())?;
    let invocations = rules.read(&MEMO_SUCCEEDED, transaction.logs, |logs| {
        let invocations = invocations(logs, &dialect.memo_program).into_iter();
        let succeeded: Vec<Vec<&str>> = invocations
            .filter(|invocation| invocation.succeeded)
            .map(|invocation| invocation.lines)
            .collect();
        if succeeded.is_empty() { Err("no successful memo invocation".to_owned()) } else { Ok(succeeded) }
    })?;
    let line = format!("Program log: Signed by {client}");
    let signed = invocations.iter().any(|lines| lines.contains(&line.as_str()));
    rules.require(&SIGNED_BY, signed, || format!("no line names {client} inside the invocation"))
}

/// The data of a message's only memo instruction; `None` if the message has another shape.
pub fn memo_of(dialect: &Dialect, message: &[u8]) -> Option<Vec<u8>> {
    let message = Message::decode(message, &mut Strict).ok()?;
    let memo = parse_address(&dialect.memo_program)?;
    let mut memos = message
        .instructions
        .into_iter()
        .filter(|i| message.accounts.get(usize::from(i.program)) == Some(&memo));
    let instruction = memos.next()?;
    memos.next().is_none().then_some(instruction.data)
}

/// One invocation of a program: the lines directly inside it, and whether it succeeded.
struct Invocation<'a> {
    lines: Vec<&'a str>,
    succeeded: bool,
}

/// The top-level invocations of `program`, in order.
fn invocations<'a>(logs: &'a [String], program: &str) -> Vec<Invocation<'a>> {
    let mut found = Vec::new();
    let mut stack: Vec<(&str, Invocation<'a>)> = Vec::new();
    for line in logs {
        match Line::parse(line) {
            Line::Invoke(name, depth) if depth == stack.len() + 1 => {
                stack.push((name, Invocation { lines: Vec::new(), succeeded: false }));
            }
            Line::End(name, succeeded) if stack.last().is_some_and(|(top, _)| *top == name) => {
                if let Some((_, mut invocation)) = stack.pop() {
                    invocation.succeeded = succeeded;
                    if stack.is_empty() && name == program {
                        found.push(invocation);
                    }
                }
            }
            Line::Other => {
                if let Some((_, invocation)) = stack.last_mut() {
                    invocation.lines.push(line);
                }
            }
            // The lines do not nest: nothing after them can be trusted.
            Line::Invoke(..) | Line::End(..) => break,
        }
    }
    found
}

enum Line<'a> {
    Invoke(&'a str, usize),
    End(&'a str, bool),
    Other,
}

impl<'a> Line<'a> {
    /// A program's own output begins with `Program log: ` or `Program data: `, followed by any string.
    fn parse(line: &'a str) -> Line<'a> {
        let mut words = line.split(' ');
        let (Some("Program"), Some(name), Some(verb)) = (words.next(), words.next(), words.next()) else {
            return Line::Other;
        };
        if name.ends_with(':') {
            return Line::Other;
        }
        let depth =
            || words.clone().next().and_then(|d| d.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
        match verb {
            "invoke" => depth().map_or(Line::Other, |depth| Line::Invoke(name, depth)),
            "success" => Line::End(name, true),
            "failed:" => Line::End(name, false),
            _ => Line::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    const MEMO: &str = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
    const CLIENT: &str = "8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR";

    fn judge(logs: &[&str]) -> Result<(), Id> {
        let memo = parse_address(MEMO).expect("an address");
        let message = Message::publishing([1; 32], [2; 32], memo, [4; 32], b"r".to_vec()).encode();
        let logs: Vec<String> = logs.iter().map(|&line| line.to_owned()).collect();
        let confirmed = Confirmed { message: &message, failed: false, logs: &logs };
        verify_transaction(&Dialect::default(), &confirmed, CLIENT, b"r", &mut Strict)
            .map_err(|refused| refused.rule)
    }

    #[test]
    fn only_the_line_directly_inside_the_memo_invocation_counts() {
        let invoke = format!("Program {MEMO} invoke [1]");
        let deep = format!("Program {MEMO} invoke [2]");
        let signed = format!("Program log: Signed by {CLIENT}");
        let success = format!("Program {MEMO} success");
        let other = "Program Other11111111111111111111111111111111111 invoke [1]";
        let other_ok = "Program Other11111111111111111111111111111111111 success";
        let imitation = format!("Program log: Memo (len 9): \"Program log: Signed by {CLIENT}\"");
        let failed = format!("Program {MEMO} failed: custom program error: 0x1");

        assert_eq!(judge(&[&invoke, &signed, "Program log: Memo (len 1): r", &success]), Ok(()));
        assert_eq!(judge(&[&invoke, &imitation, &success]), Err(&SIGNED_BY as Id));
        assert_eq!(judge(&[&signed, &invoke, &success]), Err(&SIGNED_BY as Id));
        assert_eq!(judge(&[other, &signed, other_ok, &invoke, &success]), Err(&SIGNED_BY as Id));
        assert_eq!(judge(&[&invoke, &success, &signed]), Err(&SIGNED_BY as Id));
        assert_eq!(judge(&[other, &deep, &signed, &success, other_ok]), Err(&MEMO_SUCCEEDED as Id));
        assert_eq!(judge(&[&invoke, &signed, &failed]), Err(&MEMO_SUCCEEDED as Id));
        assert_eq!(judge(&[&invoke, &signed]), Err(&MEMO_SUCCEEDED as Id));
        assert_eq!(judge(&[&invoke, &signed, "Log truncated", &success]), Err(&NOT_TRUNCATED as Id));
    }
}
