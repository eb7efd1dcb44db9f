//! An impostor between client and enclave, who presents another certificate.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use assay_sim::Site;
use assay_sim::serve::{Handle, IN_MEMORY};
use assay_sim::tls::YEARS;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A listener that ends when it is dropped.
pub(super) struct Opened {
    /// The base URL.
    pub(super) url: String,
    _accepting: JoinSet<()>,
}

/// Serves a site. The first connection presents its certificate; every later one presents another, signed by the same
/// authority and valid for the same hosts. Requests over those have the address `impostor`.
pub(super) async fn open(handle: Handle, site: Site, impostor: IpAddr) -> std::io::Result<Opened> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    let url = format!("https://{}", listener.local_addr()?);
    let boots = handle.read(assay_sim::World::boots);
    let boot = boots.iter().find(|(booting, _)| *booting == site).map_or(0, |(_, boot)| *boot);
    let hosts = ["127.0.0.1", "localhost"].map(str::to_owned);
    let own = TlsAcceptor::from(handle.authority().leaf(site.name, boot).server_config());
    let other = TlsAcceptor::from(handle.authority().issue("impostor", &hosts, YEARS).server_config());
    let mut accepting = JoinSet::new();
    accepting.spawn(async move {
        let mut first = true;
        loop {
            // A connection that could not be accepted does not affect others.
            let Ok((io, _)) = listener.accept().await else { continue };
            let _ = io.set_nodelay(true);
            let (tls, peer) = if first { (own.clone(), IN_MEMORY) } else { (other.clone(), impostor) };
            first = false;
            let handle = handle.clone();
            tokio::spawn(async move {
                if let Ok(io) = tls.accept(io).await {
                    handle.connection(io, site, peer, boot).await;
                }
            });
        }
    });
    Ok(Opened { url, _accepting: accepting })
}
