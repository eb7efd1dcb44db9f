//! Labels for the parts of a member's bytes.

use serde_json::Value;

use crate::case::Case;
use crate::edit::{content, look};

/// The start offsets of the parts of a member's bytes.
pub(super) fn parts(case: &Case, name: &str, value: &Value) -> Vec<(usize, String)> {
    match name {
        "message" if !case.op.starts_with("eip191") => message(value),
        "zip" => zip(&content(value).unwrap_or_default()),
        _ => of_bytes(case, name, content(value).unwrap_or_default().len()),
    }
}

/// The same for bytes whose parts have fixed lengths.
pub(super) fn of_bytes(case: &Case, name: &str, length: usize) -> Vec<(usize, String)> {
    let nonce = case.input["nonce_length"].as_u64().map_or(16, |length| length as usize);
    let sealed = [("ephemeral key", 65), ("nonce", nonce), ("tag", 16), ("ciphertext", 0)];
    let layout: &[(&str, usize)] = match (name, length) {
        ("ciphertext", 65..) => &sealed,
        ("signature", 64) => &[("R", 32), ("S", 32)],
        ("signature", 65) => &[("r", 32), ("s", 32), ("v", 1)],
        _ => &[],
    };
    let mut at = 0;
    let mut found = Vec::new();
    for (label, size) in layout {
        if at < length {
            found.push((at, (*label).to_owned()));
        }
        at += size;
    }
    found
}

fn message(value: &Value) -> Vec<(usize, String)> {
    let input = serde_json::json!({"message": value});
    let part = |path: &str| look(&input, &format!("/in/message/{path}")).unwrap_or_default();
    if !part("header").is_array() {
        return Vec::new();
    }
    let size = |count: usize| {
        if count < 0x80 {
            1
        } else if count < 0x4000 {
            2
        } else {
            3
        }
    };
    let count = |value: &Value| value.as_array().map_or(0, Vec::len);
    let accounts = count(&part("accounts"));
    let mut at = 3;
    let mut found = vec![(0, "header".to_owned()), (at, format!("{accounts} accounts"))];
    at += size(accounts);
    for n in 0..accounts {
        found.push((at, format!("account {n}")));
        at += 32;
    }
    found.push((at, "blockhash".to_owned()));
    at += 32;
    let instructions = part("instructions");
    found.push((at, format!("{} instructions", count(&instructions))));
    at += size(count(&instructions));
    for (n, instruction) in instructions.as_array().into_iter().flatten().enumerate() {
        let data = content(&instruction["data"]).unwrap_or_default().len();
        let indices = count(&instruction["accounts"]);
        found.push((at, format!("instruction {n}: program")));
        found.push((at + 1, format!("instruction {n}: {indices} accounts")));
        at += 1 + size(indices) + indices;
        found.push((at, format!("instruction {n}: {data} bytes of data")));
        at += size(data);
        found.push((at, format!("instruction {n}: data")));
        at += data;
    }
    found
}

/// The headers of a zip, and the data after each local header.
fn zip(bytes: &[u8]) -> Vec<(usize, String)> {
    let field =
        |at: usize| bytes.get(at..at + 2).map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])));
    let text = |at: usize, length: usize| {
        bytes.get(at..at + length).map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default()
    };
    let mut found = Vec::new();
    for at in 0..bytes.len() {
        match bytes[at..] {
            [b'P', b'K', 3, 4, ..] => {
                let (name, extra) = (field(at + 26), field(at + 28));
                found.push((at, format!("header of {:?}", text(at + 30, name))));
                found.push((at + 30 + name + extra, "its data".to_owned()));
            }
            [b'P', b'K', 7, 8, ..] => found.push((at, "its descriptor".to_owned())),
            [b'P', b'K', 1, 2, ..] => {
                found.push((at, format!("directory: {:?}", text(at + 46, field(at + 28)))));
            }
            [b'P', b'K', 5, 6, ..] => found.push((at, "end record".to_owned())),
            _ => {}
        }
    }
    // If there is no data, the next header's label is used.
    found.sort_by_key(|(at, label)| (*at, label == "its data"));
    found.dedup_by_key(|(at, _)| *at);
    found
}
