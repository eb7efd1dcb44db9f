//! The JSON report, version 7: writing and reading.
//!
//! In full, it contains every exchange and every other input of a check, so that verdicts can be recomputed from it
//! ([`crate::rerun::judge`]). Bytes that are not UTF-8 are base64 in members whose names end in `_base64`. A body over 4 KiB
//! is stored once, in the table `bodies`, under its SHA-256. [`schema`] describes the format.

mod read;
pub(super) mod schema;
mod wire;
mod write;

pub use schema::{schema, schema_of};
pub(super) use wire::ServiceCoverage;
use write::Keep;
pub(super) use write::{counts, of_service};

use super::{redacted, redacted_with};
use crate::harness::data::Run;
use crate::http::hiding::Hidden;

/// The version of the format.
pub const VERSION: u32 = 7;

/// The run as JSON, indented, with every exchange.
pub fn write(run: &Run) -> String {
    written(run, Keep::All)
}

/// As [`write()`], without the exchanges of passed checks. It has every verdict and failure; nothing can be judged again from it.
pub fn brief(run: &Run) -> String {
    written(run, Keep::NotPassed)
}

fn written(run: &Run, keep: Keep) -> String {
    let report = write::report(&redacted(run), keep);
    let mut text =
        serde_json::to_string_pretty(&report).expect("strings, numbers and maps can be written as JSON");
    text.push('\n');
    text
}

/// The run as JSON in one line. Tokens in `hidden` are redacted too, and the run's tokens are added to it.
pub fn line(run: &Run, hidden: &mut Hidden) -> String {
    let report = write::report(&redacted_with(run, hidden), Keep::All);
    let mut line = serde_json::to_string(&report).expect("strings, numbers and maps can be written as JSON");
    line.push('\n');
    line
}

