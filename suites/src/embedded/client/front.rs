//! A listener of the suite's own in front of a site, so that a world can have a wire that alters, delays or loses answers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use assay_sim::{Site, world};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A listener that ends when it is dropped.
pub(super) struct Front {
    /// The base URL.
    pub(super) url: String,
    _accepting: JoinSet<()>,
}

/// Listens on loopback, and passes on each connection, the address of its client, and how many there were before it.
pub(super) async fn open(
    scheme: &str,
    serve: impl Fn(TcpStream, IpAddr, usize) + Send + 'static,
) -> Result<Front, String> {
    let failed = |e: std::io::Error| format!("cannot listen: {e}");
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.map_err(failed)?;
    let url = format!("{scheme}://{}", listener.local_addr().map_err(failed)?);
    let mut accepting = JoinSet::new();
    accepting.spawn(async move {
        let mut before = 0;
        loop {
            // A connection that could not be accepted does not affect others.
            let Ok((io, peer)) = listener.accept().await else { continue };
            let _ = io.set_nodelay(true);
            serve(io, peer.ip(), before);
            before += 1;
        }
    });
    Ok(Front { url, _accepting: accepting })
}

/// The site of this name.
pub(super) fn site(name: &str) -> Result<Site, String> {
    world::sites()
        .into_iter()
        .find(|site| site.name == name)
        .ok_or_else(|| format!("no site is named {name}"))
}
