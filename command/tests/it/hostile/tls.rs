//! Servers with faulty TLS: one row each, with the reason of the verdict.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use assay_sim::rng::Rng;
use assay_sim::tls::{Authority, YEARS};
use assay_suites::harness::data::Verdict;
use assay_suites::http::tls::Trust;
use assay_suites::http::transport::Http;
use assay_suites::report::words::reason;

use crate::hostile::room::{Hear, Hold, Say, Server, Step, Tls, run, say};

/// The authority that these runs trust.
pub(crate) fn trust() -> Trust {
    static TRUST: OnceLock<Trust> = OnceLock::new();
    let read = || {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, authority().pem()).expect("a file");
        Trust::with_file(&file).expect("a certificate")
    };
    TRUST.get_or_init(read).clone()
}

fn authority() -> Authority {
    Authority::new(Rng::new(1))
}

/// A handshake with a certificate for these names, of these years, by the authority of that seed.
fn showing(seed: u64, name: &str, years: [u16; 2]) -> Step {
    Tls(Authority::new(Rng::new(seed)).issue("room", &[name.to_owned()], years).server_config())
}

/// A TLS record of an alert: fatal, with that number.
fn alert(number: u8) -> Step {
    Say(vec![0x15, 3, 3, 0, 2, 2, number])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_leads_to_its_verdict_within_its_limit() {
    let here = "127.0.0.1";
    let no = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";
    for (name, steps, words) in [
        ("good", vec![showing(1, here, YEARS), Hear, say(no)], "got 500"),
        (
            "wrong name",
            vec![showing(1, "elsewhere.example", YEARS), Hear, say(no)],
            "the certificate is for another name",
        ),
        ("expired", vec![showing(1, here, [2020, 2021]), Hear, say(no)], "the certificate has expired"),
        (
            "not valid yet",
            vec![showing(1, here, [2048, 2049]), Hear, say(no)],
            "the certificate is not valid yet",
        ),
        ("untrusted", vec![showing(2, here, YEARS), Hear, say(no)], "the certificate"),
        ("plain text", vec![say(no), Hold], "the server does not speak TLS"),
        ("a handshake that never ends", vec![Hold], "no complete handshake within"),
        (
            "a handshake that stops in the middle",
            vec![Say(vec![0x16, 3, 3, 0x40, 0, 2, 0, 0x3f]), Hold],
            "no complete handshake within",
        ),
        ("an alert in the middle", vec![alert(40), Hold], "the server ended the handshake: HandshakeFailure"),
        ("an end in the middle", vec![], "no TLS connection"),
        ("an alert after the handshake", vec![showing(1, here, YEARS), Hear], "ended before the head"),
        ("garbage", vec![Say(vec![0xff; 4096]), Hold], "the server does not speak TLS"),
    ] {
        let server = Server::start(steps).await;
        let began = Instant::now();
        let run = run(&server.url("https"), Http::One, &["metadata.root.html"]).await;
        assert!(began.elapsed() < Duration::from_mins(1), "{name}: {:?}", began.elapsed());
        for outcome in &run.outcomes {
            assert_eq!(outcome.verdict, Verdict::Fail, "{name}: {}", reason(outcome));
            assert!(reason(outcome).contains(words), "{name}: {}", reason(outcome));
        }
    }
}
