//! Checks of the anonymous drop (document 3).

mod archive;
mod cid;
mod explore;
mod form;
mod limits;
mod readings;
mod response;
mod samples;
mod simulated;
mod site;
mod suite;
pub(crate) mod survey;
mod token;
mod upload;
mod zip;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use assay_spec::Instant;
use assay_spec::cid::Estimate;
use assay_spec::drop::limits::DROP_ID_CHARACTERS;
use assay_spec::drop::values::IGNORED;
use assay_spec::drop::zip::forms;
use assay_spec::instant::HOUR;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Mutex;

pub use suite::SUITE;

use crate::harness::check::{Core, Stop};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Evidence, Probe};
use crate::http::client::Limits;
use crate::http::exchange::{Exchange, Request};
use crate::profile::DropLimits;
use form::Form;
use samples::Sample;

/// Whether checks may run beside each other at a shared target. An address may have one upload in flight.
pub(crate) const PARALLEL: bool = false;

/// What the service must have shown.
pub const CORE: Core = {
    use assay_spec::drop::requirements::{response, upload};
    Core::new("a drop is accepted", const { &[&upload::UNAUTHENTICATED, &response::DROP_ID, &response::URL] })
};

/// The statuses of success: the document shows the response but not its status.
pub(crate) const ACCEPTED: &[u16] = &[200, 201];
/// The site of the drop.
pub(crate) const SITE: &str = "drop";
/// The reply to an accepted upload.
pub(crate) const RECEIPT: Evidence = Evidence {
    what: "a string `cid`",
    shows: |body| body["cid"].as_str().is_some_and(|cid| !cid.is_empty()),
};

/// What a profile configures for this service.
#[derive(Clone)]
pub struct Fixtures {
    /// The number of characters of a drop id after its prefix.
    pub drop_id_len: usize,
    /// How a folder's size is estimated; the size decides whether it is sharded.
    pub estimate: Estimate,
    /// A proxy in front of the target buffers uploads until they are complete.
    pub buffered_uploads: bool,
    /// The profile names an instance that has paused drops.
    pub has_paused: bool,
    /// How long the target may take until a new site is live, in seconds.
    pub live_seconds: u32,
    /// Drops that several checks share, since a target accepts only a few per hour.
    kept: Arc<Mutex<BTreeMap<Which, Kept>>>,
}

impl Default for Fixtures {
    fn default() -> Self {
        Fixtures {
            drop_id_len: DROP_ID_CHARACTERS,
            estimate: Estimate::default(),
            buffered_uploads: false,
            has_paused: false,
            live_seconds: DropLimits::default().live_seconds,
            kept: Arc::default(),
        }
    }
}

/// Prints no claim token.
impl std::fmt::Debug for Fixtures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fixtures")
    }
}

impl Fixtures {
    /// The fixtures of a profile.
    pub fn new(profile: &crate::profile::Drop) -> Fixtures {
        Fixtures {
            drop_id_len: profile.readings.drop_id_len,
            estimate: profile.readings.hamt_size.into(),
            buffered_uploads: profile.readings.buffered_uploads,
            has_paused: profile.paused_url.is_some(),
            live_seconds: profile.limits.live_seconds,
            kept: Arc::default(),
        }
    }
}

/// The site of an instance that has paused drops.
pub const PAUSED: &str = "drop-paused";

/// The drops that checks share. They come first in an address' hourly limit, since most checks need them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Which {
    /// A page and a file in folders.
    Plain,
    /// Another page, with a `source`. Where checks share it, the same page.
    Second,
    /// A site whose CID differs between layouts.
    Rich,
}

