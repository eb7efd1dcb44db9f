//! `metadata.route`: every listed path, URIs that contain slashes, and paths that are not listed.

use assay_spec::Id;
use assay_spec::metadata::requirements::paths::{REQUIRED, SHAPE, TEXT};
use assay_spec::metadata::requirements::validation::INTEGER;
use serde_json::{Value, json};

use crate::case::Case;
use crate::generate::group::{Group, splice};

const PATH: &str = "/in/raw_path";
const CID: &str = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
const URI: &str = "chain:1:0x52908400098527886e0f7030069857d2e4169ee7";

/// The reading by which the last double slash ends the URI.
const LAST: &str = "A-016/last-double-slash";
/// The reading by which a parameter is percent-decoded once.
const DECODED: &str = "A-016/decoded-once";
/// The reading by which an integer is an optional minus sign and digits.
const DIGITS: &str = "A-017/minus-and-digits";
/// The reading by which an unlisted path is not found.
const NOT_FOUND: &str = "A-018/not-found";

static SHOWN: &[Id] = &[&REQUIRED, &INTEGER];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/metadata/route.rs";
    let mut g = Group::new("metadata/route", "metadata.route", source, SHOWN);
    listed(&mut g);
    uris(&mut g);
    integers(&mut g);
    no_integers(&mut g);
    missing(&mut g);
    strange(&mut g);
    g.cases
}

fn input(path: &str) -> Value {
    json!({"raw_path": {"utf8": path}})
}

fn utf8(text: &str) -> Value {
    json!({"utf8": text})
}

fn listed(g: &mut Group) {
    for (name, path, why) in [
        ("root", "/".to_owned(), "The root path has no parameter."),
        ("contract-by-cid", format!("/{CID}"), "One segment is a content identifier."),
        ("contract-by-uri", format!("/{URI}//"), "Two slashes end a URI. Nothing follows them."),
        ("token-by-cid-json", format!("/{CID}/7.json"), "The suffix .json is not part of the token id."),
        ("token-by-cid", format!("/{CID}/7"), "The second segment is a token id."),
        ("token-by-uri-json", format!("/{URI}//7.json"), "The suffix .json is not part of the token id."),
        ("token-by-uri", format!("/{URI}//7"), "The token id follows the two slashes."),
        (
            "overrides-by-cid",
            format!("/{CID}/7/overrides"),
            "The segment after the token id requests the overrides.",
        ),
        (
            "overrides-by-uri",
            format!("/{URI}//7/overrides"),
            "The segment after the token id requests the overrides.",
        ),
        (
            "cid-like-a-file",
            "/7.json".to_owned(),
            "A single segment is a contract, even if it ends with .json.",
        ),
        (
            "cid-like-a-word",
            "/overrides".to_owned(),
            "A single segment is a contract, even if it is the word overrides.",
        ),
    ] {
        g.accept(name, input(&path), why);
    }
}

