//! `assay watch`: judges the traffic of other clients, as it passes or from a recording.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};

use assay_spec::Id;
use assay_suites::harness::data::Failure;
use assay_suites::harness::setup;
use assay_suites::profile::{Loaded, Secrets};
use assay_suites::services::SUITES;
use assay_suites::support::files;
use assay_suites::support::prose::{one_line, wrap};
use assay_suites::watch::proxy::{Proxy, Server};
use assay_suites::watch::{Passed, Watched, har};
use clap::Args;

use super::Ending;
use super::interrupt::Interrupt;
use super::outputs::{KnownFailures, Outputs, REFUSED};
use super::target::TargetArgs;

/// The end of the help.
pub(crate) const HELP: &str = "CMD gets ASSAY_<SITE>_URL for each watched site, and the variables that client libraries read, such as OPENAI_BASE_URL and ANTHROPIC_BASE_URL.\n\nExamples:\n  assay watch --gateway-url https://ai.example --listen 127.0.0.1:8080\n  assay watch --profile target.toml -- pytest tests/integration\n  assay watch --gateway-url https://ai.example --har traffic.har --html report.html\n\nExit codes: 0 no response breaks a requirement, 1 one does or nothing was judged, 2 bad arguments, 4 the harness failed; if CMD ends with a higher code, that one";

/// The longest recording that is read, in bytes.
const HAR_BYTES: u64 = 512 * 1024 * 1024;

#[derive(Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Where the proxy of the first site listens; each further site has the next port, and port 0 is any free port
    #[arg(long, default_value = "127.0.0.1:8080", conflicts_with = "har")]
    listen: SocketAddr,
    /// Judge this recording (HAR 1.2) in place of live traffic
    #[arg(long, value_name = "FILE")]
    har: Option<PathBuf>,
    #[command(flatten)]
    known_failures: KnownFailures,
    #[command(flatten)]
    outputs: Outputs,
    /// Start this program with the addresses of the proxies in its environment, and end with it
    #[arg(last = true, value_name = "CMD", conflicts_with = "har")]
    command: Vec<String>,
}

pub(crate) async fn watch(args: WatchArgs) -> Result<(), Ending> {
    let read = [("--har", args.har.as_deref()), ("--profile", args.target.profile.as_deref())];
    args.outputs.check_distinct(&args.known_failures, &[], &read)?;
    let known_failures = args.known_failures.load()?;
    if known_failures.renews() {
        return Err(Ending::Bad(REFUSED.to_owned()));
    }
    args.outputs.can_be_written()?;
    let loaded = args.target.load()?.ok_or_else(|| {
        Ending::Bad(
            "name the server that is watched: --profile FILE, or its URL, such as --gateway-url".to_owned(),
        )
    })?;
    let sites = setup::sites(SUITES, &loaded.profile);
    if sites.is_empty() {
        return Err(Ending::Bad("the profile names no service to watch".to_owned()));
    }
    let watched = Watched::new(loaded.profile.dialect.clone());
    let (watched, code) = match &args.har {
        Some(path) => (recorded(path, &sites, watched)?, 0),
        None => live(&args, &loaded, &sites, watched).await?,
    };
    let target = sites.iter().map(|(site, url)| format!("{site} {url}")).collect::<Vec<_>>().join(", ");
    if !args.outputs.printed.is_short() {
        eprint!("{}", watched.endpoints());
    }
    let explained = explained(&watched).await;
    let mut run = watched.judge(target, explained);
    run.gate = args.known_failures.raised(&loaded.profile.gate);
    let ended = args.outputs.finish(run, &known_failures, false, None);
    let own = ended.as_ref().err().map_or(0, |ending| ending.code_and_reason().0);
    if code > own { Err(Ending::Code(code)) } else { ended }
}

/// Why requests of the clients were rejected, as far as the simulator tells.
#[cfg(feature = "embedded")]
async fn explained(watched: &Watched) -> Vec<String> {
    use assay_suites::documents::endpoints;
    use assay_suites::embedded::rejected;

    let mut explained = Vec::new();
    for exchange in watched.rejected() {
        if let Some(why) = rejected::why(exchange).await {
            explained.push(format!("rejected: {}: {}", endpoints::name(exchange), one_line(why.as_bytes())));
        }
    }
    explained
}

#[cfg(not(feature = "embedded"))]
#[expect(clippy::unused_async, reason = "as with the simulator")]
async fn explained(_: &Watched) -> Vec<String> {
    Vec::new()
}

