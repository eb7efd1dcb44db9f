//! How a server is reached: a connection, and what makes one.

use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::LazyLock;

use tokio::io::{AsyncRead, AsyncWrite};
use url::{Host, Position, Url};

use super::exchange::Broken;
use super::keep::Kept;
use super::sockets::Via;
use super::transport::{Http, Protocol, Transport};

/// A connection of any kind.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A future of a stream.
pub type Connecting<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn Stream>, Broken>> + Send + 'a>>;
/// A future of a connection.
pub type Dialing<'a> = Pin<Box<dyn Future<Output = Result<Connection, Broken>> + Send + 'a>>;

/// Where a connection goes.
#[derive(Clone, Copy, Debug)]
pub struct Dial<'a> {
    /// The base URL.
    pub base: &'a str,
    /// The source address, if given.
    pub source: Option<IpAddr>,
    /// The profile names this server (not a response): connecting is retried, and the client certificate may be sent.
    pub own: bool,
    /// The connection serves one request.
    pub alone: bool,
}

impl Dial<'_> {
    /// To a server that the profile or the user names, for one request.
    pub const fn to(base: &str) -> Dial<'_> {
        Dial { base, source: None, own: true, alone: true }
    }
}

/// A connection, and how requests are written to it.
pub struct Connection {
    /// The bytes.
    pub stream: Box<dyn Stream>,
    /// Its protocol.
    pub protocol: Protocol,
    /// The number of connection retries.
    pub again: u32,
    /// The proxy at the other end, if there is one.
    pub via: Option<Via>,
    /// Where it goes after its request. `None`: it ends.
    pub kept: Option<Kept>,
}

/// How base URLs are reached.
pub trait Connect: Send + Sync {
    /// Connects to the server of `base` for HTTP/1.1, from the address `source` if given; through a proxy by a tunnel.
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a>;

    /// Connects for requests over `http`.
    fn dial<'a>(&'a self, to: Dial<'a>, _http: Http) -> Dialing<'a> {
        Box::pin(async move {
            let stream = self.connect(to.base, to.source).await?;
            Ok(Connection { stream, protocol: Protocol::One, again: 0, via: None, kept: None })
        })
    }

    /// Whether the servers are outside this process, so that they may stop answering.
    fn is_remote(&self) -> bool {
        false
    }

    /// Whether several requests may go over one connection.
    fn keeps(&self) -> bool {
        true
    }

    /// How requests go out.
    fn transport(&self) -> &Transport {
        static USUAL: LazyLock<Transport> = LazyLock::new(Transport::default);
        &USUAL
    }
}

/// Host and port as the `Host` header names them.
pub(crate) fn host(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

/// The path of a base URL, without a slash at its end.
pub(crate) fn path_of(base: &str) -> Option<String> {
    // Most have none.
    match base.split_once("://") {
        Some((_, host)) if !host.contains(['/', '\\', '?', '#']) => Some(String::new()),
        _ => Url::parse(base).ok().map(|url| url.path().trim_end_matches('/').to_owned()),
    }
}

/// Whether a URL names a loopback, link-local or private address, or `localhost`. Other names are not resolved.
pub fn is_near(url: &str) -> bool {
    let is_near_v4 = |ip: Ipv4Addr| ip.is_loopback() || ip.is_private() || ip.is_link_local();
    match Url::parse(url).ok().as_ref().and_then(Url::host) {
        Some(Host::Ipv4(ip)) => is_near_v4(ip),
        Some(Host::Ipv6(ip)) => match ip.to_ipv4_mapped() {
            Some(ip) => is_near_v4(ip),
            None => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        },
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
    }
}

/// Whether two URLs have the same origin: scheme, host and port.
pub(crate) fn is_same_origin(one: &str, other: &str) -> bool {
    let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin());
    origin(one).is_some_and(|one| one.is_tuple() && Some(one) == origin(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_private_addresses_are_near() {
        let near = [
            "http://127.0.0.1:4101",
            "https://127.9.9.9",
            "http://localhost/a",
            "http://a.localhost.:80",
            "http://10.1.2.3",
            "http://172.16.0.1",
            "http://172.31.255.255",
            "http://192.168.1.1:8080/x",
            "http://169.254.1.1",
            "http://[::1]:1",
            "http://[fd00::1]",
            "http://[fe80::1]",
            "http://[::ffff:10.0.0.1]",
        ];
        let far = [
            "https://services.example",
            "http://172.32.0.1",
            "http://172.15.0.1",
            "http://11.0.0.1",
            "http://192.169.0.1",
            "http://[2001:db8::1]",
            "http://[::ffff:1.1.1.1]",
            "http://localhost.example",
            "http://mylocalhost",
            "localhost",
        ];
        for (urls, wanted) in [(&near[..], true), (&far[..], false)] {
            for url in urls {
                assert_eq!(is_near(url), wanted, "{url}");
            }
        }
    }
}
