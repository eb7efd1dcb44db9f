//! The `assay` command.

mod command;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use assay_spec::{Dialect, Service};
use assay_suites::baseline::Baseline;
use assay_suites::check::{self, Check};
use assay_suites::pace::Pace;
use assay_suites::plan::{Planned, cost, plan, select};
use assay_suites::probe::{Settings, wall_clock};
use assay_suites::profile::Profile;
use assay_suites::report::{json, junit, terminal};
use assay_suites::run::Runner;
use assay_suites::target::{Remote, Target};
use assay_suites::{drop, endpoints, gateway, hosting, ledger, metadata, network, publish};
use clap::{Args, Parser, Subcommand};

/// What a command ends with: 2 for bad arguments or a bad profile, 3 for a target out of reach, 4 for our own failure.
enum Ending {
    Code(u8),
    Bad(String),
    Unreachable(String),
    Failed(String),
}

#[derive(Parser)]
#[command(
    name = "assay",
    version,
    about = "Tells whether a server, a client or a vector is what its documents say"
)]
struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Run the checks against a target; without one, against the embedded simulator
    #[command(
        after_help = "Examples:\n  assay run\n  assay run --profile p.toml --junit out.xml --json out.json\n  assay run --publish-url http://127.0.0.1:4116 publish.envelope\n  assay run --network-url http://127.0.0.1:4107 --endpoints network.info\n\nExit codes: 0 conforming, 1 not conforming, 2 bad arguments or profile, 3 target unreachable, 4 the harness failed"
    )]
    Run(RunArgs),
    /// Serve every service on loopback, each at its own port
    #[cfg(feature = "embedded")]
    #[command(
        after_help = "Examples:\n  assay sim --seed 7 --write-profile p.toml\n  assay sim --clock manual --epoch 2026-01-01T00:00:00Z --deviate publish.prepare.one-in-flight"
    )]
    Sim(SimArgs),
    /// Show that every check can fail, and that none fails for what the documents leave open
    #[cfg(feature = "embedded")]
    #[command(after_help = "Example:\n  assay prove --service publish --json matrix.json")]
    Prove(ProveArgs),
    /// Publish a content identifier, or hand a domain over: an honest client of the exchange
    #[command(
        after_help = "Examples:\n  ASSAY_KEY=… assay publish --url http://127.0.0.1:4116 --domain a.example --cid bafy…\n  assay publish --url … --domain a.example --key-file p.key --transfer-to 9xQe…\n\nExit codes: 0 published, 1 not published, 2 bad arguments"
    )]
    Publish(PublishArgs),
    /// Talk to a model: an honest client of the gateway and of the servers behind it
    #[command(after_help = command::chat::HELP)]
    Chat(command::chat::ChatArgs),
    /// Verify on the chain that a key wrote a record
    #[command(
        after_help = "Example:\n  assay verify-publish --chain http://127.0.0.1:4117 --signature 5Kd… --key 8qbH…\n\nExit codes: 0 verified, 1 not verified, 3 chain unreachable"
    )]
    VerifyPublish(VerifyArgs),
    /// Run somebody's client against honest and dishonest worlds
    #[cfg(feature = "embedded")]
    Client {
        #[command(subcommand)]
        what: command::client::What,
    },
    /// The golden cases: look at them, check them, release them, and run a program against them
    Vectors {
        #[command(subcommand)]
        what: command::vectors::What,
    },
    /// The reference end of the JSON-lines protocol, on stdin and stdout
    Shim,
    /// The content identifier of a file or folder
    #[command(
        after_help = "Examples:\n  assay cid dist\n  assay cid dist --car dist.car\n\nExit codes: 0 the identifier is on standard output, 2 the content has none or cannot be read, 4 the CAR cannot be written"
    )]
    Cid(command::cid::CidArgs),
    /// Recover an owner's projects and deployments from nodes of the network
    #[command(after_help = command::recover::HELP)]
    Recover(command::recover::RecoverArgs),
    /// List every requirement with its evidence
    #[command(
        after_help = "Examples:\n  assay requirements --service publish\n  assay requirements --against path/to/documents"
    )]
    Requirements(RequirementsArgs),
}

#[derive(Args)]
struct Selection {
    /// Only checks whose id or fact contains one of these
    filters: Vec<String>,
    /// Only this service (repeatable)
    #[arg(long = "service", value_parser = parse_service)]
    services: Vec<Service>,
}

