//! Misbehaving servers on sockets, and a run of real checks against one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_suites::harness::data::Run;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::Remote;
use assay_suites::http::hiding::Hidden;
use assay_suites::http::sockets::Sockets;
use assay_suites::http::transport::{ExtraHeader, Http, Transport};
use assay_suites::profile::Profile;
use assay_suites::services;
use assay_suites::services::gateway;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// What no output may show.
pub(crate) const KEY: &str = "vf-hunter2-hunter2-hunter2";
/// Another value that no output may show; only the target's own sites may get it.
pub(crate) const AUTH: &str = "auth-hunter3-hunter3";
/// The response timeout in these tests.
pub(crate) const MIN_TIMEOUT: Duration = Duration::from_millis(600);

/// The steps of a server on a connection.
#[derive(Clone)]
pub(crate) enum Step {
    /// Waits for the head of a request.
    Hear,
    /// Sends this.
    Say(Vec<u8>),
    /// Sends this repeatedly until the client is gone.
    Repeat(Vec<u8>),
    /// Sends this repeatedly, one byte at a time, with a pause after each.
    Drip(Vec<u8>),
    /// Sends nothing more, and reads everything.
    Hold,
    /// Makes a TLS handshake; the following steps run inside it.
    Tls(Arc<ServerConfig>),
}

pub(crate) use Step::{Drip, Hear, Hold, Repeat, Say, Tls};

/// Sends a string.
pub(crate) fn say(text: &str) -> Step {
    Say(text.as_bytes().to_vec())
}

/// A server, its address, and the requests it received.
pub(crate) struct Server {
    /// Such as `127.0.0.1:4711`.
    pub(crate) address: String,
    heard: Arc<Mutex<Vec<u8>>>,
    connections: Arc<Mutex<usize>>,
    _task: tokio::task::JoinSet<()>,
}

impl Server {
    /// A server that runs the same steps on every connection.
    pub(crate) async fn start(steps: Vec<Step>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let (heard, connections) = (Arc::new(Mutex::default()), Arc::new(Mutex::default()));
        let (all, count) = (heard.clone(), connections.clone());
        let mut task = tokio::task::JoinSet::new();
        task.spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            while let Ok((io, _)) = listener.accept().await {
                *count.lock().expect("not poisoned") += 1;
                open.spawn(play(Box::new(io), steps.clone(), all.clone()));
            }
        });
        Server { address, heard, connections, _task: task }
    }

    pub(crate) fn heard(&self) -> String {
        String::from_utf8_lossy(&self.heard.lock().expect("not poisoned")).into_owned()
    }

    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().expect("not poisoned")
    }

    pub(crate) fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }
}

trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// Runs the steps until the end or until the client is gone.
async fn play(io: Box<dyn Io>, steps: Vec<Step>, heard: Arc<Mutex<Vec<u8>>>) {
    let _ = take(io, steps, &heard).await;
}

async fn take(mut io: Box<dyn Io>, steps: Vec<Step>, heard: &Mutex<Vec<u8>>) -> std::io::Result<()> {
    for step in steps {
        match step {
            Hear => {
                let mut request = Vec::new();
                while !request.windows(4).any(|four| four == b"\r\n\r\n") {
                    if io.read_buf(&mut request).await? == 0 {
                        return Ok(());
                    }
                }
                heard.lock().expect("not poisoned").extend(request);
            }
            Say(bytes) => io.write_all(&bytes).await?,
            Repeat(bytes) => loop {
                io.write_all(&bytes).await?;
            },
            Drip(bytes) => {
                let mut pace = tokio::time::interval(Duration::from_millis(5));
                for byte in bytes.iter().cycle() {
                    pace.tick().await;
                    io.write_all(&[*byte]).await?;
                    io.flush().await?;
                }
            }
            Hold => {
                tokio::io::copy(&mut io, &mut tokio::io::sink()).await?;
            }
            Tls(config) => io = Box::new(TlsAcceptor::from(config).accept(io).await?),
        }
        io.flush().await?;
    }
    io.shutdown().await
}

/// Runs the matching checks against a target with gateway, metadata, network, publish and drop at `url`.
pub(crate) async fn run(url: &str, http: Http, filters: &[&str]) -> Run {
    run_within(MIN_TIMEOUT, url, http, filters).await
}

/// As [`run`]; a response may take so long.
pub(crate) async fn run_within(timeout: Duration, url: &str, http: Http, filters: &[&str]) -> Run {
    let sites = ["gateway", "metadata", "network", "publish", "drop"];
    let sites: BTreeMap<String, String> =
        sites.iter().map(|name| ((*name).to_owned(), url.to_owned())).collect();
    let auth = ExtraHeader { name: "X-Auth".to_owned(), value: AUTH.to_owned(), is_secret: true };
    let sockets = Sockets {
        trust: super::tls::trust(),
        transport: Arc::new(Transport::new(http, timeout, vec![auth])),
        ..Sockets::default()
    };
    let target = Remote::over(sockets, sites, None).await.expect("no control to ask");
    let text =
        format!("[gateway]\nurl = {url:?}\nlimits = {{ answer_seconds = {} }}\n", timeout.as_secs().max(1));
    let profile = Profile::parse(&text, "p.toml").expect("a profile").gateway.expect("a gateway");
    let fixtures = gateway::Fixtures::new(&profile, Some(KEY.to_owned()), None);
    let mut secrets = Hidden::default();
    secrets.add_secret("key", KEY);
    let settings = Settings { secrets, ..services::settings() }.with(fixtures);
    let pace = Pace::default().waiting_at_most(Duration::from_millis(100));
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    runner.run(&plan(&target, &select(services::checks(), &[], &filters)), |_| {}).await
}
