//! Hides claim tokens in reports: they are secrets.

use serde_json::Value;

use crate::harness::probe::Probe;
use crate::http::exchange::Response;

const NAME: &str = "claim token";

/// Hides every claim token in a response, wherever it is.
pub(crate) fn hide(probe: &Probe<'_>, response: &Response) {
    match response.json() {
        Ok(body) => tokens(&body, &mut |token| probe.disguise(NAME, token)),
        Err(_) => loose_tokens(&response.text(), &mut |token| probe.disguise(NAME, token)),
    }
    if let Some(location) = response.header("location") {
        claim_tokens(location, &mut |token| probe.disguise(NAME, token));
    }
}

/// Finds the string members whose name contains `token`, and the values after `claim=` in any string.
fn tokens(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name.to_lowercase().contains("token") => found(text),
                    _ => tokens(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| tokens(value, found)),
        Value::String(text) => claim_tokens(text, found),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The same in a body that is not JSON: the quoted string after the member's name, even if truncated.
fn loose_tokens(text: &str, found: &mut impl FnMut(&str)) {
    for (at, name) in text.match_indices("laimToken") {
        let rest = text[at + name.len()..].trim_start_matches(['"', '\'', ' ', ':', '=', '\n', '\r', '\t']);
        found(rest.split(['"', '\'', '<', ',', '\n']).next().unwrap_or_default());
    }
    claim_tokens(text, found);
}

fn claim_tokens(text: &str, found: &mut impl FnMut(&str)) {
    for (at, name) in text.match_indices("claim=") {
        let value =
            text[at + name.len()..].split(['&', '"', '\'', '#', ' ', '\n']).next().unwrap_or_default();
        found(value);
        found(&percent_encoding::percent_decode_str(value).decode_utf8_lossy());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<String> {
        let mut all = Vec::new();
        match serde_json::from_str(body) {
            Ok(body) => tokens(&body, &mut |token| all.push(token.to_owned())),
            Err(_) => loose_tokens(body, &mut |token| all.push(token.to_owned())),
        }
        all
    }

    #[test]
    fn tokens_are_found_anywhere_in_a_response() {
        assert_eq!(found(r#"{"claimToken":"secret"}"#), ["secret"]);
        assert_eq!(found(r#"{"drop":[{"claim_token":"secret"}]}"#), ["secret"]);
        assert_eq!(found(r#"{"claimUrl":"http:\/\/a\/#claim=s%2Fr&exp=1"}"#), ["s%2Fr", "s/r"]);
        assert_eq!(found(r#"{"claimToken": "secret", "cut"#), ["secret"]);
        assert_eq!(found(r#"{"claimToken":"secr"#), ["secr"]);
        assert_eq!(found("<a href=\"/c#claim=secret&amp;exp=1\">"), ["secret", "secret"]);
        assert_eq!(found(r#"{"cid":"bafy","n":[1,true,null]}"#), Vec::<String>::new());
    }
}
