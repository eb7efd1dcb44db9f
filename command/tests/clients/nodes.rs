//! The node suite against faulty programs, and a small program with at most one fault.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use assay_spec::Service;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::parse_hex;
use assay_spec::network::signing::{sign_file, sign_text};
use assay_spec::requirement::Level;
use assay_suites::embedded::client::Client;
use assay_suites::embedded::client::node::{ABILITIES, Case, Suite, all};
use assay_suites::harness::data::{Outcome, Verdict};
use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::connect::Connect;
use assay_suites::http::exchange::{Request, Response};
use assay_suites::http::sockets::Tcp;
use assay_suites::report::words::reason;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::{all_pass, belong_together, left_out, none_pass};

/// Started with this flag, the program is a client.
pub(crate) const FLAG: &str = "--node-fault";

/// A fault, and the facts that it breaks.
type Caught = (&'static str, Fault, &'static [&'static str]);

/// The fault of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// None: the program conforms.
    None,
    /// It does nothing.
    Idle,
    /// It signs with another key.
    OtherKey,
    /// It sends the message without its envelope.
    Bare,
    /// It uploads a file without a signature.
    UploadsUnsigned,
    /// It writes a new message for each attempt.
    WritesAgain,
    /// It uploads a file again without a look at what the node has.
    UploadsAgain,
    /// It waits for a response for one second, and gives up.
    Impatient,
    /// It waits for a response for one second, and writes a new message.
    ImpatientAgain,
    /// It sends a rejected request twice more.
    RepeatsRejected,
    /// It does not wait after a 429.
    IgnoresRetryAfter,
    /// It does not wait after a 500.
    Hammers,
    /// It reads the first page of a list.
    FirstPage,
    /// It takes the default page for a page of 100.
    CountsPages,
    /// It asks one node.
    OneNode,
    /// It hangs.
    Hangs,
}

/// Every faulty program.
const CAUGHT: &[Caught] = &[
    (
        "other-key",
        Fault::OtherKey,
        &[
            "post_is_signed_and_accepted",
            "aggregate_is_signed_and_accepted",
            "instance_is_signed_and_accepted",
        ],
    ),
    ("bare", Fault::Bare, &["pin_is_signed_and_accepted", "post_is_signed_and_accepted"]),
    ("uploads-unsigned", Fault::UploadsUnsigned, &["file_is_uploaded"]),
    (
        "writes-again",
        Fault::WritesAgain,
        &[
            "post_whose_response_is_lost_exists_once",
            "post_that_returns_500_exists_once",
            "aggregate_whose_response_is_lost_exists_once",
            "aggregate_that_returns_500_exists_once",
            "pin_whose_response_is_lost_exists_once",
            "pin_that_returns_500_exists_once",
            "instance_whose_response_is_lost_exists_once",
            "instance_that_returns_500_exists_once",
        ],
    ),
    (
        "uploads-again",
        Fault::UploadsAgain,
        &["file_whose_response_is_lost_is_stored_once", "file_that_returns_500_is_stored_once"],
    ),
    (
        "impatient",
        Fault::Impatient,
        &["late_response_to_a_post_is_waited_for", "late_response_to_an_upload_is_waited_for"],
    ),
    ("impatient-again", Fault::ImpatientAgain, &["instance_whose_response_is_late_exists_once"]),
    (
        "repeats-rejected",
        Fault::RepeatsRejected,
        &["rejected_post_is_not_repeated", "rejected_instance_is_not_repeated"],
    ),
    ("ignores-retry-after", Fault::IgnoresRetryAfter, &["retry_after_of_a_post_is_kept"]),
    ("hammers", Fault::Hammers, &["failing_node_is_not_hammered"]),
    ("first-page", Fault::FirstPage, &["list_of_several_pages_is_read_to_its_end"]),
    ("counts-pages", Fault::CountsPages, &["list_of_several_pages_is_read_to_its_end"]),
    ("one-node", Fault::OneNode, &["message_that_the_first_node_lacks_is_read"]),
    ("hangs", Fault::Hangs, &["post_is_signed_and_accepted"]),
];

/// Runs the program of that name. Returns its exit code.
pub(crate) fn run(name: &str) -> i32 {
    let fault = CAUGHT.iter().find(|(known, ..)| *known == name).map(|(_, fault, _)| *fault);
    let fault = fault.unwrap_or(if name == "idle" { Fault::Idle } else { Fault::None });
    match fault {
        Fault::Idle => return 0,
        Fault::Hangs => loop {
            std::thread::park();
        },
        _ => {}
    }
    let variable = |name: &str| std::env::var(name).expect("the suite sets it");
    let secret = if fault == Fault::OtherKey {
        [7; 32]
    } else {
        parse_hex(&variable("ASSAY_WALLET_KEY")).and_then(|bytes| bytes.try_into().ok()).expect("32 bytes")
    };
    let program = Program {
        fault,
        nodes: variable("ASSAY_NODE_URLS").split(' ').map(str::to_owned).collect(),
        address: variable("ASSAY_ADDRESS"),
        key: key_from_secret(&secret).expect("a key"),
        task: serde_json::from_str(&variable("ASSAY_TASK")).expect("a task"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match runtime.block_on(program.work()) {
        Ok(printed) => {
            println!("{printed}");
            0
        }
        Err(why) => {
            eprintln!("{why}");
            1
        }
    }
}

struct Program {
    fault: Fault,
    nodes: Vec<String>,
    address: String,
    key: SigningKey,
    task: Value,
}

impl Program {
    async fn work(&self) -> Result<Value, String> {
        let text = |member: &str| self.task[member].as_str().unwrap_or_default().to_owned();
        let path = text("path");
        match text("do").as_str() {
            "create" => {
                let created = self.persist(|attempt| self.creation(&path, attempt)).await?;
                Ok(json!({ "item_hash": created["item_hash"] }))
            }
            "upload" => {
                let bytes = std::fs::read(text("file")).map_err(|e| e.to_string())?;
                let sent = self.persist(|_| self.upload(&path, &bytes, &text("channel")));
                Ok(json!({ "item_hash": sent.await?["item_hash"] }))
            }
            "list" => self.list(&path, &text("address")).await,
            "read" => {
                let nodes = if self.fault == Fault::OneNode { 1 } else { self.nodes.len() };
                for node in &self.nodes[..nodes] {
                    let response = send(node, &Request::new("GET", &path), 30).await?;
                    if response.status == 200 {
                        return Ok(json!({ "content": response.json()?["message"]["content"] }));
                    }
                }
                Err("no node has the message".to_owned())
            }
            other => Err(format!("cannot {other}")),
        }
    }

    /// Sends a request until it is accepted or rejected.
    async fn persist(&self, request: impl Fn(u32) -> Request) -> Result<Value, String> {
        let is_impatient = matches!(self.fault, Fault::Impatient | Fault::ImpatientAgain);
        let timeout_s = if is_impatient { 1 } else { 20 };
        for attempt in 0..40 {
            // The same envelope is the same message, but each upload is a message of its own.
            if let (1.., Some(stored)) = (attempt, self.stored().await?) {
                return Ok(stored);
            }
            let response = match send(&self.nodes[0], &request(attempt), timeout_s).await {
                Ok(response) => response,
                Err(why) if self.fault == Fault::Impatient => return Err(why),
                Err(_) => continue,
            };
            match response.status {
                200..=202 => return response.json(),
                429 if self.fault == Fault::IgnoresRetryAfter => {}
                429 => {
                    let seconds = response.header("retry-after").and_then(|text| text.parse().ok());
                    tokio::time::sleep(Duration::from_secs(seconds.unwrap_or(60))).await;
                }
                500 if self.fault == Fault::Hammers => {}
                500 => tokio::time::sleep(Duration::from_millis(800)).await,
                _ if self.fault == Fault::RepeatsRejected && attempt < 2 => {}
                status => return Err(format!("{status} {}", response.text())),
            }
        }
        Err("the node fails".to_owned())
    }

    /// The STORE that an upload has left, if any.
    async fn stored(&self) -> Result<Option<Value>, String> {
        if self.task["do"] != "upload" || self.fault == Fault::UploadsAgain {
            return Ok(None);
        }
        let target = format!("/api/v0/messages?addresses={}&types=STORE", self.address);
        let list = send(&self.nodes[0], &Request::new("GET", &target), 30).await?.json()?;
        Ok(list["messages"].get(0).cloned())
    }

    fn creation(&self, path: &str, attempt: u32) -> Request {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        // All attempts of one run have one time, but those of a program that writes again.
        let writes_again = matches!(self.fault, Fault::WritesAgain | Fault::ImpatientAgain);
        let attempt = if writes_again { u64::from(attempt) } else { 0 };
        let started = *STARTED.get_or_init(|| now);
        let message = json!({
            "chain": "ETH", "channel": self.task["channel"], "type": self.task["type"],
            "timestamp": started - attempt, "content": self.task["content"],
        });
        let signature = sign_text(&self.key, message.to_string().as_bytes());
        let body = json!({ "message": message, "signature": signature, "address": self.address });
        let body = if self.fault == Fault::Bare { message } else { body };
        let request = Request { body: body.to_string().into(), ..Request::new("POST", path) };
        request.header("Content-Type", "application/json")
    }

    fn upload(&self, path: &str, file: &[u8], channel: &str) -> Request {
        let signature = sign_file(&self.key, file);
        let mut fields = vec![("address", self.address.as_str()), ("channel", channel)];
        if self.fault != Fault::UploadsUnsigned {
            fields.push(("signature", &signature));
        }
        let mut body = Vec::new();
        for (name, value) in fields {
            body.extend(
                format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes(),
            );
        }
        body.extend(b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\n");
        body.extend(b"Content-Type: application/octet-stream\r\n\r\n");
        body.extend(file);
        body.extend(b"\r\n--b--\r\n");
        let request = Request { body: body.into(), ..Request::new("POST", path) };
        request.header("Content-Type", "multipart/form-data; boundary=b")
    }

    async fn list(&self, path: &str, address: &str) -> Result<Value, String> {
        let mut hashes: Vec<Value> = Vec::new();
        for page in 1.. {
            let limit = if self.fault == Fault::CountsPages { "" } else { "&limit=100" };
            let target = format!("{path}?addresses={address}&page={page}{limit}");
            let response = send(&self.nodes[0], &Request::new("GET", &target), 30).await?;
            let found = response.json()?["messages"].as_array().cloned().unwrap_or_default();
            hashes.extend(found.iter().map(|one| one["item_hash"].clone()));
            let is_last = if self.fault == Fault::CountsPages { page == 2 } else { found.len() < 100 };
            if is_last || self.fault == Fault::FirstPage {
                break;
            }
        }
        Ok(json!({ "item_hashes": hashes }))
    }
}

/// When the program started, in seconds.
static STARTED: std::sync::OnceLock<u64> = std::sync::OnceLock::new();

async fn send(node: &str, request: &Request, timeout_s: u64) -> Result<Response, String> {
    let stream = Tcp.connect(node, None).await.map_err(|e| e.to_string())?;
    let limits = Limits { timeout: Duration::from_secs(timeout_s), ..Limits::default() };
    exchange(stream, request, node.trim_start_matches("http://"), limits).await.map_err(|e| e.to_string())
}

/// The tests.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("node::a_conforming_program_conforms", || all_pass(&judged(&suite("none")?, &all())?)),
        Trial::test("node::an_idle_program_passes_nothing", || none_pass(&judged(&suite("idle")?, &all())?)),
        Trial::test("node::a_program_without_uploads_conforms", || lacks("no-uploads", 4)),
        Trial::test("node::a_program_that_uses_one_node_conforms", || lacks("no-mirrors", 1)),
        Trial::test("node::rows_and_cases_belong_together", || {
            let cases = all();
            let cases = cases.iter().map(|case| (case.requirement.to_string(), case.fact));
            belong_together(Service::Network, cases)
        }),
        Trial::test("node::every_world_catches_a_faulty_program", every_world_catches_a_faulty_program),
    ];
    for (name, _, facts) in CAUGHT {
        trials.push(Trial::test(format!("node::caught::{name}"), move || is_caught(name, facts)));
    }
    trials
}

fn suite(fault: &str) -> Result<Suite, Failed> {
    let program = std::env::current_exe()?.display().to_string();
    let client = Client::new(vec![program, FLAG.to_owned(), fault.to_owned()], 1);
    Ok(Suite {
        client: Client { limit: Duration::from_secs(if fault == "hangs" { 2 } else { 30 }), ..client },
    })
}

fn judged(suite: &Suite, cases: &[&'static Case]) -> Result<Vec<Outcome>, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(suite.run(cases, |_| {})).outcomes)
}

/// The program fails in the worlds of these facts.
fn is_caught(name: &str, facts: &[&str]) -> Result<(), Failed> {
    let cases: Vec<&Case> = all().into_iter().filter(|case| facts.contains(&case.fact)).collect();
    assert_eq!(cases.len(), facts.len(), "not all facts of {facts:?} exist");
    let red =
        |one: &Outcome| if one.requirement.level == Level::Should { Verdict::Warn } else { Verdict::Fail };
    let outcomes = judged(&suite(name)?, &cases)?;
    let bad = outcomes.iter().filter(|one| one.verdict != red(one));
    let bad: Vec<String> =
        bad.map(|one| format!("{}: {:?} {}", one.fact, one.verdict, reason(one))).collect();
    if bad.is_empty() { Ok(()) } else { Err(bad.join("\n").into()) }
}

fn lacks(flag: &str, count: usize) -> Result<(), Failed> {
    let mut suite = suite("none")?;
    suite.client.without = ABILITIES.iter().copied().filter(|ability| ability.flag == flag).collect();
    left_out(&judged(&suite, &all())?, flag, count)
}

fn every_world_catches_a_faulty_program() -> Result<(), Failed> {
    let caught: Vec<&str> = CAUGHT.iter().flat_map(|(.., facts)| facts.iter().copied()).collect();
    let missed = all().into_iter().filter(|case| !caught.contains(&case.fact));
    let missed: Vec<&str> = missed.map(|case| case.fact).collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("{missed:?}").into()) }
}
