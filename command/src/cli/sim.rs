//! `assay sim`: the simulator on sockets.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};

use assay_sim::serve::{Access, Ended};
use assay_spec::Service;
use assay_suites::harness::probe::wall_clock;
use assay_suites::support::files;
use assay_suites::support::prose::one_line;
use clap::{Args, ValueEnum};

use super::{Ending, parse_service, read_secret, whole};

/// The end of the help.
pub(crate) const HELP: &str = "Examples:\n  assay sim --seed 7 --write-profile p.toml\n  assay sim --only gateway --port gateway=8080 --cors http://localhost:3000\n  assay sim --scenario scenario.toml\n  assay sim --clock manual --epoch 2026-01-01T00:00:00Z --deviate publish.prepare.one-in-flight\n\nExit codes: 0 stopped by Ctrl-C, 2 bad arguments, or a port is in use";

#[derive(Args)]
pub(crate) struct SimArgs {
    /// Seed of the world
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Address of the control API; the services use the next ports
    #[arg(long, default_value = "127.0.0.1:4100")]
    listen: std::net::SocketAddr,
    /// Start only these services and what they need: hosting also starts network, which holds its records
    #[arg(long, value_name = "SERVICE[,SERVICE…]", value_delimiter = ',', value_parser = parse_service)]
    only: Vec<Service>,
    /// Set the port of a site (repeatable), such as drop=8080; 0 is any free port
    #[arg(long = "port", value_name = "SITE=PORT")]
    ports: Vec<String>,
    /// Host name or IP address of every URL in answers, output and files, in place of the listen address
    #[arg(long, value_name = "HOST")]
    public_host: Option<String>,
    #[arg(
        long,
        value_name = "ORIGIN",
        help = "Let web pages of this origin use the services (repeatable), such as http://localhost:3000, or *"
    )]
    cors: Vec<String>,
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
    /// Begin as this TOML file says: own models with their answers, limits, faults, actions at times
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// How each exchange is logged to standard error
    #[arg(long, value_name = "FORM", default_value = "text", conflicts_with = "quiet")]
    log: LogForm,
    /// Log no exchange
    #[arg(long, short)]
    quiet: bool,
    /// Print URLs, keys and names as one line of JSON
    #[arg(long)]
    json: bool,
    /// Write that JSON to a file once every port answers
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// Write the environment of clients to a file: NAME=value lines, such as OPENAI_BASE_URL
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogForm {
    /// A line for readers
    Text,
    /// A JSON object on a line
    Json,
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
        only: args.only,
        ports: args.ports,
        public_host: args.public_host,
        cors: args.cors,
        limits: args.limits,
        deviations: args.deviations,
        variations: args.variations,
        scenario: args.scenario,
    };
    let served = start(&options).await.map_err(Ending::Bad)?;
    if !args.quiet {
        let log = logging(args.log);
        // A reader that stops must not stop the simulator: what does not fit is left out.
        served.handle.watch(move |access| drop(log.try_send(access)));
    }
    if args.json {
        println!("{}", served.described());
    } else {
        println!("seed {}, epoch {epoch}", args.seed);
        print!("{}", served.table());
    }
    let put = |path: &Path, text: String| {
        files::write_secret(path, text.as_bytes())
            .map_err(|e| Ending::Bad(format!("{}: {e}", path.display())))
    };
    if let Some(path) = &args.env_file {
        put(path, served.environment())?;
    }
    if let Some(path) = &args.write_profile {
        served.write_profile(path, args.token_file.as_deref()).map_err(Ending::Bad)?;
        if !args.json {
            println!("profile  {} (its secrets are in files beside it)", path.display());
            println!("test it  assay run --profile {}", path.display());
        }
    }
    if let Some(path) = &args.ready_file {
        put(path, format!("{}\n", served.described()))?;
    }
    if !args.json {
        println!("press Ctrl-C to stop");
    }
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

/// How many exchanges wait for the reader of the log.
const WAITING: usize = 1024;

/// Prints the exchanges that are sent to it, on a thread of its own.
fn logging(form: LogForm) -> SyncSender<Access> {
    let (sender, receiver) = sync_channel::<Access>(WAITING);
    std::thread::spawn(move || {
        for access in receiver {
            let line = match form {
                LogForm::Text => line(&access),
                LogForm::Json => serde_json::json!(access).to_string(),
            };
            // Standard error is closed, so nothing reads the log.
            if writeln!(std::io::stderr(), "{line}").is_err() {
                break;
            }
        }
    });
    sender
}

/// `12:00:00.000 422 POST gateway /v1/chat/completions 0 ms  gateway.chat.role: "x" is not a role`.
fn line(access: &Access) -> String {
    let Access { at, site, method, target, status, ms, ended, why } = access;
    let at = at.to_string();
    let status = status.map_or_else(|| "---".to_owned(), |status| status.to_string());
    let time = at.get(11..23).unwrap_or(&at);
    let mut line = format!("{time} {status} {method} {site} {} {ms} ms", one_line(target.as_bytes()));
    line.push_str(match ended {
        Ended::Whole => "",
        Ended::Cut => ", cut by the server",
        Ended::Left => ", left by the client",
    });
    for violation in why {
        let accepted = if violation.accepted { " (accepted: its rule is off)" } else { "" };
        line.push_str(&format!(
            "  {}: {}{accepted}",
            violation.requirement,
            one_line(violation.why.as_bytes())
        ));
    }
    line
}

#[cfg(test)]
mod tests {
    use assay_sim::serve::Violation;

    use super::*;

    #[test]
    fn a_line_says_what_ended_how_and_why() {
        let violation =
            |accepted| Violation { requirement: "a.b.c".to_owned(), why: "a\nb".to_owned(), accepted };
        let mut access = Access {
            at: assay_sim::clock::EPOCH,
            site: "drop",
            method: "POST".to_owned(),
            target: "/api/drop?x".to_owned(),
            status: Some(400),
            ms: 3,
            ended: Ended::Whole,
            why: vec![violation(false)],
        };
        let begins =
            format!("{} 400 POST drop /api/drop?x 3 ms", &assay_sim::clock::EPOCH.to_string()[11..23]);
        assert_eq!(line(&access), format!("{begins}  a.b.c: a\\nb"));
        access.why = vec![violation(true)];
        assert!(line(&access).ends_with("  a.b.c: a\\nb (accepted: its rule is off)"));
        (access.status, access.ended, access.why) = (None, Ended::Left, Vec::new());
        assert!(line(&access).ends_with(" --- POST drop /api/drop?x 3 ms, left by the client"));
    }
}
