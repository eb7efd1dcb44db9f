//! What is tested: base URLs, and how they are reached.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use assay_spec::Service;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};
use url::Url;

use crate::control::{Control, Offer};
use crate::exchange::Broken;
use crate::tls::Trust;

/// A connection of any kind.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A future of a connection.
pub type Connecting<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn Stream>, Broken>> + Send + 'a>>;

/// How a base URL is reached.
pub trait Connect: Send + Sync {
    /// Connects to the server of `base`, from the address `source` where that is given.
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a>;
}

/// TCP, with TLS where the URL says https; trusts the authorities that this machine trusts.
#[derive(Debug)]
pub struct Tcp;

impl Connect for Tcp {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        // The machine's authorities are read once.
        static MACHINE: OnceLock<Sockets> = OnceLock::new();
        MACHINE.get_or_init(Sockets::default).connect(base, source)
    }
}

/// TCP, with TLS where the URL says https; trusts whom it is told to.
#[derive(Clone, Debug, Default)]
pub struct Sockets {
    /// Whom it trusts.
    pub trust: Trust,
}

impl Connect for Sockets {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        Box::pin(async move {
            let (url, stream) = open(base, source).await?;
            if url.scheme() == "https" {
                return Ok(Box::new(self.trust.handshake(&url, stream).await?) as Box<dyn Stream>);
            }
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }
}

/// A connection to the host of `base`, from the address `source` where that is given, and the parsed URL.
pub async fn open(base: &str, source: Option<IpAddr>) -> Result<(Url, TcpStream), Broken> {
    let unreachable = |why: String| Broken::Unreachable(format!("{base}: {why}"));
    let url = Url::parse(base).map_err(|e| unreachable(e.to_string()))?;
    let addresses = url.socket_addrs(|| None).map_err(|e| unreachable(e.to_string()))?;
    let mut last = "no address".to_owned();
    for address in addresses {
        match dial(address, source).await {
            Ok(stream) => return Ok((url, stream)),
            Err(e) => last = format!("{address}: {e}"),
        }
    }
    Err(unreachable(last))
}

async fn dial(address: SocketAddr, source: Option<IpAddr>) -> std::io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    let connecting = socket.connect(address);
    let stream = tokio::time::timeout(std::time::Duration::from_secs(10), connecting)
        .await
        .map_err(|_| std::io::Error::new(std::io::ErrorKind::TimedOut, "no connection within 10 s"))??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Where one check runs.
#[derive(Clone)]
pub struct Place {
    /// How its URLs are reached.
    pub connector: Arc<dyn Connect>,
    /// Base URLs by site name: `publish`, `chain`.
    pub sites: BTreeMap<String, String>,
    /// The control API of this place.
    pub control: Option<Control>,
    /// The place is the check's own and ends with it.
    pub own: bool,
    /// By site: the header in which the site believes the client's address, where it believes one.
    pub forwarding: BTreeMap<String, String>,
}

/// A future of a place.
pub type Placing<'a> = Pin<Box<dyn Future<Output = Result<Place, String>> + Send + 'a>>;

/// Something that can be tested.
pub trait Target: Send + Sync {
    /// What it is called in reports.
    fn name(&self) -> String;
    /// What its control API offers.
    fn offer(&self) -> &Offer;
    /// The site names that it has.
    fn has_site(&self, name: &str) -> bool;
    /// A place for one check of a service.
    fn place(&self, service: Service) -> Placing<'_>;
    /// A check has ended; `keep` asks that its place stays, so that it can be looked at.
    fn leave(&self, place: Place, keep: bool) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
    /// A file of certificates that its connections trust beside this machine's own, for those who repeat a request.
    fn ca_file(&self) -> Option<&Path> {
        None
    }
    /// The server decides which time it is, so checks may run beside each other and in any number.
    fn is_embedded(&self) -> bool;
}

/// A target at URLs of its own.
pub struct Remote {
    connector: Sockets,
    sites: BTreeMap<String, String>,
    control: Option<Control>,
    offer: Offer,
    forwarding: BTreeMap<String, String>,
}

impl Remote {
    /// A target at these sites; asks its control API, if there is one, what it offers.
    pub async fn new(
        sites: BTreeMap<String, String>,
        control: Option<(String, Option<String>)>,
    ) -> Result<Remote, String> {
        Remote::trusting(Trust::default(), sites, control).await
    }

    /// As [`Remote::new`]; its sites and its control API show certificates that `trust` trusts.
    pub async fn trusting(
        trust: Trust,
        sites: BTreeMap<String, String>,
        control: Option<(String, Option<String>)>,
    ) -> Result<Remote, String> {
        let connector = Sockets { trust };
        let control = control.map(|(base, token)| Control::new(Arc::new(connector.clone()), &base, token));
        let offer = match &control {
            Some(control) => control.offer().await?,
            None => Offer::default(),
        };
        Ok(Remote { connector, sites, control, offer, forwarding: BTreeMap::new() })
    }

    /// The same target, whose sites believe the client's address in these headers.
    #[must_use]
    pub fn forwarded_by(mut self, headers: BTreeMap<String, String>) -> Remote {
        self.offer.addresses = !headers.is_empty();
        self.forwarding = headers;
        self
    }

    /// Whether somebody listens at every site; an error names the URL.
    pub async fn reach(&self) -> Result<(), String> {
        for base in self.sites.values() {
            self.connector.connect(base, None).await.map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

impl Target for Remote {
    fn name(&self) -> String {
        let control = self.control.as_ref().map_or("without control", |_| "with control");
        let sites: Vec<String> = self.sites.iter().map(|(name, url)| format!("{name} {url}")).collect();
        format!("{} ({control})", sites.join(", "))
    }

    fn offer(&self) -> &Offer {
        &self.offer
    }

    fn has_site(&self, name: &str) -> bool {
        self.sites.contains_key(name)
    }

    fn place(&self, _: Service) -> Placing<'_> {
        Box::pin(async move {
            let place = Place {
                connector: Arc::new(self.connector.clone()),
                sites: self.sites.clone(),
                control: self.control.clone(),
                own: false,
                forwarding: self.forwarding.clone(),
            };
            let Some(control) = self.control.as_ref().filter(|_| self.offer.forks) else { return Ok(place) };
            let fork = control.call("POST", "fork", Some(json!({ "mode": "auto" }))).await?;
            let path = fork["path"].as_str().ok_or("control POST fork: no `path`")?;
            let sites: BTreeMap<String, String> = serde_json::from_value(fork["sites"].clone())
                .map_err(|e| format!("control POST fork: {e}"))?;
            // Only what the profile names is tested.
            let sites = sites.into_iter().filter(|(name, _)| self.sites.contains_key(name)).collect();
            Ok(Place { sites, control: Some(control.world(path)), own: true, ..place })
        })
    }

    fn leave(&self, place: Place, keep: bool) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            if place.own
                && !keep
                && let Some(control) = place.control
            {
                // A world that cannot be ended costs nothing but its ports.
                let _ = control.call("DELETE", "", None).await;
            }
        })
    }

    fn ca_file(&self) -> Option<&Path> {
        self.connector.trust.file()
    }

    fn is_embedded(&self) -> bool {
        false
    }
}
