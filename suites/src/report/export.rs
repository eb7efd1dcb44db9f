//! The requests of one check for other programs: a script for a shell, a file for Hurl, an HTTP archive.

use std::fmt::Write;

use assay_spec::crypto::text::base64;
use serde_json::{Value, json};

use crate::harness::data::{Outcome, Run};
use crate::http::curl::{self, Reach, bearer_token};
use crate::http::exchange::{Exchange, Response};
use crate::report::words;
use crate::support::prose::one_line;

/// A bash script that sends every request of the outcome, in order. Redacted bearer tokens are read from `$ASSAY_GATEWAY_KEY`.
pub fn script(run: &Run, outcome: &Outcome) -> String {
    let mut out = format!("#!/usr/bin/env bash\n{}", head(run, outcome));
    for (n, exchange) in outcome.exchanges.iter().enumerate() {
        let _ = writeln!(out, "\n# {} of {}: {}", n + 1, outcome.exchanges.len(), answer(exchange));
        let _ = writeln!(out, "{}\necho", curl::command_line(exchange, Reach::default()));
    }
    out
}

/// A Hurl file with every request of the outcome and the recorded statuses. Bearer tokens are the variable `key`.
pub fn hurl(run: &Run, outcome: &Outcome) -> String {
    let mut out = head(run, outcome);
    for (n, exchange) in outcome.exchanges.iter().enumerate() {
        let Exchange { base, request, cut, response, .. } = exchange;
        let _ = writeln!(out, "\n# {} of {}: {}", n + 1, outcome.exchanges.len(), answer(exchange));
        let _ = writeln!(
            out,
            "{} {}{}",
            request.method,
            hurl_text(origin(base).as_bytes()),
            hurl_text(request.target.as_bytes())
        );
        for (name, value) in &request.headers {
            let value = match bearer_token(name, value) {
                Some(at) => format!("{}{{{{key}}}}", hurl_text(&value[..at])),
                None => hurl_text(value),
            };
            let _ = writeln!(out, "{}: {value}", hurl_text(name.as_bytes()));
        }
        if request.target.contains("/.") {
            out.push_str("[Options]\npath-as-is: true\n");
        }
        match cut {
            Some(cut) => {
                let _ = writeln!(out, "# the report omits the body of {} bytes", cut.bytes);
            }
            None if request.body.is_empty() => {}
            None => {
                let _ = writeln!(out, "{}", hurl_body(&request.body));
            }
        }
        let status =
            response.as_ref().map_or_else(|_| "*".to_owned(), |response| response.status.to_string());
        let _ = writeln!(out, "HTTP {status}");
    }
    out
}

/// An HTTP archive (HAR 1.2) with every exchange of the outcome. Times are unknown; all have the time of the run.
pub fn har(run: &Run, outcome: &Outcome) -> Value {
    let began = run.began.as_deref().unwrap_or("1970-01-01T00:00:00.000Z");
    let entry = |exchange: &Exchange| {
        let Exchange { base, request, slot, response, .. } = exchange;
        let media = |headers: &[(String, Vec<u8>)]| {
            let found = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            found.map_or(String::new(), |(_, value)| String::from_utf8_lossy(value).into_owned())
        };
        let query = request.target.split_once('?').map_or("", |(_, query)| query);
        let query = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            json!({ "name": name, "value": value })
        });
        let mut sent = json!({
            "method": request.method,
            "url": format!("{}{}", origin(base), request.target),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": har_headers(&request.headers),
            "queryString": query.collect::<Vec<_>>(),
            "headersSize": -1,
            "bodySize": exchange.body_bytes(),
        });
        if !request.body.is_empty() {
            let (text, comment) = match std::str::from_utf8(&request.body) {
                Ok(text) => (text.to_owned(), ""),
                Err(_) => (base64(&request.body), "base64"),
            };
            sent["postData"] =
                json!({ "mimeType": media(&request.headers), "text": text, "comment": comment });
        }
        let none = Response::default();
        let (response, words) = match response {
            Ok(response) => (response, String::new()),
            Err(broken) => (&none, broken.to_string()),
        };
        let mut content = json!({ "size": response.body.len(), "mimeType": media(&response.headers) });
        match std::str::from_utf8(&response.body) {
            Ok(text) => content["text"] = text.into(),
            Err(_) => {
                (content["text"], content["encoding"]) = (base64(&response.body).into(), "base64".into());
            }
        }
        let mut entry = json!({
            "startedDateTime": began,
            "time": 0,
            "request": sent,
            "response": {
                "status": response.status,
                "statusText": words,
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": har_headers(&response.headers),
                "content": content,
                "redirectURL": response.header("location").unwrap_or_default(),
                "headersSize": -1,
                "bodySize": response.body.len(),
            },
            "cache": {},
            "timings": { "send": 0, "wait": 0, "receive": 0 },
        });
        if let Some(slot) = slot {
            entry["connection"] = slot.connection.to_string().into();
        }
        entry
    };
    json!({ "log": {
        "version": "1.2",
        "creator": { "name": "assay", "version": env!("CARGO_PKG_VERSION") },
        "comment": format!("{}: {}", outcome.requirement, one_line(words::reason(outcome).as_bytes())),
        "entries": outcome.exchanges.iter().map(entry).collect::<Vec<_>>(),
    }})
}

