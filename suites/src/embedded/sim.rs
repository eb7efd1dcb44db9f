//! `assay sim`: serves every service on sockets, and writes the profile to test it with.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_sim::control::{Hub, PREFIX, router};
use assay_sim::host::PublicHost;
use assay_sim::scenario::Scenario;
use assay_sim::serve::{ClockMode, Cors, Handle, Listener, Ports, listen_on, open_sites_at};
use assay_sim::{World, world};
use assay_spec::{Dialect, Instant, Service, names};
use axum::http::HeaderName;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::harness::probe::wall_clock;
use crate::harness::suite::{Shown, Simulated, SimulatedWorld, Suite, WriteSecret};
use crate::profile::{Profile, Secret};
use crate::services::SUITES;
use crate::support::{files, prose};

/// The options of `assay sim`.
#[derive(Clone, Debug)]
pub struct Options {
    /// The seed.
    pub seed: u64,
    /// The address of the control API; the sites use the next ports.
    pub listen: SocketAddr,
    /// How time moves.
    pub clock: ClockMode,
    /// The time at which the world starts.
    pub epoch: Instant,
    /// Host names beside those of loopback at which the control API may be addressed.
    pub allowed_hosts: Vec<String>,
    /// The control API's bearer token.
    pub token: Option<String>,
    /// The header from which every site takes the client's address; `None`: no header is believed.
    pub forwarded_header: Option<String>,
    /// Every site speaks https, not only those that do in the documents.
    pub https: bool,
    /// Only these services and those that they need listen; all if none is named.
    pub only: Vec<Service>,
    /// Ports of sites, as `site=port`; 0 is any free port.
    pub ports: Vec<String>,
    /// The host by which clients know the simulator: of every URL, in place of the address of `listen`.
    pub public_host: Option<String>,
    /// The origins whose pages may use the services; `*` is every origin.
    pub cors: Vec<String>,
    /// Limits, as `service.name=number`.
    pub limits: Vec<String>,
    /// Deviations, as `id` or `id/variant`.
    pub deviations: Vec<String>,
    /// Variations, by name.
    pub variations: Vec<String>,
    /// A file that says how the world begins.
    pub scenario: Option<PathBuf>,
}

impl Options {
    /// A conforming simulator with this seed, on any free loopback port, at this machine's time.
    pub fn new(seed: u64) -> Options {
        Options {
            seed,
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            clock: ClockMode::Real,
            epoch: wall_clock(),
            allowed_hosts: Vec::new(),
            token: None,
            forwarded_header: None,
            https: false,
            only: Vec::new(),
            ports: Vec::new(),
            public_host: None,
            cors: Vec::new(),
            limits: Vec::new(),
            deviations: Vec::new(),
            variations: Vec::new(),
            scenario: None,
        }
    }
}

/// A running simulator. It stops when it is dropped.
pub struct Served {
    /// The control API's base URL.
    pub control: String,
    /// Base URLs by site.
    pub sites: BTreeMap<&'static str, String>,
    /// The served world.
    pub handle: Handle,
    forwarded_header: Option<String>,
    _listeners: Vec<Listener>,
}

