//! `assay init`: asks a target what it can and writes a profile to begin with.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_spec::{Dialect, Service};
use assay_suites::control::Control;
use assay_suites::profile::{Draft, Profile, parse_base_url};
use assay_suites::survey::{Asked, Level, Survey, level};
use assay_suites::target::Sockets;
use assay_suites::tls::Trust;
use clap::Args;

use super::target::{GATEWAY_KEY, UrlArgs};
use crate::Ending;

pub(crate) const HELP: &str = "Examples:\n  assay init --network-url http://127.0.0.1:4107 --out node.toml\n  assay init --host https://services.example\n  assay init --control-url http://127.0.0.1:4100/_sim/v1\n\nExit codes: 0 a profile was written, 2 bad arguments or the file is there already, 3 nothing was reached, 4 the file cannot be written";

#[derive(Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    urls: UrlArgs,
    /// Base URL of a node of the publishing exchange's chain
    #[arg(long, value_name = "URL", requires = "publish_url")]
    chain_url: Option<String>,
    /// One base URL at which any service may be: what is recognised there is written
    #[arg(long, value_name = "URL")]
    host: Option<String>,
    /// Where the profile is written; - is standard output
    #[arg(long, value_name = "FILE", default_value = "assay.toml")]
    out: PathBuf,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

pub(crate) async fn init(args: InitArgs) -> Result<(), Ending> {
    let is_stdout = args.out == Path::new("-");
    // Before anything is asked, so that nobody waits for nothing; once more when it is written.
    if !is_stdout && !args.force && args.out.exists() {
        return Err(Ending::Bad(there(&args.out)));
    }
    let trust = args.urls.ca_file.as_deref().map(Trust::with_file).transpose().map_err(Ending::Bad)?;
    let connector = Arc::new(Sockets { trust: trust.unwrap_or_default(), ..Sockets::default() });
    let mut told = Vec::new();
    let control = args.urls.control_url.as_deref().map(|url| base("--control-url", url)).transpose()?;
    let level = match &control {
        Some(url) => Some(level(&Control::new(connector.clone(), url, None)).await),
        None => None,
    };
    let sites = match (&control, &level) {
        (Some(url), Some(Ok(level))) => {
            told.push(words(url, level));
            level.sites.clone()
        }
        (Some(url), Some(Err(why))) => {
            told.push(format!("control   not reached  {url}: {why}"));
            BTreeMap::new()
        }
        _ => BTreeMap::new(),
    };
    let wanted = wanted(&args, &sites)?;
    if wanted.is_empty() {
        let why = "nothing to ask: name a URL, such as --network-url or --host";
        return Err(match &level {
            Some(Err(lost)) => Ending::Unreachable(lost.clone()),
            _ => Ending::Bad(why.to_owned()),
        });
    }
    let key = std::env::var(GATEWAY_KEY).ok().filter(|key| !key.trim().is_empty());
    let dialect = Dialect::default();
    let gateway_key = key.as_deref().map(str::trim);
    let survey = Survey { connector, dialect: &dialect, gateway_key };
    let urls: Vec<(Service, String)> =
        wanted.iter().map(|(service, url, _)| (*service, url.clone())).collect();
    let mut asked = survey.ask(&urls).await;
    for (asked, (.., is_named)) in asked.iter_mut().zip(&wanted) {
        unrecognised(asked, *is_named);
    }
    told.extend(asked.iter().map(lines));
    let say = |text: &str| if is_stdout { eprintln!("{text}") } else { println!("{text}") };
    for text in &told {
        say(text);
    }
    if asked.iter().all(|asked| asked.found.is_err()) {
        return Err(Ending::Unreachable("nothing was reached, and nothing is written".to_owned()));
    }
    let chain_url = args.chain_url.as_deref().map(|url| base("--chain-url", url)).transpose()?;
    let lost = level.as_ref().and_then(|level| level.as_ref().err());
    let ca_file = args.urls.ca_file.as_deref().map(std::path::absolute).transpose();
    let ca_file = ca_file.map_err(|e| Ending::Bad(format!("--ca-file: {e}")))?;
    let draft = Draft {
        asked: &asked,
        control: control.as_deref().filter(|_| lost.is_none()),
        control_lost: control.as_deref().zip(lost.map(String::as_str)),
        ca_file: ca_file.as_deref(),
        gateway_key_env: gateway_key.map(|_| GATEWAY_KEY),
        sites: sites.into_iter().chain(chain_url.map(|url| ("chain".to_owned(), url))).collect(),
    };
    let text = draft.text();
    Profile::parse(&text, "the new profile").map_err(|e| Ending::Failed(e.to_string()))?;
    if is_stdout {
        print!("{text}");
        return Ok(());
    }
    write_new(&args.out, &text, args.force)?;
    say(&format!("written   {}", args.out.display()));
    say(&format!("next      assay doctor --profile {}", args.out.display()));
    Ok(())
}

/// The services to ask, their URLs, and whether somebody has named it: what is only guessed must be recognised.
fn wanted(args: &InitArgs, sites: &BTreeMap<String, String>) -> Result<Vec<(Service, String, bool)>, Ending> {
    let host = args.host.as_deref().map(|url| base("--host", url)).transpose()?;
    let mut wanted = Vec::new();
    for service in Service::ALL.iter().copied() {
        let named = args.urls.named().find(|(name, _)| *name == service.name());
        let told = sites.get(service.name()).map(|url| (url.clone(), true));
        // A page at the root is no sign of a hosting application.
        let guessed = host.clone().filter(|_| service != Service::Hosting).map(|url| (url, false));
        let found = match named {
            Some((name, url)) => Some((base(&format!("--{name}-url"), url)?, true)),
            None => told.or(guessed),
        };
        wanted.extend(found.map(|(url, is_named)| (service, url, is_named)));
    }
    Ok(wanted)
}

fn base(option: &str, url: &str) -> Result<String, Ending> {
    parse_base_url(url).map_err(|why| Ending::Bad(format!("{option}: {why}")))
}

/// At a URL that nobody gave to this service, what is not known as one is left out.
fn unrecognised(asked: &mut Asked, is_named: bool) {
    if let Ok(found) = &asked.found
        && !is_named
        && !found.is_recognised
    {
        let notes = found.notes.join("; ");
        asked.found = Err(format!("{}: nothing of this service is recognised there ({notes})", asked.url));
    }
}

fn words(url: &str, level: &Level) -> String {
    let Level { time, faults, acts, forks, .. } = level;
    let forks = if *forks { "forks worlds" } else { "no forks" };
    format!(
        "control   reached      {url}\n          time level {time}, {faults} faults, {acts} acts, {forks}"
    )
}

fn lines(asked: &Asked) -> String {
    let name = asked.service.name();
    match &asked.found {
        Ok(found) => {
            let notes = found.notes.iter().map(|note| format!("\n          {note}"));
            format!("{name:<9} reached      {}{}", asked.url, notes.collect::<String>())
        }
        Err(why) => format!("{name:<9} switched off {why}"),
    }
}

fn there(path: &Path) -> String {
    format!("{} is there already; --force writes over it, --out names another file", path.display())
}

fn write_new(path: &Path, text: &str, force: bool) -> Result<(), Ending> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    // Between the first look and now somebody else may have written it.
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => Ending::Bad(there(path)),
        _ => Ending::Failed(format!("{}: {e}", path.display())),
    })
}
