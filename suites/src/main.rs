//! The `assay` command.

/// As the standard macro, but a closed pipe does not cause a panic.
macro_rules! print {
    ($($text:tt)*) => { crate::put(format_args!($($text)*)) };
}

/// See `print`.
macro_rules! println {
    ($($text:tt)*) => { crate::put(format_args!("{}\n", format_args!($($text)*))) };
}

mod cli;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use assay_spec::Service;
use assay_suites::documents::ledger;
use assay_suites::harness::check::Check;
#[cfg(feature = "embedded")]
use assay_suites::harness::probe::{Settings, wall_clock};
use assay_suites::harness::refusal;
use assay_suites::harness::setup::SetupError;
use assay_suites::services;
use assay_suites::services::publish;
use assay_suites::support::files;
#[cfg(feature = "embedded")]
use assay_suites::support::prose;
use clap::{Args, ColorChoice, FromArgMatches, Parser, Subcommand};
#[cfg(feature = "embedded")]
use cli::selection::Selection;
use cli::target::DialectArgs;
use mimalloc::MiMalloc;

/// Checks and worlds allocate much, on several threads.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How a command ends: 2 for bad arguments or a bad profile, 3 for an unreachable target, 4 for a failure of the
/// harness.
enum Ending {
    Code(u8),
    Bad(String),
    Unreachable(String),
    Failed(String),
}

impl From<SetupError> for Ending {
    fn from(error: SetupError) -> Ending {
        match error {
            SetupError::Bad(why) => Ending::Bad(why),
            SetupError::Unreachable(why) => Ending::Unreachable(why),
        }
    }
}

