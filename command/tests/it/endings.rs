//! A run ends: against a target that stops answering, at its deadline, and after a signal.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use assay_suites::harness::data::{Outcome, Run, Verdict};
use assay_suites::report::json;
use assay_suites::report::words::reason;
use assay_suites::rerun::judge::judge;
use tempfile::{TempDir, tempdir};

use crate::unpaced;

const CAUSE: &str = "the target stopped answering";
const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

/// A server that answers the first requests with a 404 and is then silent, and the number of its connections.
fn server(answers: usize) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for mut stream in listener.incoming().flatten() {
            // A connection without a request only measures the latency.
            if head(&mut stream).is_empty() {
                continue;
            }
            if counted.fetch_add(1, Ordering::SeqCst) < answers {
                let _ = stream.write_all(NOT_FOUND);
            } else {
                silent.push(stream);
            }
        }
    });
    (url, count)
}

/// The head of a request; empty if the connection ends first.
fn head(stream: &mut TcpStream) -> Vec<u8> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return Vec::new(),
        }
    }
    head
}

/// A folder with a profile of that server.
fn profile(url: &str, answer_seconds: u32) -> TempDir {
    let folder = tempdir().expect("a folder");
    let text = format!("[transport]\nanswer_seconds = {answer_seconds}\n[network]\nurl = {url:?}\n");
    std::fs::write(folder.path().join("p.toml"), unpaced(&text)).expect("written");
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    surveying(folder, &[&["--no-survey"], arguments].concat())
}

/// A run that first asks whether the target is what the profile says.
fn surveying(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command
        .args(["run", "--jobs", "1", "--profile", "p.toml", "--json", "out.json"])
        .args(arguments)
        .current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, Run) {
    let Output { status, stdout, stderr } = command(folder, arguments).output().expect("it starts");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let report = std::fs::read_to_string(folder.join("out.json"));
    let report = report.unwrap_or_else(|e| panic!("{e}: {text}"));
    (status.code(), text, json::read(&report).expect("a report"))
}

/// Asserts one failure with these words where the target stopped, and that cause for every later check. Returns the
/// number of these.
fn stopped(run: &Run, words: &str) -> usize {
    let is_cause = |reason: &str| reason.starts_with(CAUSE);
    let failed: Vec<_> = run.outcomes.iter().filter(|one| reason(one).contains(words)).collect();
    let failed: Vec<_> = failed.into_iter().filter(|one| !is_cause(&reason(one))).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0].verdict, Verdict::Fail);
    let rest: Vec<_> = run.outcomes.iter().filter(|one| is_cause(&reason(one))).collect();
    let id = failed[0].requirement.to_string();
    assert!(rest.iter().all(|one| one.verdict == Verdict::Inconclusive && reason(one).contains(&id)));
    rest.len()
}

#[tokio::test]
async fn a_target_that_never_answers_ends_the_run_with_3() {
    let (url, count) = server(0);
    let folder = profile(&url, 1);
    let (code, text, run) = run(folder.path(), &[]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("answered no request") && text.contains(&url), "{text}");
    assert!(stopped(&run, "no complete response") > 100, "every other check that sends a request");
    let count = count.load(Ordering::SeqCst);
    assert!(
        (2..10).contains(&count),
        "one request, one that shows that the target is silent, and some later: {count}"
    );
    let judged = judge(&run, None).await.expect("a report");
    assert!(judged.differs.is_empty() && judged.unjudged.is_empty(), "{}", judged.text());
}

