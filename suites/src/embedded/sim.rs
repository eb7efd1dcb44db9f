//! `assay sim`: serves every service on sockets, and writes the profile to test it with.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_sim::control::{Hub, PREFIX, open_sites, router};
use assay_sim::serve::{ClockMode, Handle, Listener, listen};
use assay_sim::{World, world};
use assay_spec::crypto::{ed25519, text};
use assay_spec::network::message;
use assay_spec::{Dialect, Instant, Service};
use axum::http::HeaderName;
use serde_json::{Value, json};

use crate::harness::probe::wall_clock;
use crate::profile::{
    AggregateWrite, Drop, DropLimits, DropReadings, EndpointName, Endpoints, Gate, Gateway, GatewayLimits,
    GatewayModels, GatewayReadings, Hosting, HostingReadings, Metadata, MetadataContract, MetadataLimits,
    MetadataReadings, Network, NetworkFixtures, NetworkLimits, NetworkReadings, Profile, Publish,
    PublishLimits, PublishReadings, Secret, SigningScheme, Transport,
};
use crate::support::files;

/// How many bound domains a written profile lists.
const POOL: usize = 200;

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
    /// Limits, as `service.name=number`.
    pub limits: Vec<String>,
    /// Deviations, as `id` or `id/variant`.
    pub deviations: Vec<String>,
    /// Variations, by name.
    pub variations: Vec<String>,
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
            limits: Vec::new(),
            deviations: Vec::new(),
            variations: Vec::new(),
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
    pool: Pool,
    _listeners: Vec<Listener>,
}

/// Domains that are bound in advance, and the seed of their key.
struct Pool {
    domains: Vec<String>,
    key: [u8; 32],
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
    let mut world = World::new(options.seed, options.epoch, Dialect::default());
    for (service, limits) in parse_limits(&options.limits)? {
        world.set_limits(service, &limits)?;
    }
    world.set_deviations(&options.deviations)?;
    world.set_variations(&options.variations)?;
    let pool = fill_pool(&mut world)?;
    let handle = Handle::new(world, options.clock).forwarded_by(header).secured(options.https);
    let port = options.listen.port();
    let first = if port == 0 { 0 } else { port.saturating_add(1) };
    let failed = |e: std::io::Error| format!("cannot listen: {e}");
    let (mut listeners, sites) =
        open_sites(&handle, SocketAddr::new(options.listen.ip(), first)).await.map_err(failed)?;
    // Every address is not an address to name.
    let own = Some(options.listen.ip()).filter(|ip| !ip.is_unspecified()).map(|ip| ip.to_string());
    let hub = Hub::new(handle.clone(), sites.clone())
        .with_forks(options.listen.ip())
        .with_token(options.token.clone())
        .allowing(options.allowed_hosts.iter().cloned())
        .allowing(own);
    let control = router(Arc::new(hub));
    let listener = listen(options.listen, move |_| control.clone())
        .await
        .map_err(|e| format!("cannot listen at {}: {e}", options.listen))?;
    let control = format!("http://{}{PREFIX}", listener.address);
    listeners.push(listener);
    let forwarded_header = options.forwarded_header.clone();
    Ok(Served { control, sites, handle, forwarded_header, pool, _listeners: listeners })
}

fn fill_pool(world: &mut World) -> Result<Pool, String> {
    let key = world.core.rng.draw("profile.publish-key", b"", 0);
    let address = ed25519::address(&ed25519::key_from_seed(key));
    let domains: Vec<String> = (1..=POOL).map(|n| format!("pool-{n:03}.assay.example")).collect();
    for domain in &domains {
        world.perform("publish.bind", &json!({ "domain": domain, "key": address }))?;
    }
    Ok(Pool { domains, key })
}