#[derive(Parser)]
#[command(
    name = "assay",
    version,
    about = "Tests whether a server, a client or a test vector conforms to the documents",
    disable_help_subcommand = true
)]
struct Command {
    /// When to use colours; NO_COLOR in the environment turns auto off
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Run the checks against a target; without a target, against the embedded simulator
    #[command(after_help = cli::run::HELP)]
    Run(Box<cli::run::RunArgs>),
    /// Compare two reports: regressions, fixes, new checks
    #[command(
        after_help = "Example:\n  assay diff yesterday.json today.json\n\nExit codes: 0 nothing got worse, 1 something got worse, 2 a file is not a report"
    )]
    Diff(cli::report::DiffArgs),
    /// Merge the reports of shards into one
    #[command(after_help = "Example:\n  assay merge part-*.json --junit out.xml --html out.html")]
    Merge(cli::report::MergeArgs),
    /// Recompute every verdict of a report from the recorded exchanges, without the target
    #[command(
        after_help = "Example:\n  assay judge out.json\n\nExit codes: 0 every verdict is the same, 1 a verdict differs or cannot be recomputed, 2 the file is not a report"
    )]
    Judge(cli::report::JudgeArgs),
    /// Resend the recorded requests of one check
    #[command(
        after_help = "Examples:\n  assay replay out.json publish.prepare.one-in-flight\n  assay replay out.json publish.prepare.one-in-flight --anew --profile p.toml    # signs the requests again\n  assay replay out.json publish.prepare.one-in-flight --script again.sh --hurl again.hurl --har again.har\n\nExit codes: 0 every response has the recorded status, 1 a status differs, 2 the file is not a report, 3 target unreachable"
    )]
    Replay(cli::report::ReplayArgs),
    /// Print the JSON Schema of a report
    Schema,
    /// Start the simulator: every service on loopback, each on its own port
    #[cfg(feature = "embedded")]
    #[command(
        after_help = "Examples:\n  assay sim --seed 7 --write-profile p.toml\n  assay sim --clock manual --epoch 2026-01-01T00:00:00Z --deviate publish.prepare.one-in-flight"
    )]
    Sim(SimArgs),
    /// Prove that every check can fail, and that no check fails under a variation that the documents allow
    #[cfg(feature = "embedded")]
    #[command(
        after_help = "Examples:\n  assay prove --service publish --json matrix.json\n  assay prove publish.prepare.one-in-flight\n\nThe line of a deviation or variation counts its checks: red are fail, warn and error; undecided are inconclusive, not-testable and not-applicable, because they need what the deviation broke. Under a deviation its own check must be red and no other; under a variation no check may be red or undecided.\n\nExit codes: 0 everything is proven, 1 a hole, 4 the harness failed"
    )]
    Prove(ProveArgs),
    /// Publish a content identifier or transfer a domain, as a conforming client of the exchange
    #[command(
        after_help = "Examples:\n  ASSAY_KEY=… assay publish --url http://127.0.0.1:4116 --domain a.example --cid bafy…\n  assay publish --url … --domain a.example --key-file p.key --transfer-to 9xQe…\n\nExit codes: 0 published, 1 not published, 2 bad arguments"
    )]
    Publish(PublishArgs),
    /// Send prompts to a model, as a conforming client of the gateway and of the servers behind it
    #[command(after_help = cli::chat::HELP)]
    Chat(cli::chat::ChatArgs),
    /// Verify on the chain that a key published a record
    #[command(
        after_help = "Example:\n  assay verify-publish --chain http://127.0.0.1:4117 --signature 5Kd… --key 8qbH…\n\nExit codes: 0 verified, 1 not verified, 3 chain unreachable"
    )]
    VerifyPublish(VerifyArgs),
    /// Test a client program against conforming and deviating simulators
    #[cfg(feature = "embedded")]
    Client {
        #[command(subcommand)]
        what: cli::client::What,
    },
    /// List, explain, check and release the golden test vectors, and test a program against them
    Vectors {
        #[command(subcommand)]
        what: cli::vectors::What,
    },
    /// Run the reference implementation of the JSON-lines protocol on stdin and stdout
    Shim,
    /// Compute the content identifier of a file or folder
    #[command(
        after_help = "Examples:\n  assay cid dist\n  assay cid dist --car dist.car\n\nExit codes: 0 the identifier is on standard output, 2 the content has no identifier or cannot be read, 4 the CAR cannot be written"
    )]
    Cid(cli::cid::CidArgs),
    /// Recover an owner's projects and deployments from nodes of the network
    #[command(after_help = cli::recover::HELP)]
    Recover(cli::recover::RecoverArgs),
    /// Query a target and write a first profile for it
    #[command(after_help = cli::init::HELP)]
    Init(cli::init::InitArgs),
    /// Report what prevents a target from being tested, fully or partly, and how to fix it
    #[command(after_help = cli::doctor::HELP)]
    Doctor(cli::doctor::DoctorArgs),
    /// List the readings that a profile can declare for ambiguous sentences
    #[command(after_help = cli::readings::HELP)]
    Readings(cli::readings::ReadingsArgs),
    /// Write the OpenAPI 3.1 document of a service
    #[command(after_help = cli::openapi::HELP)]
    Openapi(cli::openapi::OpenapiArgs),
    /// List every requirement with its evidence
    #[command(
        after_help = "Examples:\n  assay requirements --service publish\n  assay requirements --rejections --service drop\n  assay requirements --against path/to/documents"
    )]
    Requirements(RequirementsArgs),
    /// Explain requirements: statement, source, check, usual failures, how to run it alone
    #[command(after_help = cli::explain::HELP)]
    Explain(cli::explain::ExplainArgs),
    /// Print the help of a command, or a page of the documentation
    Help(cli::help::HelpArgs),
    /// Print the completions for a shell
    #[command(
        after_help = "Example:\n  assay completions bash > ~/.local/share/bash-completion/completions/assay"
    )]
    Completions(cli::help::CompletionsArgs),
    /// Print the manual page, or write the pages of all commands into a folder
    #[command(after_help = "Example:\n  assay man --into ~/.local/share/man/man1")]
    Man(cli::help::ManArgs),
}