/// Starts a simulator.
pub async fn start(options: &Options) -> Result<Served, String> {
    if !options.listen.ip().is_loopback() && options.token.is_none() {
        return Err(format!(
            "{}: the control API listens only on loopback unless a token is set (--token-file)",
            options.listen
        ));
    }
    let header = options.forwarded_header.as_ref().map(|name| {
        name.parse::<HeaderName>().map_err(|_| format!("{name:?} is not a header name (--forwarded-header)"))
    });
    let header = header.transpose()?;
    let host = options
        .public_host
        .as_ref()
        .map(|host| host.parse::<PublicHost>().map_err(|why| format!("--public-host {host:?}: {why}")));
    let host = host.transpose()?;
    let cors = Cors::new(&options.cors).map_err(|why| format!("--cors {why}"))?;
    let scenario = options.scenario.as_deref().map(read_scenario).transpose()?;
    let limits = parse_limits(&options.limits)?;
    let set_limits = |world: &mut World| {
        let mut all = limits.iter();
        all.try_for_each(|(service, limits)| {
            world.set_limits(*service, limits).map_err(|why| format!("--limit {service}.{why}"))
        })
    };
    let mut world = World::new(options.seed, options.epoch, Dialect::default());
    set_limits(&mut world)?;
    world.set_deviations(&options.deviations)?;
    world.set_variations(&options.variations)?;
    for suite in SUITES.iter() {
        (suite.simulator.prepare)(&mut world)?;
    }
    let mut outputs = Vec::new();
    if let Some(scenario) = scenario {
        let scenario = scenario.with(&options.deviations, &options.variations);
        outputs = scenario.begin(&mut world).map_err(|wrong| wrong.to_string())?;
        // What the command line says comes last.
        set_limits(&mut world)?;
    }
    world.set_public_host(host.clone());
    let handle = Handle::new(world, options.clock)
        .forwarded_by(header)
        .secured(options.https)
        .only(needed(&options.only))
        .readable_by(cors);
    let ports = ports(&handle, options.listen.port(), &options.ports)?;
    let failed = |e: std::io::Error| match e.kind() {
        ErrorKind::AddrInUse => {
            format!("cannot listen: {e}; --port SITE=PORT or --listen 127.0.0.1:PORT chooses other ports")
        }
        _ => format!("cannot listen: {e}"),
    };
    let at = options.listen.port();
    let bind = async || {
        let named = |e: std::io::Error| std::io::Error::new(e.kind(), format!("port {at} (control): {e}"));
        TcpListener::bind(options.listen).await.map_err(|e| failed(named(e)))
    };
    // A free port could be one that something else must have.
    let first = if at == 0 { None } else { Some(bind().await?) };
    let (mut listeners, sites) = open_sites_at(&handle, options.listen.ip(), &ports).await.map_err(failed)?;
    handle.change(|_| ((), outputs));
    // Every address is not an address to name.
    let own = Some(options.listen.ip()).filter(|ip| !ip.is_unspecified()).map(|ip| ip.to_string());
    let public = host.as_ref().map(|host| host.bare().to_owned());
    let hub = Hub::new(handle.clone(), sites.clone())
        .with_forks(options.listen.ip())
        .with_token(options.token.clone())
        .allowing(options.allowed_hosts.iter().cloned())
        .allowing(own.into_iter().chain(public));
    let control = router(Arc::new(hub));
    let bound = match first {
        Some(bound) => bound,
        None => bind().await?,
    };
    let listener = listen_on(bound, move |_| control.clone()).map_err(failed)?;
    let control = format!("http://{}", listener.address);
    let control = host.map_or(control.clone(), |host| host.in_url(&control)) + PREFIX;
    listeners.push(listener);
    let forwarded_header = options.forwarded_header.clone();
    Ok(Served { control, sites, handle, forwarded_header, _listeners: listeners })
}

fn read_scenario(path: &Path) -> Result<Scenario, String> {
    let bytes = files::read_limited(path, "a scenario", files::CONFIGURATION_BYTES);
    let name = path.display().to_string();
    let text = String::from_utf8(bytes.map_err(|e| e.to_string())?)
        .map_err(|_| format!("{name}: not UTF-8; save the scenario as UTF-8"))?;
    Scenario::parse(&name, &text).map_err(|wrong| wrong.to_string())
}

/// The services that start where these are named: those whose records they need, too. None means all.
fn needed(only: &[Service]) -> BTreeSet<Service> {
    let source = |service: &Service| SUITES.get(*service).questions.reads_from.map(|from| from.service);
    only.iter().copied().chain(only.iter().filter_map(source)).collect()
}

/// Reads `site=port` settings.
fn ports(handle: &Handle, control: u16, settings: &[String]) -> Result<Ports, String> {
    let (all, listening) = (world::sites(), handle.listening());
    let mut fixed = BTreeMap::new();
    for setting in settings {
        let (name, port) = setting
            .split_once('=')
            .ok_or_else(|| format!("--port {setting:?}: write SITE=PORT, such as drop=8080"))?;
        if ["control", "page"].contains(&name) {
            return Err(format!(
                "--port {setting:?}: the control API and its page are at the port of --listen"
            ));
        }
        let site = all.iter().find(|site| site.name == name).ok_or_else(|| {
            let near = names::unknown(name, all.iter().map(|site| site.name));
            format!("--port {setting:?}: unknown site{near}")
        })?;
        if !listening.contains(site) {
            let service = site.service;
            return Err(format!("--port {setting:?}: --only does not start {name}; add {service} to --only"));
        }
        let port = port.parse::<u16>().ok().filter(|_| port.bytes().all(|byte| byte.is_ascii_digit()));
        let port = port.ok_or_else(|| {
            format!("--port {setting:?}: a port is a number from 0 (any free port) to 65535")
        })?;
        if fixed.insert(site.name, port).is_some() {
            return Err(format!("--port {setting:?}: {name} has a port already; name each site once"));
        }
    }
    Ports::new(&listening, control, &fixed).map_err(|why| why.to_string())
}

/// Reads `service.name=number` settings.
fn parse_limits(settings: &[String]) -> Result<BTreeMap<Service, Value>, String> {
    let mut limits: BTreeMap<Service, Value> = BTreeMap::new();
    for setting in settings {
        let parsed = setting.split_once('=').and_then(|(name, value)| {
            let (service, name) = name.split_once('.')?;
            // The simulator reads a duration.
            let value = value.parse::<i64>().map_or_else(|_| json!(value), |number| json!(number));
            Some((Service::named(service)?, name.replace('-', "_"), value))
        });
        let (service, name, value) =
            parsed.ok_or_else(|| format!("{setting:?} is not a limit; write service.name=number"))?;
        limits.entry(service).or_insert_with(|| json!({}))[name] = value;
    }
    Ok(limits)
}