#[tokio::test]
async fn a_target_that_stops_answering_has_one_failure_and_ends_the_run_with_1() {
    let (url, count) = server(20);
    let folder = profile(&url, 1);
    let (code, text, run) = run(folder.path(), &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(stopped(&run, "no complete response") > 50, "the rest");
    assert!((22..30).contains(&count.load(Ordering::SeqCst)), "{count:?}");
    let judged = judge(&run, None).await.expect("a report");
    assert!(judged.differs.is_empty() && judged.unjudged.is_empty(), "{}", judged.text());
}

/// A server on an address of its own, so that no other test gets its port. It answers the first requests with a 404,
/// and then accepts no connection.
#[cfg(target_os = "linux")]
fn leaving_server(answers: usize) -> String {
    let listener = TcpListener::bind("127.0.22.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        let mut answered = 0;
        while let Ok((mut stream, _)) = listener.accept() {
            if head(&mut stream).is_empty() {
                continue;
            }
            answered += 1;
            if answered == answers {
                drop(listener);
                let _ = stream.write_all(NOT_FOUND);
                return;
            }
            let _ = stream.write_all(NOT_FOUND);
        }
    });
    url
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_target_that_ends_has_one_failure_and_ends_the_run_with_1() {
    let folder = profile(&leaving_server(20), 1);
    let (code, text, run) = run(folder.path(), &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(stopped(&run, "no longer accepts connections") > 50, "{text}");
    let judged = judge(&run, None).await.expect("a report");
    assert!(judged.differs.is_empty() && judged.unjudged.is_empty(), "{}", judged.text());
}

/// A control API on an address of its own that forwards the first connections to another, and then accepts none.
#[cfg(all(target_os = "linux", feature = "embedded"))]
fn leaving_control(control: &str, connections: usize) -> String {
    let listener = TcpListener::bind("127.0.22.2:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    let behind = control.split('/').nth(2).expect("its address").to_owned();
    let url = control.replacen(&behind, &address.to_string(), 1);
    std::thread::spawn(move || {
        for _ in 0..connections {
            let Ok((stream, _)) = listener.accept() else { return };
            forward(&stream, &TcpStream::connect(&behind).expect("the control API listens"));
        }
    });
    url
}

/// Copies what comes from each of two sockets to the other one.
#[cfg(all(target_os = "linux", feature = "embedded"))]
fn forward(one: &TcpStream, other: &TcpStream) {
    for (from, to) in [(one, other), (other, one)] {
        let (mut from, mut to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Write);
        });
    }
}

#[test]
#[cfg(all(target_os = "linux", feature = "embedded"))]
fn a_control_api_that_ends_is_the_cause_of_the_rest() {
    let folder = tempdir().expect("a folder");
    let _simulator = Limited::start(folder.path(), &["--allow-host", "127.0.22.2"]);
    let path = folder.path().join("p.toml");
    let text = std::fs::read_to_string(&path).expect("a profile");
    let control = text.lines().find_map(|line| line.strip_prefix("control = ")).expect("a control API");
    let control = control.trim_matches('"');
    std::fs::write(&path, text.replace(control, &leaving_control(control, 40))).expect("written");
    let (code, text, run) = run(folder.path(), &["publish.prepare"]);
    assert_eq!(code, Some(1), "{text}");
    let silent: Vec<_> = run.outcomes.iter().filter(|one| reason(one).starts_with(CAUSE)).collect();
    assert!(silent.len() > 10 && run.count(Verdict::Pass) > 0, "{text}");
    assert!(
        silent.iter().all(|one| one.verdict == Verdict::Inconclusive && reason(one).contains("control "))
    );
}

/// A control API that forwards everything but forks after the first ones, which it never answers; and their number.
#[cfg(all(target_os = "linux", feature = "embedded"))]
fn control_without_forks(control: &str, forks: usize) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.22.3:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    let behind = control.split('/').nth(2).expect("its address").to_owned();
    let url = control.replacen(&behind, &address.to_string(), 1);
    let unanswered = Arc::new(AtomicUsize::new(0));
    let counted = unanswered.clone();
    std::thread::spawn(move || {
        let (mut held, mut seen) = (Vec::new(), 0);
        for mut stream in listener.incoming().flatten() {
            let head = head(&mut stream);
            let is_fork = head.starts_with(b"POST ") && head.windows(6).any(|part| part == b"/fork ");
            seen += usize::from(is_fork);
            if is_fork && seen > forks {
                counted.fetch_add(1, Ordering::SeqCst);
                held.push(stream);
                continue;
            }
            let mut server = TcpStream::connect(&behind).expect("the control API listens");
            let _ = server.write_all(&head);
            forward(&stream, &server);
        }
    });
    (url, unanswered)
}