/// Forms that an upload of a shared target takes, so that they cost nothing: all at once, and one of the types.
const ALL_FORMS: [&str; 9] = [
    forms::DESCRIPTORS,
    forms::FOLDERS,
    forms::UNSIGNED_DESCRIPTORS,
    forms::EXTRA_FIELDS,
    forms::DOS,
    forms::COMMENT,
    forms::NO_ATTRIBUTES,
    forms::SOURCE_FIRST,
    forms::FILE_NAME,
];
const TYPE_FORMS: [&str; 2] = [forms::WINDOWS_TYPE, forms::NO_TYPE];
/// Not a form: files with names that a server may reject, but not change.
const REJECTED_NAMES: &str = "names that may be rejected";
/// Not a form: a `source` that is ignored.
const IGNORED_SOURCE: &str = "a source that is ignored";
/// Not a form: the header of a page of another origin.
const ORIGIN: &str = "an origin";
/// The origin of that page.
pub(crate) const ELSEWHERE: &str = "https://elsewhere.example";

/// The number of kinds.
const KINDS: usize = 3;

impl Which {
    /// The name in a check's recording.
    const fn name(self) -> &'static str {
        match self {
            Which::Plain => "drop.plain",
            Which::Second => "drop.second",
            Which::Rich => "drop.rich",
        }
    }

    /// The media type of its zip where checks share it: the seed draws that of the second site, and the rich one has the other.
    fn media_type(self, probe: &Probe<'_>) -> &'static str {
        TYPE_FORMS[(probe.settings.seed as usize + usize::from(self == Which::Rich)) % TYPE_FORMS.len()]
    }

    /// What its upload has besides the plain form, where checks share it: each attempt is made if the one before was rejected.
    fn attempts(self, probe: &Probe<'_>) -> Vec<Vec<&'static str>> {
        let of_part = self.media_type(probe);
        match self {
            _ if probe.owns_time() => vec![Vec::new()],
            Which::Plain => vec![Vec::new()],
            Which::Second => {
                let forms: Vec<&str> = ALL_FORMS.into_iter().chain([of_part]).collect();
                vec![[&forms[..], &[ORIGIN]].concat(), forms, Vec::new()]
            }
            Which::Rich => {
                let all = [of_part, forms::ZIP64, IGNORED_SOURCE, REJECTED_NAMES];
                (0..=all.len()).rev().map(|count| all[..count].to_vec()).collect()
            }
        }
    }

    /// The value of `source` in its upload.
    fn source(self, forms: &[&str]) -> Option<String> {
        let ignored = || IGNORED[0].instead_of(&Value::Null)?.as_str().map(str::to_owned);
        match self {
            Which::Second => Some(upload::SOURCE.to_owned()),
            Which::Rich if forms.contains(&IGNORED_SOURCE) => ignored(),
            Which::Plain | Which::Rich => None,
        }
    }

    /// A label of its site. Where checks share uploads, the first two have the same files.
    fn label(self, probe: &Probe<'_>) -> [u8; 32] {
        let is_same = !probe.owns_time() && self != Which::Rich;
        if is_same { Sample::label_of_the_run(probe) } else { Sample::label(probe) }
    }

    /// The site to upload, with a label.
    fn sample(self, label: &[u8; 32], forms: &[&str]) -> Sample {
        match self {
            Which::Plain | Which::Second => Sample::plain(label),
            Which::Rich if forms.contains(&REJECTED_NAMES) => {
                Sample::rich(label).with_names_that_may_be_rejected()
            }
            Which::Rich => Sample::rich(label),
        }
    }
}

#[derive(Clone)]
struct Kept {
    exchange: Exchange,
    made: Made,
    /// The last attempt before, if that was rejected.
    rejected: Option<Exchange>,
}

/// What another check needs to know of an upload besides its response, also when a report is judged.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Made {
    label: [u8; 32],
    /// The target's time before the upload and after the response, in milliseconds.
    sent: i64,
    come: i64,
    /// The status of the attempt before, if that was rejected and this one is accepted.
    rejected: Option<u16>,
    /// Which of its attempts this is.
    attempt: usize,
}

