//! Where the sites of a world listen.

use std::collections::BTreeMap;
use std::io::Error;
use std::net::{IpAddr, SocketAddr};

use super::{Handle, Listener};
use crate::exchange::Site;

/// The port of each site that listens; 0 is any free port.
#[derive(Clone, Debug)]
pub struct Ports(Vec<(Site, u16)>);

/// Why sites cannot have these ports. It says what to choose instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongPort {
    /// Two of them have one port.
    #[error("port {port} is that of {first} and of {second}; --port {second}=0 chooses a free one")]
    Shared {
        /// The port.
        port: u16,
        /// `control`, or a site.
        first: &'static str,
        /// A site.
        second: &'static str,
    },
    /// The port of a site would be higher than any port.
    #[error(
        "{site} listens {above} above the control API, and port {control} + {above} does not exist; \
         choose a lower one for --listen, or --port {site}=PORT"
    )]
    TooHigh {
        /// The site.
        site: &'static str,
        /// How far it is above the control API.
        above: u16,
        /// The port of the control API.
        control: u16,
    },
}

/// Listeners of the sites, in the order of the sites, and their base URLs by name.
type Opened = (Vec<Listener>, BTreeMap<&'static str, String>);

impl Ports {
    /// Each site at its port behind that of the control API, or at any port if that is 0. `fixed` names other ports.
    pub fn new(sites: &[Site], control: u16, fixed: &BTreeMap<&str, u16>) -> Result<Ports, WrongPort> {
        let (mut ports, mut taken) = (Vec::new(), BTreeMap::from([(control, "control")]));
        for site in sites {
            let Site { name, port: above, .. } = *site;
            let port = match fixed.get(name) {
                Some(port) => *port,
                None if control == 0 => 0,
                None => {
                    control.checked_add(above).ok_or(WrongPort::TooHigh { site: name, above, control })?
                }
            };
            if port > 0
                && let Some(first) = taken.insert(port, name)
            {
                return Err(WrongPort::Shared { port, first, second: name });
            }
            ports.push((*site, port));
        }
        Ok(Ports(ports))
    }
}

/// Opens a listener for every site that listens: at its port behind that of the control API, or at any port if that is 0.
/// Returns listeners and base URLs.
pub async fn open_sites(handle: &Handle, control: SocketAddr) -> std::io::Result<Opened> {
    let ports = Ports::new(&handle.listening(), control.port(), &BTreeMap::new()).map_err(Error::other)?;
    open_sites_at(handle, control.ip(), &ports).await
}

/// Opens a listener for each site at its port. An error names the site and the port.
pub async fn open_sites_at(handle: &Handle, ip: IpAddr, ports: &Ports) -> std::io::Result<Opened> {
    let (mut listeners, mut urls) = (BTreeMap::new(), BTreeMap::new());
    // A free port could be one that another site must have.
    let (fixed, free): (Vec<_>, Vec<_>) = ports.0.iter().enumerate().partition(|(_, (_, port))| *port > 0);
    for (n, (site, port)) in fixed.into_iter().chain(free) {
        let listener = handle
            .open(*site, SocketAddr::new(ip, *port))
            .await
            .map_err(|e| Error::new(e.kind(), format!("port {port} ({}): {e}", site.name)))?;
        urls.insert(site.name, handle.base_url(*site, listener.address));
        listeners.insert(n, listener);
    }
    handle.set_site_urls(urls);
    Ok((listeners.into_values().collect(), handle.site_urls()))
}

/// Opens a listener for each site at the address that it had before, or at another port if it is taken.
pub(crate) async fn open_again(handle: &Handle, addresses: &[SocketAddr]) -> std::io::Result<Opened> {
    let (mut listeners, mut urls) = (Vec::new(), BTreeMap::new());
    for (site, address) in handle.listening().into_iter().zip(addresses) {
        let listener = match handle.open(site, *address).await {
            Ok(listener) => listener,
            Err(_) => handle.open(site, SocketAddr::new(address.ip(), 0)).await?,
        };
        urls.insert(site.name, handle.base_url(site, listener.address));
        listeners.push(listener);
    }
    handle.set_site_urls(urls);
    Ok((listeners, handle.site_urls()))
}