#[derive(Args)]
#[command(group(clap::ArgGroup::new("url").args(["gateway_url", "metadata_url", "network_url", "publish_url", "drop_url"]).multiple(true)))]
struct RunArgs {
    #[command(flatten)]
    selection: Selection,
    /// The target's profile (TOML)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gateway_url", "metadata_url", "network_url", "publish_url", "drop_url", "control_url", "ca_file"])]
    profile: Option<PathBuf>,
    /// Base URL of an inference gateway; its key is read from the environment variable `ASSAY_GATEWAY_KEY`
    #[arg(long, value_name = "URL")]
    gateway_url: Option<String>,
    /// Base URL of a token metadata service
    #[arg(long, value_name = "URL")]
    metadata_url: Option<String>,
    /// Base URL of a node of the network
    #[arg(long, value_name = "URL")]
    network_url: Option<String>,
    /// Base URL of a publishing exchange
    #[arg(long, value_name = "URL")]
    publish_url: Option<String>,
    /// Base URL of an anonymous drop
    #[arg(long, value_name = "URL")]
    drop_url: Option<String>,
    /// Base URL of a control API
    #[arg(long, value_name = "URL", requires = "url")]
    control_url: Option<String>,
    /// Certificates (PEM) of authorities to trust beside those of this machine
    #[arg(long, value_name = "FILE", requires = "url")]
    ca_file: Option<PathBuf>,
    /// Seed of everything the checks draw
    #[arg(long)]
    seed: Option<u64>,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as `JUnit` XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Failures that are known, with reasons (TOML)
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Show for each documented endpoint whether the target offers it; one no check asked for is asked once
    #[arg(long)]
    endpoints: bool,
    /// Checks that run beside each other, where each has a world of its own
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// Stop after the first bad verdict
    #[arg(long)]
    fail_fast: bool,
    /// List the checks and what they cost, and send nothing
    #[arg(long)]
    list: bool,
}

#[cfg(feature = "embedded")]
#[derive(Args)]
struct SimArgs {
    /// Seed of the world
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the control API listens; the services follow at the next ports
    #[arg(long, default_value = "127.0.0.1:4100")]
    listen: std::net::SocketAddr,
    /// How time moves
    #[arg(long, default_value = "real", value_parser = parse_clock)]
    clock: assay_sim::serve::ClockMode,
    /// When the world begins (ISO 8601); now, where the clock is real
    #[arg(long, value_parser = parse_epoch)]
    epoch: Option<assay_spec::Instant>,
    /// Write a profile for `assay run`, and its key beside it
    #[arg(long, value_name = "FILE")]
    write_profile: Option<PathBuf>,
    /// Ask callers of the control API for the bearer token in this file
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Believe the client's address in this header, such as X-Forwarded-For: for a proxy, or a test that names its own
    #[arg(long, value_name = "NAME")]
    forwarded_header: Option<String>,
    /// Set a limit (repeatable), such as publish.requests-per-window=1000
    #[arg(long = "limit", value_name = "SERVICE.NAME=NUMBER")]
    limits: Vec<String>,
    /// Switch a requirement off (repeatable)
    #[arg(long = "deviate", value_name = "ID[/VARIANT]")]
    deviations: Vec<String>,
    /// Take a liberty (repeatable)
    #[arg(long = "liberty", value_name = "NAME")]
    liberties: Vec<String>,
}

