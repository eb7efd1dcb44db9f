//! TLS to targets at https URLs: whom a run trusts, and what it says of a handshake that fails.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::{Host, Url};

use crate::exchange::Broken;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
const ALPN: &[u8] = b"http/1.1";

/// The authorities that a run trusts: this machine's own, and those of a file. Nothing is read before the first
/// handshake but that file.
#[derive(Clone, Debug, Default)]
pub struct Trust(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    file: Option<PathBuf>,
    added: Vec<CertificateDer<'static>>,
    config: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl Trust {
    /// This machine's authorities, and those whose certificates (PEM) are in the file. An error names the file.
    pub fn with_file(path: &Path) -> Result<Trust, String> {
        let wrong = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let text = std::fs::read(path).map_err(|e| wrong(&e))?;
        let added: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
        let added = added.map_err(|e| wrong(&e))?;
        if added.is_empty() {
            return Err(wrong(&"no certificate (PEM) is in it"));
        }
        let mut roots = RootCertStore::empty();
        for certificate in &added {
            roots.add(certificate.clone()).map_err(|e| wrong(&e))?;
        }
        Ok(Trust(Arc::new(Inner { file: Some(path.to_owned()), added, config: OnceLock::new() })))
    }

    /// The file, where there is one.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Makes a handshake with the server of `url` over `io`. An error names the URL and the reason.
    pub async fn handshake<S>(&self, url: &Url, io: S) -> Result<TlsStream<S>, Broken>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        self.handshake_within(HANDSHAKE, url, io).await
    }

    async fn handshake_within<S>(&self, limit: Duration, url: &Url, io: S) -> Result<TlsStream<S>, Broken>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let failed = |why: String| Broken::Tls(format!("{}: {why}", url.as_str().trim_end_matches('/')));
        let config = self.0.config.get_or_init(|| config(&self.0.added)).clone().map_err(Broken::Harness)?;
        let name = server_name(url).ok_or_else(|| failed("the URL names no host".to_owned()))?;
        let connecting = TlsConnector::from(config).connect(name, io);
        match tokio::time::timeout(limit, connecting).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(e)) => Err(failed(reason(&e))),
            Err(_) => Err(failed(format!("no complete handshake within {} ms", limit.as_millis()))),
        }
    }
}

/// The certificate that the server of a connection has shown, DER.
pub fn certificate<S>(stream: &TlsStream<S>) -> &[u8] {
    let (_, connection) = stream.get_ref();
    // A handshake that is done has seen one.
    connection.peer_certificates().and_then(<[_]>::first).map_or(&[], |certificate| certificate.as_ref())
}

fn config(added: &[CertificateDer<'static>]) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    // What of the machine's cannot be read is missed where it is needed: the server's authority is then unknown.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots.add_parsable_certificates(added.iter().cloned());
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN.to_vec()];
    // Every connection looks at the certificate of its moment.
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

fn server_name(url: &Url) -> Option<ServerName<'static>> {
    match url.host()? {
        Host::Domain(name) => ServerName::try_from(name.to_owned()).ok(),
        Host::Ipv4(address) => Some(ServerName::IpAddress(address.into())),
        Host::Ipv6(address) => Some(ServerName::IpAddress(address.into())),
    }
}

/// Why a handshake failed, in words that help.
fn reason(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(certificate)) => match certificate {
            CertificateError::UnknownIssuer => {
                "the certificate's authority is unknown; a file with its certificate can be named (ca_file)"
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
            other => format!("the certificate is not good: {other}"),
        },
        Some(Error::InvalidMessage(_)) => "no TLS is spoken there".to_owned(),
        Some(Error::AlertReceived(alert)) => format!("the server ended the handshake: {alert:?}"),
        Some(other) => other.to_string(),
        None if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "the connection ended in the middle of the handshake".to_owned()
        }
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_says_nothing_is_not_waited_for() {
        let (ours, _theirs) = tokio::io::duplex(4096);
        let url = Url::parse("https://127.0.0.1:1/").expect("a URL");
        let limit = Duration::from_millis(20);
        let silent = Trust::default().handshake_within(limit, &url, ours).await.expect_err("a limit");
        let words = "https://127.0.0.1:1: no complete handshake within 20 ms";
        assert_eq!(silent, Broken::Tls(words.to_owned()));
    }

    #[tokio::test]
    async fn a_connection_that_ends_is_told_as_such() {
        let (ours, theirs) = tokio::io::duplex(4096);
        drop(theirs);
        let url = Url::parse("https://a.example").expect("a URL");
        let ended = Trust::default().handshake(&url, ours).await.expect_err("an end");
        assert!(ended.to_string().starts_with("no TLS connection: https://a.example: "), "{ended}");
    }
}
