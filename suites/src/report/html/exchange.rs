//! One exchange on the page: both heads and bodies; the page says where they are cut.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD_NO_PAD as STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD};
use serde_json::Value;

use super::text::{bytes, hex_dump, line, lines};
use crate::harness::data::{Outcome, Run};
use crate::http::exchange::Exchange;
use crate::report::terminal::{left_out, request_head};

/// A body up to this size and with few lines is unfolded.
const FOLDED_BYTES: usize = 1200;

const FOLDED_LINES: usize = 24;

/// The maximum length of a header value.
const HEAD_BYTES: usize = 8 * 1024;

/// The address of an exchange on the page: the id of the row and its number, with the fact if the row has several.
pub(super) fn address(run: &Run, outcome: &Outcome, n: usize) -> String {
    let id = outcome.requirement;
    let is_alone = run.outcomes.iter().filter(|one| std::ptr::eq(one.requirement, id)).count() == 1;
    let fact = if is_alone { String::new() } else { format!("{}/", outcome.fact) };
    format!("{id}/{fact}{}", n + 1)
}

/// The exchange as a foldable block with this address; its bodies are cut at `limit` bytes.
pub(super) fn exchange(n: usize, address: &str, exchange: &Exchange, is_open: bool, limit: usize) -> String {
    let Exchange { base, request, cut, slot, response, site } = exchange;
    let (status, is_answer) = match response {
        Ok(response) => (response.status.to_string(), true),
        Err(broken) => (broken.to_string(), false),
    };
    let (open, class) =
        (if is_open { " open" } else { "" }, if is_answer { "status" } else { "status none" });
    let mut out = format!(
        "<details class=\"exchange\" id=\"{}\"{open}><summary><span class=\"n\">{}</span><b>{}</b> <span class=\"path\">{}</span> \
         <span class=\"{class}\">{}</span></summary>\n<p class=\"to\">to {} at {}{}</p>\n",
        line(address),
        n + 1,
        line(&cut_text(&request.method, 64)),
        line(&cut_text(&request.target, 512)),
        line(&cut_text(&status, 200)),
        line(site),
        line(base),
        slot.map(|slot| format!(", {slot}")).unwrap_or_default(),
    );
    let sent: Vec<String> = request_head(exchange).iter().map(|text| head(text.as_bytes())).collect();
    out.push_str(&format!("<h6>Request</h6><pre class=\"head\">{}</pre>", sent.join("\n")));
    if let Some(cut) = cut {
        out.push_str(&format!("<p class=\"none\">{}</p>", line(&left_out(cut))));
    } else {
        put_body(&mut out, &request.body, limit);
        put_decoded(&mut out, &request.headers, &request.body, limit);
    }
    match response {
        Ok(response) => {
            let headers = response.headers.iter();
            let headers = headers.map(|(name, value)| head(&[name.as_bytes(), b": ", value].concat()));
            let head_lines: Vec<String> =
                std::iter::once(response.status.to_string()).chain(headers).collect();
            out.push_str(&format!("<h6>Response</h6><pre class=\"head\">{}</pre>", head_lines.join("\n")));
            put_body(&mut out, &response.body, limit);
            put_decoded(&mut out, &response.headers, &response.body, limit);
        }
        Err(broken) => {
            out.push_str(&format!("<h6>No response</h6><p class=\"none\">{}</p>", line(&broken.to_string())));
        }
    }
    out.push_str("</details>\n");
    out
}

/// A line of a head; very long ones are cut.
fn head(text: &[u8]) -> String {
    match text.get(..HEAD_BYTES) {
        Some(start) if text.len() > HEAD_BYTES => {
            format!("{}\u{2026} {} bytes in all", bytes(start), text.len())
        }
        _ => bytes(text),
    }
}

fn cut_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text.to_owned(),
    }
}