fn uris(g: &mut Group) {
    for (name, path, reading, why) in [
        (
            "uri-with-scheme",
            "/https://tokens.example:8443/c//7",
            LAST,
            "The URI itself contains two slashes.",
        ),
        (
            "uri-with-scheme-alone",
            "/https://tokens.example//",
            LAST,
            "The URI contains two slashes; the last two end it, and nothing follows.",
        ),
        ("uri-with-two-schemes", "/a://b/c://d//7.json", LAST, "The URI contains two slashes twice."),
        (
            "uri-ends-in-a-slash",
            "/https://tokens.example/c///7",
            LAST,
            "Of three slashes the last two end the URI.",
        ),
        ("uri-begins-with-a-slash", "//c//7", LAST, "The first slash of the path is not part of the URI."),
        ("uri-of-slashes", "/////7", LAST, "The URI consists only of slashes. The last two slashes end it."),
        (
            "uri-encoded",
            "/https%3A%2F%2Ftokens.example%2Fc//7",
            DECODED,
            "Encoded slashes do not split the path.",
        ),
        ("uri-encoded-twice", "/a%252Fb//7", DECODED, "A parameter is decoded once, not repeatedly."),
        ("uri-not-encoded", "/a%zzb%//7", DECODED, "A percent sign without two hex digits is kept as it is."),
        (
            "uri-lower-case-hex",
            "/a%2fb//7/overrides",
            DECODED,
            "Percent-encoding may use lowercase hex digits.",
        ),
        ("uri-of-other-letters", "/caf%C3%A9//7", DECODED, "The decoded bytes are UTF-8."),
        ("uri-with-a-plus", "/a+b//7", DECODED, "A plus sign is kept as it is."),
        ("cid-with-a-slash", "/a%2Fb/7", DECODED, "An encoded slash does not split the path."),
        ("cid-of-dots", "/%2e%2e/7", DECODED, "Dot segments are not resolved."),
        ("cid-with-a-nul", "/a%00b", DECODED, "A NUL does not end the path."),
    ] {
        g.accept(name, input(path), why).read_as(reading);
    }
}

fn integers(g: &mut Group) {
    let long = "123456789012345678901234567890";
    for (name, id, reading, why) in [
        ("id-zero", "0", DIGITS, "Zero is an integer."),
        ("id-negative", "-1", DIGITS, "A token id may be negative."),
        ("id-long", long, DIGITS, "An integer may have any number of digits."),
        ("id-leading-zeros", "007", DIGITS, "Leading zeros do not change the value."),
        ("id-negative-zero", "-0", DIGITS, "Minus zero is zero."),
        ("id-encoded", "%37", DECODED, "An encoded digit is a digit."),
    ] {
        g.accept(name, input(&format!("/{CID}/{id}")), why).read_as(reading);
    }
}

fn no_integers(g: &mut Group) {
    let why = "A token id is an integer, on every path that has one.";
    for base in [
        "token-by-cid-json",
        "token-by-cid",
        "token-by-uri-json",
        "token-by-uri",
        "overrides-by-cid",
        "overrides-by-uri",
    ] {
        let path = g.input(base)["raw_path"]["utf8"].as_str().unwrap_or_default().to_owned();
        let at = path.rfind('7').unwrap_or_default();
        g.reject(&format!("{base}-abc"), base, [splice(PATH, at, utf8("7"), utf8("abc"))], &INTEGER, why);
    }
    let at = CID.len() + 2;
    for (name, new, why) in [
        ("id-1x", "1x", "Digits followed by a letter are not an integer."),
        ("id-txt", "7.txt", "A suffix other than .json is part of the token id."),
        ("id-suffix-alone", ".json", "The suffix .json alone leaves no token id."),
        ("id-suffix-twice", "7.json.json", "Only one suffix is removed; the other remains in the token id."),
        ("id-dots", "..", "Dot segments are not resolved."),
        ("id-overrides", "overrides", "The word overrides is not a token id."),
        ("id-suffix-overrides", "7.json/overrides", "The suffix .json is not removed before overrides."),
    ] {
        g.reject(name, "token-by-cid", [splice(PATH, at, utf8("7"), utf8(new))], &INTEGER, why);
    }
    for (name, new, reading, why) in [
        ("id-plus", "+7", DIGITS, "An integer has no plus sign."),
        ("id-float", "7.0", DIGITS, "An integer has no decimal point."),
        ("id-exponent", "7e0", DIGITS, "An integer has no exponent."),
        ("id-hex", "0x7", DIGITS, "An integer is decimal."),
        ("id-underscore", "1_000", DIGITS, "An integer has no digit separators."),
        ("id-two-minuses", "--7", DIGITS, "An integer has at most one minus sign."),
        ("id-minus-alone", "-", DIGITS, "A minus sign alone is not an integer."),
        ("id-space", "%207", DIGITS, "White space is not trimmed."),
        ("id-newline", "7%0A", DIGITS, "White space is not trimmed."),
        ("id-other-digits", "%D9%A7", DIGITS, "Digits are ASCII digits."),
        ("id-suffix-encoded", "7%2Ejson", DECODED, "An encoded suffix is part of the token id."),
        ("id-encoded-twice", "%2537", DECODED, "A token id is decoded once."),
    ] {
        g.reject(name, "token-by-cid", [splice(PATH, at, utf8("7"), utf8(new))], &INTEGER, why)
            .read_as(reading);
    }
    let scheme = "/https:".len();
    let rest = "//tokens.example:8443/c//7";
    let bare =
        "Without its final slashes the URI ends at its own double slash. The rest is read as a token id.";
    g.reject(
        "uri-without-its-slashes",
        "uri-with-scheme",
        [splice(PATH, scheme, utf8(rest), utf8("//tokens.example"))],
        &INTEGER,
        bare,
    )
    .read_as(LAST);
}