/// The exchanges of a recording.
fn recorded(
    path: &std::path::Path,
    sites: &BTreeMap<String, String>,
    mut watched: Watched,
) -> Result<Watched, Ending> {
    let bytes =
        files::read_limited(path, "a recording", HAR_BYTES).map_err(|e| Ending::Bad(e.to_string()))?;
    let all = har::read(&bytes, sites).map_err(|e| Ending::Bad(format!("{}: {e}", path.display())))?;
    for passed in all {
        watched.add(passed);
    }
    Ok(watched)
}

/// Watches until Ctrl-C, or until the program ends. Returns the exit code of the program; 0 without one.
async fn live(
    args: &WatchArgs,
    loaded: &Loaded,
    sites: &BTreeMap<String, String>,
    watched: Watched,
) -> Result<(Watched, u8), Ending> {
    let interrupt = Interrupt::listen_quietly();
    let (secrets, mut wrong) = Secrets::read(loaded);
    let (sockets, misfits) = loaded.sockets(&secrets);
    wrong.extend(misfits);
    if let Some(wrong) = wrong.first() {
        return Err(Ending::Bad(wrong.to_string()));
    }
    let watched = Arc::new(Mutex::new(Some(watched)));
    let mut proxies = Vec::new();
    let mut urls = BTreeMap::new();
    for (n, (site, base)) in sites.iter().enumerate() {
        let port = args.listen.port();
        let port = if port == 0 { Some(0) } else { port.checked_add(n as u16) };
        let port = port.ok_or_else(|| {
            Ending::Bad(format!("--listen {}: no port is left for {site}; choose a lower one", args.listen))
        })?;
        let server = Server { site: site.clone(), base: base.clone(), sockets: sockets.clone() };
        let seen = {
            let (watched, site) = (watched.clone(), site.clone());
            move |passed: Passed| {
                let mut watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
                let found = watched.as_mut().map(|watched| watched.add(passed)).unwrap_or_default();
                for (row, failure) in found {
                    tell(&site, row, &failure);
                }
            }
        };
        let address = SocketAddr::new(args.listen.ip(), port);
        let proxy = Proxy::open(address, server, Arc::new(seen)).await.map_err(|e| {
            Ending::Bad(format!(
                "cannot listen at {address} for {site}: {e}; choose another port with --listen"
            ))
        })?;
        let url = format!("http://{}", proxy.address);
        eprintln!("assay: {site}  {url}  ->  {base}");
        urls.insert(site.clone(), url);
        proxies.push(proxy);
    }
    let code = if let Some((program, rest)) = args.command.split_first() {
        run(program, rest, &urls, &interrupt).await?
    } else {
        eprintln!("assay: press Ctrl-C to end and to see the report");
        interrupt.wait().await;
        0
    };
    drop(proxies);
    let watched = watched.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
    Ok((watched, code))
}

/// Prints what a response breaks, as soon as it is seen.
fn tell(site: &str, row: Id, failure: &Failure) {
    let text = format!("{row}  {}: wanted {}, got {}", failure.place, failure.want, failure.got);
    eprint!("{}", wrap(&format!("assay: {site}: "), &one_line(text.as_bytes())));
}

/// Runs a program with the URLs of the proxies in its environment. Returns its exit code.
async fn run(
    program: &str,
    rest: &[String],
    urls: &BTreeMap<String, String>,
    interrupt: &Interrupt,
) -> Result<u8, Ending> {
    files::startable(program).map_err(Ending::Bad)?;
    let mut command = tokio::process::Command::new(program);
    command.args(rest).kill_on_drop(true);
    for (site, url) in urls {
        command.env(format!("ASSAY_{}_URL", site.to_uppercase().replace('-', "_")), url);
        let flag = SUITES
            .iter()
            .find(|suite| suite.service.name() == site)
            .and_then(|suite| suite.url_flag.as_ref());
        for (variable, path) in flag.iter().flat_map(|flag| flag.variables) {
            command.env(variable, format!("{url}{path}"));
        }
    }
    let mut child = command.spawn().map_err(|e| Ending::Bad(format!("{program}: cannot be started: {e}")))?;
    let ended = tokio::select! {
        ended = child.wait() => ended,
        // A terminal sends Ctrl-C to the program, too, which may still have something to do.
        () = interrupt.wait() => {
            let Ok(ended) = tokio::time::timeout(GRACE, child.wait()).await else {
                eprintln!("assay: {program} did not end within {} s; it is stopped", GRACE.as_secs());
                return Ok(KILLED);
            };
            ended
        }
    };
    let status = ended.map_err(|e| Ending::Failed(format!("{program}: {e}")))?;
    Ok(code_of(status))
}

/// How long a program may take to end after Ctrl-C.
const GRACE: std::time::Duration = std::time::Duration::from_secs(10);

/// The exit code of a program that was killed, as a shell reports it.
const KILLED: u8 = 137;

/// The exit code, as a shell reports it.
fn code_of(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal as u8;
    }
    u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)
}
