//! Programs (document 2, "Endpoints"). The document leaves open what a program is. Here it is a template string, so
//! that runs are pure, bounded and the same on every machine.
//!
//! A placeholder is `{{name}}` or `{{name|filter|…}}`: the variable's value, passed through the filters `upper`,
//! `lower`, `trim`, `reverse`, `length`, `sha256` and `repeat:N`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::crypto::text::sha256_hex;
use crate::json;
use crate::network::endpoint;
use crate::network::limits::PROGRAM_OUTPUT;
use crate::network::members::{member, text};
use crate::network::message::MessageType;
use crate::network::mistakes::programs::VARIABLES;
use crate::network::requirements::programs::{CREATED, MEMORY, RUN as TAKEN, RUNTIME, TIMEOUT};
use crate::network::shapes::{ACCEPTED, ERRORS};
use crate::shape::{Body, Field, Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The content of a program, for the API description.
const PROGRAM: &[Field] = &[
    must("name", ShapeKind::Text),
    must("description", ShapeKind::Text),
    must("code", ShapeKind::Text),
    must("runtime", ShapeKind::Text),
    must("memory", ShapeKind::Integer),
    must("timeout", ShapeKind::Integer),
];

endpoint! {
    /// Stores a program.
    CREATE "create-program" "POST" "/api/v0/programs" Envelope [200, 400, 401, 403, 429, 500]
    group: "Programs",
    body: Body::Envelope { kind: Some(MessageType::Program.name()), content: PROGRAM },
    reply: ACCEPTED,
    row: Some(&CREATED),
    errors: ERRORS,
}
endpoint! {
    /// Runs a program.
    RUN "run" "POST" "/api/v0/run/{program_hash}" None [200, 400, 404, 429, 500]
    group: "Programs",
    note: "The response body depends on the program.",
    body: Body::OptionalJson(&[may("variables", ShapeKind::Map(&ShapeKind::Text))]),
    reply: Reply::Bytes,
    errors: ERRORS,
}

/// A program. The requested runtime, memory and timeout have no effect, so they are only checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The template.
    pub code: String,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A placeholder is not closed.
    #[error("a placeholder is not closed")]
    Open,
    /// A placeholder names a variable that was not given.
    #[error("the variable {0:?} is missing")]
    Variable(String),
    /// A filter is unknown.
    #[error("the filter {0:?} is unknown")]
    Filter(String),
    /// The result is too long.
    #[error("the result is longer than {PROGRAM_OUTPUT} bytes")]
    Size,
}

impl Program {
    /// Reads a PROGRAM's content.
    pub fn parse(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Program, Refused> {
        let runtime = text(content, "runtime");
        member(&RUNTIME, "runtime", content, runtime.is_some(), rules)?;
        let [memory, timeout] = ["memory", "timeout"]
            .map(|name| content.get(name).and_then(json::integer).filter(|number| *number >= 0));
        member(&MEMORY, "memory", content, memory.is_some(), rules)?;
        member(&TIMEOUT, "timeout", content, timeout.is_some(), rules)?;
        Ok(Program {
            name: text(content, "name").unwrap_or_default().to_owned(),
            // Code that is not a string is a program that returns its own JSON.
            code: match content.get("code") {
                Some(Value::String(code)) => code.clone(),
                Some(other) => other.to_string().replace("{{", "{ {"),
                None => String::new(),
            },
        })
    }

    /// Fills the template's placeholders.
    pub fn run(&self, variables: &BTreeMap<String, String>) -> Result<String, Fault> {
        let mut output = String::new();
        let mut rest = self.code.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            let (hole, after) = after.split_once("}}").ok_or(Fault::Open)?;
            push(&mut output, before)?;
            push(&mut output, &fill(hole, variables)?)?;
            rest = after;
        }
        push(&mut output, rest)?;
        Ok(output)
    }
}

/// The variables of a run's body. Without a body there are none.
pub fn variables(body: &[u8], rules: &mut dyn Rules) -> Result<BTreeMap<String, String>, Refused> {
    if body.is_empty() {
        return Ok(BTreeMap::new());
    }
    let body: Result<Map<String, Value>, _> = serde_json::from_slice(body);
    let given = body.as_ref().ok().and_then(|body| body.get("variables").cloned());
    let sent = given.clone().unwrap_or_default();
    let read = rules.read_value(
        &VARIABLES,
        &sent,
        || (Some(sent.clone()), None),
        |_| {
            body.map_err(|e| format!("not a JSON object: {e}"))?;
            let given = given.unwrap_or_else(|| Value::Object(Map::new()));
            serde_json::from_value(given).map_err(|e| format!("variables: {e}"))
        },
    )?;
    rules.accept_value(&TAKEN, &json!({ "variables": sent }), None)?;
    Ok(read)
}