/// What a header value, or a string of a JSON body, holds in another encoding: an envelope, a record, a message. A string is JSON
/// itself, or a part of it is JSON in base64.
fn put_decoded(out: &mut String, headers: &[(String, Vec<u8>)], body: &[u8], limit: usize) {
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, value) in headers {
        let inside = std::str::from_utf8(value).ok().and_then(decoded);
        found.extend(inside.map(|inside| (name.clone(), inside)));
    }
    if let Ok(value) = serde_json::from_slice(body) {
        each_string(&value, "", &mut |place, text| {
            found.extend(decoded(text).map(|inside| (place.to_owned(), inside)));
        });
    }
    for (place, inside) in found.iter().take(DECODED) {
        let cut = inside.floor_char_boundary(limit);
        let more = if cut < inside.len() {
            format!(", first {cut} of {} bytes", inside.len())
        } else {
            String::new()
        };
        out.push_str(&format!(
            "<details class=\"body\"><summary>Decoded: {}{more}</summary><pre tabindex=\"0\" data-json>{}</pre></details>",
            line(&cut_text(place, 64)),
            lines(&inside[..cut])
        ));
    }
}

/// The maximum number of decoded values of a message.
const DECODED: usize = 4;
/// A shorter string is not worth a second view.
const DECODED_BYTES: usize = 24;

/// The JSON that a string holds, as it is or in base64.
fn decoded(text: &str) -> Option<String> {
    let is_object = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
    if text.len() < DECODED_BYTES {
        return None;
    }
    if is_object(text) {
        return Some(text.to_owned());
    }
    let parts = text.split([' ', '.', ',', ':']).filter(|part| part.len() >= DECODED_BYTES);
    parts.into_iter().find_map(|part| {
        let plain = part.trim_end_matches('=');
        let bytes = URL_SAFE_NO_PAD.decode(plain).or_else(|_| STANDARD_NO_PAD.decode(plain)).ok()?;
        String::from_utf8(bytes).ok().filter(|inside| is_object(inside))
    })
}

/// Every string of a value, with its place as a JSON pointer.
fn each_string(value: &Value, place: &str, met: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => met(place, text),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                each_string(item, &format!("{place}/{n}"), met);
            }
        }
        Value::Object(members) => {
            for (name, item) in members {
                each_string(item, &format!("{place}/{name}"), met);
            }
        }
        _ => {}
    }
}

fn put_body(out: &mut String, body: &[u8], limit: usize) {
    if body.is_empty() {
        return;
    }
    let text = std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'));
    let (shown, cut, kind) = if let Some(text) = text {
        let cut = text.floor_char_boundary(limit);
        let is_json = text.trim_start().starts_with(['{', '[']);
        (lines(&text[..cut]), cut, if is_json { " data-json" } else { "" })
    } else {
        // In hex, a byte needs more than four characters.
        let cut = body.len().min((limit / 4).next_multiple_of(16));
        (lines(&hex_dump(&body[..cut])), cut, " data-hex")
    };
    let size = match (body.len(), cut) {
        (1, _) => "1 byte".to_owned(),
        (whole, cut) if cut < whole => format!("first {cut} of {whole} bytes"),
        (whole, _) => format!("{whole} bytes"),
    };
    let size = if text.is_none() { format!("{size}, in hex") } else { size };
    let is_long = shown.len() > FOLDED_BYTES || shown.matches('\n').count() > FOLDED_LINES;
    let open = if is_long { "" } else { " open" };
    out.push_str(&format!(
        "<details class=\"body\"{open}><summary>Body, {size}</summary><pre tabindex=\"0\"{kind}>{shown}</pre></details>"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_and_records_are_decoded() {
        let envelope = r#"{"op":"publish","domain":"a.example"}"#;
        let header = |text: String| vec![("authorization".to_owned(), text.into_bytes())];
        let shown = |headers: &[(String, Vec<u8>)], body: &str| {
            let mut out = String::new();
            put_decoded(&mut out, headers, body.as_bytes(), 1024);
            out
        };
        let encoded = URL_SAFE_NO_PAD.encode(envelope);
        let text = shown(&header(format!("Signed {encoded}.c2ln")), "");
        assert!(text.contains("Decoded: authorization<") && text.contains("&quot;domain&quot;"), "{text}");
        let body =
            serde_json::json!({ "message": { "item_content": envelope }, "list": [encoded] }).to_string();
        let text = shown(&[], &body);
        assert!(
            text.contains("Decoded: /message/item_content<") && text.contains("Decoded: /list/0<"),
            "{text}"
        );
        for plain in
            ["Bearer 0123456789abcdef0123456789abcdef", "application/json; charset=utf-8; boundary=x"]
        {
            assert_eq!(shown(&header(plain.to_owned()), "[1, \"abcdefghijklmnopqrstuvwxyz\"]"), "");
        }
    }
}
