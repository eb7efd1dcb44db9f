//! HTTPS sites: which clients can connect, which cannot, and what the certificates depend on.

use std::net::SocketAddr;
use std::sync::Arc;

use assay_sim::World;
use assay_sim::clock::EPOCH;
use assay_sim::rng::Rng;
use assay_sim::serve::{ClockMode, Handle, Listener, open_sites};
use assay_sim::tls::{Authority, Leaf, YEARS};
use assay_spec::Dialect;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{AlertDescription, CertificateError, ClientConfig, Error, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::client::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

const SEED: u64 = 7;

#[test]
fn certificates_depend_on_the_seed() {
    let authority = |seed| Authority::new(Rng::new(seed));
    assert_eq!(authority(1).pem(), authority(1).pem());
    assert_ne!(authority(1).pem(), authority(2).pem());
    let leaf = authority(1).leaf("enclave", 1);
    assert_eq!(leaf, authority(1).leaf("enclave", 1), "key and certificate");
    for other in [
        authority(2).leaf("enclave", 1),
        authority(1).leaf("enclave", 2),
        authority(1).leaf("enclave", 0),
        authority(1).leaf("server-a", 1),
    ] {
        assert_ne!(leaf.sha256(), other.sha256());
    }
}

/// Bytes that responses name must not change by accident, for example with a newer library.
#[test]
fn certificate_bytes_do_not_change() {
    let digest = Authority::new(Rng::new(1)).leaf("enclave", 1).sha256();
    assert_eq!(
        assay_spec::crypto::text::hex(&digest),
        "d1cc5b5232a7179b865ebaaf5a455a2a471e6c0aae7d6d3c082ded1de46a1cc2"
    );
}

#[tokio::test]
async fn https_sites_answer_clients_that_trust_their_authority() {
    let (handle, _listeners, server) = served().await;
    for name in ["127.0.0.1", "::1", "localhost", "server-a.sim"] {
        let mut io = connect(&handle.authority().pem(), &[b"http/1.1"], server, name).await.expect(name);
        assert_eq!(io.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
        assert_answers(&mut io).await;
    }
    // A client that offers both protocols gets the preferred one; a client that offers none also gets an answer.
    for offered in [&[&b"h2"[..], b"http/1.1"][..], &[]] {
        let mut io = connect(&handle.authority().pem(), offered, server, "127.0.0.1").await.expect("both");
        assert_answers(&mut io).await;
    }
    let io = connect(&handle.authority().pem(), &[b"h2"], server, "127.0.0.1").await.expect("HTTP/2 alone");
    assert_eq!(io.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let refused = connect(&handle.authority().pem(), &[b"spdy/3"], server, "127.0.0.1").await;
    assert_eq!(error(refused), Error::AlertReceived(AlertDescription::NoApplicationProtocol));
}

#[tokio::test]
async fn fork_shows_the_certificates_of_its_origin() {
    let (handle, _listeners, _) = served().await;
    let fork = handle.fork(ClockMode::Auto);
    let (_listeners, sites) = open_sites(&fork, SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("ports");
    let server = address(&sites["server-a"]);
    let mut io =
        connect(&handle.authority().pem(), &[], server, "localhost").await.expect("the same authority");
    assert_answers(&mut io).await;
}

#[tokio::test]
async fn certificates_name_the_public_host() {
    for host in ["server.example", "[2001:db8::1]"] {
        let mut world = World::new(SEED, EPOCH, Dialect::default());
        world.set_public_host(Some(host.parse().expect("a host")));
        let handle = Handle::new(world, ClockMode::Auto);
        let first = SocketAddr::from(([127, 0, 0, 1], 0));
        let (_listeners, sites) = open_sites(&handle, first).await.expect("ports");
        let port = sites["server-a"].strip_prefix(&format!("https://{host}:")).expect("the host");
        let server = SocketAddr::from(([127, 0, 0, 1], port.parse().expect("a port")));
        for name in [host.trim_matches(['[', ']']), "localhost"] {
            let mut io = connect(&handle.authority().pem(), &[], server, name).await.expect(name);
            assert_answers(&mut io).await;
        }
    }
}

#[tokio::test]
async fn another_authority_or_another_name_fails_the_handshake() {
    let (handle, _listeners, server) = served().await;
    let stranger = Authority::new(Rng::new(SEED + 1)).pem();
    let refused = error(connect(&stranger, &[], server, "127.0.0.1").await);
    assert!(
        matches!(
            refused,
            Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature)
        ),
        "{refused}"
    );
    for name in ["server-b.sim", "example.org", "127.0.0.2", "server-a-1.sim"] {
        let refused = error(connect(&handle.authority().pem(), &[], server, name).await);
        let wrong =
            matches!(refused, Error::InvalidCertificate(CertificateError::NotValidForNameContext { .. }));
        assert!(wrong, "{name}: {refused}");
    }
}

#[tokio::test]
async fn certificate_is_valid_in_its_years_only() {
    let authority = Authority::new(Rng::new(SEED));
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    for (years, expected) in
        [(YEARS, None), ([2020, 2021], Some("expired")), ([2048, 2049], Some("not valid yet"))]
    {
        let leaf = authority.issue("a label", &names, years);
        match (expected, handshake(&authority, &leaf).await) {
            (None, Ok(())) => {}
            (Some("expired"), Err(Error::InvalidCertificate(CertificateError::ExpiredContext { .. }))) => {}
            (Some(_), Err(Error::InvalidCertificate(CertificateError::NotValidYetContext { .. }))) => {}
            (_, got) => panic!("{years:?}: {got:?}"),
        }
    }
}

#[tokio::test]
async fn plain_http_to_https_sites_gets_no_answer_and_vice_versa() {
    let (handle, _listeners, server) = served().await;
    let mut plain = TcpStream::connect(server).await.expect("the server listens");
    plain.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("the bytes are sent");
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said).await;
    assert!(!said.starts_with(b"HTTP"), "{}", said.escape_ascii());
    let long = vec![b'x'; 70_000];
    for nonsense in [&b""[..], b"\0", b"\x16\x03\x01\xff\xff", &long] {
        let mut io = TcpStream::connect(server).await.expect("the server listens");
        // The connection may be closed before everything is sent.
        let _ = io.write_all(nonsense).await;
        let _ = io.shutdown().await;
        let _ = io.read_to_end(&mut Vec::new()).await;
    }
    let mut io = connect(&handle.authority().pem(), &[], server, "localhost")
        .await
        .expect("other connections still work");
    assert_answers(&mut io).await;

    let gateway = address(&handle.site_urls()["gateway"]);
    let refused = error(connect(&handle.authority().pem(), &[], gateway, "localhost").await);
    assert!(matches!(refused, Error::InvalidMessage(_)), "{refused}");
}

#[tokio::test]
async fn unfinished_handshakes_do_not_block_others() {
    let (handle, _listeners, server) = served().await;
    let mut silent = Vec::new();
    for n in 0..50_u8 {
        let mut io = TcpStream::connect(server).await.expect("the server listens");
        io.write_all(&[0x16, 3, 1, 2, 0, 1][..usize::from(n % 7)]).await.expect("the bytes are sent");
        silent.push(io);
    }
    let mut io = connect(&handle.authority().pem(), &[], server, "localhost")
        .await
        .expect("other connections still work");
    assert_answers(&mut io).await;
}

#[tokio::test]
async fn enclave_moves_after_each_boot() {
    let (handle, _listeners, _) = served().await;
    let pem = handle.authority().pem();
    let mut seen = Vec::new();
    for boot in 1..=3 {
        let url = handle.site_urls()["enclave"].clone();
        assert!(!seen.contains(&url), "{url} again");
        let mut io = connect(&pem, &[], address(&url), "127.0.0.1").await.expect("the enclave of this boot");
        let shown = io.get_ref().1.peer_certificates().expect("a certificate")[0].clone();
        assert_eq!(shown.as_ref(), handle.authority().leaf("enclave", boot).certificate());
        // A connection that stays open, and one whose handshake is not complete.
        io.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("the bytes are sent");
        assert!(io.read(&mut [0; 1024]).await.expect("an answer") > 0);
        let early = TcpStream::connect(address(&url)).await.expect("the server listens");

        reboot(&handle);
        assert_ne!(handle.site_urls()["enclave"], url, "updated before the action returns");
        let rest = io.read_to_end(&mut Vec::new()).await;
        assert!(rest.is_ok() || rest.is_err_and(|e| e.kind() == std::io::ErrorKind::UnexpectedEof));
        let late = config(&pem, &[]).connect(ServerName::try_from("127.0.0.1").expect("a name"), early).await;
        if let Ok(mut late) = late {
            let _ = late.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
            let mut said = Vec::new();
            let _ = late.read_to_end(&mut said).await;
            assert_eq!(said, b"", "no answer for an earlier boot");
        }
        assert!(connect(&pem, &[], address(&url), "127.0.0.1").await.is_err(), "the old port is closed");
        seen.push(url);
    }
}

#[tokio::test]
async fn restored_world_listens_for_its_current_boot() {
    let (handle, _listeners, server) = served().await;
    let before = handle.snapshot();
    reboot(&handle);
    let second = handle.site_urls()["enclave"].clone();
    handle.restore(before);
    let third = handle.site_urls()["enclave"].clone();
    assert_ne!(second, third);
    let pem = handle.authority().pem();
    let io = connect(&pem, &[], address(&third), "127.0.0.1").await.expect("the enclave of the first boot");
    let shown = io.get_ref().1.peer_certificates().expect("a certificate")[0].clone();
    assert_eq!(shown.as_ref(), handle.authority().leaf("enclave", 1).certificate());
    assert_eq!(address(&handle.site_urls()["server-a"]), server, "other sites keep their URLs");
}

/// The enclave boots.
fn reboot(handle: &Handle) {
    let answer = handle.change(|world| match world.perform("gateway.reboot", &serde_json::json!({})) {
        Ok((answer, outputs)) => (Ok(answer), outputs),
        Err(why) => (Err(why), Vec::new()),
    });
    answer.expect("the action");
}

/// A world that listens on all sites, and the address of one HTTPS site.
async fn served() -> (Handle, Vec<Listener>, SocketAddr) {
    let handle = Handle::new(World::new(SEED, EPOCH, Dialect::default()), ClockMode::Auto);
    let first = SocketAddr::from(([127, 0, 0, 1], 0));
    let (listeners, sites) = open_sites(&handle, first).await.expect("ports");
    assert!(sites["gateway"].starts_with("http://127.0.0.1:"), "{}", sites["gateway"]);
    let server = address(&sites["server-a"]);
    (handle, listeners, server)
}

fn address(url: &str) -> SocketAddr {
    let (_, address) = url.split_once("://").expect("a URL");
    address.parse().expect("an address")
}

fn config(pem: &str, alpn: &[&[u8]]) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate");
    roots.add(root).expect("an authority");
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    TlsConnector::from(Arc::new(config))
}

async fn connect(
    pem: &str,
    alpn: &[&[u8]],
    server: SocketAddr,
    name: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let io = TcpStream::connect(server).await?;
    config(pem, alpn).connect(ServerName::try_from(name.to_owned()).expect("a name"), io).await
}

fn error<T>(outcome: std::io::Result<T>) -> Error {
    let error = outcome.err().expect("a refusal").into_inner().expect("a reason");
    *error.downcast::<Error>().expect("a reason of TLS")
}

async fn assert_answers(io: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    io.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .await
        .expect("the bytes are sent");
    let mut said = Vec::new();
    io.read_to_end(&mut said).await.expect("an orderly end");
    assert!(said.starts_with(b"HTTP/1.1 "), "{}", said.escape_ascii());
}

/// The outcome of a client that trusts the authority and connects to a server with this certificate.
async fn handshake(authority: &Authority, leaf: &Leaf) -> Result<(), Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let server = listener.local_addr().expect("an address");
    let acceptor = TlsAcceptor::from(leaf.server_config());
    let accepting = async {
        let (io, _) = listener.accept().await.expect("a connection");
        let _ = acceptor.accept(io).await;
    };
    let pem = authority.pem();
    let (client, ()) = tokio::join!(connect(&pem, &[], server, "localhost"), accepting);
    match client {
        Ok(_) => Ok(()),
        refused => Err(error(refused)),
    }
}
