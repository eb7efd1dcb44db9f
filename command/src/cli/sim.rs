//! `assay sim`: the simulator on sockets.

use std::path::{Path, PathBuf};

use assay_suites::harness::probe::wall_clock;
use clap::Args;

use super::{Ending, read_secret, whole};

/// The end of the help.
pub(crate) const HELP: &str = "Examples:\n  assay sim --seed 7 --write-profile p.toml\n  assay sim --clock manual --epoch 2026-01-01T00:00:00Z --deviate publish.prepare.one-in-flight\n\nExit codes: 0 stopped by Ctrl-C, 2 bad arguments, or a port is in use";

#[derive(Args)]
pub(crate) struct SimArgs {
    /// Seed of the world
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
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

fn parse_clock(name: &str) -> Result<assay_sim::serve::ClockMode, String> {
    serde_json::from_value(serde_json::json!(name))
        .map_err(|_| "unknown clock; use manual, auto or real".to_owned())
}

fn parse_epoch(text: &str) -> Result<assay_spec::Instant, String> {
    assay_spec::Instant::parse_iso(text)
        .ok_or_else(|| "not an ISO 8601 instant; use the form 2026-01-01T00:00:00Z".to_owned())
}

pub(crate) async fn sim(args: SimArgs) -> Result<(), Ending> {
    use assay_sim::serve::ClockMode;
    use assay_suites::embedded::sim::{Options, start};

    let epoch = args.epoch.unwrap_or(match args.clock {
        ClockMode::Real => wall_clock(),
        ClockMode::Manual | ClockMode::Auto => assay_sim::clock::EPOCH,
    });
    let token = args.token_file.as_deref().map(read_token).transpose()?;
    // From the beginning: a process with the id 1, as in a container, gets no signal that it does not listen for.
    let interrupt = super::interrupt::Interrupt::listen_quietly();
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

fn read_token(path: &Path) -> Result<String, Ending> {
    let text = read_secret(path)?;
    let token = text.trim().to_owned();
    if token.is_empty() {
        return Err(Ending::Bad(format!("{}: the token is empty", path.display())));
    }
    Ok(token)
}