/// Reads a report. An error names the member.
pub fn read(text: &str) -> Result<Run, String> {
    #[derive(serde::Deserialize)]
    struct Head {
        version: u32,
    }
    let head: Head =
        serde_json::from_str(text).map_err(|e| format!("not a report of assay run --json: {e}"))?;
    if head.version != VERSION {
        return Err(format!(
            "the report has version {}; this program reads version {VERSION}: repeat the run with this program, or use \
             the program that wrote the report",
            head.version
        ));
    }
    read::run(serde_json::from_str(text).map_err(|e| format!("not a report of assay run --json: {e}"))?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::harness::recording::{Call, Input, Json};
    use crate::http::exchange::{Response, Slot};
    use crate::report::example;
    use crate::services;
    use crate::services::SUITES;

    #[test]
    #[expect(clippy::too_many_lines, reason = "one snapshot")]
    fn a_run_with_everything() {
        let text = write(&example::run());
        assert!(!text.contains(example::TOKEN));
        insta::assert_snapshot!(example::shorten(&text), @r#"
        {
          "version": 7,
          "assay": "0.1.0",
          "target": "http://127.0.0.1:4101",
          "seed": "18446744073709551615",
          "began": null,
          "exit_code": 4,
          "result": "the harness failed",
          "why": [],
          "services": [
            {
              "service": "publish",
              "tested": 3,
              "applicable": 120,
              "percent": 2,
              "minimum": 0,
              "core": null
            }
          ],
          "gate": {},
          "is_partial": false,
          "is_whole": false,
          "read_only": false,
          "selection": "",
          "shards": null,
          "sent": {
            "requests": 0,
            "writes": 0,
            "bytes": 0
          },
          "counts": {
            "error": 1,
            "fail": 1,
            "inconclusive": 1,
            "known-failure": 0,
            "not-applicable": 0,
            "not-testable": 2,
            "pass": 1,
            "unexpected-pass": 0,
            "unstable": 0,
            "warn": 1
          },
          "remarks": [
            "connections: 1 retries before a request was sent"
          ],
          "objections": [],
          "causes": [
            {
              "title": "POST /prepare returned 200, wanted 409",
              "places": [
                "POST /prepare"
              ],
              "verdict": "fail",
              "row": "publish.first-group.second-is-refused",
              "statement": "A second <one> is refused.",
              "source": "document 3, Exchange",
              "first": 1,
              "exchange": 1,
              "repeat": [
                "curl -sS -i --http1.1 --path-as-is --request-target /prepare -X POST -H \"Authorization: Bearer $ASSAY_GATEWAY_KEY\" -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' -H 'Content-Type:' -H 'Expect:' --data-binary $'{\"n\":1}\\n(5000 times x)' http://127.0.0.1:4101"
              ],
              "outcomes": [
                1
              ]
            },
            {
              "title": "PUT / got no response: no complete response within 15 s",
              "places": [
                "PUT /"
              ],
              "verdict": "inconclusive",
              "row": "publish.other.counterpart",
              "statement": "The fault alone is refused.",
              "source": "document 3, Exchange",
              "first": 5,
              "exchange": 0,
              "repeat": [],
              "outcomes": [
                5
              ]
            },
            {
              "title": "cannot connect: refused",
              "places": [],
              "verdict": "error",
              "row": "publish.other.answers",
              "statement": "It answers.",
              "source": "document 3, Exchange",
              "first": 6,
              "exchange": null,
              "repeat": [],
              "outcomes": [
                6
              ]
            },
            {
              "title": "it answers slowly",
              "places": [],
              "verdict": "warn",
              "row": "publish.other.answers",
              "statement": "It answers.",
              "source": "document 3, Exchange",
              "first": 4,
              "exchange": null,
              "repeat": [],
              "outcomes": [
                4
              ]
            }
          ],
          "conditions": {
            "is_embedded": false,
            "profile": "",
            "offer": null,
            "sites": {},
            "forwarding": {}
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
              "repeat": [],
              "exchanges": [
                {
                  "site": "publish",
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
                    "body_sha256": "0d9830c7470b83f6e7c6e9bc1bd99d512ebea1b4995d3d64c38d11216f902c95"
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
              ],
              "calls": []
            },
            {
              "id": "publish.first-group.second-is-refused",
              "fact": "second_prepare_is_refused",
              "level": "must",
              "verdict": "fail",
              "statement": "A second <one> is refused.",
              "source": "document 3, Exchange",
              "reason": "the second was accepted",
              "basis": {
                "why": "said",
                "said": "the second was accepted"
              },
              "notes": [],
              "failure": {
                "part": "status",
                "place": "status",
                "want": "409",
                "one_of": [
                  409
                ],
                "got": "200",
                "exchange": 1
              },
              "why": [
                {
                  "words": "prepare: the lock was free"
                }
              ],
              "repeat": [
                "curl -sS -i --http1.1 --path-as-is --request-target /prepare -X POST -H \"Authorization: Bearer $ASSAY_GATEWAY_KEY\" -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' -H 'Content-Type:' -H 'Expect:' --data-binary $'{\"n\":1}\\n(5000 times x)' http://127.0.0.1:4101"
              ],
              "exchanges": [
                {
                  "site": "publish",
                  "base": "http://127.0.0.1:4101",
                  "request": {
                    "method": "PUT",
                    "target": "/",
                    "headers": [],
                    "body_base64": "AP8="
                  },
                  "broken": {
                    "words": "no complete response within 15 s",
                    "kind": "timed-out",
                    "detail": "15"
                  }
                },
                {
                  "site": "publish",
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
                    "body_sha256": "0d9830c7470b83f6e7c6e9bc1bd99d512ebea1b4995d3d64c38d11216f902c95"
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
              ],
              "calls": []
            },
            {
              "id": "publish.first-group.needs-time",
              "fact": "it_ends",
              "level": "must",
              "verdict": "not-testable",
              "statement": "It ends after a while.",
              "source": "document 3, Exchange",
              "reason": "needs control level T2",
              "basis": {
                "why": "said",
                "said": "needs control level T2"
              },
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": [],
              "calls": []
            },
            {
              "id": "publish.first-group.needs-time",
              "fact": "it_ends_late",
              "level": "must",
              "verdict": "not-testable",
              "statement": "It ends after a while.",
              "source": "document 3, Exchange",
              "reason": "needs control level T2",
              "basis": {
                "why": "said",
                "said": "needs control level T2"
              },
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": [],
              "calls": []
            },
            {
              "id": "publish.other.answers",
              "fact": "it_answers",
              "level": "must",
              "verdict": "warn",
              "statement": "It answers.",
              "source": "document 3, Exchange",
              "reason": "it answers slowly",
              "basis": {
                "why": "said",
                "said": "it answers slowly"
              },
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": [],
              "calls": []
            },
            {
              "id": "publish.other.counterpart",
              "fact": "fault_is_refused",
              "level": "must",
              "verdict": "inconclusive",
              "statement": "The fault alone is refused.",
              "source": "document 3, Exchange",
              "reason": "the counterpart got 500",
              "basis": {
                "why": "said",
                "said": "the counterpart got 500"
              },
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": [
                {
                  "site": "publish",
                  "base": "http://127.0.0.1:4101",
                  "request": {
                    "method": "PUT",
                    "target": "/",
                    "headers": [],
                    "body_base64": "AP8="
                  },
                  "broken": {
                    "words": "no complete response within 15 s",
                    "kind": "timed-out",
                    "detail": "15"
                  }
                }
              ],
              "calls": []
            },
            {
              "id": "publish.other.answers",
              "fact": "it_connects",
              "level": "must",
              "verdict": "error",
              "statement": "It answers.",
              "source": "document 3, Exchange",
              "reason": "cannot connect: refused",
              "basis": {
                "why": "said",
                "said": "cannot connect: refused"
              },
              "notes": [],
              "failure": null,
              "why": [],
              "repeat": [],
              "exchanges": [],
              "calls": []
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
              "unreachable": "a client cannot crash it"
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
              "accepted": {
                "count": 12,
                "judged": 9
              },
              "rejected": {
                "count": 3,
                "judged": 3
              },
              "not_seen": [
                "200 message.nonce",
                "410"
              ]
            },
            {
              "service": "network",
              "name": "messages-flat",
              "method": "GET",
              "path": "/api/v0/messages.json",
              "declared": true,
              "seen": "absent",
              "probed": false,
              "accepted": {
                "count": 0,
                "judged": 0
              },
              "rejected": {
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
              "accepted": {
                "count": 0,
                "judged": 0
              },
              "rejected": {
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
              "accepted": {
                "count": 0,
                "judged": 0
              },
              "rejected": {
                "count": 0,
                "judged": 0
              }
            }
          ],
          "bodies": {
            "0d9830c7470b83f6e7c6e9bc1bd99d512ebea1b4995d3d64c38d11216f902c95": {
              "body": "{\"n\":1}\n(5000 times x)"
            }
          }
        }
        "#);
    }

    #[test]
    fn a_written_report_is_read_back() {
        let mut run = example::run();
        // The example's invented rows are unknown to the reader.
        run.transitions.clear();
        let known = services::checks();
        for (outcome, check) in run.outcomes.iter_mut().zip(&known) {
            (outcome.requirement, outcome.fact) = (check.requirement, check.fact);
        }
        let long = bytes::Bytes::from(vec![b'x'; 100_000]);
        run.outcomes[1].exchanges[1].request.body = long.clone();
        let slot = Slot { connection: 2, request: 3 };
        run.outcomes[1].exchanges[1].slot = Some(slot);
        run.outcomes[1].exchanges[0].response = Ok(Response { status: 200, headers: Vec::new(), body: long });
        run.outcomes[0].calls = vec![
            Call { after: 0, asked: Input::Clock, answer: Ok(Json::from(&json!(7))) },
            Call {
                after: 0,
                asked: Input::Share("publish.domain".into()),
                answer: Ok(Json::from(&json!("a.example"))),
            },
            Call {
                after: 0,
                asked: Input::Share("drop.hour".into()),
                answer: Err("none left".to_owned().into()),
            },
            Call {
                after: 1,
                asked: Input::Control { method: "PUT".into(), path: "faults".into(), body: Some(json!([])) },
                answer: Err(crate::harness::data::ControlError::Status(400, "no".into())),
            },
        ];
        let text = write(&run);
        assert!(text.len() < 60_000, "equal bodies are stored once, deflated: {}", text.len());
        let back = read(&text).unwrap();
        assert_eq!(write(&back), text);
        assert_eq!(back.outcomes[1].exchanges[1].request.body.len(), 100_000);
        assert_eq!(back.outcomes[1].exchanges[1].slot, Some(slot));
        assert_eq!(back.outcomes[1].exchanges[0].slot, None);
        assert_eq!(back.outcomes[0].calls, run.outcomes[0].calls);
    }

    #[test]
    fn invalid_reports_are_rejected_with_the_member() {
        let text = write(&Run { target: "t".into(), ..Run::new(SUITES) });
        let altered = |from: &str, to: &str| read(&text.replacen(from, to, 1)).unwrap_err();
        for (from, to, place) in [
            ("\"version\": 7", "\"version\": 5", "the report has version 5"),
            ("\"seed\": \"0\"", "\"seed\": \"x\"", "seed: not a number"),
            ("\"seed\"", "\"sead\"", "unknown field `sead`"),
            (
                "\"bodies\": {}",
                "\"bodies\": {\"00\": {\"body\": \"x\"}}",
                "bodies.00: the digest does not match",
            ),
            (
                "\"bodies\": {}",
                "\"bodies\": {\"00\": {\"body_base64\": \"!\"}}",
                "bodies.00: body: not base64",
            ),
        ] {
            let why = altered(from, to);
            assert!(why.contains(place), "{why}");
        }
        assert!(read("[]").is_err() && read("").is_err());
    }

    #[test]
    fn an_empty_run() {
        let run = Run { target: "t".into(), seed: 1, ..Run::new(SUITES) };
        let value: serde_json::Value = serde_json::from_str(&write(&run)).unwrap();
        assert_eq!((&value["exit_code"], &value["outcomes"]), (&json!(1), &json!([])));
    }
}
