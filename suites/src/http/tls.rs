//! TLS to targets at https URLs: trusted authorities, and reasons for failed handshakes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::{Host, Url};

use crate::http::exchange::Broken;
use crate::http::transport::{Http, Protocol};
use crate::support::files;

/// The handshake timeout.
pub const HANDSHAKE: Duration = Duration::from_secs(10);
/// The start of the reason if a handshake was not complete in time.
pub(crate) const NO_HANDSHAKE: &str = "no complete handshake within";
const ALPN_ONE: &[u8] = b"http/1.1";
const ALPN_TWO: &[u8] = b"h2";

/// The trusted authorities: those of this machine and those of a file. This machine's are read at the first handshake.
#[derive(Clone, Debug, Default)]
pub struct Trust(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    file: Option<PathBuf>,
    added: Vec<CertificateDer<'static>>,
    identity: Option<Identity>,
    config: OnceLock<Result<ClientConfig, String>>,
    anonymous: OnceLock<Result<ClientConfig, String>>,
}

/// A client certificate with its chain, and its key.
#[derive(Clone)]
pub struct Identity(Arc<CertifiedKey>);

/// How a handshake is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The offered protocols.
    pub http: Http,
    /// The client sends its certificate, if it has one and the server asks for it.
    pub shows_identity: bool,
}

impl Identity {
    /// The certificate with its chain (PEM) from a file, and its key (PEM), which came from `key_place`. An error names
    /// the place and no part of the key.
    pub fn read(path: &Path, key: &str, key_place: &str) -> Result<Identity, String> {
        let wrong = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let text = certificates(path)?;
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let chain = chain.map_err(|e| wrong(&e))?;
        if chain.is_empty() {
            return Err(wrong(&"no certificate (PEM) found"));
        }
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|e| match e {
            pem::Error::NoItemsFound => format!("{key_place}: no private key (PEM) found"),
            _ => format!("{key_place}: the private key (PEM) cannot be read"),
        })?;
        let certified = CertifiedKey::from_der(chain, key, &ring::default_provider());
        certified.map(|key| Identity(Arc::new(key))).map_err(|e| match e {
            Error::InconsistentKeys(_) => {
                wrong(&format!("the key in {key_place} does not belong to this certificate"))
            }
            Error::InvalidCertificate(why) => wrong(&format!("the certificate is invalid: {why}")),
            _ => format!("{key_place}: this kind of private key is not supported"),
        })
    }
}

/// Debug output contains no secret.
impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

fn certificates(path: &Path) -> Result<Vec<u8>, String> {
    files::read_limited(path, "a file of certificates", files::CERTIFICATE_BYTES).map_err(|e| e.to_string())
}

impl Trust {
    /// The same trust, with this client certificate.
    #[must_use]
    pub fn with_identity(&self, identity: Identity) -> Trust {
        let Inner { file, added, .. } = &*self.0;
        let (file, added) = (file.clone(), added.clone());
        Trust(Arc::new(Inner { file, added, identity: Some(identity), ..Inner::default() }))
    }

    /// Trusts this machine's authorities and those in the file (PEM). An error names the file.
    pub fn with_file(path: &Path) -> Result<Trust, String> {
        let wrong = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let text = certificates(path)?;
        let added: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let added = added.map_err(|e| wrong(&e))?;
        if added.is_empty() {
            return Err(wrong(&"no certificate (PEM) found"));
        }
        let mut roots = RootCertStore::empty();
        for certificate in &added {
            roots.add(certificate.clone()).map_err(|e| wrong(&e))?;
        }
        Ok(Trust(Arc::new(Inner { file: Some(path.to_owned()), added, ..Inner::default() })))
    }

    /// The file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Whether there is a client certificate.
    pub fn has_identity(&self) -> bool {
        self.0.identity.is_some()
    }

