//! Servers with faulty HTTP/1.1: one row each, with the reason of the verdict.

use std::time::{Duration, Instant};

use assay_suites::harness::data::Verdict;
use assay_suites::http::transport::Http;
use assay_suites::report::json;
use assay_suites::report::words::reason;
use futures_util::StreamExt;

use crate::hostile::room::{
    AUTH, Drip, Hear, Hold, KEY, MIN_TIMEOUT, Repeat, Say, Server, Step, run, run_within, say,
};

/// Checks that need one request each, of three services; one of them sends the key.
const CHECKS: [&str; 3] = ["gateway.auth.key-check", "metadata.root.html", "network.info.public"];

const OK: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

fn heard(steps: Vec<Step>) -> Vec<Step> {
    [vec![Hear], steps].concat()
}

fn answer(text: &str) -> Vec<Step> {
    heard(vec![say(text)])
}

/// A head of 200 with this length, and that body.
fn sized(length: &str, body: &str) -> Vec<Step> {
    answer(&format!("{OK}Content-Length: {length}\r\n\r\n{body}"))
}

fn endless(begin: &str, again: &str) -> Vec<Step> {
    heard(vec![say(begin), Repeat(again.repeat((32 << 10) / again.len() + 1).into_bytes())])
}

#[expect(clippy::too_many_lines, reason = "one row for each server")]
fn room() -> Vec<(&'static str, Vec<Step>, &'static str)> {
    let big = format!("{:x}\r\n{}\r\n", 32 << 10, "x".repeat(32 << 10));
    vec![
        ("silent", heard(vec![Hold]), "no complete response within 1 s"),
        ("silent without having heard anything", vec![Hold], "no complete response within 1 s"),
        (
            "a byte at a time, head",
            heard(vec![say(OK), Drip(b"X: y\r\n".to_vec())]),
            "no complete response within",
        ),
        (
            "a byte at a time, body",
            heard(vec![say(&format!("{OK}Content-Length: 99999\r\n\r\n")), Drip(b"x".to_vec())]),
            "began and did not end within",
        ),
        (
            "a byte at a time, chunks",
            heard(vec![say(CHUNKED), Drip(b"1\r\nx\r\n".to_vec())]),
            "began and did not end within",
        ),
        (
            "silent in the body",
            heard(vec![say(&format!("{OK}Content-Length: 9\r\n\r\nx")), Hold]),
            "began and did not end within",
        ),
        ("endless head", endless(OK, &format!("X: {}\r\n", "y".repeat(1000))), "longer than 65536 bytes"),
        ("endless header line", endless(&format!("{OK}X: "), "y"), "longer than 65536 bytes"),
        ("endless status line", endless("HTTP/1.1 200 ", "O"), "longer than 65536 bytes"),
        ("endless body", endless(&format!("{OK}\r\n"), "x"), "longer than 16777216 bytes"),
        ("endless chunks", endless(CHUNKED, &big), "longer than 16777216 bytes"),
        ("endless chunk extension", endless(&format!("{CHUNKED}1;"), "x"), "longer than 4096 bytes"),
        ("endless trailers", endless(&format!("{CHUNKED}0\r\n"), "X: y\r\n"), "more than 128 header lines"),
        ("endless trailer", endless(&format!("{CHUNKED}0\r\nX: "), "y"), "longer than 65536 bytes"),
        (
            "endless interim responses",
            endless("", "HTTP/1.1 102 Wait\r\n\r\n"),
            "more than 16 interim responses",
        ),
        ("no answer", heard(vec![]), "ended before the head"),
        ("truncated head", answer("HTTP/1.1 200 OK\r\nContent-Le"), "ended inside the head"),
        ("truncated body", sized("100", "{}"), "ended after 2 of 100 bytes of the body"),
        ("truncated chunk", answer(&format!("{CHUNKED}5\r\nab")), "ended after 2 bytes of a chunked body"),
        ("no last chunk", answer(&format!("{CHUNKED}2\r\nab\r\n")), "ended after 2 bytes of a chunked body"),
        ("interim and no more", answer("HTTP/1.1 100 Continue\r\n\r\n"), "ended before the head"),
        (
            "shorter than it says, held open",
            heard(vec![say(&format!("{OK}Content-Length: 9\r\n\r\nab")), Hold]),
            "began and did not end within",
        ),
        ("longer than it says", answer("HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nabcdef"), "got 500"),
        ("a length that no body has", sized("99999999999999999999999999", "x"), "longer than 16777216 bytes"),
        ("a negative length", sized("-1", ""), "invalid content-length"),
        ("two lengths", sized("2\r\nContent-Length: 3", "{}"), "more than one content-length"),
        (
            "a length and chunks",
            sized("2\r\nTransfer-Encoding: chunked", "{}"),
            "both content-length and transfer-encoding",
        ),
        (
            "a chunk longer than it says",
            answer(&format!("{CHUNKED}1\r\nabc\r\n")),
            "longer than its size says",
        ),
        ("garbage", heard(vec![Say((0..=255).cycle().take(4096).collect())]), "not an HTTP response"),
        ("zeros", heard(vec![Say(vec![0; 4096])]), "not an HTTP response"),
        ("another protocol", answer("SSH-2.0-OpenSSH_9.2\r\n"), "not an HTTP response"),
        ("HTTP/0.9", answer("<html>hello</html>"), "not an HTTP response"),
        ("HTTP/2 unasked", heard(vec![Say(b"\0\0\0\x04\0\0\0\0\0".to_vec())]), "not an HTTP response"),
        (
            "TLS where plain text is expected",
            heard(vec![Say(b"\x15\x03\x03\0\x02\x02\x16".to_vec())]),
            "not an HTTP response",
        ),
        (
            "an upgrade that was not requested",
            answer("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"),
            "no upgrade was requested",
        ),
        ("half-closed before the request", vec![], "the connection ended"),
        (
            "many headers",
            answer(&format!("{OK}{}\r\n", "X: y\r\n".repeat(129))),
            "more than 128 header lines",
        ),
        (
            "a huge header",
            answer(&format!("{OK}X: {}\r\n\r\n", "y".repeat(70_000))),
            "longer than 65536 bytes",
        ),
        (
            "a redirect to itself",
            answer("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"),
            "got 302",
        ),
        (
            "a redirect to nowhere",
            answer("HTTP/1.1 301 Moved\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n"),
            "got 301",
        ),
        (
            "the answer to another request, before this one",
            vec![say("HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n"), Hear, Hold],
            "got 408",
        ),
        (
            "a second answer behind the first",
            answer(
                "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            ),
            "got 500",
        ),
        (
            "too many, for a thousand years",
            answer("HTTP/1.1 429 No\r\nRetry-After: 31536000000\r\nContent-Length: 0\r\n\r\n"),
            "429",
        ),
        (
            "too many, for a number that is none",
            answer("HTTP/1.1 429 No\r\nRetry-After: 9e99\r\nContent-Length: 0\r\n\r\n"),
            "429",
        ),
        (
            "unavailable, for less than nothing",
            answer("HTTP/1.1 503 No\r\nRetry-After: -1\r\nContent-Length: 0\r\n\r\n"),
            "503",
        ),
        (
            "unavailable until the last century",
            answer(
                "HTTP/1.1 503 No\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n",
            ),
            "503",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_leads_to_its_verdict_within_its_limit() {
    // Most of the time is waiting: seven of them are polled for nine seconds.
    futures_util::stream::iter(room())
        .for_each_concurrent(8, |(name, steps, words)| ends(name, steps, words))
        .await;
}

async fn ends(name: &str, steps: Vec<Step>, words: &str) {
    let server = Server::start(steps).await;
    let began = Instant::now();
    // A long body is read to its limit, also on a slow machine.
    let timeout = if words.contains("16777216") { Duration::from_secs(30) } else { MIN_TIMEOUT };
    let run = run_within(timeout, &server.url("http"), Http::One, &CHECKS).await;
    assert!(began.elapsed() < Duration::from_mins(1), "{name}: {:?}", began.elapsed());
    assert!(run.outcomes.len() >= CHECKS.len(), "{name}");
    assert_ne!(run.exit_code(), 0, "{name}");
    for outcome in &run.outcomes {
        let said = format!("{name}: {} {:?} {}", outcome.requirement, outcome.verdict, reason(outcome));
        // Not every check judges a target that limits requests or is unavailable.
        let is_judged =
            matches!(outcome.verdict, Verdict::Fail | Verdict::Inconclusive | Verdict::NotTestable);
        assert!(is_judged, "{said}");
    }
    let seen = |words: &str| run.outcomes.iter().any(|outcome| reason(outcome).contains(words));
    let reasons: Vec<String> = run.outcomes.iter().map(reason).collect();
    assert!(seen(words), "{name}: {reasons:?}");
    assert_eq!(run.count(Verdict::Pass), 0, "{name}");
    let outputs = [format!("{run:?}"), json::write(&run)].concat();
    assert!(!outputs.contains(AUTH), "{name}: {outputs:.2000}");
    assert!(!json::write(&run).contains(KEY), "{name}");
}

/// A server that repeats the request returns every secret.
#[tokio::test(flavor = "multi_thread")]
async fn an_echo_shows_no_secret_in_any_report() {
    let steps = vec![Hear, say(&format!("{OK}X-Auth: {AUTH}\r\nContent-Length: 48\r\n\r\n{AUTH} {KEY}  "))];
    let server = Server::start(steps).await;
    let run = run(&server.url("http"), Http::One, &CHECKS).await;
    let heard = server.heard();
    assert!(heard.contains(AUTH) && heard.contains(KEY), "both were sent: {heard}");
    let outputs = [
        json::write(&run),
        assay_suites::report::junit::write(&run),
        assay_suites::report::terminal::summary(&run, false),
    ]
    .concat();
    assert!(!outputs.contains(AUTH) && !outputs.contains(KEY), "{outputs}");
}
