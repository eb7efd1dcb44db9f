//! A claim token stands in no report and no request, however the target and the checks wrote it.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use assay_spec::{Dialect, Service};
use assay_suites::check;
use assay_suites::control::Offer;
use assay_suites::embedded::Embedded;
use assay_suites::pace::Pace;
use assay_suites::plan::{plan, select};
use assay_suites::probe::Settings;
use assay_suites::report::{json, junit, terminal};
use assay_suites::run::Runner;
use assay_suites::target::{Connect, Connecting, Place, Placing, Stream, Target};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What came and went over each connection to the target; calls of the control API are not among them.
type Heard = Arc<Mutex<Vec<[Vec<u8>; 2]>>>;

/// The embedded simulator, overheard.
struct Overheard {
    target: Embedded,
    heard: Heard,
}

impl Target for Overheard {
    fn name(&self) -> String {
        self.target.name()
    }

    fn offer(&self) -> &Offer {
        self.target.offer()
    }

    fn has_site(&self, name: &str) -> bool {
        self.target.has_site(name)
    }

    fn place(&self, service: Service) -> Placing<'_> {
        Box::pin(async move {
            let place = self.target.place(service).await?;
            let connector = Arc::new(Tap { inner: place.connector.clone(), heard: self.heard.clone() });
            Ok(Place { connector, ..place })
        })
    }

    fn leave(&self, place: Place, keep: bool) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.target.leave(place, keep)
    }

    /// As over sockets: a failure comes with a line that repeats its exchange.
    fn is_embedded(&self) -> bool {
        false
    }
}

struct Tap {
    inner: Arc<dyn Connect>,
    heard: Heard,
}

impl Connect for Tap {
    fn connect<'a>(&'a self, base: &'a str, source: Option<std::net::IpAddr>) -> Connecting<'a> {
        Box::pin(async move {
            let stream = self.inner.connect(base, source).await?;
            let mut heard = self.heard.lock().expect("nobody panicked");
            heard.push(Default::default());
            let number = heard.len() - 1;
            Ok(Box::new(Tapped { stream, heard: self.heard.clone(), number }) as Box<dyn Stream>)
        })
    }
}

struct Tapped {
    stream: Box<dyn Stream>,
    heard: Heard,
    number: usize,
}

impl AsyncRead for Tapped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let mut heard = self.heard.lock().expect("nobody panicked");
        heard[self.number][0].extend_from_slice(&buffer.filled()[before..]);
        polled
    }
}

impl AsyncWrite for Tapped {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(written)) = polled {
            let mut heard = self.heard.lock().expect("nobody panicked");
            heard[self.number][1].extend_from_slice(&bytes[..written]);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The text between `before` and the next of `ends`, wherever it stands.
fn between<'a>(text: &'a str, before: &str, ends: &[char]) -> Vec<&'a str> {
    text.match_indices(before).filter_map(|(at, _)| text[at + before.len()..].split(ends).next()).collect()
}

/// What a run left.
struct Left {
    /// Every report.
    reports: String,
    /// The heads of all requests: what proxies and logs see.
    heads: String,
    /// Every token that came, as the answer and as the claim URL wrote it.
    tokens: Vec<String>,
}

/// Runs the whole suite under these deviations and liberties.
async fn run(deviations: &[&str], liberties: &[&str]) -> Left {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let target = Embedded::new(1, Dialect::default())
        .with(&names(deviations), &names(liberties))
        .expect("known deviations and liberties");
    let heard = Heard::default();
    let target = Overheard { target, heard: heard.clone() };
    let (settings, pace) = (Settings { seed: 1, ..Settings::default() }, Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4, fail_fast: false };
    let checks = select(check::all(), &[Service::Drop], &[]);
    let run = runner.run(&plan(&target, &checks), |_| {}).await;
    let reports = [
        json::write(&run).to_string(),
        format!("{:#}", json::write(&run)),
        junit::write(&run),
        terminal::summary(&run, false),
        terminal::summary(&run, true),
    ];
    let (mut tokens, mut heads) = (Vec::new(), String::new());
    for [came, went] in heard.lock().expect("nobody panicked").iter() {
        let head = went.windows(4).position(|end| end == b"\r\n\r\n").unwrap_or(went.len());
        heads.push_str(&String::from_utf8_lossy(&went[..head]));
        let text = String::from_utf8_lossy(came);
        tokens.extend(between(&text, "\"claimToken\":\"", &['"']).into_iter().map(str::to_owned));
        tokens.extend(between(&text, "#claim=", &['&', '"']).into_iter().map(str::to_owned));
    }
    Left { reports: reports.concat(), heads, tokens }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_and_no_request_shows_a_claim_token() {
    // Lies that put an answer with a token into a failure, and checks that quote it.
    let lies = [
        "drop.cid.version",
        "drop.response.drop-id",
        "drop.response.claim-token/same",
        "drop.response.expires-at/late",
        "drop.response.claim-url",
        "drop.response.token-in-fragment",
        "drop.site.live",
        "drop.site.claimed-stays",
        "drop.limits.one-upload",
    ];
    for liberties in [&[][..], &["drop.token-encoded"], &["drop.token-encoded", "drop.claim-elsewhere"]] {
        let Left { reports, heads, tokens } = run(&lies, liberties).await;
        assert!(heads.contains("POST /api/drop") && heads.contains("GET /live/"));
        assert!(tokens.len() > 50, "{}", tokens.len());
        for token in &tokens {
            assert!(token.len() > 20, "{token:?} is no token");
            assert!(!reports.contains(token) && !heads.contains(token), "{token} under {liberties:?}");
        }
        let quoted = "wanted another token for every drop, got \\\"[redacted claim token]\\\"";
        assert!(reports.contains(quoted), "the secret is named where it was");
        assert!(reports.contains("#claim=[redacted claim token]&exp="), "{liberties:?}");
    }
}
