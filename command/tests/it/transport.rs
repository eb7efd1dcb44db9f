//! How a target is reached: protocols, proxies, retries, client headers and certificates, IPv6, limits.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_sim::rng::Rng;
use assay_sim::tls::{Authority, YEARS};
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::harness::data::{Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::{Remote, Target};
use assay_suites::http::client::Limits;
use assay_suites::http::connect::Dial;
use assay_suites::http::exchange::{Broken, Request};
use assay_suites::http::proxy::Proxies;
use assay_suites::http::sockets::Sockets;
use assay_suites::http::tls::Trust;
use assay_suites::http::transport::{ExtraHeader, Http, Protocol, Transport, send};
use assay_suites::profile::Profile;
use assay_suites::report::words::reason;
use assay_suites::services;
use assay_suites::services::SUITES;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, ServerConfig, SignatureScheme};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::DEAD_URL;

async fn served(listen: &str, https: bool) -> Served {
    let options = Options {
        listen: listen.parse().expect("an address"),
        forwarded_header: Some("X-Forwarded-For".to_owned()),
        https,
        ..Options::new(7)
    };
    start(&options).await.expect("a simulator on any port")
}

/// Runs the written profile, with these lines before its tables.
async fn run(served: &Served, folder: &Path, lines: &str, filters: &[&str]) -> Run {
    let path = folder.join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    let text = std::fs::read_to_string(&path).expect("its text");
    let loaded = Profile::of_text(format!("{lines}{text}"), "p.toml".to_owned(), folder).expect("a profile");
    let (target, settings, pace) =
        assay_suites::harness::setup::connect(SUITES, &loaded, Some(3)).await.expect("a target");
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    runner.run(&plan(&target, &select(services::checks(), &[], &filters)), |_| {}).await
}