#[cfg(feature = "embedded")]
#[derive(Args)]
struct ProveArgs {
    #[command(flatten)]
    selection: Selection,
    /// Seed of the worlds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the matrix as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args)]
struct PublishArgs {
    /// Base URL of the exchange
    #[arg(long, env = "ASSAY_URL")]
    url: String,
    /// The domain
    #[arg(long, env = "ASSAY_DOMAIN")]
    domain: String,
    /// The content identifier to publish
    #[arg(long, env = "ASSAY_CID", required_unless_present_any = ["transfer_to", "accept"])]
    cid: Option<String>,
    /// The version to publish; none becomes 0
    #[arg(long = "build", value_name = "VERSION", env = "ASSAY_VERSION")]
    version: Option<String>,
    /// Hand the domain to this base58 public key
    #[arg(long, value_name = "KEY", conflicts_with = "accept")]
    transfer_to: Option<String>,
    /// Accept the transfer with this transaction signature
    #[arg(long, value_name = "SIGNATURE")]
    accept: Option<String>,
    /// A file with the key's seed, 64 hex digits; without it, the environment variable `ASSAY_KEY`
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Base URL of the chain's interface, to verify what landed
    #[arg(long, value_name = "URL", env = "ASSAY_CHAIN_URL")]
    chain: Option<String>,
}

#[derive(Args)]
struct VerifyArgs {
    /// Base URL of the chain's JSON-RPC interface
    #[arg(long, value_name = "URL")]
    chain: String,
    /// The transaction's signature, base58
    #[arg(long)]
    signature: String,
    /// The publishing key, base58
    #[arg(long)]
    key: String,
}

#[derive(Args)]
struct RequirementsArgs {
    /// Only this service (repeatable)
    #[arg(long = "service", value_parser = parse_service)]
    services: Vec<Service>,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Compare with the documents in this folder: sentences without a row or an excuse, and rows without a sentence
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
}

fn parse_service(name: &str) -> Result<Service, String> {
    let known: Vec<&str> = Service::ALL.iter().map(|service| service.name()).collect();
    Service::named(name).ok_or_else(|| format!("known services: {}", known.join(", ")))
}

#[cfg(feature = "embedded")]
fn parse_clock(name: &str) -> Result<assay_sim::serve::ClockMode, String> {
    serde_json::from_value(serde_json::json!(name)).map_err(|_| "manual, auto or real".to_owned())
}

#[cfg(feature = "embedded")]
fn parse_epoch(text: &str) -> Result<assay_spec::Instant, String> {
    assay_spec::Instant::parse_iso(text)
        .ok_or_else(|| "an ISO 8601 instant, such as 2026-01-01T00:00:00Z".to_owned())
}

fn main() -> ExitCode {
    let command = Command::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            eprintln!("assay: cannot start: {e}");
            return ExitCode::from(4);
        }
    };
    let ending = runtime.block_on(async {
        match command.what {
            What::Run(args) => run(args).await,
            #[cfg(feature = "embedded")]
            What::Sim(args) => sim(args).await,
            #[cfg(feature = "embedded")]
            What::Prove(args) => prove(args).await,
            What::Publish(args) => publish_record(args).await,
            What::Chat(args) => command::chat::chat(args).await,
            What::VerifyPublish(args) => verify(args).await,
            #[cfg(feature = "embedded")]
            What::Client { what } => command::client::client(what).await,
            What::Vectors { what } => command::vectors::vectors(what),
            What::Cid(args) => command::cid::cid(&args),
            What::Recover(args) => command::recover::recover(args).await,
            What::Shim => command::vectors::serve(),
            What::Requirements(args) => requirements(&args),
        }
    });
    // Connections that are still open must not keep the command.
    runtime.shutdown_background();
    let (code, why) = match ending {
        Ok(()) => (0, String::new()),
        Err(Ending::Code(code)) => (code, String::new()),
        Err(Ending::Bad(why)) => (2, why),
        Err(Ending::Unreachable(why)) => (3, why),
        Err(Ending::Failed(why)) => (4, why),
    };
    if !why.is_empty() {
        eprintln!("assay: {why}");
    }
    ExitCode::from(code)
}

async fn run(args: RunArgs) -> Result<(), Ending> {
    let checks = select(check::all(), &args.selection.services, &args.selection.filters);
    if checks.is_empty() {
        return Err(Ending::Bad("no check matches these filters".to_owned()));
    }
    let baseline = args.baseline.as_deref().map(Baseline::load).transpose().map_err(Ending::Bad)?;
    let (target, settings, pace) = target(&args).await?;
    // A service that the target does not name is not tested, unless it is asked for.
    let is_named = |check: &&Check| target.has_site(check.requirement.service.name());
    let asked = !args.selection.services.is_empty();
    let checks: Vec<_> = checks.into_iter().filter(|check| asked || is_named(check)).collect();
    if checks.is_empty() {
        return Err(Ending::Bad(
            "these filters match no check of the services that the target has".to_owned(),
        ));
    }
    let planned = plan(target.as_ref(), &checks);
    if args.list {
        print!("{}", list(&planned));
        return Ok(());
    }
    // Beside each other only where each check has a world of its own.
    let jobs = if target.offer().forks { usize::from(args.jobs) } else { 1 };
    let runner =
        Runner { target: target.as_ref(), settings: &settings, pace: &pace, jobs, fail_fast: args.fail_fast };
    let progress = terminal::Progress::start(planned.len());
    let mut run = runner.run(&planned, |outcome| progress.checked(outcome)).await;
    progress.finish();
    if args.endpoints {
        // A table that is not whole is no verdict.
        if let Err(why) = endpoints::ask_for_the_rest(&mut run.endpoints, target.as_ref(), &pace).await {
            eprintln!("assay: the other endpoints were not asked: {why}");
        }
        print!("{}", terminal::endpoints(&run));
    }
    if let Some(baseline) = baseline {
        baseline.apply(&mut run).map_err(|why| {
            eprintln!("assay: {why}");
            Ending::Code(1)
        })?;
    }
    print!("{}", terminal::summary(&run, std::io::stdout().is_terminal()));
    if let Some(path) = &args.json {
        let mut text =
            serde_json::to_string_pretty(&json::write(&run)).map_err(|e| Ending::Failed(e.to_string()))?;
        text.push('\n');
        write(path, &text)?;
    }
    if let Some(path) = &args.junit {
        write(path, &junit::write(&run))?;
    }
    match run.exit_code() {
        0 => Ok(()),
        code => Err(Ending::Code(code)),
    }
}

