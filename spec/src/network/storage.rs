//! Files (document 2, "Endpoints").
//!
//! Reading: the signature of an upload is a wallet message signature over the file's SHA-256 in hex.

use serde_json::{Map, Value, json};

use crate::network::endpoint;
use crate::network::limits::FILE as LARGEST;
use crate::network::mistakes::storage::{ADDRESS_REQUIRED, CHANNEL, CHANNEL_DEFAULT, FILE_REQUIRED, TAGS};
use crate::network::requirements::storage::{FORMS, SIZE, STORED};
use crate::network::shapes::{ACCEPTED, ERRORS};
use crate::network::values::{FIELDS_FIRST, NO_BYTES, NO_TYPE};
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};
use crate::{Dialect, Refused, Rules};

/// The parts of an upload, for the API description.
const FORM: &[Field] = &[
    must("file", ShapeKind::File),
    must("address", ShapeKind::Text),
    must("signature", ShapeKind::Text),
    may("channel", ShapeKind::Text),
    may("tags", ShapeKind::Text),
];

endpoint! {
    /// Stores a file.
    STORE "store-file" "POST" "/api/v0/storage/store" FileSignature [200, 400, 401, 403, 429, 500]
    group: "Storage",
    body: Body::Form(FORM),
    reply: ACCEPTED,
    row: Some(&STORED),
    errors: ERRORS,
}
endpoint! {
    /// Reads a file with its content type.
    FILE "file" "GET" "/api/v0/storage/{hash}" None [200, 400, 404, 429, 500]
    group: "Storage",
    reply: Reply::Bytes,
    errors: ERRORS,
}
endpoint! {
    /// Reads a file's bytes.
    RAW "raw-file" "GET" "/api/v0/storage/raw/{hash}" None [200, 400, 404, 429, 500]
    group: "Storage",
    reply: Reply::Bytes,
    errors: ERRORS,
}

/// The content type of a file whose upload did not state one.
pub const DEFAULT_CONTENT_TYPE: &str = "application/octet-stream";

/// A part of a form.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The field's name.
    pub name: &'a str,
    /// The content type, if the part has one.
    pub content_type: Option<&'a str>,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// A parsed upload; its signature is not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload<'a> {
    /// The file.
    pub file: &'a [u8],
    /// Its content type.
    pub content_type: &'a str,
    /// The sender.
    pub address: String,
    /// The signature; empty if missing.
    pub signature: String,
    /// The channel, with its default filled in.
    pub channel: String,
    /// The tags.
    pub tags: Vec<String>,
}

impl<'a> Upload<'a> {
    /// Reads the parts of a form; of two with the same name the first counts.
    pub fn parse(
        dialect: &Dialect,
        parts: &[Part<'a>],
        rules: &mut dyn Rules,
    ) -> Result<Upload<'a>, Refused> {
        let part = |name: &str| parts.iter().find(|part| part.name == name);
        let field = |name: &str| part(name).and_then(|part| std::str::from_utf8(part.bytes).ok());
        let file = match part("file") {
            Some(file) => *file,
            None => rules.refuse(&FILE_REQUIRED, (), "the part `file` is missing")?,
        };
        rules.require(&SIZE, file.bytes.len() <= LARGEST.usize(), || {
            format!("the file has {} bytes, at most {LARGEST} are allowed", file.bytes.len())
        })?;
        let address = match field("address") {
            Some(address) if !address.is_empty() => address,
            _ => rules.refuse(&ADDRESS_REQUIRED, (), "the part `address` is missing or empty")?,
        };
        if let Some(file) = part("file") {
            let forms = [
                (FIELDS_FIRST, parts[0].name != "file"),
                (NO_TYPE, file.content_type.is_none()),
                (NO_BYTES, file.bytes.is_empty()),
            ];
            for (form, _) in forms.into_iter().filter(|(_, is_met)| *is_met) {
                rules.accept_value(&FORMS, &json!(form), None)?;
            }
        }
        let channel = match field("channel").filter(|channel| !channel.is_empty()) {
            Some(channel) => rules.derive(&CHANNEL, (dialect, channel), |(_, channel)| channel.to_owned()),
            None => rules.derive(&CHANNEL_DEFAULT, dialect, |dialect| dialect.channel.clone()),
        };
        let tags = field("tags").unwrap_or_default().split(',').map(str::trim).filter(|tag| !tag.is_empty());
        let tags: Vec<String> = tags.map(str::to_owned).collect();
        rules.accept(&TAGS, &*tags)?;
        Ok(Upload {
            file: file.bytes,
            content_type: file.content_type.unwrap_or(DEFAULT_CONTENT_TYPE),
            address: address.to_owned(),
            signature: field("signature").unwrap_or_default().trim().to_owned(),
            channel,
            tags,
        })
    }

    /// The content of an upload's STORE message: the file under `item_hash`, stored at `time`.
    pub fn content(&self, item_hash: &str, time: i64) -> Map<String, Value> {
        let content = json!({
            "address": self.address,
            "item_type": "storage",
            "item_hash": item_hash,
            "size": self.file.len(),
            "content_type": self.content_type,
            "tags": self.tags,
            "time": time,
        });
        match content {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, Strict, Without};

    fn part<'a>(name: &'a str, bytes: &'a [u8]) -> Part<'a> {
        Part { name, content_type: (name == "file").then_some("text/plain"), bytes }
    }

    #[test]
    fn valid_form_is_read() {
        let parts = [
            part("tags", b"a, b,,"),
            part("file", b"bytes"),
            part("address", b"0x1"),
            part("signature", b"0xs\n"),
            part("address", b"0x2"),
        ];
        let upload = Upload::parse(&Dialect::default(), &parts, &mut Strict).unwrap();
        assert_eq!(
            (upload.file, upload.content_type, upload.address.as_str()),
            (&b"bytes"[..], "text/plain", "0x1")
        );
        assert_eq!((upload.signature.as_str(), upload.channel.as_str()), ("0xs", "SVC"));
        assert_eq!(upload.tags, ["a", "b"]);
        assert_eq!(
            Value::from(upload.content("h", 7)).to_string(),
            r#"{"address":"0x1","item_type":"storage","item_hash":"h","size":5,"content_type":"text/plain","tags":["a","b"],"time":7}"#
        );
    }

    #[test]
    fn file_and_address_are_required() {
        let cases: [(Id, Vec<Part<'_>>); 4] = [
            (&FILE_REQUIRED, vec![part("address", b"0x1")]),
            (&ADDRESS_REQUIRED, vec![part("file", b"")]),
            (&ADDRESS_REQUIRED, vec![part("file", b""), part("address", b"")]),
            (&ADDRESS_REQUIRED, vec![part("file", b""), part("address", b"\xff")]),
        ];
        for (rule, parts) in cases {
            let dialect = Dialect::default();
            assert_eq!(Upload::parse(&dialect, &parts, &mut Strict).unwrap_err().rule, rule);
            assert!(Upload::parse(&dialect, &parts, &mut Without(rule)).is_ok());
        }
    }
}
