//! What the rows of the exchange reject in place of a valid value, and what they accept besides ordinary values.

use serde_json::{Value, json};

use crate::Dialect;
use crate::publish::envelope::KEYS;
use crate::publish::mistakes::header_word;
pub use crate::spelling::SPELLINGS;
use crate::value::{
    ANOTHER, ARRAY, BOOLEAN, EMPTY, FULL_WIDTH, LONGER, MISSING, NEGATIVE, NEWLINE_AFTER, NULL, NUMBER,
    OBJECT, QUOTED, SHORTER, SPACE_BEFORE, UPPER, ValueKind, WORD, ZERO_AFTER, has, strings,
};

/// A header without a valid scheme, and the valid one.
pub(super) fn header(dialect: &Dialect, sent: &str) -> (Option<Value>, Option<Value>) {
    let word = header_word(sent).unwrap_or_default();
    (Some(json!(sent)), Some(json!(format!("{} {word}", dialect.auth_scheme))))
}

/// What is before the JSON of a message, and the prefix.
pub(super) fn prefix(dialect: &Dialect, message: &[u8]) -> (Option<Value>, Option<Value>) {
    let before = message.iter().position(|byte| b"{[".contains(byte)).unwrap_or_default();
    (Some(json!(String::from_utf8_lossy(&message[..before]))), Some(json!(dialect.auth_prefix)))
}

