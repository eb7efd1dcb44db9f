//! The report for programs: version 1, the same bytes for the same run.

use assay_spec::crypto::text::{base64, sha256_hex};
use serde_json::{Map, Value, json};

use super::redacted;
use crate::endpoints::{Answers, Coverage};
use crate::exchange::Exchange;
use crate::verdict::{Outcome, Run, Verdict};

/// Longer bodies are cut.
const BODY_BYTES: usize = 256 * 1024;

/// The run as one JSON object. The seed is a text, since it may be above 2^53; bytes that are no UTF-8 text stand as
/// base64 in members whose names end in `_base64`; a body over 256 KiB is cut, and `body_cut` has its length and digest;
/// exchanges are written for outcomes that are not a pass.
pub fn write(run: &Run) -> Value {
    let run = &*redacted(run);
    let counts: Map<String, Value> =
        Verdict::ALL.iter().map(|&verdict| (verdict.name().into(), run.count(verdict).into())).collect();
    let transitions = run.transitions.iter().map(|(transition, fired)| {
        json!({
            "machine": transition.machine,
            "from": transition.from,
            "event": transition.event,
            "to": transition.to,
            "fired": fired,
            "unreachable": Some(transition.unreachable).filter(|why| !why.is_empty()),
        })
    });
    json!({
        "version": 1,
        "target": run.target,
        "seed": run.seed.to_string(),
        "exit_code": run.exit_code(),
        "counts": counts,
        "outcomes": run.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "transitions": transitions.collect::<Vec<_>>(),
        "endpoints": run.endpoints.iter().map(endpoint).collect::<Vec<_>>(),
    })
}

fn outcome(outcome: &Outcome) -> Value {
    let id = outcome.requirement;
    let failure = outcome.failure.as_ref().map(|failure| {
        json!({ "place": failure.place, "want": failure.want, "got": failure.got, "exchange": failure.exchange })
    });
    let is_pass = outcome.verdict == Verdict::Pass;
    let exchanges = (!is_pass).then(|| outcome.exchanges.iter().map(exchange).collect::<Vec<_>>());
    let mut value = json!({
        "id": id.to_string(),
        "fact": outcome.fact,
        "level": id.level.name(),
        "verdict": outcome.verdict.name(),
        "statement": id.statement(),
        "source": id.source(),
        "reason": outcome.reason,
        "notes": outcome.notes,
        "failure": failure,
        "why": outcome.why,
        "repeat": outcome.repeat,
    });
    if let Some(exchanges) = exchanges {
        value["exchanges"] = exchanges.into();
    }
    value
}

fn endpoint(row: &Coverage) -> Value {
    let answers = |answers: Answers| json!({ "count": answers.count, "judged": answers.judged });
    json!({
        "service": row.endpoint.service.name(),
        "name": row.endpoint.name,
        "method": row.endpoint.method,
        "path": row.endpoint.path,
        "declared": row.declared,
        "seen": row.seen.name(),
        "probed": row.is_probed,
        "granted": answers(row.granted),
        "refused": answers(row.refused),
    })
}

fn exchange(exchange: &Exchange) -> Value {
    let mut request = json!({
        "method": exchange.request.method,
        "target": exchange.request.target,
        "headers": headers(&exchange.request.headers),
    });
    put_body(&mut request, &exchange.request.body);
    let response = match &exchange.response {
        Ok(response) => {
            let mut value = json!({ "status": response.status, "headers": headers(&response.headers) });
            put_body(&mut value, &response.body);
            value
        }
        Err(broken) => json!({ "broken": broken.to_string() }),
    };
    json!({ "base": exchange.base, "request": request, "response": response })
}

fn headers(headers: &[(String, Vec<u8>)]) -> Vec<Value> {
    let line = |(name, value): &(String, Vec<u8>)| {
        let mut line = json!({ "name": name });
        put_bytes(&mut line, "value", value);
        line
    };
    headers.iter().map(line).collect()
}