#[cfg(feature = "embedded")]
#[derive(Args)]
struct SimArgs {
    /// Seed of the world
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Address of the control API; the services use the next ports
    #[arg(long, default_value = "127.0.0.1:4100")]
    listen: std::net::SocketAddr,
    /// How time moves: manual, auto or real
    #[arg(long, default_value = "real", value_parser = parse_clock)]
    clock: assay_sim::serve::ClockMode,
    /// Start time of the world (ISO 8601); with a real clock the default is now
    #[arg(long, value_parser = parse_epoch)]
    epoch: Option<assay_spec::Instant>,
    /// Write a profile for assay run, and its key files beside it
    #[arg(long, value_name = "FILE")]
    write_profile: Option<PathBuf>,
    /// Require the bearer token in this file from clients of the control API
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Also answer control requests to this host name, such as a container's name (repeatable)
    #[arg(long = "allow-host", value_name = "NAME")]
    allowed_hosts: Vec<String>,
    /// Take the client's address from this header, such as X-Forwarded-For
    #[arg(long, value_name = "NAME")]
    forwarded_header: Option<String>,
    /// Use https for every site; the written profile trusts its certificates
    #[arg(long)]
    https: bool,
    /// Set a limit (repeatable), such as publish.requests-per-window=1000
    #[arg(long = "limit", value_name = "SERVICE.NAME=NUMBER")]
    limits: Vec<String>,
    /// Break a requirement (repeatable), everywhere or where PART is VALUE: endpoint=prepare,op=transfer
    #[arg(long = "deviate", value_name = "ID[/VARIANT][@PART=VALUE,…]")]
    deviations: Vec<String>,
    /// Apply an allowed variation (repeatable)
    #[arg(long = "variation", value_name = "NAME")]
    variations: Vec<String>,
}

#[cfg(feature = "embedded")]
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "one field for each flag")]
struct ProveArgs {
    #[command(flatten)]
    selection: Selection,
    /// Seed of the worlds
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the matrix as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the matrix as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print every deviation and variation, not only those that are not proven
    #[arg(short, long)]
    verbose: bool,
    /// Run only against constant servers, and print which checks pass on which
    #[arg(long, conflicts_with_all = ["json", "junit", "verbose"])]
    constant: bool,
    /// Make each declared field of each response wrong, and break each row at each place that it declares; print how many of
    /// these cells the rows close.
    /// Fails if a cell is open that suites/holes.toml does not list
    #[arg(long, conflicts_with = "constant")]
    cells: bool,
    /// Run checks under N mixes of allowed variations instead; the seed decides which variations and checks. Fails if a check
    /// turns red or gives no result
    #[arg(long, value_name = "N", conflicts_with_all = ["constant", "cells", "junit"], value_parser = clap::value_parser!(u64).range(1..))]
    variations: Option<u64>,
    /// Measure what each check sends, in a world of its own and at a shared target, and write that in the form of
    /// suites/costs.toml
    #[arg(long, value_name = "FILE", conflicts_with_all = ["constant", "cells", "variations", "json", "junit"])]
    costs: Option<PathBuf>,
    /// Only every Nth cell; the seed decides which
    #[arg(long, value_name = "N", default_value_t = 1, requires = "cells", value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// Print how many cells a run finds at a target that others use too: one world for all checks, one key, no control API
    #[arg(long, requires = "cells", conflicts_with = "holes")]
    shared: bool,
    /// Write what such a run finds and what it does not, as a page (Markdown)
    #[arg(long, value_name = "FILE", requires = "shared")]
    page: Option<PathBuf>,
    /// Which values such a run sends in place of ordinary ones
    #[arg(long, value_enum, default_value = "standard")]
    depth: cli::run::DepthName,
    /// Write the open cells in the form of suites/holes.toml
    #[arg(long, value_name = "FILE", requires = "cells", conflicts_with = "every")]
    holes: Option<PathBuf>,
}

#[derive(Args)]
struct PublishArgs {
    /// Base URL of the exchange
    #[arg(long, env = "ASSAY_URL")]
    url: String,
    /// The domain to publish under
    #[arg(long, env = "ASSAY_DOMAIN")]
    domain: String,
    /// The content identifier to publish
    #[arg(long, env = "ASSAY_CID", required_unless_present_any = ["transfer_to", "accept"])]
    cid: Option<String>,
    /// The version to publish; the default is 0
    #[arg(long = "build", value_name = "VERSION", env = "ASSAY_VERSION")]
    version: Option<String>,
    /// Transfer the domain to this base58 public key
    #[arg(long, value_name = "KEY", conflicts_with = "accept", env = "ASSAY_TRANSFER_TO")]
    transfer_to: Option<String>,
    /// Accept the transfer with this transaction signature
    #[arg(long, value_name = "SIGNATURE", env = "ASSAY_ACCEPT")]
    accept: Option<String>,
    /// File with the key's seed, 64 hex digits; the default is the environment variable ASSAY_KEY
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Base URL of the chain's JSON-RPC interface, to verify the published record
    #[arg(long, value_name = "URL", env = "ASSAY_CHAIN_URL")]
    chain: Option<String>,
    #[command(flatten)]
    names: DialectArgs,
}