#[test]
#[cfg(all(target_os = "linux", feature = "embedded"))]
fn a_call_that_the_control_api_stops_answering_is_not_sent_again() {
    let folder = tempdir().expect("a folder");
    let _simulator = Limited::start(folder.path(), &["--allow-host", "127.0.22.3"]);
    let path = folder.path().join("p.toml");
    let text = std::fs::read_to_string(&path).expect("a profile");
    let control = text.lines().find_map(|line| line.strip_prefix("control = ")).expect("a control API");
    let control = control.trim_matches('"');
    let (url, unanswered) = control_without_forks(control, 5);
    let text = format!("{}\n[transport]\nanswer_seconds = 1\n", text.replace(control, &url));
    std::fs::write(&path, text).expect("written");
    let (code, text, run) = run(folder.path(), &["publish.prepare"]);
    assert_eq!(code, Some(1), "{text}");
    let silent: Vec<_> = run.outcomes.iter().filter(|one| reason(one).starts_with(CAUSE)).collect();
    assert!(silent.len() > 10 && run.count(Verdict::Pass) > 0, "{text}");
    assert!(silent.iter().all(|one| one.verdict == Verdict::Inconclusive && reason(one).contains("fork")));
    assert_eq!(unanswered.load(Ordering::SeqCst), 2, "the second time shows that it was no accident");
}

/// A server that answers requests with a 404, except those that are `silent` by their head and their number, and the
/// number of these.
fn partly_silent(silent: impl Fn(&[u8], usize) -> bool + Send + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        let (mut held, mut number) = (Vec::new(), 0);
        for mut stream in listener.incoming().flatten() {
            let head = head(&mut stream);
            if head.is_empty() {
                continue;
            }
            number += 1;
            if silent(&head, number) {
                counted.fetch_add(1, Ordering::SeqCst);
                held.push(stream);
            } else {
                let _ = stream.write_all(NOT_FOUND);
            }
        }
    });
    (url, count)
}

const INFO: &[u8] = b"GET /api/v0/info/public.json ";

#[test]
fn one_slow_endpoint_is_not_a_silent_target() {
    let (url, count) = partly_silent(|head, _| head.starts_with(INFO));
    let folder = profile(&url, 1);
    let (code, text, run) = run(folder.path(), &["network.info", "network.aggregates"]);
    assert_eq!(code, Some(1), "{text}");
    let is_info = |one: &&Outcome| reason(one).contains("GET /api/v0/info/public.json");
    let (info, others): (Vec<_>, Vec<_>) = run.outcomes.iter().partition(is_info);
    assert!(others.iter().all(|one| !reason(one).starts_with(CAUSE)), "{text}");
    assert!(info.iter().all(|one| reason(one).starts_with(CAUSE) && one.verdict == Verdict::Inconclusive));
    assert!(text.contains("no complete response within"), "{text}");
    assert_eq!(count.load(Ordering::SeqCst), 1, "the endpoint is not asked again by the next checks");
}

#[tokio::test]
async fn a_target_that_answers_only_its_root_is_silent() {
    let (url, count) = partly_silent(|head, _| !head.starts_with(b"GET / "));
    let folder = profile(&url, 1);
    let (code, text, run) = run(folder.path(), &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(stopped(&run, "no complete response") > 100, "{text}");
    let count = count.load(Ordering::SeqCst);
    assert!((2..10).contains(&count), "a request, the one that shows the silence, and some later: {count}");
    let judged = judge(&run, None).await.expect("a report");
    assert!(judged.differs.is_empty() && judged.unjudged.is_empty(), "{}", judged.text());
}

#[test]
fn two_endpoints_in_a_row_without_an_answer_are_a_silent_target() {
    let (url, count) = partly_silent(|head, _| {
        head.split(|byte| *byte == b' ').nth(1).is_some_and(|path| path.starts_with(b"/api/"))
    });
    let folder = profile(&url, 1);
    let (code, text, run) = run(folder.path(), &[]);
    assert_eq!(code, Some(1), "{text}");
    let failed = run.count(Verdict::Fail);
    assert!((1..=2).contains(&failed), "{failed}: {text}");
    assert!(run.outcomes.iter().filter(|one| reason(one).starts_with(CAUSE)).count() > 100, "{text}");
    let count = count.load(Ordering::SeqCst);
    assert!((2..10).contains(&count), "{count}");
}

#[test]
fn a_target_that_answers_again_is_asked_again() {
    // The third to the fifth request get no answer: one of a check, and two that look whether the target still answers.
    let (url, _) = partly_silent(|_, number| (3..=5).contains(&number));
    let folder = profile(&url, 1);
    let (_, text, run) = run(folder.path(), &[]);
    let silent = run.outcomes.iter().filter(|one| reason(one).starts_with(CAUSE)).count();
    assert!((1..60).contains(&silent), "{silent} of {}: {text}", run.outcomes.len());
}

#[test]
fn a_run_ends_at_its_deadline_with_a_report() {
    let (url, _) = server(0);
    // Without the deadline the first request would take an hour.
    let folder = profile(&url, 3600);
    let (code, text, run) = run(folder.path(), &["--deadline", "1s"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(run.is_partial && text.contains("(--deadline) has passed"), "{text}");
    assert!(run.remarks.iter().any(|remark| remark.contains("stopped at its deadline of 1 s")));
    for wrong in ["0s", "5", "s", "1d", "99999999999s", "1.5h", "é"] {
        let output = command(folder.path(), &["--deadline", wrong]).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("such as 90s"), "{wrong}: {said}");
    }
}

/// The exit code, the standard error and the report of a command that gets SIGTERM at its first request, which the server
/// answers with this.
fn terminated(folder: &Path, mut command: Command, listener: TcpListener, answer: &'static [u8]) -> Ended {
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let id = child.id();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if !head(&mut stream).is_empty() {
                let _ = stream.write_all(answer);
                terminate(id);
                // It stays open until the client leaves.
                let _ = stream.read_to_end(&mut Vec::new());
                return;
            }
        }
    });
    ended(folder, child)
}