fn har_headers(headers: &[(String, Vec<u8>)]) -> Value {
    let pair = |(name, value): &(String, Vec<u8>)| {
        let (shown, secret) = value.split_at(bearer_token(name, value).unwrap_or(value.len()));
        let secret = if secret.is_empty() { "" } else { "[redacted token]" };
        json!({ "name": name, "value": format!("{}{secret}", String::from_utf8_lossy(shown)) })
    };
    headers.iter().map(pair).collect()
}

/// What the requests are, as comments.
fn head(run: &Run, outcome: &Outcome) -> String {
    let id = outcome.requirement;
    let lines = [
        format!("{id}: {}", outcome.fact),
        format!("{} {}", outcome.verdict.name(), words::reason(outcome)),
        format!(
            "seed {}; signatures are valid for the time of the run only:",
            outcome.seed.unwrap_or(run.seed)
        ),
        format!("assay replay REPORT {id} --anew signs the requests again"),
    ];
    lines.iter().map(|line| format!("# {}\n", one_line(line.as_bytes()))).collect()
}

fn answer(exchange: &Exchange) -> String {
    let text = match &exchange.response {
        Ok(response) => format!("returned {}", response.status),
        Err(broken) => broken.to_string(),
    };
    one_line(text.as_bytes())
}

/// Scheme and authority of a base URL; the target of a request has the whole path.
fn origin(base: &str) -> &str {
    let start = base.find("://").map_or(0, |at| at + 3);
    base[start..].find('/').map_or(base, |at| &base[..start + at])
}

/// A body on one line where Hurl has a form for it, otherwise in base64.
fn hurl_body(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).ok();
    let is_plain = |text: &&str| {
        !text.contains(['`', '\\']) && !text.contains("{{") && !text.chars().any(char::is_control)
    };
    match text.filter(is_plain) {
        Some(text) => format!("`{text}`"),
        None => format!("base64,{};", base64(body)),
    }
}

/// The characters of a Hurl value: comments, templates and control characters are escaped.
fn hurl_text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '#' => out.push_str("\\#"),
            '{' => out.push_str("\\u{7b}"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_script_has_every_request_in_order() {
        let run = example::run();
        let text = script(&run, &run.outcomes[1]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "# publish.first-group.second-is-refused: second_prepare_is_refused");
        assert_eq!(
            (lines[6], lines[10]),
            ("# 1 of 2: no complete response within 15 s", "# 2 of 2: returned 200")
        );
        assert!(lines[7].contains("curl -sS") && lines[11].contains("Bearer $ASSAY_GATEWAY_KEY"), "{text}");
        assert!(!text.contains(example::TOKEN));
    }

    #[test]
    fn a_hurl_file_keeps_the_bytes() {
        let mut run = example::run();
        run.outcomes[1].exchanges[1].request.body = "{\"n\":1}".into();
        run.outcomes[1].exchanges[1].request.headers.push(("x-a".to_owned(), b"b #{{c}}\\".to_vec()));
        run.outcomes[1].exchanges[0].request.target = "/v1/../a".to_owned();
        let text = hurl(&run, &run.outcomes[1]);
        let (_, requests) = text.split_once("\n\n").expect("a head");
        insta::assert_snapshot!(requests, @r#"
        # 1 of 2: no complete response within 15 s
        PUT http://127.0.0.1:4101/v1/../a
        [Options]
        path-as-is: true
        base64,AP8=;
        HTTP *

        # 2 of 2: returned 200
        POST http://127.0.0.1:4101/prepare
        Authorization: Bearer {{key}}
        x-a: b \#\u{7b}\u{7b}c}}\\
        `{"n":1}`
        HTTP 200
        "#);
        assert!(!text.contains(example::TOKEN));
    }

    #[test]
    fn an_archive_has_every_exchange() {
        let run = example::run();
        let har = har(&run, &run.outcomes[1]);
        let entries = har["log"]["entries"].as_array().expect("entries");
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0]["response"]["statusText"], "no complete response within 15 s");
        assert_eq!(
            entries[0]["request"]["postData"],
            json!({ "mimeType": "", "text": "AP8=", "comment": "base64" })
        );
        assert_eq!(entries[1]["request"]["url"], "http://127.0.0.1:4101/prepare");
        assert_eq!(entries[1]["request"]["headers"][0]["value"], "Bearer [redacted token]");
        assert_eq!(entries[1]["response"]["content"]["mimeType"], "application/json");
        assert_eq!(origin("https://a.example/base"), "https://a.example");
    }
}
