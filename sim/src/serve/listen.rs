//! Listeners: connections to a world's sites, over TLS for HTTPS sites, and sites that move when they boot.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::{Berth, Handle, Inner, SiteService, boot_of, connection};
use crate::exchange::Site;

/// The timeout of a handshake.
const HANDSHAKE: std::time::Duration = std::time::Duration::from_secs(10);
/// How long accepting pauses after a failed accept.
const FULL: std::time::Duration = std::time::Duration::from_millis(50);

impl Handle {
    /// Serves HTTP on one connection to a site, made in its `boot` (if it boots), until the connection closes or the
    /// site boots again.
    pub async fn connection<I>(&self, io: I, site: Site, peer: IpAddr, boot: u64)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = SiteService { boot: Some(boot), ..self.site(site, peer) };
        let mut boots = self.shared.boots.subscribe();
        // The sites that boot are the same in every world.
        if boots.borrow().iter().all(|(booting, _)| *booting != site) {
            return self.around(io, service).await;
        }
        tokio::select! {
            () = self.around(io, service) => {}
            // The sender lives in `self`, so the channel cannot close.
            _ = boots.wait_for(|boots| boot_of(boots, site) != boot) => {}
        }
    }

    /// Serves a connection, with what is around the service.
    async fn around<I>(&self, io: I, service: SiteService)
    where
        I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Some(cors) = self.manner.cors.clone() else { return connection(io, service).await };
        let around = tower::service_fn(move |request| cors.clone().serve(service.clone(), request));
        Box::pin(connection(io, around)).await;
    }

    /// Listens for a site at `address`, over TLS if it uses HTTPS. A site that boots moves to another port of the
    /// same address after each boot, and its URL in the world is updated.
    pub async fn open(&self, site: Site, address: SocketAddr) -> std::io::Result<Listener> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let mut inner = self.lock();
        let boots = inner.world.boots();
        let accepting = Arc::new(Accepting::new(self.accept(listener, site, boot_of(&boots, site))));
        if boots.iter().any(|(booting, _)| *booting == site) {
            let berth = Berth {
                site,
                ip: address.ip(),
                manner: self.manner.clone(),
                accepting: Arc::downgrade(&accepting),
            };
            inner.berths.push(berth);
        }
        Ok(Listener { address, _accepting: accepting })
    }

    /// The base URL of a site that listens at an address.
    pub fn base_url(&self, site: Site, address: SocketAddr) -> String {
        let scheme = if self.speaks_tls(site) { "https" } else { "http" };
        format!("{scheme}://{address}")
    }

    fn speaks_tls(&self, site: Site) -> bool {
        site.tls || self.manner.secure
    }

    /// Accepts connections to a site in its `boot`.
    fn accept(&self, listener: TcpListener, site: Site, boot: u64) -> JoinHandle<()> {
        let handle = self.clone();
        let tls = self.speaks_tls(site).then(|| TlsAcceptor::from(self.shown().config(site.name, boot)));
        accept(listener, move |io, peer| {
            let (handle, tls) = (handle.clone(), tls.clone());
            async move {
                let Some(tls) = tls else { return handle.connection(io, site, peer, boot).await };
                if let Some(io) = handshake(tls, io, HANDSHAKE).await {
                    handle.connection(io, site, peer, boot).await;
                }
            }
        })
    }

    /// Moves sites that have booted to new ports, before anyone is notified of the boot.
    pub(super) fn follow_boots(&self, inner: &mut Inner) {
        let boots = inner.world.boots();
        if boots == inner.boots {
            return;
        }
        inner.berths.retain(|berth| berth.accepting.strong_count() > 0);
        for berth in &inner.berths {
            let boot = boot_of(&boots, berth.site);
            if boot == boot_of(&inner.boots, berth.site) {
                continue;
            }
            let moved = self.moor(berth, boot);
            let Some(accepting) = berth.accepting.upgrade() else { continue };
            if let Ok((task, url)) = moved {
                accepting.replace(task);
                inner.site_urls.insert(berth.site.name, url);
            } else {
                // Without a port the site is unreachable until its next boot.
                accepting.stop();
                inner.site_urls.remove(berth.site.name);
            }
        }
        inner.boots = boots;
        inner.set_site_urls();
    }

    /// Listens for a site that has booted, on any port; returns the task and the base URL.
    fn moor(&self, berth: &Berth, boot: u64) -> std::io::Result<(JoinHandle<()>, String)> {
        let listener = std::net::TcpListener::bind((berth.ip, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let handle = Handle { manner: berth.manner.clone(), ..self.clone() };
        let url = handle.base_url(berth.site, listener.local_addr()?);
        Ok((handle.accept(listener, berth.site, boot), url))
    }
}

/// The TLS stream, if the handshake succeeds in time. A failed handshake does not affect other connections.
async fn handshake<I>(tls: TlsAcceptor, io: I, limit: std::time::Duration) -> Option<TlsStream<I>>
where
    I: AsyncRead + AsyncWrite + Unpin,
{
    tokio::time::timeout(limit, tls.accept(io)).await.ok()?.ok()
}

/// A listener that serves until it is dropped.
pub struct Listener {
    /// The address it got. A site that has booted since listens elsewhere.
    pub address: SocketAddr,
    _accepting: Arc<Accepting>,
}

/// The task that accepts connections.
pub(super) struct Accepting(Mutex<JoinHandle<()>>);

impl Accepting {
    fn new(task: JoinHandle<()>) -> Accepting {
        Accepting(Mutex::new(task))
    }

    /// Replaces the accepting task.
    fn replace(&self, task: JoinHandle<()>) {
        let mut accepting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *accepting, task).abort();
    }

    fn stop(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).abort();
    }
}