type Ended = (Option<i32>, Vec<String>, Run);

fn ended(folder: &Path, mut child: Child) -> Ended {
    let errors = BufReader::new(child.stderr.take().expect("its pipe"));
    let said: Vec<String> = errors.lines().map_while(Result::ok).collect();
    let code = child.wait().expect("it ends").code();
    let report = std::fs::read_to_string(folder.join("out.json"));
    let report = report.unwrap_or_else(|e| panic!("{e}: {said:?}"));
    (code, said, json::read(&report).expect("a report"))
}

fn terminate(id: u32) {
    let sent = Command::new("kill").args(["-TERM", &id.to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

/// Asserts that a command was stopped by SIGTERM and has written a report that can be resumed.
fn is_stopped((code, said, run): &Ended) {
    assert_eq!(*code, Some(1), "{said:?}");
    assert!(said.iter().any(|line| line.contains("stopping within 5 s")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("--resume")), "{said:?}");
    assert!(run.is_partial, "{said:?}");
}

#[test]
fn sigterm_ends_a_run_that_waits_for_retry_after() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let folder = profile(&url, 15);
    let late = b"HTTP/1.1 429 No\r\nRetry-After: 115\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    is_stopped(&terminated(folder.path(), command(folder.path(), &["network.info"]), listener, late));
}

/// Before the first check a run asks the control API what it offers, and then the target whether it is what the profile
/// says. Here neither answers, and without the signal each would have an hour.
#[test]
fn sigterm_before_the_first_check_ends_the_run_with_a_report() {
    for key in ["control", "[network]\nurl"] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let folder = profile(&format!("http://{address}"), 3600);
        let path = folder.path().join("p.toml");
        let text = std::fs::read_to_string(&path).expect("a profile");
        if key == "control" {
            std::fs::write(&path, format!("control = \"http://{address}/control\"\n{text}"))
                .expect("written");
        }
        let ended = terminated(folder.path(), surveying(folder.path(), &["network.info"]), listener, b"");
        is_stopped(&ended);
        assert!(ended.2.outcomes.is_empty(), "{key}: no check has started");
    }
}

#[test]
#[cfg(feature = "embedded")]
fn sigterm_ends_an_embedded_run_and_resume_continues_it() {
    let folder = tempdir().expect("a folder");
    let assay = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(["run", "--json", "out.json"]).args(arguments).current_dir(folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let mut child = assay(&[]);
    let mut errors = BufReader::new(child.stderr.take().expect("its pipe"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("the checks of a service have ended");
    terminate(child.id());
    child.stderr = None;
    let said: Vec<String> = errors.lines().map_while(Result::ok).collect();
    let code = child.wait().expect("it ends").code();
    let read = || json::read(&std::fs::read_to_string(folder.path().join("out.json")).expect("a report"));
    let run = read().expect("a report");
    is_stopped(&(code, said, run.clone()));
    let count = run.outcomes.len();
    assert!((1..600).contains(&count), "{count}");
    assert!(run.outcomes.iter().all(|one| one.verdict == Verdict::Pass));
    let (code, said, whole) = ended(folder.path(), assay(&["--resume", "out.json"]));
    assert_eq!(code, Some(0), "{said:?}");
    assert!(!whole.is_partial && whole.outcomes.len() > count);
}

#[test]
#[cfg(all(target_os = "linux", feature = "embedded"))]
fn sigterm_ends_the_simulator() {
    let folder = tempdir().expect("a folder");
    let mut simulator = Limited::start(folder.path(), &[]);
    // An open connection does not delay the end.
    let profile = std::fs::read_to_string(folder.path().join("p.toml")).expect("a profile");
    let control = profile.lines().find_map(|line| line.strip_prefix("control = ")).expect("a control API");
    let address = control.trim_matches('"').split('/').nth(2).expect("its address").to_owned();
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream
        .write_all(b"GET /_sim/v1/waiting?at_least=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .expect("written");
    terminate(simulator.0.id());
    assert_eq!(simulator.0.wait().expect("it ends").code(), Some(0));
}

/// A simulator under a limit of open files, with its profile in the folder. It ends when it is dropped.
#[cfg(target_os = "linux")]
struct Limited(std::process::Child);

#[cfg(target_os = "linux")]
impl Limited {
    fn start(folder: &Path, arguments: &[&str]) -> Limited {
        let child = Command::new("bash")
            .args(["-c", "ulimit -n 1024; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_assay")])
            .args(["sim", "--listen", "127.0.0.1:0", "--write-profile", "p.toml"])
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut limited = Limited(child);
        let lines = BufReader::new(limited.0.stdout.take().expect("its pipe")).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.starts_with("press Ctrl-C")), "it started");
        limited
    }

    fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.0.id())).expect("its files").count()
    }
}