/// Reads `service.name=number` settings.
fn parse_limits(settings: &[String]) -> Result<BTreeMap<Service, Value>, String> {
    let mut limits: BTreeMap<Service, Value> = BTreeMap::new();
    for setting in settings {
        let parsed = setting.split_once('=').and_then(|(name, value)| {
            let (service, name) = name.split_once('.')?;
            Some((Service::named(service)?, name.replace('-', "_"), value.parse::<i64>().ok()?))
        });
        let (service, name, value) =
            parsed.ok_or_else(|| format!("{setting:?} is not a limit; write service.name=number"))?;
        limits.entry(service).or_insert_with(|| json!({}))[name] = json!(value);
    }
    Ok(limits)
}

impl Served {
    /// Writes the profile, and beside it the secrets and the authority's certificate that it names. Returns its path
    /// and that of the publishing key.
    pub fn write_profile(
        &self,
        path: &Path,
        token_file: Option<&Path>,
    ) -> Result<(PathBuf, PathBuf), String> {
        let key_path = path.with_extension("key");
        let ca_path = path.with_extension("ca.pem");
        let name_of = |path: &Path| path.file_name().map(PathBuf::from).unwrap_or_default();
        let (key_name, ca_name) = (name_of(&key_path), name_of(&ca_path));
        let limit = |service, name: &str| {
            let limits: Value = self.handle.read(|world| world.limits(service));
            limits[name].as_u64().and_then(|limit| u32::try_from(limit).ok()).unwrap_or(u32::MAX)
        };
        let requests_per_minute = limit(Service::Publish, "requests_per_window");
        // One drop an hour is left for other clients.
        let drops_per_hour = limit(Service::Drop, "drops_per_hour").saturating_sub(1).max(1);
        let profile = Profile {
            seed: None,
            dialect: Dialect::default(),
            ca_file: Some(ca_name),
            client_certificate: None,
            client_key: None,
            transport: Transport::default(),
            headers: BTreeMap::new(),
            gate: Gate::default(),
            control: Some(self.control.clone()),
            control_token: token_file.map(|file| Secret::File(file.to_path_buf())),
            gateway: Some(self.gateway(path)?),
            metadata: Some(self.metadata()),
            network: Some(self.network(limit(Service::Network, "general_per_window"))),
            hosting: Some(Hosting {
                url: Some(self.sites["hosting"].clone()),
                owner: None,
                wallet_key: None,
                readings: HostingReadings::default(),
            }),
            publish: Some(Publish {
                url: self.sites["publish"].clone(),
                chain_url: Some(self.sites["chain"].clone()),
                standby_url: None,
                forwarding_header: self.forwarded_header.clone(),
                domains: self.pool.domains.clone(),
                key: Some(Secret::File(key_name)),
                pending: None,
                second_key: None,
                pending_transfer: None,
                not_publishable: None,
                feature_off: None,
                readings: PublishReadings::default(),
                limits: PublishLimits { requests_per_minute },
            }),
            drop: Some(Drop {
                url: self.sites["drop"].clone(),
                paused_url: None,
                forwarding_header: self.forwarded_header.clone(),
                readings: DropReadings::default(),
                limits: DropLimits { drops_per_hour, ..DropLimits::default() },
            }),
        };
        let failed = |path: &Path| format!("{}: ", path.display());
        files::write(&ca_path, self.handle.authority().pem().as_bytes())
            .map_err(|e| failed(&ca_path) + &e.to_string())?;
        write_secret(&key_path, &format!("{}\n", text::hex(&self.pool.key)))?;
        files::write(path, profile.to_toml().as_bytes()).map_err(|e| failed(path) + &e.to_string())?;
        Ok((path.to_path_buf(), key_path))
    }