    /// Makes a handshake with the server of `url` over `io`. An error names the URL and the reason.
    pub async fn handshake<S>(&self, url: &Url, io: S, manner: Manner) -> Result<TlsStream<S>, Broken>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.handshake_within(HANDSHAKE, url, io, manner).await
    }

    /// As [`Trust::handshake`], with another timeout.
    pub async fn handshake_within<S>(
        &self,
        limit: Duration,
        url: &Url,
        io: S,
        manner: Manner,
    ) -> Result<TlsStream<S>, Broken>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let failed = |why: String| Broken::Tls(format!("{}: {why}", url.as_str().trim_end_matches('/')));
        let identity = self.0.identity.as_ref().filter(|_| manner.shows_identity);
        let made = if identity.is_some() { &self.0.config } else { &self.0.anonymous };
        let made = made.get_or_init(|| config(&self.0.added, identity));
        let mut config = made.clone().map_err(Broken::Harness)?;
        config.alpn_protocols = match manner.http {
            Http::One => vec![ALPN_ONE.to_vec()],
            Http::Two => vec![ALPN_TWO.to_vec()],
            Http::Auto => vec![ALPN_TWO.to_vec(), ALPN_ONE.to_vec()],
        };
        let name = server_name(url).ok_or_else(|| failed("the URL has no host".to_owned()))?;
        let connecting = TlsConnector::from(Arc::new(config)).connect(name, io);
        match tokio::time::timeout(limit, connecting).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(e)) => Err(failed(reason(&e))),
            Err(_) => Err(failed(format!("{NO_HANDSHAKE} {} ms", limit.as_millis()))),
        }
    }
}

/// The negotiated protocol of a connection.
pub fn protocol<S>(stream: &TlsStream<S>) -> Protocol {
    let (_, connection) = stream.get_ref();
    if connection.alpn_protocol() == Some(ALPN_TWO) { Protocol::Two } else { Protocol::One }
}

/// The server's certificate, DER.
pub fn certificate<S>(stream: &TlsStream<S>) -> &[u8] {
    let (_, connection) = stream.get_ref();
    // After a handshake there is always one.
    connection.peer_certificates().and_then(<[_]>::first).map_or(&[], |certificate| certificate.as_ref())
}

fn config(added: &[CertificateDer<'static>], identity: Option<&Identity>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    // An unreadable authority of this machine shows up later as an unknown authority.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots.add_parsable_certificates(added.iter().cloned());
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_root_certificates(roots);
    let mut config = match identity {
        Some(Identity(key)) => {
            config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(key.clone())))
        }
        None => config.with_no_client_auth(),
    };
    // Every connection verifies the server's current certificate.
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn server_name(url: &Url) -> Option<ServerName<'static>> {
    match url.host()? {
        Host::Domain(name) => ServerName::try_from(name.to_owned()).ok(),
        Host::Ipv4(address) => Some(ServerName::IpAddress(address.into())),
        Host::Ipv6(address) => Some(ServerName::IpAddress(address.into())),
    }
}

/// Why a handshake failed.
fn reason(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(certificate)) => match certificate {
            CertificateError::UnknownIssuer => {
                "the certificate's authority is unknown; set ca_file to a file with its certificate"
                    .to_owned()
            }
            CertificateError::NotValidForName => "the certificate is for another name".to_owned(),
            CertificateError::NotValidForNameContext { presented, .. } => {
                format!("the certificate is for another name: {}", presented.join(", "))
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the certificate has expired".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the certificate is not valid yet".to_owned()
            }
            other => format!("the certificate is invalid: {other}"),
        },
        Some(Error::InvalidMessage(_)) => "the server does not speak TLS".to_owned(),
        Some(Error::AlertReceived(alert)) => format!("the server ended the handshake: {alert:?}"),
        Some(other) => other.to_string(),
        None if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "the connection ended during the handshake".to_owned()
        }
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_silent_server_hits_the_handshake_timeout() {
        let (ours, _theirs) = tokio::io::duplex(4096);
        let url = Url::parse("https://127.0.0.1:1/").expect("a URL");
        let limit = Duration::from_millis(20);
        let silent = Trust::default()
            .handshake_within(limit, &url, ours, Manner::default())
            .await
            .expect_err("a limit");
        let words = "https://127.0.0.1:1: no complete handshake within 20 ms";
        assert_eq!(silent, Broken::Tls(words.to_owned()));
    }

    #[tokio::test]
    async fn an_ended_connection_is_reported() {
        let (ours, theirs) = tokio::io::duplex(4096);
        drop(theirs);
        let url = Url::parse("https://a.example").expect("a URL");
        let ended = Trust::default().handshake(&url, ours, Manner::default()).await.expect_err("an end");
        assert!(ended.to_string().starts_with("no TLS connection: https://a.example: "), "{ended}");
    }
}