#[cfg(target_os = "linux")]
impl Drop for Limited {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The standard output of a line of bash.
#[cfg(target_os = "linux")]
fn bash(line: &str) -> String {
    let output = Command::new("bash").args(["-c", line]).output().expect("bash starts");
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[cfg(all(target_os = "linux", feature = "embedded"))]
fn ten_runs_in_which_every_check_fails_work_under_a_limit_of_open_files() {
    let folder = tempdir().expect("a folder");
    let simulator = Limited::start(folder.path(), &[]);
    let profile = std::fs::read_to_string(folder.path().join("p.toml")).expect("a profile");
    let control = profile.lines().find_map(|line| line.strip_prefix("control = ")).expect("a control API");
    let faults = r#"-H content-type:application/json -d '[{"fault": "publish.standby"}]'"#;
    bash(&format!("curl -sSf -X PUT {control}/faults {faults}"));
    let (mut worlds, mut last) = (0, None);
    for _ in 0..10 {
        // The check that is left out sets other faults in its world.
        let (code, text, run) =
            run(folder.path(), &["publish.prepare", "--exclude", "publish.prepare.txt-last"]);
        assert_eq!(code, Some(1), "{text}");
        assert_eq!(run.count(Verdict::Pass) + run.count(Verdict::Error), 0, "{text}");
        worlds += run.outcomes.iter().filter(|one| !one.exchanges.is_empty()).count();
        last = run.outcomes.into_iter().find(|one| one.repeat.len() > 1);
    }
    assert!(worlds * 19 > 1024, "{worlds} worlds with open sites would exceed the limit");
    assert!(simulator.open_files() < 150, "{} open files", simulator.open_files());

    let repeat = last.expect("a check that sent a request").repeat;
    assert!(repeat[0].contains("/open ") && repeat[0].contains("opens the world"), "{repeat:?}");
    let opened: serde_json::Value = serde_json::from_str(&bash(&repeat[0])).expect("JSON");
    let site = opened["sites"]["publish"].as_str().expect("a URL");
    assert!(repeat[1].contains(site.trim_start_matches("http://")), "the same ports: {repeat:?} {site}");
    assert!(bash(&repeat[1]).starts_with("HTTP/1.1 "), "{repeat:?}");
}
