//! Targets at https URLs: trusted certificates, and the reasons for untrusted ones.

use std::path::Path;

use assay_sim::rng::Rng;
use assay_sim::tls::{Authority, Leaf, YEARS};
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::connect::Connect;
use assay_suites::http::exchange::{Broken, Request, Response};
use assay_suites::http::sockets::{Sockets, Tcp};
use assay_suites::http::tls::Trust;
use assay_suites::profile::Profile;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

async fn served() -> Served {
    start(&Options::new(7)).await.expect("a simulator on any port")
}

async fn get(connector: &dyn Connect, base: &str) -> Result<Response, Broken> {
    let stream = connector.connect(base, None).await?;
    let host = base.rsplit('/').next().unwrap_or_default();
    exchange(stream, &Request::new("GET", "/no/such/path"), host, Limits::default()).await
}

/// The reason of a failed handshake.
fn why(outcome: Result<Response, Broken>) -> String {
    match outcome {
        Err(Broken::Tls(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_written_profile_trusts_the_simulator() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = served().await;
    let path = folder.path().join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    assert!(folder.path().join("p.ca.pem").exists());
    let loaded = Profile::load(&path).expect("the profile that was written");
    assert_eq!(loaded.profile.ca_file.as_deref(), Some(Path::new("p.ca.pem")));
    let sockets = loaded.profile.sockets(&loaded.folder).expect("certificates");
    let server = &served.sites["server-a"];
    assert!(server.starts_with("https://127.0.0.1:"), "{server}");
    for base in [server.clone(), server.replace("127.0.0.1", "localhost")] {
        assert!(get(&sockets, &base).await.is_ok_and(|answer| answer.status >= 400), "{base}");
    }
    assert!(get(&sockets, &served.sites["gateway"]).await.is_ok(), "plain HTTP as ever");

    let said = why(get(&Tcp, server).await);
    assert!(said.starts_with(&format!("{server}: ")) && said.contains("ca_file"), "{said}");
    let said = why(get(&sockets, &served.sites["gateway"].replace("http:", "https:")).await);
    assert!(said.ends_with(": the server does not speak TLS"), "{said}");
    let plain = get(&sockets, &server.replace("https:", "http:")).await;
    assert!(matches!(plain, Err(Broken::Nonsense(_) | Broken::Closed(_))), "{plain:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_control_api_returns_its_authority() {
    let served = served().await;
    let stream = Tcp.connect(&served.control, None).await.expect("a server listens");
    let request = Request::new("GET", "/_sim/v1/ca");
    let answer = exchange(stream, &request, "localhost", Limits::default()).await.expect("an answer");
    assert_eq!((answer.status, answer.text()), (200, served.handle.authority().pem()));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_certificate_fault_has_its_reason() {
    let authority = Authority::new(Rng::new(1));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, authority.pem()).expect("a file");
    let trusting = Sockets { trust: Trust::with_file(&file).expect("a certificate"), ..Sockets::default() };
    let here = ["127.0.0.1".to_owned()];
    let elsewhere = ["server.example".to_owned(), "localhost".to_owned()];
    let cases = [
        (authority.issue("good", &here, YEARS), None),
        (authority.issue("other", &elsewhere, YEARS), Some("the certificate is for another name")),
        (authority.issue("old", &here, [2020, 2021]), Some("the certificate has expired")),
        (authority.issue("early", &here, [2048, 2049]), Some("the certificate is not valid yet")),
        (Authority::new(Rng::new(2)).issue("good", &here, YEARS), Some("the certificate")),
    ];
    for (leaf, expected) in cases {
        let (base, _task) = showing(&leaf).await;
        let outcome = get(&trusting, &base).await;
        match expected {
            None => assert_eq!(outcome.expect("an answer").status, 204),
            Some(words) => {
                let said = why(outcome);
                assert!(said.starts_with(&format!("{base}: {words}")), "{said}");
            }
        }
    }
}

#[test]
fn a_file_without_certificates_is_rejected_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ca.pem");
    let said = Trust::with_file(&file).expect_err("no file");
    assert!(said.contains("ca.pem"), "{said}");
    for (text, words) in [
        ("", "no certificate"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "ca.pem: "),
        ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "ca.pem: "),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no certificate"),
    ] {
        std::fs::write(&file, text).expect("a file");
        let said = Trust::with_file(&file).expect_err(text);
        assert!(said.contains(words) && said.contains("ca.pem"), "{said}");
    }
}

/// A server with this certificate, which returns the same response to every request.
async fn showing(leaf: &Leaf) -> (String, tokio::task::JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("https://{}", listener.local_addr().expect("an address"));
    let acceptor = TlsAcceptor::from(leaf.server_config());
    let mut task = tokio::task::JoinSet::new();
    task.spawn(async move {
        while let Ok((io, _)) = listener.accept().await {
            if let Ok(mut io) = acceptor.accept(io).await {
                let _ = io.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
                let _ = io.shutdown().await;
            }
        }
    });
    (base, task)
}
