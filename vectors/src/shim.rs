//! The reference implementation of the JSON-lines protocol.

use std::io::{self, BufRead, Write};

use assay_spec::Strict;
use serde_json::{Value, json};

use crate::op::{Answer, answer, operations};

/// The maximum length of a line.
pub const LINE_LIMIT: usize = 16 << 20;

/// The protocol version.
pub const PROTOCOL: u64 = 1;

/// Answers every line of `input` with a line of `output`, in order, until `input` ends.
pub fn serve(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        let reply = match read_line(&mut input, &mut line)? {
            Line::End => return Ok(()),
            Line::TooLong => json!({"id": null, "error": "the line is longer than 16 MiB"}),
            Line::Read if line.trim_ascii().is_empty() => continue,
            Line::Read => reply(&line),
        };
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
}

/// The reply to one line.
pub fn reply(line: &[u8]) -> Value {
    let request: Value = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(e) => return json!({"id": null, "error": format!("the line cannot be read: {e}")}),
    };
    let Some(id) = request["id"].as_str() else {
        return json!({"id": null, "error": "the line has no id"});
    };
    let error = |why: &str| json!({"id": id, "error": why});
    let Some(op) = request["op"].as_str() else { return error("op is missing or not a string") };
    if op == "hello" {
        let spoken = request["in"]["protocol"].as_u64() == Some(PROTOCOL);
        return if spoken {
            json!({"id": id, "ok": hello()})
        } else {
            error("in.protocol: only version 1 is supported")
        };
    }
    match answer(op, &request["in"], &mut Strict) {
        Answer::Ok(ok) => json!({"id": id, "ok": ok}),
        Answer::Reject(reject) => {
            json!({"id": id, "reject": {"rule": reject.row.rule, "stage": reject.stage}})
        }
        Answer::Error(why) => error(&why),
        Answer::Unsupported => json!({"id": id, "unsupported": true}),
    }
}

/// The reference's name, and the readings that it follows.
fn hello() -> Value {
    json!({
        "name": "assay",
        "version": env!("CARGO_PKG_VERSION"),
        "operations": operations(),
        "readings": crate::readings(),
    })
}

/// The result of reading a line.
pub(crate) enum Line {
    /// It is in the buffer, without its newline.
    Read,
    /// It was too long and was skipped.
    TooLong,
    /// The input has ended.
    End,
}

/// Reads up to the next newline into `line`; a line that is too long is skipped and not kept.
pub(crate) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let (mut some, mut too_long) = (false, false);
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let newline = chunk.iter().position(|byte| *byte == b'\n');
        let taken = &chunk[..newline.unwrap_or(chunk.len())];
        some |= !chunk.is_empty();
        if line.len() + taken.len() > LINE_LIMIT {
            too_long = true;
            *line = Vec::new();
        }
        if !too_long {
            line.extend_from_slice(taken);
        }
        let end = chunk.is_empty();
        let used = newline.map_or(chunk.len(), |at| at + 1);
        input.consume(used);
        if end || newline.is_some() {
            return Ok(match (some, too_long) {
                (false, _) => Line::End,
                (true, true) => Line::TooLong,
                (true, false) => Line::Read,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(input: &[u8]) -> Vec<Value> {
        let mut output = Vec::new();
        serve(input, &mut output).expect("memory does not fail");
        let lines = String::from_utf8(output).expect("UTF-8");
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn every_kind_of_line_gets_a_response_and_the_process_continues() {
        let replies = talk(
            br#"{"id":"0","op":"hello","in":{"protocol":1}}
{"id":"1","op":"hello","in":{"protocol":2}}
not json

{"op":"domain.canonical"}
{"id":7,"op":"domain.canonical"}
{"id":"2"}
{"id":"3","op":"teleport","in":{}}
{"id":"4","op":"domain.canonical","in":{"domain":1}}
{"id":"5","op":"domain.canonical"}
{"id":"6","op":"domain.canonical","in":{"domain":"A.b"}}
{"id":"7","op":"domain.canonical","in":{"domain":"a.b"}}"#,
        );
        let ids: Vec<_> = replies.iter().map(|reply| reply["id"].as_str()).collect();
        let some = [0, 1, 5, 6, 7, 8, 9, 10].map(|n| ids[n]);
        assert_eq!(some, ["0", "1", "2", "3", "4", "5", "6", "7"].map(Some));
        assert_eq!([2, 3, 4].map(|n| ids[n]), [None; 3]);
        assert_eq!(replies[0]["ok"]["operations"], json!(crate::op::operations()));
        for n in [1, 2, 3, 4, 5, 7, 8] {
            assert!(replies[n]["error"].is_string(), "{}", replies[n]);
        }
        assert_eq!(replies[6]["unsupported"], true);
        assert_eq!(replies[9]["reject"]["rule"], "domain.alphabet");
        assert_eq!(replies[10], json!({"id": "7", "ok": {}}));
    }

    #[test]
    fn line_at_the_limit_is_read_and_a_longer_one_is_skipped() {
        let mut input = vec![b' '; LINE_LIMIT];
        input.push(b'\n');
        input.extend_from_slice(&vec![b' '; LINE_LIMIT + 1]);
        input.extend_from_slice(b"\n{\"id\":\"1\",\"op\":\"x\"}\n");
        let replies = talk(&input);
        assert_eq!(replies.len(), 2, "the first line is blank");
        assert!(replies[0]["id"].is_null() && replies[0]["error"].is_string());
        assert_eq!(replies[1]["id"], "1");
        let deep = talk("[".repeat(100_000).as_bytes());
        assert!(deep[0]["id"].is_null(), "deep nesting does not overflow the stack");
    }
}
