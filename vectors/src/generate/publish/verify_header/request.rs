//! Rules 2 to 4: the claims are compared with the request.

use assay_spec::Instant;
use assay_spec::crypto::text::sha256_hex;
use assay_spec::publish::requirements::envelope as rows;

use super::{BODY, MESSAGE, PREPARE};
use crate::generate::group::{Group, set};
use crate::generate::publish::world::NOW;

pub(super) fn cases(g: &mut Group) {
    let p = "prepare";
    for (name, new) in [("method-get", "GET"), ("method-lower-case", "post"), ("method-empty", "")] {
        let edit = g.change(p, MESSAGE, r#""m":"POST""#, &format!(r#""m":"{new}""#));
        g.reject(name, p, [edit], &rows::METHOD, "m equals the method of the request.");
    }
    g.reject(
        "method-of-request",
        p,
        [set("/in/method", "POST", "PUT")],
        &rows::METHOD,
        "The header was signed for another method.",
    );
    for (name, new, why) in [
        ("path-other", "/api/vf-cli/publish/submit", "The header was signed for the other endpoint."),
        ("path-query", "/api/vf-cli/publish/prepare?x=1", "p does not include the query."),
        ("path-trailing-slash", "/api/vf-cli/publish/prepare/", "p is the path exactly as sent."),
        (
            "path-with-host",
            "https://publish.example/api/vf-cli/publish/prepare",
            "p contains no scheme and no host.",
        ),
        ("path-escaped", "/api/vf-cli/publish/%70repare", "p is compared without percent-decoding."),
    ] {
        let edit = g.change(p, MESSAGE, PREPARE, new);
        g.reject(name, p, [edit], &rows::PATH, why);
    }
    g.reject(
        "path-of-request",
        p,
        [set("/in/path", PREPARE, "/api/vf-cli/publish/submit")],
        &rows::PATH,
        "A header for one endpoint is not valid for the other.",
    );
    let quoted = format!("\"{NOW}\"");
    for (name, new) in [
        ("time-garbage", "\"yesterday\""),
        ("time-empty", "\"\""),
        ("time-number", &NOW.0.to_string()),
        ("time-null", "null"),
        ("time-month-13", "\"2026-13-04T05:06:07.089Z\""),
        ("time-year-10000", "\"10000-03-04T05:06:07.089Z\""),
    ] {
        let edit = g.change(p, MESSAGE, &quoted, new);
        g.reject(name, p, [edit], &rows::TIME_FORM, "t is a string that parses to a time.");
    }
    let clock = |skew: i64| set("/in/now", NOW.to_string(), (NOW + skew).to_string());
    g.reject(
        "window-too-old",
        "window-oldest",
        [clock(1)],
        &rows::TIME_WINDOW,
        "The time is one millisecond outside the ten-minute window.",
    );
    g.reject(
        "window-too-new",
        "window-newest",
        [clock(-1)],
        &rows::TIME_WINDOW,
        "The time is one millisecond outside the ten-minute window.",
    );
    let seconds = Instant(NOW.0 / 1000).to_string();
    let edit = g.change(p, MESSAGE, &NOW.to_string(), &seconds);
    g.reject(
        "window-1970",
        p,
        [edit],
        &rows::TIME_WINDOW,
        "Seconds were used as milliseconds, so the time is in 1970.",
    );

    let hash = sha256_hex(BODY.as_bytes());
    let edit = g.change(p, "/in/body", "bafy", "bafz");
    g.reject("body-changed", p, [edit], &rows::BODY_HASH, "The body differs from the hashed one.");
    let edit = g.append(p, "/in/body", "0a");
    g.reject(
        "body-newline",
        p,
        [edit],
        &rows::BODY_HASH,
        "The hash covers the raw bytes, not the parsed JSON.",
    );
    let edit = g.append("empty-body", "/in/body", "20");
    g.reject(
        "body-not-empty",
        "empty-body",
        [edit],
        &rows::BODY_HASH,
        "A body of one byte does not have the hash of an empty body.",
    );
    for (name, new) in [
        ("hash-upper-case", hash.to_uppercase()),
        ("hash-empty", String::new()),
        ("hash-cut", hash[..32].to_owned()),
    ] {
        let edit = g.change(p, MESSAGE, &hash, &new);
        g.reject(name, p, [edit], &rows::BODY_HASH, "h is the whole hash in lowercase hex.");
    }
}