fn missing(g: &mut Group) {
    let nothing = || utf8("");
    let uri = || utf8(URI);
    let why = "The contract URI is required.";
    g.reject("no-uri", "contract-by-uri", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    g.reject("no-uri-of-token", "token-by-uri", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    g.reject("no-uri-of-json", "token-by-uri-json", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    g.reject("no-uri-of-overrides", "overrides-by-uri", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    let cid = || utf8(CID);
    let why = "The content identifier is required.";
    g.reject("no-cid-of-token", "token-by-cid", [splice(PATH, 1, cid(), nothing())], &REQUIRED, why);
    g.reject("no-cid-of-overrides", "overrides-by-cid", [splice(PATH, 1, cid(), nothing())], &REQUIRED, why);
    let at = CID.len() + 2;
    let why = "After the slash a token id is required.";
    g.reject("no-id", "token-by-cid", [splice(PATH, at, utf8("7"), nothing())], &REQUIRED, why);
}

fn strange(g: &mut Group) {
    let behind = |path: usize| path + CID.len() + 2;
    for (name, base, at, new, why) in [
        (
            "slash-behind-an-id",
            "token-by-cid",
            behind(1),
            "/",
            "No listed path ends with a slash after the token id.",
        ),
        (
            "slash-behind-overrides",
            "overrides-by-cid",
            behind(11),
            "/",
            "No listed path ends with a slash after overrides.",
        ),
        ("other-word", "token-by-cid", behind(1), "/other", "Only overrides may follow the token id."),
        (
            "other-word-by-uri",
            "token-by-uri",
            URI.len() + 4,
            "/other",
            "Only overrides may follow the token id.",
        ),
        ("more-behind-overrides", "overrides-by-cid", behind(11), "/7", "Nothing follows overrides."),
    ] {
        g.reject(name, base, [splice(PATH, at, utf8(""), utf8(new))], &SHAPE, why).read_as(NOT_FOUND);
    }
    let rooted = "A path begins with a slash.";
    g.reject("no-slash", "contract-by-cid", [splice(PATH, 0, utf8("/"), utf8(""))], &SHAPE, rooted)
        .read_as(NOT_FOUND);
    g.reject("nothing", "root", [splice(PATH, 0, utf8("/"), utf8(""))], &SHAPE, rooted).read_as(NOT_FOUND);
    let text = "A parameter is a valid UTF-8 string.";
    for (name, base, at, new) in [
        ("encoded-no-text", "contract-by-cid", 1, utf8("%ff")),
        ("raw-no-text", "contract-by-cid", 1, json!({"hex": "ff"})),
        ("uri-no-text", "token-by-uri", 1, utf8("%C3")),
        ("surrogate", "contract-by-uri", 1, utf8("%ED%A0%80")),
    ] {
        g.reject(name, base, [splice(PATH, at, utf8(""), new)], &TEXT, text).read_as(NOT_FOUND);
    }
}