#[derive(Args)]
struct VerifyArgs {
    /// Base URL of the chain's JSON-RPC interface
    #[arg(long, value_name = "URL")]
    chain: String,
    /// Signature of the transaction, base58
    #[arg(long)]
    signature: String,
    /// The publishing key, base58
    #[arg(long)]
    key: String,
    #[command(flatten)]
    names: DialectArgs,
}

#[derive(Args)]
struct RequirementsArgs {
    /// Only this service (repeatable)
    #[arg(long = "service", value_parser = parse_service)]
    services: Vec<Service>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List what the declarations leave open in the responses of each endpoint, and why
    #[arg(long, conflicts_with_all = ["json", "against"])]
    undeclared: bool,
    /// List the rejections that checks expect: their sentence, their statuses, and why no other is legal
    #[arg(long, conflicts_with_all = ["undeclared", "against"])]
    rejections: bool,
    /// Compare with the documents in this folder: list sentences without a row or excuse, and rows without a sentence
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,
}

fn parse_service(name: &str) -> Result<Service, String> {
    let known: Vec<&str> = Service::ALL.iter().map(|service| service.name()).collect();
    Service::named(name).ok_or_else(|| format!("unknown service; known services: {}", known.join(", ")))
}

#[cfg(feature = "embedded")]
fn parse_clock(name: &str) -> Result<assay_sim::serve::ClockMode, String> {
    serde_json::from_value(serde_json::json!(name))
        .map_err(|_| "unknown clock; use manual, auto or real".to_owned())
}

#[cfg(feature = "embedded")]
fn parse_epoch(text: &str) -> Result<assay_spec::Instant, String> {
    assay_spec::Instant::parse_iso(text)
        .ok_or_else(|| "not an ISO 8601 instant; use the form 2026-01-01T00:00:00Z".to_owned())
}

fn main() -> ExitCode {
    let matches = cli::help::command().get_matches();
    let command = Command::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    match command.color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            eprintln!("assay: cannot start: {e}");
            return ExitCode::from(4);
        }
    };
    let ending = runtime.block_on(async {
        match command.what {
            What::Run(args) => Box::pin(cli::run::run(*args)).await,
            What::Diff(args) => cli::report::compare(&args),
            What::Merge(args) => cli::report::merge(&args),
            What::Judge(args) => cli::report::judge(args).await,
            What::Replay(args) => cli::report::replay(args).await,
            What::Schema => {
                cli::report::schema();
                Ok(())
            }
            #[cfg(feature = "embedded")]
            What::Sim(args) => sim(args).await,
            #[cfg(feature = "embedded")]
            What::Prove(args) => prove(args).await,
            What::Publish(args) => publish_record(args).await,
            What::Chat(args) => cli::chat::chat(args).await,
            What::VerifyPublish(args) => verify(args).await,
            #[cfg(feature = "embedded")]
            What::Client { what } => cli::client::client(what).await,
            What::Vectors { what } => cli::vectors::vectors(what),
            What::Cid(args) => cli::cid::cid(&args),
            What::Recover(args) => cli::recover::recover(args).await,
            What::Openapi(args) => cli::openapi::openapi(&args),
            What::Shim => cli::vectors::serve(),
            What::Init(args) => cli::init::init(args).await,
            What::Doctor(args) => cli::doctor::doctor(args).await,
            What::Readings(args) => cli::readings::readings(&args),
            What::Requirements(args) => requirements(&args),
            What::Explain(args) => cli::explain::explain(&args),
            What::Help(args) => cli::help::help(&args),
            What::Completions(args) => {
                cli::help::completions(&args);
                Ok(())
            }
            What::Man(args) => cli::help::man(&args),
        }
    });
    // Open connections must not delay the exit.
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

