//! `metadata.route`: every listed path, URIs that hold slashes, and what is no path of the list.

use assay_spec::Id;
use assay_spec::metadata::requirements::paths::{REQUIRED, SHAPE, TEXT};
use assay_spec::metadata::requirements::validation::INTEGER;
use serde_json::{Value, json};

use crate::case::Case;
use crate::generate::group::{Group, splice};

const PATH: &str = "/in/raw_path";
const CID: &str = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
const URI: &str = "chain:1:0x52908400098527886e0f7030069857d2e4169ee7";

/// The two slashes behind a URI are its last ones.
const LAST: &str = "A-016/last-double-slash";
/// A parameter is percent-decoded once.
const DECODED: &str = "A-016/decoded-once";
/// An integer is an optional minus and digits.
const DIGITS: &str = "A-017/minus-and-digits";
/// What is not listed is not found.
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
        ("root", "/".to_owned(), "The root has no parameter."),
        ("contract-by-cid", format!("/{CID}"), "One segment is a content identifier."),
        ("contract-by-uri", format!("/{URI}//"), "Two slashes end a URI, and nothing follows them."),
        ("token-by-cid-json", format!("/{CID}/7.json"), "The suffix is no part of the id."),
        ("token-by-cid", format!("/{CID}/7"), "The second segment is a token's id."),
        ("token-by-uri-json", format!("/{URI}//7.json"), "The suffix is no part of the id."),
        ("token-by-uri", format!("/{URI}//7"), "What follows the two slashes is a token's id."),
        ("overrides-by-cid", format!("/{CID}/7/overrides"), "The word behind the id asks for overrides."),
        ("overrides-by-uri", format!("/{URI}//7/overrides"), "The word behind the id asks for overrides."),
        ("cid-like-a-file", "/7.json".to_owned(), "One segment is a contract, whatever it ends in."),
        ("cid-like-a-word", "/overrides".to_owned(), "One segment is a contract, whatever it says."),
    ] {
        g.accept(name, input(&path), why);
    }
}

fn uris(g: &mut Group) {
    for (name, path, reading, why) in [
        ("uri-with-scheme", "/https://tokens.example:8443/c//7", LAST, "A URI holds two slashes itself."),
        ("uri-with-scheme-alone", "/https://tokens.example//", LAST, "Nothing follows the last ones."),
        ("uri-with-two-schemes", "/a://b/c://d//7.json", LAST, "A URI holds two slashes twice."),
        (
            "uri-ends-in-a-slash",
            "/https://tokens.example/c///7",
            LAST,
            "The last two of three slashes end it.",
        ),
        ("uri-begins-with-a-slash", "//c//7", LAST, "The path's own slash is no part of it."),
        ("uri-of-slashes", "/////7", LAST, "What stands before the last two slashes are slashes."),
        (
            "uri-encoded",
            "/https%3A%2F%2Ftokens.example%2Fc//7",
            DECODED,
            "Encoded, its slashes split nothing.",
        ),
        ("uri-encoded-twice", "/a%252Fb//7", DECODED, "It is decoded once, not until nothing changes."),
        ("uri-not-encoded", "/a%zzb%//7", DECODED, "A percent sign without two digits stands for itself."),
        ("uri-lower-case-hex", "/a%2fb//7/overrides", DECODED, "Digits of either case."),
        ("uri-of-other-letters", "/caf%C3%A9//7", DECODED, "What was encoded is UTF-8."),
        ("uri-with-a-plus", "/a+b//7", DECODED, "A plus stands for itself."),
        ("cid-with-a-slash", "/a%2Fb/7", DECODED, "An encoded slash splits nothing."),
        ("cid-of-dots", "/%2e%2e/7", DECODED, "Dots lead nowhere."),
        ("cid-with-a-nul", "/a%00b", DECODED, "A NUL ends nothing."),
    ] {
        g.accept(name, input(path), why).read_as(reading);
    }
}

fn integers(g: &mut Group) {
    let long = "123456789012345678901234567890";
    for (name, id, reading, why) in [
        ("id-zero", "0", DIGITS, "Zero is an integer."),
        ("id-negative", "-1", DIGITS, "So is what is less."),
        ("id-long", long, DIGITS, "An integer has any number of digits."),
        ("id-leading-zeros", "007", DIGITS, "Zeros in front change nothing."),
        ("id-negative-zero", "-0", DIGITS, "There is one zero."),
        ("id-encoded", "%37", DECODED, "An encoded digit is one."),
    ] {
        g.accept(name, input(&format!("/{CID}/{id}")), why).read_as(reading);
    }
}