impl SimulatedWorld for World {
    fn draw(&self, stream: &str) -> [u8; 32] {
        self.core.rng.draw(stream, b"", 0)
    }

    fn perform(&mut self, action: &str, arguments: &Value) -> Result<(), String> {
        World::perform(self, action, arguments).map(|_| ())
    }
}

impl Served {
    /// Writes the profile, and beside it the secrets and the authority's certificate that it names.
    pub fn write_profile(&self, path: &Path, token_file: Option<&Path>) -> Result<(), String> {
        let name_of = |path: &Path| path.file_name().map(PathBuf::from).unwrap_or_default();
        let ca_path = path.with_extension("ca.pem");
        let mut profile = Profile {
            ca_file: Some(name_of(&ca_path)),
            control: Some(self.control.clone()),
            control_token: token_file.map(|file| Secret::File(file.to_path_buf())),
            ..Profile::default()
        };
        let write_secret = |extension: &str, secret: &str| {
            let path = path.with_extension(extension);
            // Without a line end: client libraries send a key as it is in its file.
            files::write_secret(&path, secret.as_bytes()).map_err(|e| format!("{}: {e}", path.display()))?;
            Ok(Secret::File(name_of(&path)))
        };
        self.simulated(&write_secret, |simulated| {
            self.suites().try_for_each(|suite| (suite.simulator.profile)(simulated, &mut profile))
        })?;
        let written = [(&*ca_path, self.handle.authority().pem()), (path, profile.to_toml())];
        for (path, text) in written {
            files::write(path, text.as_bytes()).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        Ok(())
    }

    /// What the suites may know of the running simulator.
    fn simulated<T>(&self, write_secret: WriteSecret<'_>, use_it: impl FnOnce(&Simulated<'_>) -> T) -> T {
        use_it(&Simulated {
            sites: &self.sites,
            forwarding_header: self.forwarded_header.clone(),
            draw: &|stream| self.handle.read(|world| world.draw(stream)),
            state: &|service| self.handle.read(|world| world.view(service)),
            limits: &|service| self.handle.read(|world| world.limits(service)),
            write_secret,
        })
    }

    /// What each service has for its clients, in the order of the services.
    fn shown(&self) -> Vec<(Service, Vec<Shown>)> {
        let keeps_nothing = |_: &str, _: &str| Err("nothing is written".to_owned());
        self.simulated(&keeps_nothing, |simulated| {
            self.suites().map(|suite| (suite.service, (suite.simulator.shows)(simulated))).collect()
        })
    }

    /// Of the services that listen.
    fn suites(&self) -> impl Iterator<Item = &'static Suite> {
        SUITES.iter().filter(|suite| self.sites.contains_key(suite.service.name()))
    }

    /// The table of URLs, keys and names that `assay sim` prints.
    pub fn table(&self) -> String {
        let mut text = format!("{:<14} {}\n{:<14} {}\n", "control", self.control, "page", self.page());
        for site in self.handle.listening() {
            text.push_str(&format!("{:<14} {}\n", site.name, self.sites[site.name]));
        }
        for (service, shown) in self.shown() {
            for Shown { what, value, .. } in shown {
                text.push_str(&prose::wrap(&format!("{:<18} ", format!("{service} {what}")), &value));
            }
        }
        text
    }

    /// The URL of the page that shows the world.
    fn page(&self) -> String {
        self.control.replace(PREFIX, "/")
    }

    /// The same for programs: `{seed, control, page, sites: {name: URL}, services: {service: {what: [value]}}}`.
    pub fn described(&self) -> Value {
        let services = self.shown().into_iter().map(|(service, shown)| {
            let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for Shown { what, value, .. } in shown {
                values.entry(what).or_default().push(value);
            }
            (service.name(), values)
        });
        json!({
            "seed": self.handle.read(|world| world.core.rng.seed()),
            "control": self.control,
            "page": self.page(),
            "sites": self.sites,
            "services": services.collect::<BTreeMap<_, _>>(),
        })
    }

    /// Lines `NAME=value` of the variables that client libraries read, and `ASSAY_<SITE>_URL` for each site.
    pub fn environment(&self) -> String {
        let control = [("ASSAY_CONTROL_URL".to_owned(), self.control.clone())];
        let url_of = |(site, url): (&&str, &String)| {
            (format!("ASSAY_{}_URL", site.to_uppercase().replace('-', "_")), url.clone())
        };
        let shown = self.shown().into_iter().flat_map(|(_, shown)| shown).flat_map(|one| {
            let value = one.value;
            one.variables.iter().map(move |name| ((*name).to_owned(), value.clone()))
        });
        let all = control.into_iter().chain(self.sites.iter().map(url_of)).chain(shown);
        all.map(|(name, value)| format!("{name}={value}\n")).collect()
    }
}