/// An upload and its response, with any status.
pub(crate) struct Dropped<'p> {
    pub(crate) answer: Answer<'p>,
    pub(crate) sample: Sample,
    /// The target's time before the upload and after the response.
    pub(crate) sent: Instant,
    pub(crate) come: Instant,
    /// What it had besides the plain form.
    pub(crate) forms: Vec<&'static str>,
    which: Which,
    /// The status of the attempt before, if that was rejected and this one is accepted; and the response, if this check has it.
    rejected: Option<u16>,
    rejection: Option<Answer<'p>>,
    /// What it does not have, but the attempt before had, if that was rejected.
    left_out: Vec<&'static str>,
}

impl<'p> Dropped<'p> {
    fn new(
        probe: &Probe<'_>,
        answer: Answer<'p>,
        which: Which,
        made: &Made,
        rejection: Option<Answer<'p>>,
    ) -> Dropped<'p> {
        let (sent, come) = (Instant(made.sent), Instant(made.come));
        let mut attempts = which.attempts(probe);
        let forms = attempts.get(made.attempt).cloned().unwrap_or_default();
        let sample = which.sample(&made.label, &forms);
        let before =
            made.rejected.and(made.attempt.checked_sub(1)).map(|before| attempts.swap_remove(before));
        let left_out = before.into_iter().flatten().filter(|form| !forms.contains(form)).collect();
        let rejected = made.rejected;
        Dropped { answer, sample, sent, come, forms, which, rejected, rejection, left_out }
    }

    /// Expects that the upload was accepted with these forms; `what` names them. It fails with the attempt that was rejected.
    pub(crate) async fn expect_with(
        &self,
        probe: &'p Probe<'_>,
        wanted: &[&'static str],
        what: &str,
    ) -> Result<(), Stop> {
        self.answer.given_status(ACCEPTED)?;
        if wanted.iter().all(|form| self.forms.contains(form)) {
            return self.answer.expect_accepted(ACCEPTED, RECEIPT);
        }
        if !wanted.iter().any(|form| self.left_out.contains(form)) {
            let why = format!("the upload with {what} also has other forms, and was rejected with these");
            return Err(Stop::Inconclusive(why));
        }
        let rejection = self.rejection(probe).await?;
        let at = At::status_named(format!("status of {what}"));
        rejection.expect(false, at, Want::one_of(ACCEPTED), rejection.status().to_string())
    }

    /// The response to the attempt before, which was rejected.
    pub(crate) async fn rejection(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        if let Some(rejection) = &self.rejection {
            return Ok(rejection.clone());
        }
        let kept = probe.settings.drop().kept.lock().await;
        let known = kept.get(&self.which).and_then(|kept| kept.rejected.clone());
        drop(kept);
        match known {
            Some(exchange) if self.rejected.is_some() => probe.recall(exchange),
            _ => received_elsewhere(probe).await,
        }
    }

    /// The status of the attempt with these forms, if it was rejected and this one without them is accepted.
    pub(crate) fn rejected_with(&self, form: &str) -> Option<u16> {
        self.rejected.filter(|_| self.left_out.contains(&form))
    }

    /// A string member of the response; empty if it is not a string.
    pub(crate) fn text(&self, member: &str) -> String {
        self.answer.json()[member].as_str().unwrap_or_default().to_owned()
    }
}

/// An ordinary upload. If it is not accepted, the check is inconclusive.
pub(crate) async fn ordinary<'p>(probe: &'p Probe<'_>) -> Result<Dropped<'p>, Stop> {
    accepted(probe, Which::Plain).await
}

/// An ordinary upload as the valid counterpart of a rejected one.
pub(crate) async fn counterpart(probe: &Probe<'_>) -> Result<(), Stop> {
    dropped(probe, Which::Plain).await?.answer.counterpart_status(ACCEPTED)
}

