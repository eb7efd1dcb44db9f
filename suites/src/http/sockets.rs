//! Sockets to targets: TCP, a proxy if the environment names one, and TLS for https URLs.

use std::io::{Error, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::net::{TcpSocket, TcpStream, lookup_host};
use url::{Host, Url};

use super::connect::{Connect, Connecting, Connection, Dial, Dialing, Stream, host};
use crate::http::exchange::{Broken, Request};
use crate::http::proxy::{Proxies, Proxy};
use crate::http::tls::{HANDSHAKE, Manner, Trust, protocol};
use crate::http::transport::{Http, Protocol, Transport};

/// Connect timeout for each address of a host.
const CONNECT: Duration = Duration::from_secs(10);
/// The number of addresses that are tried.
const ADDRESSES: usize = 8;
/// The pauses between attempts.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];

/// How often and how long connecting is tried.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    each: Duration,
    tries: usize,
    after_timeout: bool,
}

/// For the first connection to a target.
pub(crate) const FIRST: Patience = Patience { each: Duration::from_secs(3), tries: 3, after_timeout: false };
/// For a target that responded before.
const LATER: Patience = Patience { each: CONNECT, tries: 3, after_timeout: true };
/// For servers that only a response named.
const ONCE: Patience = Patience { each: CONNECT, tries: 1, after_timeout: false };

/// TCP, with TLS for https URLs; trusts the authorities of this machine.
#[derive(Debug)]
pub struct Tcp;

impl Tcp {
    /// Shared, so that the machine's authorities are read once.
    fn sockets() -> &'static Sockets {
        static MACHINE: OnceLock<Sockets> = OnceLock::new();
        MACHINE.get_or_init(Sockets::default)
    }
}

impl Connect for Tcp {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        Tcp::sockets().connect(base, source)
    }

    fn dial<'a>(&'a self, to: Dial<'a>, http: Http) -> Dialing<'a> {
        Tcp::sockets().dial(to, http)
    }
}

/// TCP, with TLS for https URLs; trusts the given authorities.
#[derive(Clone, Debug, Default)]
pub struct Sockets {
    /// The trusted authorities.
    pub trust: Trust,
    /// The proxies.
    pub proxies: Proxies,
    /// How requests go out.
    pub transport: Arc<Transport>,
}

impl Connect for Sockets {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        Box::pin(async move {
            let to = Dial { source, ..Dial::to(base) };
            Ok(self.linked(to, Http::One, ONCE, true).await?.stream)
        })
    }

    fn dial<'a>(&'a self, to: Dial<'a>, http: Http) -> Dialing<'a> {
        Box::pin(async move {
            let is_worth = to.own && self.transport.is_worth_trying(to.base);
            self.dial_within(to, http, if is_worth { LATER } else { ONCE }).await
        })
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn transport(&self) -> &Transport {
        &self.transport
    }
}

/// The start of the reason if a connection was not made in time.
pub(crate) const NO_CONNECTION: &str = "no connection within";

/// A proxy that forwards requests to plain HTTP servers.
#[derive(Debug)]
pub struct Via {
    /// Scheme, host and port of the server.
    origin: String,
    proxy: Proxy,
}

impl Via {
    /// The request in proxy form: its target is an absolute URL.
    #[must_use]
    pub fn write(&self, request: &Request) -> Request {
        let Via { origin, proxy } = self;
        let request = Request { target: format!("{origin}{}", request.target), ..request.clone() };
        match proxy.authorization() {
            Some(value) => request.header("Proxy-Authorization", value),
            None => request,
        }
    }
}

impl Sockets {
    pub(crate) async fn dial_within(
        &self,
        to: Dial<'_>,
        http: Http,
        patience: Patience,
    ) -> Result<Connection, Broken> {
        self.linked(to, http, patience, false).await
    }

    /// A connection to the server of a base URL, or to its proxy.
    async fn linked(
        &self,
        to: Dial<'_>,
        http: Http,
        patience: Patience,
        tunnels: bool,
    ) -> Result<Connection, Broken> {
        let Dial { base, source, own, .. } = to;
        let unreachable = |why: String| Broken::Unreachable(format!("{base}: {why}"));
        let url = Url::parse(base).map_err(|e| unreachable(e.to_string()))?;
        let is_secure = url.scheme() == "https";
        let proxy = self.proxies.for_url(&url).map_err(unreachable)?;
        let (stream, again): (Box<dyn Stream>, u32) = match &proxy {
            None => {
                let (stream, again) = self.reached(to, &url, source, patience).await.map_err(unreachable)?;
                (Box::new(stream), again)
            }
            Some(proxy) => {
                let failed = |why: String| unreachable(format!("{proxy}: {why}"));
                let (stream, again) = self.reached(to, &proxy.url, None, patience).await.map_err(failed)?;
                if proxy.url.scheme() == "https" {
                    let secured = self.trust.handshake(&proxy.url, stream, Manner::default()).await?;
                    (Box::new(secured), again)
                } else {
                    (Box::new(stream), again)
                }
            }
        };
        let mut stream = stream;
        let mut via = None;
        match proxy {
            // A proxy cannot forward HTTP/2 without TLS.
            Some(proxy) if is_secure || tunnels || http == Http::Two => {
                proxy.tunnel(&mut stream, &url).await.map_err(unreachable)?;
            }
            Some(proxy) => via = Some(Via { origin: format!("http://{}", host(&url)), proxy }),
            None => {}
        }
        if !is_secure {
            let protocol = if http == Http::Two { Protocol::Two } else { Protocol::One };
            return Ok(Connection { stream, protocol, again, via, kept: None });
        }
        let manner = Manner { http, shows_identity: own };
        let limit = HANDSHAKE.min(self.transport.min_timeout);
        let stream = self.trust.handshake_within(limit, &url, stream, manner).await?;
        let protocol = protocol(&stream);
        if (http, protocol) == (Http::Two, Protocol::One) {
            let why = "the server did not select HTTP/2, the only protocol offered";
            return Err(Broken::Tls(format!("{}: {why}", base.trim_end_matches('/'))));
        }
        Ok(Connection { stream: Box::new(stream), protocol, again, via, kept: None })
    }