    /// The table of the gateway: the simulator's own readings. Its keys are written beside the profile.
    fn gateway(&self, profile: &Path) -> Result<Gateway, String> {
        let view = self.handle.read(|world| world.view(Service::Gateway));
        let beside = |state: &str| -> Result<Secret, String> {
            let path = profile.with_extension(format!("gateway-{state}.key"));
            let key = view["keys"][state].as_str().unwrap_or_default();
            write_secret(&path, &format!("{key}\n"))?;
            Ok(Secret::File(path.file_name().map(PathBuf::from).unwrap_or_default()))
        };
        let models = view["models"].as_array().cloned().unwrap_or_default();
        let first = |fits: &dyn Fn(&Value) -> bool| {
            let writes = |model: &&Value| model["kind"] == "text" && model["confidential"] != true;
            let found = models.iter().filter(writes).find(|model| fits(model));
            found.and_then(|model| model["id"].as_str().map(str::to_owned))
        };
        Ok(Gateway {
            url: self.sites["gateway"].clone(),
            server_urls: Vec::new(),
            key: Some(beside("valid")?),
            revoked_key: Some(beside("revoked")?),
            second_key: None,
            payment: None,
            usage_url: None,
            usage_path: None,
            endpoints: Endpoints::default(),
            models: GatewayModels {
                chat: first(&|_| true),
                tools: first(&|model| model["tools"] == true),
                always_calls: first(&|model| model["always_calls"] == true),
                vision: first(&|model| model["vision"] == true),
                ..GatewayModels::default()
            },
            readings: GatewayReadings { wire_compat: true, ..GatewayReadings::default() },
            limits: GatewayLimits { requests_per_minute: 6000, ..GatewayLimits::default() },
        })
    }

    /// The table of token metadata: every contract that the service knows.
    fn metadata(&self) -> Metadata {
        let view = self.handle.read(|world| world.view(Service::Metadata));
        let text = |name: &str| view[name].as_str().map(str::to_owned);
        Metadata {
            url: self.sites["metadata"].clone(),
            unknown_token: text("unknown_token"),
            contracts: MetadataContract::from_state(&view),
            readings: MetadataReadings { interface_path: text("interface_path") },
            limits: MetadataLimits { requests_per_minute: 100_000 },
        }
    }

    /// The table of the node API: the simulator's own readings.
    fn network(&self, requests_per_minute: u32) -> Network {
        let site = |name: &str| self.sites[name].clone();
        Network {
            url: site("network"),
            alt_url: Some(site("network-alt")),
            mirror_url: Some(site("network-mirror")),
            compute_urls: ["compute-1", "compute-2"].map(site).to_vec(),
            scheduler_url: Some(site("scheduler")),
            status_url: Some(site("status")),
            credit_url: Some(site("credit")),
            owner_key: None,
            forwarding_header: self.forwarded_header.clone(),
            strict: true,
            endpoints: Endpoints::default(),
            readings: NetworkReadings {
                signing_scheme: Some(SigningScheme::Either),
                verifies_signatures: true,
                aggregate_write: Some(AggregateWrite::Merged),
                ..NetworkReadings::default()
            },
            fixtures: self.network_fixtures(),
            limits: NetworkLimits {
                requests_per_minute,
                authenticated: Some(EndpointName::from_endpoint(&message::CREATE)),
                ..NetworkLimits::default()
            },
        }
    }

    /// What exists in every world, so that a run does not need a control API for it.
    fn network_fixtures(&self) -> NetworkFixtures {
        let view = self.handle.read(|world| world.view(Service::Network));
        let nodes = view["nodes"].as_array().cloned().unwrap_or_default();
        let compute = nodes.iter().find(|node| node["site"] == "compute-1").cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        NetworkFixtures {
            indexer_network: text(&view["indexed"][0]),
            diagnostic_vm: text(&compute["machine_id"]),
            status_check: text(&compute["checks"][0]),
            ..NetworkFixtures::default()
        }
    }

    /// The table of URLs that `assay sim` prints.
    pub fn table(&self) -> String {
        let mut text = format!("{:<14} {}\n", "control", self.control);
        for site in world::sites() {
            text.push_str(&format!("{:<14} {}\n", site.name, self.sites[site.name]));
        }
        text
    }
}

fn write_secret(path: &Path, text: &str) -> Result<(), String> {
    files::write_secret(path, text.as_bytes()).map_err(|e| format!("{}: {e}", path.display()))
}