/// Where the key of a gateway is that stands on the command line.
const GATEWAY_KEY: &str = "ASSAY_GATEWAY_KEY";

/// The target that the arguments name, and how to treat it.
async fn target(args: &RunArgs) -> Result<(Box<dyn Target>, Settings, Pace), Ending> {
    let named = [
        ("gateway", &args.gateway_url),
        ("metadata", &args.metadata_url),
        ("network", &args.network_url),
        ("publish", &args.publish_url),
        ("drop", &args.drop_url),
    ];
    let (profile, folder) = if let Some(path) = &args.profile {
        let loaded = Profile::load(path).map_err(|e| Ending::Bad(e.to_string()))?;
        (loaded.profile, loaded.folder)
    } else if named.iter().any(|(_, url)| url.is_some()) {
        let mut text =
            args.control_url.as_ref().map(|url| format!("control = {url:?}\n")).unwrap_or_default();
        text.extend(
            args.ca_file
                .as_ref()
                .map(|path| format!("ca_file = {}\n", toml::Value::from(path.display().to_string()))),
        );
        for (service, url) in named.iter().filter_map(|(service, url)| Some((service, url.as_ref()?))) {
            text.push_str(&format!("[{service}]\nurl = {url:?}\n"));
            if *service == "gateway" && std::env::var_os(GATEWAY_KEY).is_some() {
                text.push_str(&format!("key = {{ env = {GATEWAY_KEY:?} }}\n"));
            }
        }
        let profile = Profile::parse(&text, "the command line").map_err(|e| Ending::Bad(e.to_string()))?;
        (profile, PathBuf::from("."))
    } else {
        return embedded(args.seed.unwrap_or(1));
    };
    // Against somebody's server every run uses names of its own, unless the seed is given.
    let seed = args.seed.or(profile.seed).unwrap_or_else(|| wall_clock().0.unsigned_abs());
    let secret =
        |secret: &assay_suites::profile::Secret| secret.read(&folder).map_err(|e| Ending::Bad(e.to_string()));
    let mut settings = Settings { seed, dialect: profile.dialect.clone(), ..Settings::default() };
    let (mut sites, mut per_minute) = (BTreeMap::new(), BTreeMap::new());
    let (mut counted_as, mut forwarding) = (BTreeMap::new(), BTreeMap::new());
    if let Some(gateway) = &profile.gateway {
        sites.insert("gateway".to_owned(), gateway.url.clone());
        per_minute.insert("gateway".to_owned(), gateway.limits.requests_per_minute);
        let key = gateway.key.as_ref().map(secret).transpose()?;
        let revoked = gateway.revoked_key.as_ref().map(secret).transpose()?;
        settings.gateway = gateway::Fixtures::new(gateway, key, revoked);
    }
    if let Some(metadata) = &profile.metadata {
        sites.insert("metadata".to_owned(), metadata.url.clone());
        per_minute.insert("metadata".to_owned(), metadata.limits.requests_per_minute);
        settings.metadata = metadata::Fixtures::new(metadata);
    }
    if let Some(network) = &profile.network {
        sites.extend(network.sites());
        // One address in all, whichever node it asks.
        counted_as.extend(network.sites().into_keys().map(|site| (site, "network".to_owned())));
        per_minute.insert("network".to_owned(), network.limits.requests_per_minute);
        per_minute.insert(network::RUNS.to_owned(), network.limits.runs_per_minute);
        if let Some(header) = &network.forwarding_header {
            forwarding.extend(network.sites().into_keys().map(|site| (site, header.clone())));
        }
        settings.network = network::Fixtures::new(network);
    }
    if let Some(hosting) = &profile.hosting {
        sites.extend(hosting.url.clone().map(|url| ("hosting".to_owned(), url)));
        let key = hosting.wallet_key.as_ref().map(secret).transpose()?;
        settings.hosting = hosting::Fixtures::new(hosting, key.as_deref()).map_err(Ending::Bad)?;
    }
    if let Some(publish) = &profile.publish {
        sites.insert("publish".to_owned(), publish.url.clone());
        if let Some(url) = &publish.chain_url {
            sites.insert("chain".to_owned(), url.clone());
        }
        per_minute.insert("publish".to_owned(), publish.limits.requests_per_minute);
        let key = publish.key.as_ref().map(secret).transpose()?;
        settings.publish = publish::Fixtures::new(publish, key.as_deref()).map_err(Ending::Bad)?;
    }
    let mut drops_per_hour = None;
    if let Some(drop) = &profile.drop {
        sites.insert("drop".to_owned(), drop.url.clone());
        forwarding.extend(drop.forwarding_header.clone().map(|header| ("drop".to_owned(), header)));
        drops_per_hour = Some(drop.limits.drops_per_hour);
        settings.drop = drop::Fixtures::new(drop);
    }
    if sites.is_empty() {
        return Err(Ending::Bad("the profile names no service to test".to_owned()));
    }
    let token = profile.control_token.as_ref().map(secret).transpose()?;
    let control = profile.control.clone().map(|base| (base, token));
    let trust = profile.trust(&folder).map_err(Ending::Bad)?;
    let target = Remote::trusting(trust, sites, control).await.map_err(Ending::Unreachable)?;
    let target = target.forwarded_by(forwarding);
    target.reach().await.map_err(Ending::Unreachable)?;
    let mut pace = Pace::new(per_minute).counting_as(counted_as);
    if let Some(most) = drops_per_hour {
        pace = pace.with_drops(most);
    }
    Ok((Box::new(target), settings, pace))
}