/// An upload of this kind. If it is not accepted, the check is inconclusive.
pub(crate) async fn accepted<'p>(probe: &'p Probe<'_>, which: Which) -> Result<Dropped<'p>, Stop> {
    let dropped = dropped(probe, which).await?;
    dropped.answer.given_status(ACCEPTED)?;
    Ok(dropped)
}

/// An upload of this kind: a new one if the check owns the world, otherwise one for the whole run.
pub(crate) async fn dropped<'p>(probe: &'p Probe<'_>, which: Which) -> Result<Dropped<'p>, Stop> {
    if probe.owns_time() {
        return fresh(probe, which).await;
    }
    let mut kept = probe.settings.drop().kept.lock().await;
    let now = probe.now().await?;
    let known = kept.get(&which).filter(|kept| now - Instant(kept.made.come) < HOUR).cloned();
    let made = probe.share(which.name(), || {
        let made = known.as_ref().and_then(|kept| serde_json::to_value(kept.made).ok());
        made.ok_or_else(|| "no check has made this drop".to_owned())
    });
    if let Ok(made) = made {
        let made: Made = serde_json::from_value(made).map_err(|e| Stop::Error(e.to_string()))?;
        let answer = if let Some(kept) = known {
            probe.recall(kept.exchange)?
        } else {
            received_elsewhere(probe).await?
        };
        token::hide(probe, &answer.response);
        not_now(probe, &answer)?;
        return Ok(Dropped::new(probe, answer, which, &made, None));
    }
    let (dropped, made) = make(probe, which).await?;
    // A 5xx may be temporary, so the next check uploads again.
    if dropped.answer.status() < 500 && !probe.plays() {
        let rejected = dropped.rejection.as_ref().map(Answer::exchange);
        kept.insert(which, Kept { exchange: dropped.answer.exchange(), made, rejected });
    }
    not_now(probe, &dropped.answer)?;
    Ok(dropped)
}

/// The response to an upload that another check received, from the recording of this check.
async fn received_elsewhere<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    let request = Request::new("POST", &format!("{}/api/drop", probe.prefix("drop")));
    probe.send_once(SITE, request, None, patient()).await
}

/// An upload of this kind that no other check shares.
pub(crate) async fn fresh<'p>(probe: &'p Probe<'_>, which: Which) -> Result<Dropped<'p>, Stop> {
    make(probe, which).await.map(|(dropped, _)| dropped)
}

/// An upload of this kind with what its attempts name; if one is not accepted, the next. Then the row of what is left out fails, and
/// the check goes on.
async fn make<'p>(probe: &'p Probe<'_>, which: Which) -> Result<(Dropped<'p>, Made), Stop> {
    let attempts = which.attempts(probe);
    let mut rejection: Option<Answer<'_>> = None;
    for (attempt, forms) in attempts.iter().enumerate() {
        let (answer, made) = make_in(probe, which, forms).await?;
        let status = answer.status();
        let is_rejected = (400..500).contains(&status) && status != 429;
        if !is_rejected || attempt + 1 == attempts.len() {
            let rejection = rejection.filter(|_| ACCEPTED.contains(&status));
            let made = Made { rejected: rejection.as_ref().map(Answer::status), attempt, ..made };
            return Ok((Dropped::new(probe, answer, which, &made, rejection), made));
        }
        rejection = Some(answer);
    }
    Err(Stop::Error("an upload has no attempts".to_owned()))
}

async fn make_in<'p>(probe: &'p Probe<'_>, which: Which, forms: &[&str]) -> Result<(Answer<'p>, Made), Stop> {
    let label = which.label(probe);
    let sample = which.sample(&label, forms);
    let source = which.source(forms);
    // What a zip is like does not change the CID of its files.
    let is_reordered = which == Which::Rich && !probe.owns_time();
    let entries = if is_reordered { sample.reordered() } else { sample.entries() };
    let mut request = Form::shaped(probe, &entries, forms, source.as_deref()).request(probe);
    if forms.contains(&ORIGIN) {
        request = request.header("Origin", ELSEWHERE);
    }
    let (before, began) = (probe.now().await?, tokio::time::Instant::now());
    spend(probe, 0)?;
    let answer = post(probe, request, address(probe)).await?;
    let come = probe.now().await?;
    // Without a control API only the response shows the target's clock.
    let sent = if probe.has_control() { before } else { come + -(began.elapsed().as_millis() as i64) };
    Ok((answer, Made { label, sent: sent.0, come: come.0, rejected: None, attempt: 0 }))
}

