//! `assay sim` as its users see it: what it prints, the files that it writes, and its log.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::tempdir;

/// A simulator at free ports; it ends when it is dropped.
struct Simulator(Child);

impl Simulator {
    fn start(folder: &Path, arguments: &[&str]) -> Simulator {
        let child = Command::new(env!("CARGO_BIN_EXE_assay"))
            .args(["sim", "--seed", "7", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Simulator(child.expect("it starts"))
    }

    /// What it prints, until it is ready.
    fn printed(&mut self, last: &str) -> String {
        let mut out = BufReader::new(self.0.stdout.take().expect("a pipe"));
        let mut text = String::new();
        while !text.lines().last().is_some_and(|line| line.starts_with(last)) {
            assert!(out.read_line(&mut text).expect("UTF-8") > 0, "it has ended: {text}");
        }
        text
    }

    /// The next line of its log.
    fn logged(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.0.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("UTF-8");
        line
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The status line of a response.
fn status(url: &str, request: &str) -> String {
    let host = url.trim_start_matches("http://").split('/').next().expect("a host");
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(stream, "{request} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        .expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    response.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_client_finds_urls_and_keys_in_files_and_reasons_in_the_log() {
    let folder = tempdir().expect("a folder");
    let files = ["--ready-file", "ready.json", "--env-file", "clients.env", "--write-profile", "p.toml"];
    let mut simulator = Simulator::start(folder.path(), &[&["--json", "--log", "json"][..], &files].concat());
    let printed: Value = serde_json::from_str(&simulator.printed("{")).expect("JSON");
    // The file comes last: who waits for it finds all others.
    let path = folder.path().join("ready.json");
    while !path.exists() {
        std::thread::yield_now();
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&read("ready.json")).expect("JSON"), printed);
    let key = printed["services"]["gateway"]["key"][0].as_str().expect("a key").to_owned();
    assert_eq!(read("p.gateway-valid.key"), key, "without a line end");
    let environment = read("clients.env");
    let (gateway, drop) = (&printed["sites"]["gateway"], &printed["sites"]["drop"]);
    let (gateway, drop) = (gateway.as_str().expect("a URL"), drop.as_str().expect("a URL"));
    for line in [
        format!("OPENAI_API_KEY={key}"),
        format!("OPENAI_BASE_URL={gateway}/v1"),
        format!("ANTHROPIC_BASE_URL={gateway}"),
        format!("ASSAY_DROP_URL={drop}"),
    ] {
        assert!(environment.lines().any(|one| one == line), "{line}: {environment}");
    }

    let control = printed["control"].as_str().expect("a URL");
    assert_eq!(status(control, "GET /healthz"), "HTTP/1.1 200 OK");
    assert_eq!(status(drop, "POST /api/drop"), "HTTP/1.1 400 Bad Request");
    let logged: Value = serde_json::from_str(&simulator.logged()).expect("JSON");
    let seen = ["site", "method", "target", "status", "ended"].map(|name| &logged[name]);
    assert_eq!(seen.map(Value::to_string), ["\"drop\"", "\"POST\"", "\"/api/drop\"", "400", "\"whole\""]);
    assert!(logged["why"][0]["requirement"].as_str().is_some_and(|row| row.starts_with("drop.")), "{logged}");
}

#[test]
fn a_reader_sees_names_at_the_start_and_one_line_for_each_exchange() {
    let folder = tempdir().expect("a folder");
    let mut simulator = Simulator::start(folder.path(), &[]);
    let printed = simulator.printed("press Ctrl-C");
    for what in ["gateway key ", "gateway models ", "publish domains ", "metadata contract "] {
        assert!(printed.lines().any(|line| line.starts_with(what)), "{what}: {printed}");
    }
    let url =
        |name| printed.lines().find_map(|line| line.strip_prefix(name)).expect("a URL").trim().to_owned();
    let (drop, page) = (url("drop "), url("page "));
    assert_eq!(status(page.trim_end_matches('/'), "GET /"), "HTTP/1.1 200 OK");
    assert_eq!(status(&drop, "POST /api/drop"), "HTTP/1.1 400 Bad Request");
    let line = simulator.logged();
    assert!(line.contains(" 400 POST drop /api/drop 0 ms  drop."), "{line}");
}

#[test]
fn a_log_that_is_not_read_stops_no_simulator() {
    let folder = tempdir().expect("a folder");
    let mut simulator = Simulator::start(folder.path(), &[]);
    let printed = simulator.printed("press Ctrl-C");
    let drop = printed.lines().find_map(|line| line.strip_prefix("drop ")).expect("a URL").trim().to_owned();
    let long = format!("GET /{}", "x".repeat(4000));
    for _ in 0..300 {
        assert!(status(&drop, &long).starts_with("HTTP/1.1 404"));
    }
}