impl Drop for Accepting {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Listens at `address` and serves each connection with the result of `service` for the client's address.
pub async fn listen<S, B>(
    address: SocketAddr,
    service: impl Fn(IpAddr) -> S + Send + 'static,
) -> std::io::Result<Listener>
where
    S: tower::Service<Request<hyper::body::Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    listen_on(TcpListener::bind(address).await?, service)
}

/// The same at an address that is bound already.
pub fn listen_on<S, B>(
    listener: TcpListener,
    service: impl Fn(IpAddr) -> S + Send + 'static,
) -> std::io::Result<Listener>
where
    S: tower::Service<Request<hyper::body::Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let address = listener.local_addr()?;
    let task = accept(listener, move |io, peer| connection(io, service(peer)));
    Ok(Listener { address, _accepting: Arc::new(Accepting::new(task)) })
}

/// Serves all connections concurrently.
#[expect(
    clippy::disallowed_methods,
    reason = "the number of open files belongs to this machine, not to a world"
)]
fn accept<F>(listener: TcpListener, serve: impl Fn(TcpStream, IpAddr) -> F + Send + 'static) -> JoinHandle<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    tokio::spawn(async move {
        loop {
            let Ok((io, peer)) = listener.accept().await else {
                // Other connections are not affected; if too many files are open, some will close soon.
                tokio::time::sleep(FULL).await;
                continue;
            };
            let _ = io.set_nodelay(true);
            tokio::spawn(serve(io, peer.ip().to_canonical()));
        }
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::rng::Rng;
    use crate::tls::Authority;

    #[tokio::test]
    async fn handshake_times_out() {
        let leaf = Authority::new(Rng::new(1)).leaf("site", 0);
        let (mut ours, theirs) = tokio::io::duplex(1024);
        ours.write_all(&[0x16, 3, 1, 2, 0, 1]).await.expect("the socket buffer has space");
        let limit = std::time::Duration::from_millis(20);
        assert!(handshake(leaf.server_config().into(), theirs, limit).await.is_none());
        assert_eq!(ours.read(&mut [0; 1]).await.expect("an end"), 0, "the connection has ended");
    }
}