fn fill(hole: &str, variables: &BTreeMap<String, String>) -> Result<String, Fault> {
    let mut steps = hole.split('|').map(str::trim);
    let name = steps.next().unwrap_or_default();
    let value = variables.get(name).ok_or_else(|| Fault::Variable(name.to_owned()))?;
    steps.try_fold(value.clone(), |value, filter| match filter {
        "upper" => Ok(value.to_uppercase()),
        "lower" => Ok(value.to_lowercase()),
        "trim" => Ok(value.trim().to_owned()),
        "reverse" => Ok(value.chars().rev().collect()),
        "length" => Ok(value.chars().count().to_string()),
        "sha256" => Ok(sha256_hex(value.as_bytes())),
        _ => {
            let times = filter.strip_prefix("repeat:").and_then(|times| times.parse::<usize>().ok());
            let times = times.ok_or_else(|| Fault::Filter(filter.to_owned()))?;
            match value.len().checked_mul(times) {
                Some(size) if size <= PROGRAM_OUTPUT.usize() => Ok(value.repeat(times)),
                _ => Err(Fault::Size),
            }
        }
    })
}

fn push(output: &mut String, text: &str) -> Result<(), Fault> {
    if output.len() + text.len() > PROGRAM_OUTPUT.usize() {
        return Err(Fault::Size);
    }
    output.push_str(text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Strict, Without};

    fn run(code: &str, given: &[(&str, &str)]) -> Result<String, Fault> {
        let content = json!({"code": code, "runtime": "r", "memory": 1, "timeout": 1});
        let program = Program::parse(content.as_object().unwrap(), &mut Strict).unwrap();
        program.run(&given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn placeholders_are_filled() {
        assert_eq!(run("", &[]).as_deref(), Ok(""));
        assert_eq!(run("a{{x}}b{{ x | upper | repeat:2 }}", &[("x", "c")]).as_deref(), Ok("acbCC"));
        assert_eq!(run("{{x|trim|reverse}}{{x|length}}", &[("x", " ab ")]).as_deref(), Ok("ba4"));
        assert_eq!(run("{{x|sha256}}", &[("x", "")]).unwrap(), sha256_hex(b""));
        // A variable's value is never read as code.
        assert_eq!(run("{{x}}", &[("x", "{{y}}")]).as_deref(), Ok("{{y}}"));
    }

    #[test]
    fn failed_run_reports_its_reason() {
        assert_eq!(run("{{x", &[]), Err(Fault::Open));
        assert_eq!(run("{{x}}", &[]), Err(Fault::Variable("x".into())));
        assert_eq!(run("{{x|y}}", &[("x", "")]), Err(Fault::Filter("y".into())));
        assert_eq!(run("{{x|repeat:-1}}", &[("x", "")]), Err(Fault::Filter("repeat:-1".into())));
        assert_eq!(run("{{x|repeat:99999999999}}", &[("x", "ab")]), Err(Fault::Size));
        assert_eq!(run("{{x|repeat:32768}}{{x}}", &[("x", "ab")]), Err(Fault::Size));
    }

    #[test]
    fn code_that_is_not_a_string_returns_its_json() {
        let content = json!({"code": {"a": {"b": 1}}, "runtime": "r", "memory": 1, "timeout": 1});
        let program = Program::parse(content.as_object().unwrap(), &mut Strict).unwrap();
        assert!(program.run(&BTreeMap::new()).unwrap().contains("\"b\":1"));
    }

    #[test]
    fn malformed_contents_and_bodies_are_rejected() {
        for (rule, content) in [
            (&RUNTIME, json!({"runtime": 1, "memory": 1, "timeout": 1})),
            (&MEMORY, json!({"runtime": "r", "memory": "1", "timeout": 1})),
            (&MEMORY, json!({"runtime": "r", "memory": -1, "timeout": 1})),
            (&TIMEOUT, json!({"runtime": "r", "memory": 1, "timeout": 1.5})),
        ] {
            let content = content.as_object().unwrap();
            assert_eq!(Program::parse(content, &mut Strict).unwrap_err().rule, rule);
            assert!(Program::parse(content, &mut Without(rule)).is_ok());
        }
        for good in ["", "{}", r#"{"variables":{}}"#, r#"{"variables":{"a":"b"},"more":1}"#] {
            assert!(variables(good.as_bytes(), &mut Strict).is_ok(), "{good}");
        }
        for bad in ["x", "[]", r#"{"variables":[]}"#, r#"{"variables":{"a":1}}"#, r#"{"variables":null}"#] {
            assert_eq!(variables(bad.as_bytes(), &mut Strict).unwrap_err().rule, VARIABLES.rule, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_code_never_panics(code in "[{}|a-c:0-9 \u{e9}]{0,40}", value in "\\PC{0,10}") {
            let _ = run(&code, &[("a", &value)]);
        }
    }
}
