//! `assay init`: queries a target and writes a first profile for it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_spec::Service;
use assay_suites::harness::control::Control;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::survey::{Level, Likeness, Survey, SurveyResult, level};
use assay_suites::http::curl::KEY_VARIABLE;
use assay_suites::http::hiding::Hidden;
use assay_suites::onboarding::draft::Draft;
use assay_suites::profile::{Profile, Secret};
use assay_suites::services;
use assay_suites::services::SUITES;
use assay_suites::services::gateway;
use assay_suites::support::files;
use clap::Args;

use super::Ending;
use super::target::{DEFAULT, UrlArgs, base_url};

pub(crate) const HELP: &str = "Examples:\n  assay init --network-url http://127.0.0.1:4107 --out node.toml\n  assay init --host https://services.example\n  assay init --control-url http://127.0.0.1:4100/_sim/v1\n\nThe gateway's key is read from ASSAY_GATEWAY_KEY, the control API's token from ASSAY_CONTROL_TOKEN.\n\nExit codes: 0 a profile was written, 2 bad arguments or the file already exists, 3 no server was reached, 4 the file cannot be written";

/// The environment variable of the control API's bearer token.
const CONTROL_TOKEN: &str = "ASSAY_CONTROL_TOKEN";

#[derive(Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    urls: UrlArgs,
    /// Base URL of a node of the publishing exchange's chain
    #[arg(long, value_name = "URL", requires = "publish-url")]
    chain_url: Option<String>,
    /// A base URL to probe for every service; the recognized services go into the profile
    #[arg(long, value_name = "URL")]
    host: Option<String>,
    /// URL of a contract or token of the metadata service, as a client requests it (repeatable)
    #[arg(long, value_name = "URL", requires = "metadata-url")]
    example: Vec<String>,
    /// Write every table and key, not only those of the services that have a URL
    #[arg(long)]
    all: bool,
    /// File to write the profile to; - is standard output
    #[arg(long, value_name = "FILE", default_value = DEFAULT)]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) async fn init(args: InitArgs) -> Result<(), Ending> {
    let is_stdout = args.out == Path::new("-");
    // Checked before any request, so that no time is wasted; and again when the file is written.
    if !is_stdout && !args.force && args.out.exists() {
        return Err(Ending::Bad(there(&args.out)));
    }
    let files = files(&args)?;
    let connector = Arc::new(files.sockets(Path::new("")).map_err(Ending::Bad)?);
    let chain_url = args.chain_url.as_deref().map(|url| base_url("chain-url", url)).transpose()?;
    let mut reached = Vec::new();
    let control = args.urls.control_url.as_deref().map(|url| base_url("control-url", url)).transpose()?;
    let (gateway_key, token) = (variable(KEY_VARIABLE), variable(CONTROL_TOKEN));
    let mut hidden = Hidden::default();
    for (name, secret) in [("gateway key", &gateway_key), ("control token", &token)] {
        if let Some(secret) = secret {
            hidden.add_secret(name, secret);
        }
    }
    let level = match &control {
        Some(url) => Some(level(&Control::new(connector.clone(), url, token.clone()), &hidden).await),
        None => None,
    };
    let sites = match (&control, &level) {
        (Some(url), Some(Ok(level))) => {
            reached.push(words(url, level));
            reached.extend(level.useless.iter().map(|why| format!("          site skipped: {why}")));
            level.sites.clone()
        }
        (Some(_), Some(Err(why))) => {
            reached.push(format!("control   not reached  {why}"));
            if why.is_unauthorized() {
                reached.push(format!(
                    "          its token is read from the environment variable {CONTROL_TOKEN}"
                ));
            }
            BTreeMap::new()
        }
        _ => BTreeMap::new(),
    };
    let wanted = wanted(&args, &sites)?;
    if wanted.is_empty() {
        let why = "no URL: give one, such as --network-url or --host";
        return Err(match &level {
            Some(Err(_)) => Ending::Unreachable(reached.join("\n")),
            _ => Ending::Bad(why.to_owned()),
        });
    }
    let mut settings = Settings { secrets: hidden, ..services::settings() };
    settings.fixtures.get_mut::<gateway::Fixtures>().set_key(gateway_key.clone());
    let urls = wanted.iter().map(|(service, url, _)| (service.name().to_owned(), url.clone())).collect();
    let pace = Pace::default();
    let survey = Survey { connector, settings: &settings, pace: &pace, sites: &urls };
    let mut asked = survey.run().await;
    survey.name_others(&mut asked).await;
    for (asked, (.., is_named)) in asked.iter_mut().zip(&wanted) {
        unrecognised(asked, *is_named);
    }
    survey.discover(&mut asked, &args.example).await;
    reached.extend(asked.iter().map(lines));
    let say = |text: &str| if is_stdout { eprintln!("{text}") } else { println!("{text}") };
    for text in &reached {
        say(text);
    }
    if asked.iter().all(|asked| asked.found.is_err()) {
        return Err(Ending::Unreachable(
            "no service was reached or recognized; no profile is written".to_owned(),
        ));
    }
    let lost = level.as_ref().and_then(|level| level.as_ref().err()).map(ToString::to_string);
    let draft = Draft {
        asked: &asked,
        control: control.as_deref().filter(|_| lost.is_none()),
        control_lost: control.as_deref().zip(lost.as_deref()),
        files: Some(&files),
        secrets: gateway_key.iter().map(|_| ("gateway.key", KEY_VARIABLE)).collect(),
        control_token_env: token.as_ref().map(|_| CONTROL_TOKEN),
        has_all: args.all,
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

/// The certificate and key files, with absolute paths: the profile may be written anywhere.
fn files(args: &InitArgs) -> Result<Profile, Ending> {
    let absolute = |option: &str, path: &Option<PathBuf>| {
        let path = path.as_deref().map(std::path::absolute).transpose();
        path.map_err(|e| Ending::Bad(format!("{option}: {e}")))
    };
    let UrlArgs { ca_file, client_certificate, client_key, .. } = &args.urls;
    Ok(Profile {
        ca_file: absolute("--ca-file", ca_file)?,
        client_certificate: absolute("--client-certificate", client_certificate)?,
        client_key: absolute("--client-key", client_key)?.map(Secret::File),
        ..Profile::default()
    })
}

fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok()?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The services to query, their URLs, and whether the user named the URL. A guessed URL must be recognized.
fn wanted(args: &InitArgs, sites: &BTreeMap<String, String>) -> Result<Vec<(Service, String, bool)>, Ending> {
    let host = args.host.as_deref().map(|url| base_url("host", url)).transpose()?;
    let mut wanted = Vec::new();
    for service in Service::ALL.iter().copied() {
        let named = args.urls.services.iter().find(|(suite, ..)| suite.service == service);
        let reached = sites.get(service.name()).map(|url| (url.clone(), true));
        // A page at the root does not identify a hosting application.
        let guessed =
            host.clone().filter(|_| SUITES.get(service).questions.is_recognizable).map(|url| (url, false));
        let found = match named {
            Some((_, flag, url)) => Some((base_url(flag.name, url)?, true)),
            None => reached.or(guessed),
        };
        wanted.extend(found.map(|(url, is_named)| (service, url, is_named)));
    }
    Ok(wanted)
}

/// Drops a service that was not recognized at a guessed URL, and one whose URL is another service's.
fn unrecognised(asked: &mut SurveyResult, is_named: bool) {
    let Ok(found) = &asked.found else { return };
    if is_named && let Some(why) = asked.stranger() {
        asked.found = Err(why);
    } else if !is_named && found.likeness != Likeness::Like {
        let notes = found.notes.join("; ");
        asked.found = Err(format!("{}: this service was not recognized there ({notes})", asked.url));
    }
}

fn words(url: &str, level: &Level) -> String {
    let Level { time, faults, actions, forks, .. } = level;
    let forks = if *forks { "forks worlds" } else { "no forks" };
    format!(
        "control   reached      {url}\n          time level {time}, {faults} faults, {actions} actions, {forks}"
    )
}

fn lines(asked: &SurveyResult) -> String {
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
    format!("{} already exists; --force overwrites it, --out names another file", path.display())
}

fn write_new(path: &Path, text: &str, force: bool) -> Result<(), Ending> {
    let written = if force {
        files::write(path, text.as_bytes())
    } else {
        // Another process may have written it since the first check.
        File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()))
    };
    written.map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => Ending::Bad(there(path)),
        _ => Ending::Failed(format!("{}: {e}", path.display())),
    })
}