/// Uploads a zip.
pub(crate) async fn upload<'p>(probe: &'p Probe<'_>, zip: &[u8]) -> Result<Answer<'p>, Stop> {
    send(probe, Form::with_zip(probe, zip).request(probe)).await
}

/// Sends an upload. A rate limit (429) or paused drops (503) are not findings.
pub(crate) async fn send<'p>(probe: &'p Probe<'_>, request: Request) -> Result<Answer<'p>, Stop> {
    let answer = send_any(probe, request, address(probe)).await?;
    not_now(probe, &answer)?;
    Ok(answer)
}

/// Sends an upload from an address. The caller judges every status.
pub(crate) async fn send_any<'p>(
    probe: &'p Probe<'_>,
    request: Request,
    from: Option<IpAddr>,
) -> Result<Answer<'p>, Stop> {
    spend_one(probe).await?;
    post(probe, request, from).await
}

pub(super) async fn post<'p>(
    probe: &'p Probe<'_>,
    request: Request,
    from: Option<IpAddr>,
) -> Result<Answer<'p>, Stop> {
    let answer = probe.send_with(SITE, request, from, patient()).await?;
    probe.learn_clock(&answer.response);
    token::hide(probe, &answer.response);
    Ok(answer)
}

/// On a shared target, other clients can cause a 429 or 503. Then there is nothing to judge.
fn not_now(probe: &Probe<'_>, answer: &Answer<'_>) -> Result<(), Stop> {
    let why = match answer.status() {
        _ if probe.owns_time() => return Ok(()),
        429 if probe.forwards("drop") => return Ok(()),
        429 if probe.has_no_drop_left() => {
            let why = "this run has reached the declared drop limit (429): run again later";
            return Err(Stop::NotTestable(why.to_owned()));
        }
        429 => "the target returned 429, although this run has made fewer drops than the declared limit",
        503 => "the target has paused drops (503): run again later",
        _ => return Ok(()),
    };
    Err(Stop::Inconclusive(why.to_owned()))
}

/// Counts an upload of this check against this machine's hourly limit, if the target sees this machine's address.
pub(crate) async fn spend_one(probe: &Probe<'_>) -> Result<(), Stop> {
    let reserved = KINDS - probe.settings.drop().kept.lock().await.len();
    spend(probe, reserved)
}

fn spend(probe: &Probe<'_>, reserved: usize) -> Result<(), Stop> {
    let is_unseen = probe.owns_time() || probe.forwards("drop");
    if is_unseen || probe.drop_one(reserved) {
        return Ok(());
    }
    let why = "the quota of drops is used up: raise [drop.limits] drops_per_hour, set forwarding_header, or run this check alone";
    Err(Stop::NotTestable(why.to_owned()))
}

/// The client address of this check's drops, if it can choose one. No other check uses it, so its limit is not used up.
pub(crate) fn address(probe: &Probe<'_>) -> Option<IpAddr> {
    (!probe.owns_time() && probe.forwards("drop")).then(|| benchmark_address(probe.draw_once("address")))
}

/// An address in the block reserved for benchmarks (198.18.0.0/15).
pub(crate) fn benchmark_address(drawn: [u8; 32]) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(198, 18 + (drawn[0] & 1), drawn[1], drawn[2]))
}

/// Client limits for an upload of many megabytes on a slow connection.
pub(crate) fn patient() -> Limits {
    Limits { timeout: Duration::from_mins(2), ..Limits::default() }
}