fn no_integers(g: &mut Group) {
    let why = "An id is an integer on every path that has one.";
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
        ("id-1x", "1x", "Digits and more are no integer."),
        ("id-txt", "7.txt", "Another suffix than .json belongs to the id."),
        ("id-suffix-alone", ".json", "A suffix needs something that it stands behind."),
        ("id-suffix-twice", "7.json.json", "One suffix goes, the other stays."),
        ("id-dots", "..", "Dots lead nowhere."),
        ("id-overrides", "overrides", "The word is no id."),
        ("id-suffix-overrides", "7.json/overrides", "The suffix and the word do not go together."),
    ] {
        g.reject(name, "token-by-cid", [splice(PATH, at, utf8("7"), utf8(new))], &INTEGER, why);
    }
    for (name, new, reading, why) in [
        ("id-plus", "+7", DIGITS, "A plus is no minus."),
        ("id-float", "7.0", DIGITS, "A fraction of nothing is a fraction."),
        ("id-exponent", "7e0", DIGITS, "An exponent is no digit."),
        ("id-hex", "0x7", DIGITS, "Digits are decimal."),
        ("id-underscore", "1_000", DIGITS, "Digits stand alone."),
        ("id-two-minuses", "--7", DIGITS, "There is one minus."),
        ("id-minus-alone", "-", DIGITS, "A minus is no digit."),
        ("id-space", "%207", DIGITS, "Nobody trims it."),
        ("id-newline", "7%0A", DIGITS, "Nobody trims it."),
        ("id-other-digits", "%D9%A7", DIGITS, "Digits are those of ASCII."),
        ("id-suffix-encoded", "7%2Ejson", DECODED, "An encoded suffix is a part of the id."),
        ("id-encoded-twice", "%2537", DECODED, "It is decoded once."),
    ] {
        g.reject(name, "token-by-cid", [splice(PATH, at, utf8("7"), utf8(new))], &INTEGER, why)
            .read_as(reading);
    }
    let scheme = "/https:".len();
    let rest = "//tokens.example:8443/c//7";
    let bare = "Without slashes behind it, the last ones are the URI's own, and the rest is an id.";
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
    let why = "A path without its URI names nothing.";
    g.reject("no-uri", "contract-by-uri", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    g.reject("no-uri-of-token", "token-by-uri", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    g.reject("no-uri-of-json", "token-by-uri-json", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    g.reject("no-uri-of-overrides", "overrides-by-uri", [splice(PATH, 1, uri(), nothing())], &REQUIRED, why);
    let cid = || utf8(CID);
    let why = "A path without its content identifier names nothing.";
    g.reject("no-cid-of-token", "token-by-cid", [splice(PATH, 1, cid(), nothing())], &REQUIRED, why);
    g.reject("no-cid-of-overrides", "overrides-by-cid", [splice(PATH, 1, cid(), nothing())], &REQUIRED, why);
    let at = CID.len() + 2;
    let why = "A path without the id that its slash announces names nothing.";
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
            "No listed path ends in a slash behind an id.",
        ),
        ("slash-behind-overrides", "overrides-by-cid", behind(11), "/", "Nor behind the word."),
        ("other-word", "token-by-cid", behind(1), "/other", "No other word stands behind an id."),
        ("other-word-by-uri", "token-by-uri", URI.len() + 4, "/other", "No other word stands behind an id."),
        ("more-behind-overrides", "overrides-by-cid", behind(11), "/7", "Nothing stands behind the word."),
    ] {
        g.reject(name, base, [splice(PATH, at, utf8(""), utf8(new))], &SHAPE, why).read_as(NOT_FOUND);
    }
    let rooted = "A path begins with a slash.";
    g.reject("no-slash", "contract-by-cid", [splice(PATH, 0, utf8("/"), utf8(""))], &SHAPE, rooted)
        .read_as(NOT_FOUND);
    g.reject("nothing", "root", [splice(PATH, 0, utf8("/"), utf8(""))], &SHAPE, rooted).read_as(NOT_FOUND);
    let text = "A parameter is a text.";
    for (name, base, at, new) in [
        ("encoded-no-text", "contract-by-cid", 1, utf8("%ff")),
        ("raw-no-text", "contract-by-cid", 1, json!({"hex": "ff"})),
        ("uri-no-text", "token-by-uri", 1, utf8("%C3")),
        ("surrogate", "contract-by-uri", 1, utf8("%ED%A0%80")),
    ] {
        g.reject(name, base, [splice(PATH, at, utf8(""), new)], &TEXT, text).read_as(NOT_FOUND);
    }
}