#[cfg(feature = "embedded")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature there is no embedded target")]
fn embedded(seed: u64) -> Result<(Box<dyn Target>, Settings, Pace), Ending> {
    let target = assay_suites::embedded::Embedded::new(seed, Dialect::default());
    let settings = Settings { seed, ..Settings::default() };
    Ok((Box::new(target), settings, Pace::default()))
}

#[cfg(not(feature = "embedded"))]
fn embedded(_: u64) -> Result<(Box<dyn Target>, Settings, Pace), Ending> {
    let _: Option<Dialect> = None;
    Err(Ending::Bad(
        "this build has no simulator: name a target with --profile, --gateway-url, --metadata-url, --network-url, --publish-url or --drop-url".to_owned(),
    ))
}

/// The checks of a plan, what each costs and needs, and the sum.
fn list(planned: &[Planned]) -> String {
    let width =
        planned.iter().map(|planned| planned.check.requirement.to_string().len()).max().unwrap_or_default();
    let mut text = String::new();
    for Planned { check, missing } in planned {
        let Check { requirement, fact, cost, .. } = check;
        let note =
            missing.map(|need| format!("  not testable: needs {}", need.missing())).unwrap_or_default();
        text.push_str(&format!("{requirement:<width$}  {:>3} requests  {fact}{note}\n", cost.requests));
    }
    let sum = cost(planned);
    text.push_str(&format!(
        "{} checks, at most {} requests, {} publishes, {} domains, {} drops\n",
        planned.len(),
        sum.requests,
        sum.publishes,
        sum.domains,
        sum.drops
    ));
    text
}

#[cfg(feature = "embedded")]
async fn sim(args: SimArgs) -> Result<(), Ending> {
    use assay_sim::serve::ClockMode;
    use assay_suites::embedded::sim::{Options, start};

    let epoch = args.epoch.unwrap_or(match args.clock {
        ClockMode::Real => wall_clock(),
        ClockMode::Manual | ClockMode::Auto => assay_sim::clock::EPOCH,
    });
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    let options = Options {
        seed: args.seed,
        listen: args.listen,
        clock: args.clock,
        epoch,
        token,
        forwarded_header: args.forwarded_header,
        limits: args.limits,
        deviations: args.deviations,
        liberties: args.liberties,
    };
    let served = start(&options).await.map_err(Ending::Bad)?;
    println!("seed {}, epoch {epoch}", args.seed);
    print!("{}", served.table());
    if let Some(path) = &args.write_profile {
        let (profile, key) = served.write_profile(path, args.token_file.as_deref()).map_err(Ending::Bad)?;
        println!("profile  {} (key in {})", profile.display(), key.display());
        println!("test it  assay run --profile {}", profile.display());
    }
    println!("Ctrl-C stops it");
    tokio::signal::ctrl_c().await.map_err(|e| Ending::Failed(e.to_string()))
}