/// Whether standard output shows colours: as `--color` says, otherwise on a terminal unless `NO_COLOR` is set.
fn is_coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Prints. A closed pipe (as with `head`) is not an error: the exit code still comes from the command's result.
fn put(text: std::fmt::Arguments<'_>) {
    if let Err(e) = std::io::stdout().lock().write_fmt(text)
        && e.kind() != std::io::ErrorKind::BrokenPipe
    {
        eprintln!("assay: standard output: {e}");
        std::process::exit(4);
    }
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
    // From the beginning: a process with the id 1, as in a container, gets no signal that it does not listen for.
    let interrupt = cli::interrupt::Interrupt::listen_quietly();
    let options = Options {
        seed: args.seed,
        listen: args.listen,
        clock: args.clock,
        epoch,
        allowed_hosts: args.allowed_hosts,
        token,
        forwarded_header: args.forwarded_header,
        https: args.https,
        limits: args.limits,
        deviations: args.deviations,
        variations: args.variations,
    };
    let served = start(&options).await.map_err(Ending::Bad)?;
    println!("seed {}, epoch {epoch}", args.seed);
    print!("{}", served.table());
    if let Some(path) = &args.write_profile {
        served.write_profile(path, args.token_file.as_deref()).map_err(Ending::Bad)?;
        println!("profile  {} (its secrets are in files beside it)", path.display());
        println!("test it  assay run --profile {}", path.display());
    }
    println!("press Ctrl-C to stop");
    interrupt.wait().await;
    Ok(())
}

#[cfg(feature = "embedded")]
fn read_token(path: &Path) -> Result<String, Ending> {
    let text = read_secret(path)?;
    let token = text.trim().to_owned();
    if token.is_empty() {
        return Err(Ending::Bad(format!("{}: the token is empty", path.display())));
    }
    Ok(token)
}

#[cfg(feature = "embedded")]
async fn prove(args: ProveArgs) -> Result<(), Ending> {
    use assay_suites::embedded::prove::Breadth;

    let wanted = args.selection.checks()?;
    let settings = Settings { seed: args.seed, ..services::settings() };
    if let Some(path) = &args.costs {
        let costs = assay_suites::embedded::costs::measure(args.seed, 4);
        return write(path, &Box::pin(costs).await.map_err(Ending::Failed)?);
    }
    if args.constant {
        return prove_constant(args.seed, &wanted, &settings).await;
    }
    if args.cells {
        return Box::pin(prove_cells(&args, &wanted, &settings)).await;
    }
    if let Some(count) = args.variations {
        return prove_mixes(&args, count, &wanted, &settings).await;
    }
    let matrix =
        Box::pin(assay_suites::embedded::prove::prove(args.seed, &wanted, &settings, 4, Breadth::Met))
            .await
            .map_err(Ending::Failed)?;
    print!("{}", matrix.text(args.verbose));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", matrix.json()))?;
    }
    if let Some(path) = &args.junit {
        write(path, &matrix.junit())?;
    }
    if matrix.holds() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Runs checks under mixes of variations.
