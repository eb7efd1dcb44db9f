//! Malformed or odd multipart forms: rejected without a trace, or accepted.

use std::collections::BTreeSet;

use assay_sim::Input;
use serde_json::json;

use crate::common::drop::{FORM, Form, expect, get, page, post, upload};
use crate::common::{Call, Driver, show, zip};

#[test]
fn body_that_is_not_a_form_has_no_artifact() {
    let good = Form::default().artifact(&page("")).bytes();
    for content_type in [
        "",
        "text/plain",
        "multipart/form-data",
        "multipart/form-data;",
        "multipart/form-data; boundary",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=other",
        "multipart/form-data; boundary=ASSAY",
        "multipart/form-data boundary=assay",
        "multipart/mixed; boundary=assay",
        "application/x-www-form-urlencoded; boundary=assay",
        "multipart/form-data; boundary=\"assay",
        "multipart/form-data; limit=assay",
    ] {
        expect(content_type, &post(content_type, good.clone()), 400);
    }
    let mut bytes = post(FORM, good.clone());
    bytes.headers[0].1 = b"multipart/form-data; boundary=assay\xff".to_vec();
    expect("bytes beyond ASCII", &bytes, 400);
    bytes.headers.clear();
    expect("no content type", &bytes, 400);
    for (name, body) in [
        ("nothing", Vec::new()),
        ("no boundary", page("")),
        ("only a boundary", b"--assay".to_vec()),
        ("only an end", b"--assay--".to_vec()),
        ("a part without a head", b"--assay\r\n\r\n--assay--\r\n".to_vec()),
        (
            "line feeds without carriage returns",
            String::from_utf8_lossy(&good).replace("\r\n", "\n").into_bytes(),
        ),
        ("a longer boundary", [b"--assayx", &good[7..]].concat()),
        ("zeros", vec![0; 100_000]),
        ("dashes", vec![b'-'; 100_000]),
        ("line ends", b"\r\n".repeat(50_000)),
        ("boundaries", b"--assay\r\n".repeat(10_000)),
        ("heads", b"--assay\r\na: b\r\n".repeat(10_000)),
    ] {
        expect(name, &post(FORM, body), 400);
    }
}

#[test]
fn truncated_form_publishes_nothing() {
    let good = Form::default().field("source", b"a").artifact(&page("x")).bytes();
    // The final line break is optional.
    let complete = good.len() - 2;
    for length in 0..=good.len() {
        let mut driver = Driver::new(1);
        let reply = driver.exchange(&post(FORM, good[..length].to_vec()));
        assert_eq!(reply.status, if length < complete { 400 } else { 200 }, "{length} of {}", good.len());
    }
}

#[test]
fn artifact_is_the_first_field_of_that_name_and_must_be_a_zip() {
    let zip = page("");
    let field = |name: &str| Form::default().field(name, &zip).call();
    for name in ["", "Artifact", "artifact ", "artifacts", "artifact[]", "file", "source"] {
        expect(name, &field(name), 400);
    }
    expect("an empty one", &upload(b""), 400);
    expect("an empty one before a valid one", &Form::default().artifact(b"").artifact(&zip).call(), 400);
    expect("text", &upload(b"hello"), 400);
    expect("a part without a name", &Form::default().part("content-type: application/zip", &zip).call(), 400);
    expect(
        "a name in another header",
        &Form::default().part("x: form-data; name=\"artifact\"", &zip).call(),
        400,
    );
    for (name, call) in [
        ("two artifacts", Form::default().artifact(&zip).artifact(b"no zip").call()),
        ("no file name", Form::default().field("artifact", &zip).call()),
        (
            "a name without quotes",
            Form::default().part("Content-Disposition: form-data; name=artifact", &zip).call(),
        ),
        ("other fields", Form::default().field("x", b"").field("artifact2", b"y").artifact(&zip).call()),
        (
            "a quoted boundary",
            post("Multipart/Form-Data; charset=utf-8; boundary=\"assay\"", upload(&zip).body),
        ),
        ("something around it", post(FORM, [b"before\r\n", &upload(&zip).body[..], b"after"].concat())),
        ("a query", Call { target: "/api/drop?artifact=x".to_owned(), ..upload(&zip) }),
    ] {
        let reply = Driver::new(1).exchange(&call);
        assert_eq!(reply.status, 200, "{name}: {}", show(&reply));
    }
}

#[test]
fn forms_with_many_parts_or_long_heads_are_accepted_or_rejected() {
    let zip = page("");
    let many = |count: usize| (0..count).fold(Form::default(), |form, n| form.field(&format!("f{n}"), b"x"));
    let taken = Driver::new(1).exchange(&many(999).artifact(&zip).call());
    assert_eq!(taken.status, 200, "{}", show(&taken));
    expect("more parts than any form has", &many(1000).artifact(&zip).call(), 400);
    let empty = b"--assay\r\n\r\n\r\n\r\n".repeat(1_000_000);
    expect("a million parts", &post(FORM, empty), 400);
    let long = |length: usize| format!("content-disposition: form-data; name=\"{}\"", "n".repeat(length));
    expect("a name of a megabyte, and no artifact", &Form::default().part(&long(1 << 20), b"").call(), 400);
    let heads = "x: y\r\n".repeat(1000);
    expect("a thousand headers", &Form::default().part(&format!("{heads}a: b"), &zip).call(), 400);
    let quotes = format!("content-disposition: form-data; name=\"{}", "\\\"".repeat(500_000));
    expect("an unterminated quote", &Form::default().part(&quotes, &zip).call(), 400);
    let names = format!("content-disposition: form-data; {}", "xname".repeat(500_000));
    expect("malformed names", &Form::default().part(&names, &zip).call(), 400);
    let boundary = "b".repeat(1 << 20);
    expect("a boundary of a megabyte", &post(&format!("multipart/form-data; boundary={boundary}"), zip), 400);
}

#[test]
fn responses_have_no_cors_headers_and_keys_are_ignored() {
    let mut driver = Driver::new(1);
    let mut seen = BTreeSet::new();
    let mut ask = |driver: &mut Driver, call: &Call| {
        let mut call = call.clone();
        call.headers.push(("origin", b"https://elsewhere.example".to_vec()));
        call.headers.push(("authorization", b"Bearer x".to_vec()));
        call.headers.push(("access-control-request-method", b"POST".to_vec()));
        let reply = driver.exchange(&call);
        let cross = reply.headers.keys().find(|name| name.as_str().starts_with("access-control"));
        assert_eq!(cross, None, "{}", show(&reply));
        seen.insert(reply.status);
        reply
    };
    let good = upload(&page(""));
    ask(&mut driver, &good);
    ask(&mut driver, &upload(b""));
    ask(&mut driver, &upload(&zip::of_length(10_000_001)));
    ask(&mut driver, &Call { method: "OPTIONS".to_owned(), ..get("/api/drop") });
    ask(&mut driver, &get("/nothing"));
    driver.set_faults(&json!([{ "fault": "drop.publish-fails", "times": 1 }]));
    ask(&mut driver, &good);
    let open = driver.open(&good);
    ask(&mut driver, &good);
    driver.input(Input::Abort(open));
    driver.set_faults(&json!([{ "fault": "drop.disabled", "times": 1 }]));
    ask(&mut driver, &good);
    assert_eq!(seen, BTreeSet::from([200, 400, 404, 405, 413, 429, 500, 503]));
}