#[cfg(feature = "embedded")]
fn read_token(path: &Path) -> Result<String, Ending> {
    let text = std::fs::read_to_string(path).map_err(|e| Ending::Bad(format!("{}: {e}", path.display())))?;
    let token = text.trim().to_owned();
    if token.is_empty() {
        return Err(Ending::Bad(format!("{}: the token is empty", path.display())));
    }
    Ok(token)
}

#[cfg(feature = "embedded")]
async fn prove(args: ProveArgs) -> Result<(), Ending> {
    let wanted = select(check::all(), &args.selection.services, &args.selection.filters);
    if wanted.is_empty() {
        return Err(Ending::Bad("no check matches these filters".to_owned()));
    }
    let settings = Settings { seed: args.seed, ..Settings::default() };
    let matrix = assay_suites::embedded::prove::prove(args.seed, &wanted, &settings, 4)
        .await
        .map_err(Ending::Failed)?;
    print!("{}", matrix.text());
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", matrix.json()))?;
    }
    if matrix.holds() { Ok(()) } else { Err(Ending::Code(1)) }
}

async fn publish_record(args: PublishArgs) -> Result<(), Ending> {
    use assay_spec::publish::check::{Asked, Op};
    use publish::client::{Publication, Published};

    let secret = match &args.key_file {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|e| Ending::Bad(format!("{}: {e}", path.display())))?
        }
        None => std::env::var("ASSAY_KEY")
            .map_err(|_| Ending::Bad("no key: --key-file or ASSAY_KEY".to_owned()))?,
    };
    let dialect = Dialect::default();
    let op = match (args.transfer_to, args.accept, args.cid) {
        (Some(key), ..) => Op::Transfer { new_authority: format!("{}{key}", dialect.key_scheme) },
        (_, Some(transfer), _) => Op::Accept { transfer },
        (.., cid) => Op::Publish { cid: cid.unwrap_or_default(), version: args.version },
    };
    let wanted = Publication {
        dialect,
        url: args.url,
        chain_url: args.chain,
        key: publish::signing_key(&secret).map_err(Ending::Bad)?,
        asked: Asked { domain: args.domain, op },
    };
    match publish::client::publish(&wanted).await {
        Ok(Published::Landed(signature)) => {
            println!("{signature}");
            Ok(())
        }
        Ok(Published::Unverified(signature, why)) => {
            println!("{signature}");
            eprintln!("assay: landed, but not verified: {why}");
            Err(Ending::Code(1))
        }
        Ok(Published::Unresolved(why)) | Err(why) => {
            eprintln!("assay: {why}");
            Err(Ending::Code(1))
        }
    }
}

async fn verify(args: VerifyArgs) -> Result<(), Ending> {
    use publish::verify::{Verified, verify_publish};

    let dialect = Dialect::default();
    let verified = verify_publish(&dialect, &args.chain, &args.signature, &args.key).await;
    match verified.map_err(Ending::Unreachable)? {
        Verified::Record(record) => {
            println!("{}", String::from_utf8_lossy(&record.encode(&dialect)));
            println!("written by {}, in the transaction {}", args.key, args.signature);
            Ok(())
        }
        Verified::Absent => {
            println!("unverified: the chain does not know this transaction");
            Err(Ending::Code(1))
        }
        Verified::Unproven(why) => {
            println!("unverified: {why}");
            Err(Ending::Code(1))
        }
    }
}

fn requirements(args: &RequirementsArgs) -> Result<(), Ending> {
    if let Some(folder) = &args.against {
        let comparison = ledger::against(folder).map_err(Ending::Bad)?;
        for line in comparison.findings.iter().chain(&comparison.summary) {
            println!("{line}");
        }
        return if comparison.findings.is_empty() { Ok(()) } else { Err(Ending::Code(1)) };
    }
    if args.json {
        println!("{:#}", ledger::json(&args.services));
    } else {
        print!("{}", ledger::table(&args.services));
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Ending> {
    std::fs::write(path, text).map_err(|e| Ending::Failed(format!("{}: {e}", path.display())))
}