#[cfg(feature = "embedded")]
async fn prove_mixes(
    args: &ProveArgs,
    count: u64,
    wanted: &[&'static assay_suites::harness::check::Check],
    settings: &Settings,
) -> Result<(), Ending> {
    use assay_suites::embedded::mixes;

    let proven = mixes::prove_mixes(args.seed, count, wanted, settings, 4).await.map_err(Ending::Failed)?;
    print!("{}", mixes::text(&proven, args.verbose));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", mixes::json(&proven)))?;
    }
    if mixes::hold(&proven) { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Proves the cells of the services of the selected checks.
#[cfg(feature = "embedded")]
async fn prove_cells(
    args: &ProveArgs,
    wanted: &[&'static assay_suites::harness::check::Check],
    settings: &Settings,
) -> Result<(), Ending> {
    use assay_suites::embedded::{cells, shared};

    let is_wanted = |service: &&Service| wanted.iter().any(|check| check.requirement.service == **service);
    let services: Vec<Service> = Service::ALL.iter().filter(is_wanted).copied().collect();
    if args.shared {
        let found = shared::detection(args.seed, &services, args.depth.into(), 4, args.every.into());
        let found = Box::pin(found).await.map_err(Ending::Failed)?;
        print!("{}", shared::text(&found));
        if let Some(path) = &args.json {
            write(path, &format!("{:#}\n", shared::json(&found)))?;
        }
        return args.page.as_ref().map_or(Ok(()), |path| write(path, &shared::page(&found)));
    }
    let found = cells::prove_cells(args.seed, &services, settings, 4, args.every.into());
    let found = found.await.map_err(Ending::Failed)?;
    print!("{}", cells::text(&found));
    if let Some(path) = &args.json {
        write(path, &format!("{:#}\n", cells::json(&found)))?;
    }
    if let Some(path) = &args.holes {
        return write(path, &cells::holes(&found));
    }
    let differences = cells::differences(&found, args.every > 1).map_err(Ending::Failed)?;
    for line in &differences {
        println!("{line}");
    }
    if differences.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
}

/// Runs checks against constant servers.
#[cfg(feature = "embedded")]
async fn prove_constant(
    seed: u64,
    wanted: &[&'static assay_suites::harness::check::Check],
    settings: &Settings,
) -> Result<(), Ending> {
    use assay_suites::embedded::{constant, prove};

    let passes =
        prove::constants(seed, wanted, settings, 4, prove::Breadth::Met).await.map_err(Ending::Failed)?;
    for (id, servers) in &passes {
        println!("{id:<48} {}", servers.join("; "));
    }
    let mut holes = constant::holes(&passes, wanted);
    holes.extend(prove::broken(seed, wanted, settings, 4).await.map_err(Ending::Failed)?);
    for hole in &holes {
        println!("HOLE {hole}");
    }
    let passing = prose::count(passes.len(), "check");
    println!("passing on a constant server: {passing}, {}", prose::count(holes.len(), "hole"));
    if holes.is_empty() { Ok(()) } else { Err(Ending::Code(1)) }
}

async fn publish_record(args: PublishArgs) -> Result<(), Ending> {
    use assay_spec::publish::check::{Intent, Op};
    use publish::client::{Publication, Published};

    let secret = match &args.key_file {
        Some(path) => read_secret(path)?,
        None => std::env::var("ASSAY_KEY")
            .map_err(|_| Ending::Bad("no key: set --key-file or ASSAY_KEY".to_owned()))?,
    };
    let (dialect, _) = args.names.load()?;
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
        asked: Intent { domain: args.domain, op },
    };
    match publish::client::publish(&wanted).await {
        Ok(Published::Landed(signature)) => {
            println!("{signature}");
            Ok(())
        }
        Ok(Published::Unverified(signature, why)) => {
            println!("{signature}");
            eprintln!("assay: published, but not verified: {why}");
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

    let (dialect, _) = args.names.load()?;
    let verified = verify_publish(&dialect, &args.chain, &args.signature, &args.key).await;
    match verified.map_err(Ending::Unreachable)? {
        Verified::Record(record) => {
            println!("{}", String::from_utf8_lossy(&record.encode(&dialect)));
            println!("published by {} in transaction {}", args.key, args.signature);
            Ok(())
        }
        Verified::Absent => {
            println!("unverified: the chain does not have this transaction");
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
    if args.rejections {
        let is_wanted =
            |check: &&Check| args.services.is_empty() || args.services.contains(&check.requirement.service);
        let checks: Vec<_> = services::checks().into_iter().filter(is_wanted).collect();
        if args.json {
            println!("{:#}", refusal::json(&checks));
        } else {
            print!("{}", refusal::table(&checks));
        }
    } else if args.undeclared {
        print!("{}", ledger::undeclared(&args.services));
    } else if args.json {
        println!("{:#}", ledger::json(&args.services));
    } else {
        print!("{}", ledger::table(&args.services));
    }
    Ok(())
}

fn read_secret(path: &Path) -> Result<String, Ending> {
    files::read_text(path, "a secret", files::SECRET_BYTES).map_err(|e| Ending::Bad(e.to_string()))
}

/// Writes a file; see [`files::write_with`].
fn write(path: &Path, text: &str) -> Result<(), Ending> {
    files::write(path, text.as_bytes()).map_err(|e| Ending::Failed(format!("{}: {e}", path.display())))
}
