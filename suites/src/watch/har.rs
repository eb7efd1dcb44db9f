//! Recordings in the HTTP Archive format (HAR 1.2), as browsers and proxies write them.

use std::collections::BTreeMap;

use assay_spec::Instant;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Deserialize;
use url::Url;

use super::{BODY_BYTES, Observed, Passed, Times};
use crate::http::connect::{is_same_origin, path_of};
use crate::http::exchange::{Broken, Exchange, Request, Response};

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("not an HTTP Archive (HAR): {0}")]
pub struct NotHar(#[from] serde_json::Error);

#[derive(Deserialize)]
struct Har {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: Option<String>,
    /// How long it took, in milliseconds.
    time: Option<f64>,
    request: Sent,
    response: Received,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<Text>,
    #[serde(default = "unknown")]
    body_size: i64,
}

#[derive(Deserialize)]
struct Received {
    status: i64,
    #[serde(default)]
    headers: Vec<Header>,
    #[serde(default)]
    content: Content,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct Text {
    text: Option<String>,
    encoding: Option<String>,
}

#[derive(Default, Deserialize)]
struct Content {
    #[serde(default)]
    size: i64,
    text: Option<String>,
    encoding: Option<String>,
}

/// The longest duration that a recording may tell, in milliseconds: a year.
const LONGEST_MS: f64 = 365.0 * 86_400_000.0;

/// A size that a recording does not tell.
fn unknown() -> i64 {
    -1
}

const LACKS_REQUEST: &str = "lacked the body of the request in the recording";
const LACKS_RESPONSE: &str = "lacked the body of the response in the recording";
const TOO_LONG: &str = "had a body that was too long to be judged";
const NO_BASE64: &str = "had a body in the recording that was not base64";

/// The exchanges of a recording, in its order. `sites` are the base URLs of the watched servers, by site.
pub fn read(bytes: &[u8], sites: &BTreeMap<String, String>) -> Result<Vec<Passed>, NotHar> {
    let Har { log } = serde_json::from_slice(bytes)?;
    Ok(log.entries.into_iter().map(|entry| passed(entry, sites)).collect())
}

fn passed(
    Entry { started_date_time, time, request, response }: Entry,
    sites: &BTreeMap<String, String>,
) -> Passed {
    let Some((site, base, target)) = place(&request.url, sites) else { return Passed::Elsewhere };
    let without = |why| Passed::Without(site.clone(), why);
    let may_have_body = !["GET", "HEAD", "OPTIONS"].contains(&&*request.method) && request.body_size != 0;
    let sent = match request.post_data {
        Some(Text { text: Some(text), encoding }) => match plain(text, encoding.as_deref()) {
            Some(body) => body,
            None => return without(NO_BASE64),
        },
        _ if may_have_body && request.body_size > 0 => return without(LACKS_REQUEST),
        _ => Bytes::new(),
    };
    let Content { size, text, encoding } = response.content;
    let received = match text {
        Some(text) => match plain(text, encoding.as_deref()) {
            Some(body) => body,
            None => return without(NO_BASE64),
        },
        None if size > 0 => return without(LACKS_RESPONSE),
        None => Bytes::new(),
    };
    if sent.len().max(received.len()) > BODY_BYTES {
        return without(TOO_LONG);
    }
    let request = Request {
        method: request.method,
        target,
        headers: lines(request.headers, str::to_owned),
        body: sent,
    };
    let response = match u16::try_from(response.status) {
        Ok(status @ 100..) => {
            let headers = lines(response.headers, str::to_ascii_lowercase);
            Ok(Response { status, headers, body: received })
        }
        _ => Err(Broken::Closed("the recording has no response".to_owned())),
    };
    let exchange = Exchange { site, base, request, cut: None, slot: None, response };
    let began = started_date_time.and_then(|at| Instant::parse_iso(&at));
    let times = began
        .map(|began| Times { began, ended: began + time.unwrap_or_default().clamp(0.0, LONGEST_MS) as i64 });
    Passed::Whole(Box::new(Observed { exchange, times, left: false }))
}

/// The site of a URL, its base URL, and the target below it; that with the longest path, if several fit.
fn place(url: &str, sites: &BTreeMap<String, String>) -> Option<(String, String, String)> {
    let parsed = Url::parse(url).ok()?;
    let target = match parsed.query() {
        Some(query) => format!("{}?{query}", parsed.path()),
        None => parsed.path().to_owned(),
    };
    let fits = |base: &str| {
        let path = path_of(base).unwrap_or_default();
        let rest = parsed.path().strip_prefix(path.as_str())?;
        (is_same_origin(base, url) && (rest.is_empty() || rest.starts_with('/'))).then_some(path.len())
    };
    let (_, site, base) = sites
        .iter()
        .filter_map(|(site, base)| Some((fits(base)?, site, base)))
        .max_by_key(|(length, ..)| *length)?;
    Some((site.clone(), base.clone(), target))
}

/// A body; recordings hold it without its content coding.
fn plain(text: String, encoding: Option<&str>) -> Option<Bytes> {
    if encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case("base64")) {
        return STANDARD.decode(text).ok().map(Bytes::from);
    }
    Some(Bytes::from(text))
}

/// The header lines, without those of HTTP/2 that are none.
fn lines(headers: Vec<Header>, name: impl Fn(&str) -> String) -> Vec<(String, Vec<u8>)> {
    let lines = headers.into_iter().filter(|header| !header.name.starts_with(':'));
    lines.map(|header| (name(&header.name), header.value.into_bytes())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sites() -> BTreeMap<String, String> {
        [("gateway", "https://ai.example/api"), ("drop", "https://drop.example")]
            .map(|(site, base)| (site.to_owned(), base.to_owned()))
            .into()
    }

    fn har(entries: &serde_json::Value) -> Vec<Passed> {
        read(json!({ "log": { "entries": entries } }).to_string().as_bytes(), &sites()).expect("a recording")
    }

    #[test]
    fn an_entry_is_an_exchange_of_the_site_of_its_url() {
        let entry = |url: &str| {
            json!({
                "startedDateTime": "2026-01-02T13:04:05.678+01:00", "time": 12.7,
                "request": { "method": "POST", "url": url, "headers": [{ "name": ":authority", "value": "x" }, { "name": "A", "value": "b" }],
                             "postData": { "text": "{}" } },
                "response": { "status": 200, "headers": [{ "name": "Content-Type", "value": "text/plain" }],
                              "content": { "size": 2, "text": "aGk=", "encoding": "base64" } },
            })
        };
        let all = har(&json!([
            entry("https://ai.example/api/v1/models?x=%20"),
            entry("https://ai.example/apis"),
            entry("http://drop.example/")
        ]));
        let Passed::Whole(observed) = &all[0] else { panic!("{:?}", all[0]) };
        let exchange = &observed.exchange;
        let (began, ended) = (Instant(1_767_355_445_678), Instant(1_767_355_445_690));
        assert_eq!(observed.times, Some(Times { began, ended }));
        assert_eq!((&*exchange.site, &*exchange.request.target), ("gateway", "/api/v1/models?x=%20"));
        assert_eq!(exchange.request.headers, [("A".to_owned(), b"b".to_vec())]);
        let response = exchange.response.as_ref().expect("a response");
        assert_eq!((&response.body[..], response.header("content-type")), (&b"hi"[..], Some("text/plain")));
        assert!(matches!(all[1..], [Passed::Elsewhere, Passed::Elsewhere]), "{all:?}");
    }

    #[test]
    fn what_a_recording_lacks_is_not_judged() {
        let entry = |size: i64, content: serde_json::Value, status: i64| {
            json!({
                "request": { "method": "POST", "url": "https://drop.example/api/drop", "bodySize": size },
                "response": { "status": status, "content": content },
            })
        };
        let all = har(&json!([
            entry(7, json!({ "size": 0 }), 200),
            entry(0, json!({ "size": 7 }), 200),
            entry(0, json!({ "size": 7, "text": "?", "encoding": "base64" }), 200),
            entry(-1, json!({ "size": 0 }), 0),
        ]));
        for (passed, wanted) in all.iter().zip([LACKS_REQUEST, LACKS_RESPONSE, NO_BASE64]) {
            assert!(
                matches!(passed, Passed::Without(site, why) if site == "drop" && *why == wanted),
                "{passed:?}"
            );
        }
        assert!(
            matches!(&all[3], Passed::Whole(observed) if observed.exchange.response.is_err()),
            "{:?}",
            all[3]
        );
        assert!(read(b"{\"log\": {}}", &sites()).is_err());
    }
}
