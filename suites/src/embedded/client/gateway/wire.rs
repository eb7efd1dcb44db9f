//! An impostor between client and enclave, who presents another certificate.

use std::net::IpAddr;

use assay_sim::Site;
use assay_sim::serve::{Handle, IN_MEMORY};
use assay_sim::tls::YEARS;
use tokio_rustls::TlsAcceptor;

use super::super::front::{self, Front};

/// Serves a site. The first connection presents its certificate; every later one presents another, signed by the same
/// authority and valid for the same hosts. Requests over those have the address `impostor`.
pub(super) async fn open(handle: Handle, site: Site, impostor: IpAddr) -> Result<Front, String> {
    let boots = handle.read(assay_sim::World::boots);
    let boot = boots.iter().find(|(booting, _)| *booting == site).map_or(0, |(_, boot)| *boot);
    let hosts = ["127.0.0.1", "localhost"].map(str::to_owned);
    let own = TlsAcceptor::from(handle.authority().leaf(site.name, boot).server_config());
    let other = TlsAcceptor::from(handle.authority().issue("impostor", &hosts, YEARS).server_config());
    let serve = move |io, _, before| {
        let (tls, peer) = if before == 0 { (own.clone(), IN_MEMORY) } else { (other.clone(), impostor) };
        let handle = handle.clone();
        tokio::spawn(async move {
            if let Ok(io) = tls.accept(io).await {
                handle.connection(io, site, peer, boot).await;
            }
        });
    };
    front::open("https", serve).await
}