/// The form of a message's JSON that has no six keys, and the names of the keys.
pub(super) fn form(json: &str) -> (Option<Value>, Option<Value>) {
    let form = if json.starts_with('[') { "array" } else { "object" };
    (Some(json!(form)), Some(json!(KEYS)))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn said(sent: Option<&Value>) -> &str {
    sent.map(text).unwrap_or_default()
}

/// The value of the `Authorization` header with something else in place of the scheme and the space.
fn headed(valid: &Value, head: impl FnOnce(&str) -> String) -> Option<Value> {
    text(valid).split_once(' ').map(|(scheme, envelope)| json!(format!("{}{envelope}", head(scheme))))
}

/// The value of the `Authorization` header: another scheme or another spacing.
pub const HEADER: &[ValueKind] = &[
    ValueKind::near("doubled-scheme", |valid| headed(valid, |scheme| format!("{scheme} {scheme} ")))
        .beyond_quick(),
    ValueKind::near("longer-scheme", |valid| headed(valid, |scheme| format!("{scheme}s "))).beyond_quick(),
    ValueKind::near("shorter-scheme", |valid| {
        headed(valid, |scheme| format!("{} ", without_last(scheme, 1).unwrap_or_default()))
    })
    .beyond_quick(),
    ValueKind::near("comma", |valid| headed(valid, |scheme| format!("{scheme},"))).beyond_quick(),
    ValueKind::near("equals", |valid| headed(valid, |scheme| format!("{scheme}="))).beyond_quick(),
    ValueKind::near("semicolon", |valid| headed(valid, |scheme| format!("{scheme}; "))).beyond_quick(),
    ValueKind::text(
        "other-scheme",
        |valid| text(valid).split_once(' ').map(|(_, envelope)| json!(format!("Bearer {envelope}"))),
        |sent| said(sent).starts_with("Bearer "),
    ),
    ValueKind::text(
        "two-spaces",
        |valid| Some(json!(text(valid).replacen(' ', "  ", 1))),
        |sent| said(sent).contains("  "),
    ),
    ValueKind::text(
        "tab",
        |valid| Some(json!(text(valid).replacen(' ', "\t", 1))),
        |sent| said(sent).contains('\t'),
    ),
    ValueKind::text(
        "colon",
        |valid| Some(json!(text(valid).replacen(' ', ":", 1))),
        |sent| said(sent).contains(':'),
    )
    .beyond_quick(),
    ValueKind::text(
        "more-words",
        |valid| Some(json!(format!("{} x", text(valid)))),
        |sent| said(sent).split(' ').count() == 3,
    ),
    ValueKind::text(
        "no-scheme",
        |valid| text(valid).split_once(' ').map(|(_, envelope)| json!(envelope)),
        |sent| !said(sent).contains(' '),
    )
    .beyond_quick(),
    ValueKind::near("lower-case", |valid| {
        text(valid).split_once(' ').map(|(scheme, rest)| json!(format!("{} {rest}", scheme.to_lowercase())))
    })
    .may_be_accepted("HTTP compares schemes case-insensitively; the document gives one spelling"),
];

/// The envelope: not two parts.
pub const ENVELOPE: &[ValueKind] = &[
    ValueKind::text(
        "one-part",
        |valid| Some(json!(text(valid).replace('.', ""))),
        |sent| !said(sent).contains(['.', ':']),
    ),
    ValueKind::text(
        "three-parts",
        |valid| {
            text(valid).split_once('.').map(|(first, second)| json!(format!("{first}.{second}.{second}")))
        },
        |sent| said(sent).matches('.').count() == 2 && !said(sent).ends_with('.'),
    ),
    ValueKind::text(
        "dot-after",
        |valid| Some(json!(format!("{}.", text(valid)))),
        |sent| said(sent).ends_with('.'),
    )
    .beyond_quick(),
    ValueKind::text(
        "colon",
        |valid| Some(json!(text(valid).replace('.', ":"))),
        |sent| said(sent).contains(':'),
    )
    .beyond_quick(),
];

/// A part of the envelope: not base64url without padding. The valid one has a character that the alphabets write
/// differently.
pub const PART: &[ValueKind] = &[
    ValueKind::text(
        "padding",
        |valid| Some(json!(format!("{}==", text(valid)))),
        |sent| said(sent).ends_with("=="),
    ),
    ValueKind::text(
        "one-equals-sign",
        |valid| Some(json!(format!("{}=", text(valid)))),
        |sent| said(sent).ends_with('='),
    )
    .beyond_quick(),
    ValueKind::text(
        "standard-alphabet",
        |valid| Some(json!(text(valid).replace('-', "+").replace('_', "/"))),
        |sent| said(sent).contains(['+', '/']),
    ),
    ValueKind::text(
        "other-character",
        |valid| Some(json!(format!("{}!", text(valid)))),
        |sent| said(sent).contains('!'),
    )
    .beyond_quick(),
    ValueKind::text(
        "comma",
        |valid| Some(json!(format!("{},", text(valid)))),
        |sent| said(sent).ends_with(','),
    )
    .beyond_quick(),
    ValueKind::text(
        "tilde",
        |valid| Some(json!(format!("{}~", text(valid)))),
        |sent| said(sent).ends_with('~'),
    )
    .beyond_quick(),
    ValueKind::text(
        "percent",
        |valid| Some(json!(format!("{}%3D%3D", text(valid)))),
        |sent| said(sent).contains('%'),
    )
    .beyond_quick()
    .unusable(),
    ValueKind::text(
        "star",
        |valid| Some(json!(format!("*{}", text(valid)))),
        |sent| said(sent).starts_with('*'),
    )
    .beyond_quick(),
    ValueKind::text(
        "quoted",
        |valid| Some(json!(format!("\"{}\"", text(valid)))),
        |sent| said(sent).starts_with('"'),
    )
    .beyond_quick(),
    ValueKind::text(
        "backslash",
        |valid| Some(json!(format!("{}\\n", text(valid)))),
        |sent| said(sent).contains('\\'),
    )
    .beyond_quick()
    .unusable(),
    ValueKind::text(
        "dollar",
        |valid| Some(json!(format!("{}$", text(valid)))),
        |sent| said(sent).ends_with('$'),
    )
    .beyond_quick(),
    ValueKind::text("shorter", |valid| SHORTER.instead_of(valid), |sent| said(sent).len() % 4 == 1)
        .beyond_quick()
        .unusable(),
];

/// What is before the JSON of the message, in place of the prefix.
pub const PREFIXES: &[ValueKind] = &[
    ValueKind::near("missing", |_| Some(json!(""))),
    ValueKind::near("other-version", |valid| Some(json!(text(valid).replace(":1:", ":2:")))),
    ValueKind::near("upper-case", |valid| UPPER.instead_of(valid)).beyond_quick(),
    SPACE_BEFORE.beyond_quick(),
    SHORTER.beyond_quick(),
    ValueKind::near("byte-order-mark", |valid| Some(json!(format!("\u{feff}{}", text(valid)))))
        .beyond_quick(),
];

/// The names of the message's members. A missing `d` names no binding, and another check judges that.
pub const MEMBERS: &[ValueKind] = &[
    ValueKind::near("array", |_| Some(json!("array"))),
    ValueKind::near("none", |_| Some(json!([]))).unusable(),
    ValueKind::near("extra", |valid| with(valid, |names| names.push(json!("x")))),
    ValueKind::near("without-v", |valid| without(valid, "v")),
    ValueKind::near("without-m", |valid| without(valid, "m")).beyond_quick(),
    ValueKind::near("without-p", |valid| without(valid, "p")).beyond_quick(),
    ValueKind::near("without-t", |valid| without(valid, "t")).beyond_quick(),
    ValueKind::near("without-h", |valid| without(valid, "h")).beyond_quick(),
    ValueKind::near("upper-case-v", |valid| {
        with(valid, |names| names.iter_mut().filter(|name| **name == "v").for_each(|name| *name = json!("V")))
    })
    .beyond_quick(),
];

fn with(names: &Value, edit: impl FnOnce(&mut Vec<Value>)) -> Option<Value> {
    let mut names = names.as_array()?.clone();
    edit(&mut names);
    Some(Value::Array(names))
}

fn without(names: &Value, name: &str) -> Option<Value> {
    with(names, |names| names.retain(|found| found != name))
}

/// `v`, not the number 1.
pub const VERSION: &[ValueKind] = &[
    ANOTHER,
    ValueKind::near("string", |_| Some(json!("1"))),
    BOOLEAN,
    NULL.beyond_quick(),
    ValueKind::near("zero", |_| Some(json!(0))).beyond_quick(),
    NEGATIVE.beyond_quick(),
    ValueKind::near("fraction", |_| Some(json!(1.5))).beyond_quick(),
    ARRAY.beyond_quick(),
    OBJECT.beyond_quick(),
];

/// `m`, not the method.
pub const METHOD: &[ValueKind] = &[
    ValueKind::near("other-method", |_| Some(json!("PUT"))),
    ValueKind::near("lower-case", |valid| Some(json!(text(valid).to_lowercase()))),
    EMPTY.beyond_quick(),
    NULL.beyond_quick(),
    NUMBER.beyond_quick(),
    ARRAY.beyond_quick(),
    SPACE_BEFORE.beyond_quick(),
    NEWLINE_AFTER.beyond_quick(),
    LONGER.beyond_quick(),
];

/// `p`, not the path as sent.
pub const PATH: &[ValueKind] = &[
    ValueKind::near("other-endpoint", |valid| {
        let path = text(valid);
        let other = if path.ends_with("submit") { ["submit", "prepare"] } else { ["prepare", "submit"] };
        Some(json!(path.replace(other[0], other[1])))
    }),
    ValueKind::near("slash-after", |valid| Some(json!(format!("{}/", text(valid))))),
    ValueKind::near("without-slash", |valid| Some(json!(text(valid).trim_start_matches('/')))).beyond_quick(),
    ValueKind::near("two-slashes", |valid| Some(json!(format!("/{}", text(valid))))).beyond_quick(),
    ValueKind::near("upper-case", |valid| Some(json!(text(valid).to_uppercase()))).beyond_quick(),
    ValueKind::near("percent", |valid| Some(json!(text(valid).replacen('p', "%70", 1)))).beyond_quick(),
    ValueKind::near("query", |valid| Some(json!(format!("{}?", text(valid))))).beyond_quick(),
    ValueKind::near("fragment", |valid| Some(json!(format!("{}#", text(valid))))).beyond_quick(),
    ValueKind::near("dots", |valid| Some(json!(format!("/.{}", text(valid))))).beyond_quick(),
    ValueKind::near("url", |valid| Some(json!(format!("https://a.example{}", text(valid))))).beyond_quick(),
    ValueKind::near("root", |_| Some(json!("/"))).beyond_quick(),
    EMPTY.beyond_quick(),
    NULL.beyond_quick(),
    ARRAY.beyond_quick(),
    SPACE_BEFORE.beyond_quick(),
    NEWLINE_AFTER.beyond_quick(),
];

/// Why a time with surrounding blanks may be accepted.
const TRIMMED: &str = "the document asks for a string that parses to a time, and common parsers skip blanks";

/// `t`, not a time.
pub const TIME: &[ValueKind] = &[
    EMPTY,
    ValueKind::text("word", |_| Some(json!("yesterday")), |sent| said(sent) == "yesterday"),
    ValueKind::text(
        "number",
        |_| Some(json!(1_767_225_600_000_u64)),
        |sent| sent.is_some_and(Value::is_number),
    ),
    NULL.beyond_quick(),
    BOOLEAN.beyond_quick(),
    ARRAY.beyond_quick(),
    OBJECT.beyond_quick(),
    SPACE_BEFORE.may_be_accepted(TRIMMED).beyond_quick(),
    NEWLINE_AFTER.may_be_accepted(TRIMMED).beyond_quick(),
    QUOTED.beyond_quick(),
    ValueKind::text(
        "digits",
        |_| Some(json!("1767225600000")),
        |sent| said(sent).len() == 13 && said(sent).bytes().all(|byte| byte.is_ascii_digit()),
    )
    .beyond_quick(),
    ValueKind::text(
        "month",
        |valid| text(valid).get(7..).map(|rest| json!(format!("2026-13{rest}"))),
        |sent| said(sent).get(5..7) == Some("13"),
    )
    .beyond_quick(),
    ValueKind::text(
        "day",
        |valid| text(valid).get(10..).map(|rest| json!(format!("2026-02-30{rest}"))),
        |sent| said(sent).get(5..10) == Some("02-30"),
    )
    .beyond_quick(),
    ValueKind::text(
        "hour",
        |valid| text(valid).get(13..).map(|rest| json!(format!("2026-01-01T25{rest}"))),
        |sent| said(sent).get(11..13) == Some("25"),
    )
    .beyond_quick(),
];

/// `h`, not the hash of the body.
pub const HASH: &[ValueKind] = &[
    ValueKind::near("other-hash", |valid| Some(json!(text(valid).chars().rev().collect::<String>()))),
    EMPTY,
    NULL.beyond_quick(),
    NUMBER.beyond_quick(),
    ARRAY.beyond_quick(),
    SHORTER.beyond_quick(),
    LONGER.beyond_quick(),
    ValueKind::near("0x", |valid| Some(json!(format!("0x{}", text(valid))))).beyond_quick(),
    ValueKind::near("sha256", |valid| Some(json!(format!("sha256:{}", text(valid))))).beyond_quick(),
    ValueKind::near("first-half", |valid| text(valid).get(..32).map(|half| json!(half))).beyond_quick(),
    SPACE_BEFORE.beyond_quick(),
    NEWLINE_AFTER.beyond_quick(),
];

/// `d`, not canonical.
pub const DOMAIN: &[ValueKind] = &[
    UPPER,
    ValueKind::text(
        "dot-after",
        |valid| Some(json!(format!("{}.", text(valid)))),
        |sent| said(sent).ends_with('.'),
    ),
    SPACE_BEFORE.beyond_quick(),
    NEWLINE_AFTER.beyond_quick(),
    ZERO_AFTER.beyond_quick(),
    FULL_WIDTH.beyond_quick(),
    ValueKind::text(
        "dot-before",
        |valid| Some(json!(format!(".{}", text(valid)))),
        |sent| said(sent).starts_with('.'),
    )
    .beyond_quick(),
    ValueKind::text(
        "url",
        |valid| Some(json!(format!("https://{}", text(valid)))),
        |sent| said(sent).starts_with("https://"),
    )
    .beyond_quick(),
    ValueKind::text(
        "slash-after",
        |valid| Some(json!(format!("{}/", text(valid)))),
        |sent| said(sent).ends_with('/'),
    )
    .beyond_quick(),
    ValueKind::text(
        "port",
        |valid| Some(json!(format!("{}:443", text(valid)))),
        |sent| said(sent).ends_with(":443"),
    )
    .beyond_quick(),
    ValueKind::text(
        "two-dots",
        |valid| Some(json!(text(valid).replacen('.', "..", 1))),
        |sent| said(sent).contains(".."),
    )
    .beyond_quick(),
    ValueKind::text(
        "user",
        |valid| Some(json!(format!("user@{}", text(valid)))),
        |sent| said(sent).contains('@'),
    )
    .beyond_quick(),
    ARRAY.beyond_quick(),
];

/// `cid`, missing, empty or not a string.
pub const CID: &[ValueKind] = &[
    MISSING,
    NULL,
    EMPTY,
    BOOLEAN,
    ARRAY,
    OBJECT,
    NUMBER.may_be_accepted("a number may be read as a string"),
];

/// `version`, not a string.
pub const LABEL: &[ValueKind] =
    &[BOOLEAN, ARRAY, OBJECT, NUMBER.may_be_accepted("a number may be read as a string")];

/// `op`, not a known operation.
pub const OP: &[ValueKind] = &[
    WORD,
    UPPER,
    NUMBER,
    BOOLEAN,
    ARRAY,
    OBJECT,
    SPACE_BEFORE.beyond_quick(),
    NEWLINE_AFTER.beyond_quick(),
    ZERO_AFTER.beyond_quick(),
    FULL_WIDTH.beyond_quick(),
    QUOTED.beyond_quick(),
    SHORTER.beyond_quick(),
    LONGER.beyond_quick(),
];

/// `newAuthority`, not the key scheme and a public key.
pub const AUTHORITY: &[ValueKind] = &[
    MISSING,
    NULL,
    EMPTY,
    NUMBER,
    BOOLEAN.beyond_quick(),
    ARRAY.beyond_quick(),
    OBJECT.beyond_quick(),
    SPACE_BEFORE.beyond_quick(),
    NEWLINE_AFTER.beyond_quick(),
    ZERO_AFTER.beyond_quick(),
    FULL_WIDTH.beyond_quick(),
    QUOTED.beyond_quick(),
    ValueKind::text(
        "without-scheme",
        |valid| text(valid).rsplit_once(':').map(|(_, key)| json!(key)),
        |sent| sent.is_some_and(Value::is_string) && !said(sent).contains(':'),
    ),
    ValueKind::text(
        "upper-case-scheme",
        |valid| {
            text(valid)
                .rsplit_once(':')
                .map(|(scheme, key)| json!(format!("{}:{key}", scheme.to_uppercase())))
        },
        |sent| said(sent).split(':').next().is_some_and(|scheme| scheme.contains(char::is_uppercase)),
    )
    .beyond_quick(),
    ValueKind::text(
        "other-scheme",
        |valid| Some(json!(format!("x{}", text(valid)))),
        |sent| said(sent).starts_with('x'),
    ),
    ValueKind::text(
        "zero",
        |valid| without_last(text(valid), 1).map(|start| json!(format!("{start}0"))),
        |sent| said(sent).ends_with('0'),
    ),
    ValueKind::text(
        "short",
        |valid| without_last(text(valid), 9).map(|start| json!(start)),
        |sent| key(sent).is_some_and(|key| key.len() < 40),
    ),
    ValueKind::text(
        "long",
        |valid| text(valid).rsplit_once(':').map(|(_, key)| json!(format!("{}{key}", text(valid)))),
        |sent| key(sent).is_some_and(|key| key.len() > 60),
    ),
];

/// A string without its last bytes, if it has so many.
fn without_last(whole: &str, bytes: usize) -> Option<&str> {
    whole.get(..whole.len().checked_sub(bytes)?)
}

fn key(sent: Option<&Value>) -> Option<&str> {
    said(sent).rsplit_once(':').map(|(_, key)| key)
}

/// `prepareId` or `signature`, missing or not a string.
pub const FIELD: &[ValueKind] = &[MISSING, NULL, BOOLEAN.unusable(), ARRAY, OBJECT];

/// Why a signature in another spelling may be accepted.
const SPELLED: &str = "a common decoder reads the right 64 bytes from it";

/// `signature`, not standard base64 of 64 bytes.
pub const SIGNATURE: &[ValueKind] = &[
    EMPTY.unusable(),
    ValueKind::text(
        "hex",
        |valid| {
            let bytes = crate::crypto::text::parse_base64(text(valid))?;
            Some(json!(crate::crypto::text::hex(&bytes)))
        },
        |sent| said(sent).len() == 128 && said(sent).bytes().all(|byte| byte.is_ascii_hexdigit()),
    ),
    ValueKind::text(
        "without-padding",
        |valid| Some(json!(text(valid).trim_end_matches('='))),
        |sent| said(sent).len() == 86,
    )
    .may_be_accepted(SPELLED),
    ValueKind::near("url-alphabet", |valid| Some(json!(text(valid).replace('+', "-").replace('/', "_"))))
        .may_be_accepted(SPELLED)
        .beyond_quick(),
    ValueKind::text(
        "longer",
        |valid| {
            let bytes = crate::crypto::text::parse_base64(text(valid))?;
            Some(json!(crate::crypto::text::base64(&[&bytes[..], &[0]].concat())))
        },
        |sent| parsed(sent).is_some_and(|length| length == 65),
    ),
    ValueKind::text(
        "twice",
        |valid| {
            let bytes = crate::crypto::text::parse_base64(text(valid))?;
            Some(json!(crate::crypto::text::base64(&bytes.repeat(2))))
        },
        |sent| parsed(sent).is_some_and(|length| length == 128),
    )
    .beyond_quick(),
    SPACE_BEFORE.may_be_accepted(SPELLED).beyond_quick(),
    NEWLINE_AFTER.may_be_accepted(SPELLED).beyond_quick(),
    QUOTED.may_be_accepted(SPELLED).beyond_quick(),
];

fn parsed(sent: Option<&Value>) -> Option<usize> {
    crate::crypto::text::parse_base64(said(sent)).map(|bytes| bytes.len())
}

/// The names of the message's members in other orders.
pub const ORDERS: &[ValueKind] = &[
    ValueKind::near("reversed", |valid| with(valid, |names| names.reverse())),
    ValueKind::near("sorted", |valid| with(valid, |names| names.sort_by_key(ToString::to_string)))
        .beyond_quick(),
    ValueKind::near("last-first", |valid| {
        with(valid, |names| {
            let last = names.pop();
            names.splice(..0, last);
        })
    })
    .beyond_quick(),
    ValueKind::near("first-two-swapped", |valid| {
        with(valid, |names| {
            if let [first, second, ..] = &mut names[..] {
                std::mem::swap(first, second);
            }
        })
    })
    .beyond_quick(),
];

/// Queries that `p` does not contain.
pub const QUERIES: &[ValueKind] = strings! {
    "one": "?x=1";
    deep
    "empty": "?",
    "path": "?p=/api/vf-cli/publish/submit",
    "question-mark": "?a?b",
    "escaped": "?q=%20%2F",
};

/// Whether a string has white space on both sides.
fn is_padded(text: &str) -> bool {
    text.starts_with(char::is_whitespace) && text.ends_with(char::is_whitespace)
}

/// Whether a string has so many characters, or more.
fn is_long(text: &str, characters: usize) -> bool {
    text.chars().count() >= characters
}

/// A domain with white space around it. The first value has all of it.
pub const PADDINGS: &[ValueKind] = &[
    ValueKind::near("mixed", |valid| Some(json!(format!(" \t{} \r\n", text(valid))))),
    has!("blanks" around, |valid| format!("  {valid}\t\n"), is_padded),
    has!("space-before" around, |valid| format!(" {valid}"), |sent| sent.starts_with(' ')),
    has!("space-after" around, |valid| format!("{valid} "), |sent| {
        sent[sent.trim_end().len()..].starts_with(' ')
    }),
    has!("tab" around, |valid| format!("\t{valid}"), |sent| sent.contains('\t')),
    has!("line-ends" around, |valid| format!("{valid}\r\n"), |sent| sent.ends_with("\r\n")),
];

/// Content identifiers that are not the usual one: the service does not validate them. The first value has all that can be
/// together.
pub const CIDS: &[ValueKind] = &[
    strings!(one "mixed", format!(
        " ipfs://BAFYBEIGDYRZT5SFP7UDM7HU76UH7Y26NF3EFUYLQABF3OCLGTQY55FBZDI/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/ \
         not a CID, caf\u{e9} cafe\u{301} {}/", "b".repeat(160),
    )),
    has!("spaces", "bafy-any text, kept as it is ", |sent| { sent.starts_with(' ') || sent.ends_with(' ') }),
    has!("final-slash", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/", |sent| sent
        .ends_with('/')),
    has!("upper-case", "BAFYBEIGDYRZT5SFP7UDM7HU76UH7Y26NF3EFUYLQABF3OCLGTQY55FBZDI", |sent| {
        sent.contains("BAFY")
    }),
    has!("version-0", "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG", |sent| sent.contains("Qm")),
    has!("path", "/ipfs/bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi", |sent| {
        sent.contains("/ipfs/")
    }),
    has!("url", "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi", |sent| {
        sent.contains("://")
    }),
    has!("words", "not a CID at all", |sent| sent.trim().contains(' ')),
    has!("one-character", "x", |sent| sent.chars().count() == 1),
    has!("zero", "0", |sent| sent == "0"),
    has!("null", "null", |sent| sent == "null"),
    has!("non-ascii", "caf\u{e9}", |sent| sent.contains('\u{e9}')),
    has!("combining-mark", "cafe\u{301}", |sent| sent.contains('\u{301}')),
    has!("100-characters", "b".repeat(100), |sent| is_long(sent, 100)),
    has!("300-characters", "b".repeat(300), |sent| is_long(sent, 300)),
];

/// Versions of uncommon lengths and characters. The first value has all that can be together.
pub const VERSIONS: &[ValueKind] = &[
    strings!(one "mixed", format!(
        " build 2026-01 #7 V1-RC 0.1.7 refs/heads/main <b>&amp;</b> a\"b\\c a\tb\u{1} cafe\u{301} \u{1f680} {} ",
        "9".repeat(250),
    )),
    has!("words-and-outer-blanks", " build 2026-01 #7 ", is_padded),
    has!("words", "build 2026-01 #7", |sent| sent.trim().contains(' ')),
    has!("dots", "0.1.7", |sent| sent.matches('.').count() > 1),
    has!("leading-zeros", "007", |sent| sent.starts_with("00") && sent.parse::<u32>().is_ok()),
    has!("exponent", "1e3", |sent| sent.contains('e') && sent.parse::<f64>().is_ok()),
    has!("upper-case", "V1-RC", |sent| sent.contains(char::is_uppercase)),
    has!("16-characters", "2026.01.02-rc.10", |sent| is_long(sent, 16)),
    has!("17-characters", "2026.01.02-rc.100", |sent| is_long(sent, 17)),
    has!("40-characters", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", |sent| is_long(sent, 40)),
    has!("100-characters", "9".repeat(100), |sent| is_long(sent, 100)),
    has!("250-characters", "9".repeat(250), |sent| is_long(sent, 250)),
    has!("path", "refs/heads/main", |sent| sent.contains('/')),
    has!("markup", "<b>&amp;</b>", |sent| sent.contains('<')),
    has!("quotes", "a\"b\\c", |sent| sent.contains('"') && sent.contains('\\')),
    has!("control", "a\tb\u{1}", |sent| sent.contains('\u{1}')),
    has!("combining-mark", "cafe\u{301}", |sent| sent.contains('\u{301}')),
    has!("emoji", "\u{1f680}", |sent| sent.contains('\u{1f680}')),
];

/// Versions that count as missing. Whether white space does, too, is open.
pub const BLANKS: &[ValueKind] = strings! { "empty": ""; deep };

/// A canonical domain: a valid one below more labels, such that one label is as `is` says.
macro_rules! domain {
    ($name:literal, $labels:expr, $is:expr) => {
        ValueKind::text(
            $name,
            |valid| Some(json!(format!("{}.{}", $labels, text(valid)))),
            |sent| said(sent).split('.').any($is),
        )
        .beyond_quick()
    };
}

/// Canonical domains with labels that ordinary domains have.
pub const DOMAINS: &[ValueKind] = &[
    domain!("punycode", "xn--bcher-kva", |label| label.starts_with("xn--")),
    domain!("digits", "360", |label| label.bytes().all(|byte| byte.is_ascii_digit())),
    domain!("one-letter", "a", |label| label.len() == 1),
    domain!("hyphens", "ab--cd", |label| label == "ab--cd"),
    domain!("63-letters", "n".repeat(63), |label| label.len() == 63),
    domain!("ten-labels", ["no"; 10].join("."), |label| label == "no"),
    ValueKind::text("253-letters", |valid| longest(text(valid)), |sent| said(sent).len() == 253)
        .beyond_quick(),
];

/// A valid domain below as many labels as fit.
fn longest(valid: &str) -> Option<Value> {
    let more = 253usize.checked_sub(valid.len())?;
    let count = more.div_ceil(60);
    let label = |n: usize| format!("{}.", "l".repeat((more + n) / count - 1));
    Some(json!(format!("{}{valid}", (0..count).map(label).collect::<String>())))
}

/// Strings with characters that a record escapes, or must not escape. The first value has them all.
pub const ESCAPES: &[ValueKind] = &[
    strings!(one "mixed", "q\"b\\n\nr\rt\tc\u{1f}s/m<a>&'d\u{7f}l\u{2028}e\u{e9}j\u{1f600}"),
    has!("quote", "a\"b", |sent| sent.contains('"')),
    has!("backslash", "a\\b", |sent| sent.contains('\\')),
    has!("newline", "a\nb", |sent| sent.contains('\n')),
    has!("carriage-return", "a\rb", |sent| sent.contains('\r')),
    has!("tab", "a\tb", |sent| sent.contains('\t')),
    has!("control", "a\u{1f}b", |sent| sent.contains('\u{1f}')),
    has!("slash", "a/b", |sent| sent.contains('/')),
    has!("markup", "<a>&'b", |sent| sent.contains('<')),
    has!("delete", "a\u{7f}b", |sent| sent.contains('\u{7f}')),
    has!("line-separator", "a\u{2028}b", |sent| sent.contains('\u{2028}')),
    has!("non-ascii", "a\u{e9}b", |sent| sent.contains('\u{e9}')),
    has!("emoji", "a\u{1f600}b", |sent| sent.contains('\u{1f600}')),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A mistake in reading a spelling shows at one of its near misses.
    #[test]
    fn each_spelling_has_twelve_near_misses() {
        let spellings = [HEADER, PART, PATH, TIME, HASH, DOMAIN, AUTHORITY];
        for (n, kinds) in spellings.into_iter().enumerate() {
            let rejected = kinds.iter().filter(|kind| kind.may_be_accepted.is_empty()).count();
            assert!(rejected >= 12, "spelling {n}: {rejected}");
        }
    }

    #[test]
    fn uncommon_domains_are_canonical_and_recognized() {
        for valid in ["site-012345678901.example", "some-site.example", "pool-001.assay.example"] {
            for kind in DOMAINS {
                let made = kind.instead_of(&json!(valid)).unwrap_or_default();
                assert!(crate::publish::domain::is_canonical(text(&made)), "{made}");
                assert_eq!(crate::value::kind(DOMAINS, Some(&made), None), kind.name, "{made}");
            }
        }
    }

    #[test]
    fn the_first_value_has_all_properties_that_can_be_together() {
        let valid = json!("site-012345678901.example");
        let lists: [(&[ValueKind], &[&str]); 4] = [
            (PADDINGS, &[]),
            (CIDS, &["one-character", "zero", "null"]),
            (VERSIONS, &["leading-zeros", "exponent"]),
            (ESCAPES, &[]),
        ];
        for (kinds, alone) in lists {
            let names = kinds.iter().map(|kind| kind.name).filter(|name| !alone.contains(name));
            let first = kinds[0].instead_of(&valid);
            let found = crate::value::each_kind(kinds, first.as_ref(), Some(&valid));
            assert_eq!(found, names.collect::<Vec<_>>());
            assert!(kinds.iter().skip(1).all(|kind| kind.is_beyond_quick));
            for kind in kinds {
                let made = kind.instead_of(&valid);
                let ordinary = Some(&valid).filter(|_| kinds[0].instead_of(&json!("x")) != first);
                let found = crate::value::each_kind(kinds, made.as_ref(), ordinary);
                assert!(found.contains(&kind.name), "{}: {found:?}", kind.name);
            }
        }
    }

    #[test]
    fn no_list_names_a_kind_twice() {
        let lists = [
            HEADER, ENVELOPE, PART, PREFIXES, MEMBERS, PATH, TIME, HASH, DOMAIN, DOMAINS, CIDS, VERSIONS,
            ESCAPES,
        ];
        for kinds in lists {
            let names: std::collections::BTreeSet<&str> = kinds.iter().map(|kind| kind.name).collect();
            assert_eq!(names.len(), kinds.len(), "{names:?}");
        }
    }
}