    /// A connection to the host of a URL, and the number of retries. Nothing has been sent over it.
    async fn reached(
        &self,
        to: Dial<'_>,
        url: &Url,
        source: Option<IpAddr>,
        patience: Patience,
    ) -> Result<(TcpStream, u32), String> {
        let mut again = 0;
        loop {
            let tried = dial(url, source, patience.each).await;
            let may_help = |e: &Error| match e.kind() {
                ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => true,
                ErrorKind::TimedOut => patience.after_timeout,
                _ => false,
            };
            let is_next = tried.as_ref().is_err_and(|failed| may_help(&failed.why));
            let pause = PAUSES.get(again).filter(|_| is_next && again + 1 < patience.tries);
            if let Some(pause) = pause {
                tokio::time::sleep(*pause).await;
                again += 1;
                continue;
            }
            self.transport.tried(to.base, tried.is_ok(), again as u32);
            let tries = if again > 0 { format!(", on attempt {}", again + 1) } else { String::new() };
            return tried.map(|stream| (stream, again as u32)).map_err(|failed| format!("{failed}{tries}"));
        }
    }
}

/// A connection to the host of `base`, from the address `source` if given, and the parsed URL; through a proxy by a
/// tunnel.
pub async fn open(base: &str, source: Option<IpAddr>) -> Result<(Url, TcpStream), Broken> {
    let unreachable = |why: String| Broken::Unreachable(format!("{base}: {why}"));
    let url = Url::parse(base).map_err(|e| unreachable(e.to_string()))?;
    let Some(proxy) = Proxies::default().for_url(&url).map_err(unreachable)? else {
        let stream = dial(&url, source, CONNECT).await.map_err(|failed| unreachable(failed.to_string()))?;
        return Ok((url, stream));
    };
    if proxy.url.scheme() == "https" {
        return Err(unreachable(format!("{proxy} uses TLS, which is not supported here")));
    }
    let connected = dial(&proxy.url, None, CONNECT).await;
    let mut stream = connected.map_err(|failed| unreachable(format!("{proxy}: {failed}")))?;
    proxy.tunnel(&mut stream, &url).await.map_err(unreachable)?;
    Ok((url, stream))
}

/// Why there is no connection: the address and the system's error.
#[derive(Debug, thiserror::Error)]
#[error("{place}{why}")]
struct Failed {
    place: String,
    why: Error,
}

/// Connects to the first reachable address of the URL's host, in the resolver's order; each has its own timeout.
async fn dial(url: &Url, source: Option<IpAddr>, each: Duration) -> Result<TcpStream, Failed> {
    let nowhere = |why: Error| Failed { place: String::new(), why };
    let port = url.port_or_known_default().unwrap_or_default();
    let addresses: Vec<SocketAddr> = match url.host() {
        Some(Host::Ipv4(address)) => vec![(address, port).into()],
        Some(Host::Ipv6(address)) => vec![(address, port).into()],
        Some(Host::Domain(name)) => {
            let late = |_| Error::other(format!("host name not resolved within {} s", each.as_secs()));
            let found = tokio::time::timeout(each, lookup_host((name, port))).await.map_err(late);
            found.and_then(|found| found).map_err(nowhere)?.take(ADDRESSES).collect()
        }
        None => Vec::new(),
    };
    let mut last = nowhere(Error::other("the host name has no address"));
    for address in addresses {
        let late = |_| Error::new(ErrorKind::TimedOut, format!("{NO_CONNECTION} {} s", each.as_secs()));
        match tokio::time::timeout(each, connect(address, source)).await.map_err(late).and_then(|done| done) {
            Ok(stream) => return Ok(stream),
            Err(why) => last = Failed { place: format!("{address}: "), why },
        }
    }
    Err(last)
}

async fn connect(address: SocketAddr, source: Option<IpAddr>) -> std::io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
