//! `assay mcp` over its standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use assay_suites::embedded::sim::{Options, start};
use serde_json::{Value, json};

struct Client {
    program: Child,
    answers: BufReader<ChildStdout>,
    number: u64,
}

impl Client {
    fn start(folder: &Path, arguments: &[&str]) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.current_dir(folder).arg("mcp").args(arguments);
        let mut program =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let answers = BufReader::new(program.stdout.take().expect("a pipe"));
        Client { program, answers, number: 0 }
    }

    fn send(&mut self, line: &str) {
        let to = self.program.stdin.as_mut().expect("a pipe");
        to.write_all(format!("{line}\n").as_bytes()).expect("written");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": params });
        self.send(&message.to_string());
        let answer = self.next();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(self.number)));
        answer
    }

    /// The text that a tool returns, and whether it is an error.
    fn call(&mut self, name: &str, arguments: &Value) -> (String, bool) {
        let answer = self.request("tools/call", &json!({ "name": name, "arguments": arguments }));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
        (text.to_owned(), result["isError"] == true)
    }

    fn end(mut self) -> Option<i32> {
        drop(self.program.stdin.take());
        self.program.wait().expect("it ends").code()
    }
}

const ROW: &str = "drop.response.expires-at";

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_runs_and_reads_a_cause() {
    let served = start(&Options {
        deviations: vec!["drop.response.expires-at/seconds".to_owned()],
        ..Options::new(7)
    })
    .await
    .expect("a simulator");
    let folder = tempfile::tempdir().expect("a folder");
    let profile = format!("[drop]\nurl = {:?}\n", served.sites["drop"]);
    std::fs::write(folder.path().join("assay.toml"), profile).expect("written");
    tokio::task::spawn_blocking(move || {
        let mut client = Client::start(folder.path(), &[]);
        let hello = client.request("initialize", &json!({ "protocolVersion": "2025-06-18" }));
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(
            client.request("initialize", &json!({ "protocolVersion": "1999-01-01" }))["result"]["protocolVersion"],
            "2025-11-25"
        );
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        let tools = client.request("tools/list", &json!({}));
        let tools = tools["result"]["tools"].as_array().expect("a list").clone();
        assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"), "{tools:?}");
        for name in ["why", "replay"] {
            let (text, is_error) = client.call(name, &json!({ "id": ROW }));
            assert!(is_error && text == "there was no run yet; call run first", "{text}");
        }
        let (text, is_error) = client.call("explain", &json!({ "id": ROW }));
        assert!(!is_error && text.starts_with(ROW), "{text}");
        let (text, is_error) = client.call("plan", &json!({ "services": ["drop"] }));
        assert!(!is_error && text.contains("nothing has been sent"), "{text}");
        let (text, is_error) = client.call("run", &json!({ "filters": ["drop.response"], "seed": 3 }));
        assert!(!is_error && text.starts_with("1. fail") && text.contains("does not conform"), "{text}");
        assert!(text.lines().count() <= 40, "{text}");
        let (text, is_error) = client.call("why", &json!({ "id": ROW }));
        assert!(!is_error && text.len() < 4096 && text.contains("> POST /api/drop"), "{text}");
        for id in [ROW, "drop.response.url"] {
            let (text, is_error) = client.call("replay", &json!({ "id": id }));
            assert!(!is_error && text.ends_with("responses as recorded\n"), "{text}");
        }
        let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 1, "it writes no file: {left:?}");
        assert_eq!(client.end(), Some(0));
    })
    .await
    .expect("no panic");
}

#[test]
fn a_wrong_message_gets_an_error_and_the_next_one_its_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path(), &[]);
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(2 << 20));
    let big = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [[[1]]] }).to_string();
    #[rustfmt::skip]
    let cases = [
        ("junk", -32_700, "not JSON: "),
        ("[]", -32_600, "a message is a JSON object"),
        ("{\"id\":1,\"method\":\"ping\"}", -32_600, "missing field `jsonrpc`"),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32_600, "jsonrpc must be \"2.0\""),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32_600, "the id must be a string or a number"),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}", -32_601, "no method \"resources/list\""),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32_602, "no tool \"\"; there are explain, "),
        (long.as_str(), -32_600, "a message has at most 1048576 bytes"),
    ];
    for (line, code, words) in cases {
        client.send(line);
        let answer = client.next();
        let error = &answer["error"];
        assert_eq!(error["code"], code, "{answer}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(words)), "{words}: {answer}");
    }
    client.send(&big);
    assert_eq!(client.next()["result"], json!({}), "parameters of ping are ignored");
    for (arguments, words) in [
        (json!({ "name": "why" }), "why: the argument id is missing"),
        (json!({ "name": "run", "arguments": { "id": "x" } }), "run: it takes no id; use filters"),
        (json!({ "name": "run", "arguments": { "profile": "/etc/passwd" } }), "run: unknown field `profile`"),
        (json!({ "name": "run", "arguments": { "seed": -1 } }), "run: invalid value"),
    ] {
        let answer = client.request("tools/call", &arguments);
        assert_eq!(answer["error"]["code"], -32_602, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.starts_with(words)), "{answer}");
    }
    // A filter is never a flag.
    let (text, is_error) = client.call("run", &json!({ "filters": ["--html=x.html"] }));
    assert!(is_error && text.contains("no check matches \"--html=x.html\""), "{text}");
    let (text, is_error) = client.call("explain", &json!({ "id": "--edits" }));
    assert!(is_error && text.contains("no requirement has the id \"--edits\""), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    assert_eq!(client.end(), Some(0));
}

/// A client whose run has connected to a server that never answers, and the server.
fn started_run(folder: &Path) -> (Client, TcpStream, TcpListener) {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("[drop]\nurl = \"http://{}\"\n", silent.local_addr().expect("an address"));
    std::fs::write(folder.join("p.toml"), url).expect("written");
    let mut client = Client::start(folder, &["--profile", "p.toml"]);
    let run = json!({ "jsonrpc": "2.0", "id": "r", "method": "tools/call", "params": { "name": "run" } });
    client.send(&run.to_string());
    // The first connections only show that the server is there; a run waits on one that has a request.
    loop {
        let (mut connection, _) = silent.accept().expect("a connection");
        if connection.read(&mut [0]).expect("a request or the end") == 1 {
            return (client, connection, silent);
        }
    }
}

/// The process of a run has ended: its connection is closed, long before the run gives up.
fn expect_end(mut connection: TcpStream) {
    connection.set_read_timeout(Some(Duration::from_secs(10))).expect("a time limit");
    std::io::copy(&mut connection, &mut std::io::sink()).expect("the end of the connection");
}

#[test]
fn a_run_ends_when_it_is_cancelled_and_when_its_client_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut client, connection, _server) = started_run(folder.path());
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}), "it answers during a run");
    let params = json!({ "requestId": "r" });
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string(),
    );
    expect_end(connection);
    let (text, is_error) = client.call("why", &json!({ "id": ROW }));
    assert!(is_error && text.contains("no run yet"), "{text}");
    assert_eq!(client.end(), Some(0));
    let (client, connection, _server) = started_run(folder.path());
    assert_eq!(client.end(), Some(0));
    expect_end(connection);
    let status = Command::new(env!("CARGO_BIN_EXE_assay"))
        .current_dir(folder.path())
        .args(["mcp", "--profile", "missing.toml"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert_eq!(status.expect("it ends").code(), Some(2));
}