fn bad(run: &Run) -> Vec<String> {
    let bad = run.outcomes.iter().filter(|one| one.verdict != Verdict::Pass);
    bad.map(|one| format!("{} {}: {}", one.requirement, one.verdict.name(), reason(one))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn over_https_every_check_passes_as_embedded() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = served("127.0.0.1:0", true).await;
    assert!(served.sites.values().all(|url| url.starts_with("https://")), "{:?}", served.sites);
    assert!(served.control.starts_with("http://"));
    let run = run(&served, folder.path(), "", &[]).await;
    assert_eq!(bad(&run), Vec::<String>::new());
    assert_eq!(run.count(Verdict::Pass), services::checks().len());
    assert!(!run.remarks.join("\n").contains("HTTP/2"), "{:?}", run.remarks);
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_2_every_check_passes_as_over_http_1() {
    let folder = tempfile::tempdir().expect("a folder");
    let services = ["gateway.", "metadata.", "network.", "drop.", "publish."];
    for (https, http) in [(false, "2"), (true, "auto")] {
        let served = served("127.0.0.1:0", https).await;
        let lines = format!("transport = {{ http = {http:?} }}\n");
        let run = run(&served, folder.path(), &lines, &services).await;
        assert_eq!(bad(&run), Vec::<String>::new(), "{http}");
        let said = run.remarks.join("\n");
        assert!(said.contains("requests over HTTP/2"), "{said}");
        assert!(said.contains("time to connect: "), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ipv6_sites_work_like_others() {
    if TcpListener::bind("[::1]:0").await.is_err() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for https in [false, true] {
        let served = served("[::1]:0", https).await;
        assert!(served.sites["network"].contains("://[::1]:"), "{}", served.sites["network"]);
        let run = run(
            &served,
            folder.path(),
            "",
            &["network.info", "drop.site", "gateway.direct", "metadata.root"],
        );
        assert_eq!(bad(&run.await), Vec::<String>::new());
    }
}

/// A server that reads one request per connection and returns `204`; also the requests, in order.
async fn listening() -> (SocketAddr, Arc<Mutex<Vec<String>>>, JoinSet<()>) {
    listening_on(TcpListener::bind("127.0.0.1:0").await.expect("a port"))
}

fn listening_on(listener: TcpListener) -> (SocketAddr, Arc<Mutex<Vec<String>>>, JoinSet<()>) {
    let address = listener.local_addr().expect("its address");
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let (attempt, mut tasks) = (heard.clone(), JoinSet::new());
    tasks.spawn(async move {
        while let Ok((mut io, _)) = listener.accept().await {
            let head = head(&mut io).await;
            attempt.lock().expect("not poisoned").push(head);
            let _ = io.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
            let _ = io.shutdown().await;
        }
    });
    (address, heard, tasks)
}

async fn head(io: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match io.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// A proxy that opens tunnels to `to` for every host, and responds to plain HTTP requests itself.
async fn proxy(to: SocketAddr, refuses: bool) -> (SocketAddr, Arc<Mutex<Vec<String>>>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let (attempt, mut tasks) = (heard.clone(), JoinSet::new());
    tasks.spawn(async move {
        let mut tunnels = JoinSet::new();
        while let Ok((mut io, _)) = listener.accept().await {
            let head = head(&mut io).await;
            let is_tunnel = head.starts_with("CONNECT ");
            attempt.lock().expect("not poisoned").push(head);
            if refuses {
                let _ = io.write_all(b"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n").await;
            } else if is_tunnel {
                let _ = io.write_all(b"HTTP/1.1 200 Connected\r\nVia: x\r\n\r\n").await;
                let mut there = TcpStream::connect(to).await.expect("it listens");
                tunnels.spawn(async move { drop(tokio::io::copy_bidirectional(&mut io, &mut there).await) });
            } else {
                let _ = io.write_all(b"HTTP/1.1 203 From the proxy\r\nContent-Length: 0\r\n\r\n").await;
                let _ = io.shutdown().await;
            }
        }
    });
    (address, heard, tasks)
}

#[tokio::test(flavor = "multi_thread")]
async fn proxies_carry_requests_and_open_tunnels() {
    let authority = Authority::new(Rng::new(1));
    let leaf = authority.issue("site", &["target.example".to_owned()], YEARS);
    let (there, _accepting) = showing(leaf.server_config()).await;
    let (at, heard, _tasks) = proxy(there, false).await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, authority.pem()).expect("a file");
    let sockets = |proxy: &str| Sockets {
        trust: Trust::with_file(&file).expect("a certificate"),
        proxies: Proxies::all(proxy, "past.example"),
        ..Sockets::default()
    };
    let through = sockets(&format!("http://me:hunter2@{at}"));
    let get = Request::new("GET", "//a?b");
    let limits = Limits::default();
    let plain = send(&through, Dial::to("http://target.example:8080"), &get, limits).await.response;
    assert_eq!(plain.expect("an answer").status, 203);
    let secure = send(&through, Dial::to("https://target.example:8443"), &get, limits).await.response;
    assert_eq!(secure.expect("an answer").status, 204);
    let heard = heard.lock().expect("not poisoned").clone();
    let credentials = "Proxy-Authorization: Basic bWU6aHVudGVyMg==\r\n";
    assert!(
        heard[0].starts_with("GET http://target.example:8080//a?b HTTP/1.1\r\nHost: target.example:8080\r\n")
    );
    assert!(heard[0].contains(credentials), "{}", heard[0]);
    assert!(heard[1].starts_with("CONNECT target.example:8443 HTTP/1.1\r\nHost: target.example:8443\r\n"));
    assert!(heard[1].contains(credentials), "{}", heard[1]);

    let sites: BTreeMap<String, String> = [("publish".to_owned(), "http://target.example".to_owned())].into();
    let name = Remote::over(through, sites, None).await.expect("no control").name();
    assert!(name.contains(&format!("through the proxy http://{at}")) && !name.contains("hunter2"), "{name}");

    let (at, _, _refusing) = proxy(there, true).await;
    for (proxy, words) in [
        (format!("http://me:hunter2@{at}"), "it requires a user and password (status 407)"),
        ("http://me:hunter2@127.0.0.1:1".to_owned(), "the proxy http://127.0.0.1:1: 127.0.0.1:1: "),
        ("socks5://me:hunter2@127.0.0.1:1".to_owned(), "uses socks5, which is not supported"),
    ] {
        let dial = Dial { own: false, ..Dial::to("https://target.example") };
        let said = match send(&sockets(&proxy), dial, &get, limits).await.response {
            Err(Broken::Unreachable(why)) => why,
            other => panic!("{proxy}: {other:?}"),
        };
        assert!(said.contains(words) && !said.contains("hunter2"), "{said}");
    }
}

/// A TLS server that returns `204`.
async fn showing(config: Arc<ServerConfig>) -> (SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let acceptor = TlsAcceptor::from(config);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        while let Ok((io, _)) = listener.accept().await {
            if let Ok(io) = acceptor.accept(io).await {
                let mut io = BufReader::new(io);
                let mut line = String::new();
                while io.read_line(&mut line).await.is_ok_and(|bytes| bytes > 2) {
                    line.clear();
                }
                let _ = io.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await;
                let _ = io.shutdown().await;
            }
        }
    });
    (address, tasks)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_target_fails_soon_and_a_late_one_is_reached() {
    // A socket that is bound and does not listen refuses connections, and no other test gets its port.
    let late = TcpSocket::new_v4().expect("a socket");
    late.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let free = late.local_addr().expect("an address");
    let sites: BTreeMap<String, String> = [("publish".to_owned(), format!("http://{free}"))].into();
    let target = Remote::new(sites.clone(), None).await.expect("no control");
    let why = target.reach().await.expect_err("no server listens");
    assert!(why.contains("on attempt 3"), "{why}");

    let sockets = Sockets::default();
    let base = format!("http://{free}");
    let get = Request::new("GET", "/");
    let asking = send(&sockets, Dial::to(&base), &get, Limits::default());
    // The first attempt is refused before the server starts to listen.
    let opening = async { listening_on(late.listen(8).expect("it listens")) };
    let (attempt, (_, heard, _tasks)) = tokio::join!(asking, opening);
    assert_eq!(attempt.response.map(|response| response.status), Ok(204));
    assert!(attempt.again >= 1);
    assert_eq!(heard.lock().expect("not poisoned").len(), 1, "one request, once");
    let remarks = assay_suites::http::connect::Connect::transport(&sockets).remarks().join("\n");
    assert!(remarks.contains("retries before a request was sent"), "{remarks}");

    // A server that only a response named gets one attempt.
    let dial = Dial { own: false, ..Dial::to(DEAD_URL) };
    let gone = send(&sockets, dial, &get, Limits::default()).await;
    assert!(matches!(gone.response, Err(Broken::Unreachable(_))) && gone.again == 0, "{:?}", gone.response);
}

#[test]
fn timeouts_grow_with_latency_up_to_two_minutes() {
    let transport = Transport::new(Http::One, Duration::from_secs(15), Vec::new());
    let usual = Limits::default();
    let own = Limits { timeout: Duration::from_mins(1), ..usual };
    let limits = |site: &str| [usual, own].map(|limits| transport.within(site, limits).timeout.as_secs());
    assert_eq!(limits("network"), [15, 60]);
    transport.measured("network", Duration::from_millis(500));
    transport.measured("drop", Duration::from_secs(2));
    transport.measured("publish", Duration::from_secs(9));
    assert_eq!(limits("network"), [35, 60]);
    assert_eq!(limits("drop"), [95, 95]);
    assert_eq!(limits("publish"), [120, 120]);
    assert_eq!(limits("http://elsewhere.example"), [120, 120], "the highest known latency");
    let remarks = transport.remarks().join("\n");
    assert!(remarks.contains("9000 ms (publish)") && remarks.contains("120.0 s"), "{remarks}");
    let patient = Transport::new(Http::One, Duration::from_mins(10), Vec::new());
    assert_eq!(patient.within("network", usual).timeout.as_secs(), 600);
}

#[tokio::test(flavor = "multi_thread")]
async fn extra_headers_go_only_to_own_sites_and_are_redacted() {
    let (at, heard, _tasks) = listening().await;
    let headers = vec![
        ExtraHeader { name: "X-Auth".into(), value: "hunter2hunter2".into(), is_secret: true },
        ExtraHeader { name: "X-Team".into(), value: "assay".into(), is_secret: false },
    ];
    let transport = Arc::new(Transport::new(Http::One, Duration::from_secs(15), headers));
    let sockets = Sockets { transport, ..Sockets::default() };
    let sites: BTreeMap<String, String> = [("metadata".to_owned(), format!("http://{at}"))].into();
    let target = Remote::over(sockets, sites, None).await.expect("no control");
    let (settings, pace) = (services::settings(), Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let checks = select(services::checks(), &[], &["metadata.root.html".to_owned()]);
    let run = runner.run(&plan(&target, &checks), |_| {}).await;
    let heard = heard.lock().expect("not poisoned").concat();
    assert!(
        heard.contains("\r\nX-Auth: hunter2hunter2\r\n") && heard.contains("\r\nX-Team: assay\r\n"),
        "{heard}"
    );
    let shown = format!("{run:?}");
    assert!(!shown.contains("hunter2") && shown.contains("[redacted X-Auth]"), "{shown}");
    let outcome = &run.outcomes[0];
    assert_eq!(outcome.verdict, Verdict::Fail);
    assert!(outcome.repeat.concat().contains("X-Team: assay"), "{:?}", outcome.repeat);
}

/// Accepts every client certificate and keeps it.
#[derive(Debug)]
struct Keeps(Arc<Mutex<Vec<Vec<u8>>>>, Vec<DistinguishedName>);

impl ClientCertVerifier for Keeps {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.1
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        self.0.lock().expect("not poisoned").push(end_entity.to_vec());
        Ok(ClientCertVerified::assertion())
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, &known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, &known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        rustls::crypto::ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_certificate_is_sent_only_to_own_sites() {
    let authority = Authority::new(Rng::new(1));
    let [server, client, other] =
        ["server", "client", "other"].map(|label| authority.issue(label, &["127.0.0.1".to_owned()], YEARS));
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("ca.pem", &authority.pem());
    let [certificate, key] = client.pem();
    write("c.pem", &certificate);
    write("c.key", &key);
    write("other.key", &other.pem()[1]);
    write("no.key", "hunter2");
    let sockets = |certificate: &str, key: &str| {
        let text = format!(
            "ca_file = \"ca.pem\"\nclient_certificate = {certificate:?}\nclient_key = {{ file = {key:?} }}\n"
        );
        Profile::parse(&text, "p.toml").expect("a profile").sockets(folder.path())
    };
    let shown = Arc::default();
    let keeps = Arc::new(Keeps(Arc::clone(&shown), Vec::new()));
    let [certificate, key] = server.pem();
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("versions").with_client_cert_verifier(keeps).with_single_cert(chain, key);
    let (at, _tasks) = showing(Arc::new(config.expect("the server's key"))).await;
    let base = format!("https://{at}");
    let get = Request::new("GET", "/");
    let good = sockets("c.pem", "c.key").expect("a pair");
    for (own, seen) in [(false, 0), (true, 1)] {
        let dial = Dial { own, ..Dial::to(&base) };
        let answer = send(&good, dial, &get, Limits::default()).await.response;
        assert_eq!(answer.map(|response| response.status), Ok(204));
        assert_eq!(shown.lock().expect("not poisoned").len(), seen, "own: {own}");
    }
    assert_eq!(shown.lock().expect("not poisoned")[0], client.certificate());
    for (certificate, key, words) in [
        ("c.pem", "other.key", ["c.pem: the key in client_key (", "does not belong to this certificate"]),
        ("c.pem", "no.key", ["client_key (", "no.key): no private key (PEM) found"]),
        ("c.key", "c.key", ["c.key: ", "no certificate (PEM) found"]),
        ("none.pem", "c.key", ["none.pem: ", ""]),
        ("c.pem", "none.key", ["client_key: cannot read the secret in ", "none.key"]),
    ] {
        let why = sockets(certificate, key).expect_err("no pair");
        assert!(words.iter().all(|words| why.contains(words)) && !why.contains("hunter2"), "{why}");
    }
}

/// A request that HTTP/2 cannot express goes over HTTP/1.1; if only HTTP/2 is available, it is not testable.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_http2_cannot_express_use_http1_if_available() {
    let served = served("127.0.0.1:0", false).await;
    let two = Transport::new(Http::Two, Duration::from_secs(15), Vec::new());
    let sockets = Sockets { transport: Arc::new(two), ..Sockets::default() };
    let base = &served.sites["metadata"];
    for (target, over) in [("/", Protocol::Two), ("/#x", Protocol::One), ("*", Protocol::One)] {
        let attempt = send(&sockets, Dial::to(base), &Request::new("GET", target), Limits::default()).await;
        let status = attempt.response.map(|response| response.status);
        assert!(status.is_ok_and(|status| over == Protocol::One || status == 200), "{target}");
    }
    // A server that only speaks HTTP/2.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("its address"));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        while let Ok((io, _)) = listener.accept().await {
            let Ok(mut connection) = h2::server::handshake(io).await else { continue };
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                let _ = respond.send_response(http::Response::new(()), true);
            }
        }
    });
    let asked = async |target| {
        send(&sockets, Dial::to(&base), &Request::new("GET", target), Limits::default()).await.response
    };
    assert_eq!(asked("/").await.map(|response| response.status), Ok(200));
    let kinds: BTreeSet<String> =
        [asked("*").await, asked("/#x").await].into_iter().map(|attempt| format!("{attempt:?}")).collect();
    assert!(kinds.iter().all(|kind| kind.starts_with("Err(Inexpressible(\"the target")), "{kinds:?}");
}
