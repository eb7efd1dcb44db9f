//! The signed message: prefix, keys, version.

use assay_spec::crypto::text::sha256_hex;
use assay_spec::publish::requirements::envelope as rows;
use serde_json::json;

use super::{BODY, MESSAGE, PREPARE, claims};
use crate::generate::group::Group;
use crate::generate::publish::world::{NOW, SITE};

pub(super) fn cases(g: &mut Group) {
    let p = "prepare";
    for (name, old, new, why) in [
        ("prefix-version-2", "svc-vf:1:", "svc-vf:2:", "The version in the prefix is 1."),
        (
            "prefix-record",
            "svc-vf:1:auth:",
            "svc-vf:1:pub:",
            "The prefix of a record is not the prefix of an envelope.",
        ),
        ("prefix-upper-case", "svc-vf", "SVC-VF", "The prefix is compared byte by byte."),
        ("prefix-missing", "svc-vf:1:auth:", "", "The JSON alone is not the message."),
        ("prefix-bom", "svc-vf", "\u{feff}svc-vf", "A byte order mark is not skipped."),
    ] {
        let edit = g.change(p, MESSAGE, old, new);
        g.reject(name, p, [edit], &rows::PREFIX, why);
    }
    let mut invalid = g.change("replacement-character", MESSAGE, "\u{fffd}", "");
    invalid.new = json!({"hex": "ff"});
    g.reject(
        "invalid-utf8",
        "replacement-character",
        [invalid],
        &rows::PREFIX,
        "Invalid UTF-8 is rejected, never replaced by U+FFFD.",
    );

    let time = NOW.to_string();
    let object = format!("{{{}}}", claims(PREPARE, &time, BODY.as_bytes()).join(","));
    let array = format!(r#"[1,"POST","{PREPARE}","{SITE}","{time}","{}"]"#, sha256_hex(BODY.as_bytes()));
    for (name, old, new, why) in [
        ("seventh-key", r#""v":1,"#, r#""v":1,"n":"0","#, "The JSON has no key besides the six."),
        (
            "seventh-key-null",
            r#""v":1,"#,
            r#""v":1,"n":null,"#,
            "A seventh key is rejected even if its value is null.",
        ),
        ("missing-v", r#""v":1,"#, "", "The JSON has all six keys."),
        ("missing-m", r#""m":"POST","#, "", "The JSON has all six keys."),
        ("missing-p", &format!(r#""p":"{PREPARE}","#), "", "The JSON has all six keys."),
        ("missing-t", &format!(r#""t":"{time}","#), "", "The JSON has all six keys."),
        (
            "missing-h",
            &format!(r#","h":"{}""#, sha256_hex(BODY.as_bytes())),
            "",
            "The JSON has all six keys.",
        ),
        ("key-case", r#""m":"#, r#""M":"#, "Keys are compared byte by byte."),
        ("array", &object, &array, "The JSON is an object, not an array."),
        ("text-after-object", &object, &format!("{object}{object}"), "Nothing follows the object."),
    ] {
        let edit = g.change(p, MESSAGE, old, new);
        g.reject(name, p, [edit], &rows::SIX_KEYS, why);
    }
    for (name, new) in
        [("version-text", "\"1\""), ("version-2", "2"), ("version-true", "true"), ("version-null", "null")]
    {
        let edit = g.change(p, MESSAGE, r#""v":1"#, &format!(r#""v":{new}"#));
        g.reject(name, p, [edit], &rows::VERSION, "v is the number 1.");
    }
}