fn put_body(object: &mut Value, body: &[u8]) {
    put_bytes(object, "body", &body[..body.len().min(BODY_BYTES)]);
    if body.len() > BODY_BYTES {
        object["body_cut"] = json!({ "bytes": body.len(), "sha256": sha256_hex(body) });
    }
}

fn put_bytes(object: &mut Value, name: &str, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => object[name] = text.into(),
        Err(_) => object[format!("{name}_base64")] = base64(bytes).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    #[expect(clippy::too_many_lines, reason = "one snapshot")]
    fn a_run_with_everything() {
        let value = write(&example::run());
        let text = serde_json::to_string_pretty(&value).unwrap();
        assert!(!text.contains(example::TOKEN));
        insta::assert_snapshot!(example::shorten(&text), @r#"
        {
          "version": 1,
          "target": "http://127.0.0.1:4101",
          "seed": "18446744073709551615",
          "exit_code": 1,
          "counts": {
            "pass": 1,
            "fail": 1,
            "warn": 1,
            "not-applicable": 0,
            "not-testable": 2,
            "inconclusive": 1,
            "known-failure": 0,
            "unexpected-pass": 0,
            "error": 1
          },
          "outcomes": [
            {
              "id": "publish.first-group.holds",
              "fact": "it_holds",
              "level": "must",
              "verdict": "pass",
              "statement": "It holds.",
              "source": "document 3, Exchange",
              "reason": "",
              "notes": [
                "answers with 201 where 200 is as good"
              ],
              "failure": null,
              "why": [],
              "repeat": []
            },
            {
              "id": "publish.first-group.second-is-refused",
              "fact": "second_prepare_is_refused",
              "level": "must",
              "verdict": "fail",
              "statement": "A second <one> is refused.",
              "source": "document 3, Exchange",
              "reason": "the second was accepted",
              "notes": [],
              "failure": {
                "place": "status",
                "want": "409",
                "got": "200",
                "exchange": 1
              },
              "why": [
                "prepare: the lock was free"
              ],
              "repeat": [
                "curl -sS -i --http1.1 --path-as-is --request-target /prepare -X POST -H \"Authorization: Bearer $ASSAY_KEY\" -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' -H 'Content-Type:' -H 'Expect:' --data-binary $'{\"n\":1}\\n(5000 times x)' http://127.0.0.1:4101"
              ],
              "exchanges": [
                {
                  "base": "http://127.0.0.1:4101",
                  "request": {
                    "method": "PUT",
                    "target": "/",
                    "headers": [],
                    "body_base64": "AP8="
                  },
                  "response": {
                    "broken": "no complete answer within 15 s"
                  }
                },
                {
                  "base": "http://127.0.0.1:4101",
                  "request": {
                    "method": "POST",
                    "target": "/prepare",
                    "headers": [
                      {
                        "name": "Authorization",
                        "value": "Bearer [redacted token]"
                      }
                    ],
                    "body": "{\"n\":1}\n(5000 times x)"
                  },
                  "response": {
                    "status": 200,
                    "headers": [
                      {
                        "name": "content-type",
                        "value": "application/json"
                      },
                      {
                        "name": "x",
                        "value_base64": "/w=="
                      }
                    ],
                    "body": "{\"error\":\"\u001b[31mred [redacted token]\"}"
                  }
                }
              ]
            },
            {
              "id": "publish.first-group.needs-time",
              "fact": "it_ends",
              "level": "must",
              "verdict": "not-testable",
              "statement": "It ends after a while.",
              "source": "document 3, Exchange",
              "reason": "needs control level T2",
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": []
            },
            {
              "id": "publish.first-group.needs-time",
              "fact": "it_ends_late",
              "level": "must",
              "verdict": "not-testable",
              "statement": "It ends after a while.",
              "source": "document 3, Exchange",
              "reason": "needs control level T2",
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": []
            },
            {
              "id": "publish.other.answers",
              "fact": "it_answers",
              "level": "must",
              "verdict": "warn",
              "statement": "It answers.",
              "source": "document 3, Exchange",
              "reason": "it answers slowly",
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": []
            },
            {
              "id": "publish.other.twin",
              "fact": "fault_is_refused",
              "level": "must",
              "verdict": "inconclusive",
              "statement": "The fault alone is refused.",
              "source": "document 3, Exchange",
              "reason": "the twin got 500",
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": [
                {
                  "base": "http://127.0.0.1:4101",
                  "request": {
                    "method": "PUT",
                    "target": "/",
                    "headers": [],
                    "body_base64": "AP8="
                  },
                  "response": {
                    "broken": "no complete answer within 15 s"
                  }
                }
              ]
            },
            {
              "id": "publish.other.answers",
              "fact": "it_connects",
              "level": "must",
              "verdict": "error",
              "statement": "It answers.",
              "source": "document 3, Exchange",
              "reason": "cannot connect: refused",
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": []
            }
          ],
          "transitions": [
            {
              "machine": "lock",
              "from": "free",
              "event": "prepare",
              "to": "held",
              "fired": true,
              "unreachable": null
            },
            {
              "machine": "lock",
              "from": "held",
              "event": "submit",
              "to": "free",
              "fired": false,
              "unreachable": null
            },
            {
              "machine": "lock",
              "from": "held",
              "event": "crash",
              "to": "free",
              "fired": false,
              "unreachable": "nobody outside can crash it"
            }
          ],
          "endpoints": [
            {
              "service": "network",
              "name": "message",
              "method": "GET",
              "path": "/api/v0/messages/{hash}",
              "declared": true,
              "seen": "present",
              "probed": false,
              "granted": {
                "count": 12,
                "judged": 9
              },
              "refused": {
                "count": 3,
                "judged": 3
              }
            },
            {
              "service": "network",
              "name": "messages-flat",
              "method": "GET",
              "path": "/api/v0/messages.json",
              "declared": true,
              "seen": "absent",
              "probed": false,
              "granted": {
                "count": 0,
                "judged": 0
              },
              "refused": {
                "count": 2,
                "judged": 2
              }
            },
            {
              "service": "network",
              "name": "pin",
              "method": "POST",
              "path": "/api/v0/ipfs/pin",
              "declared": false,
              "seen": "not-asked",
              "probed": false,
              "granted": {
                "count": 0,
                "judged": 0
              },
              "refused": {
                "count": 0,
                "judged": 0
              }
            },
            {
              "service": "network",
              "name": "plan",
              "method": "GET",
              "path": "/api/v0/plan",
              "declared": true,
              "seen": "unclear",
              "probed": true,
              "granted": {
                "count": 0,
                "judged": 0
              },
              "refused": {
                "count": 0,
                "judged": 0
              }
            }
          ]
        }
        "#);
    }

    #[test]
    fn huge_bodies_are_cut_with_their_length_and_digest() {
        let mut object = json!({});
        put_body(&mut object, &vec![b'x'; BODY_BYTES]);
        assert!(object.get("body_cut").is_none());
        put_body(&mut object, &vec![b'x'; BODY_BYTES + 1]);
        assert_eq!(object["body"].as_str().map(str::len), Some(BODY_BYTES));
        assert_eq!(object["body_cut"]["bytes"], BODY_BYTES + 1);
        assert_eq!(object["body_cut"]["sha256"].as_str().map(str::len), Some(64));
    }

    #[test]
    fn an_empty_run() {
        let run = Run {
            target: "t".into(),
            seed: 1,
            outcomes: Vec::new(),
            transitions: Vec::new(),
            endpoints: Vec::new(),
        };
        let value = write(&run);
        assert_eq!((&value["exit_code"], &value["outcomes"]), (&json!(1), &json!([])));
    }
}
