//! Responses, with the expectations that checks state about them.

use assay_spec::value::ValueKind;
use serde_json::Value;

use super::Probe;
use crate::harness::data::{At, Failure, Stop, Want};
use crate::http::exchange::{Broken, Exchange, Response};
use crate::http::transport::Open;

/// A response, with expectations about it.
#[derive(Clone)]
pub struct Answer<'probe> {
    pub(super) probe: &'probe Probe<'probe>,
    pub(super) index: usize,
    /// The response.
    pub response: Response,
}

impl Answer<'_> {
    /// The status.
    pub const fn status(&self) -> u16 {
        self.response.status
    }

    /// The exchange of this response.
    pub fn exchange(&self) -> Exchange {
        self.probe.statistics(|statistics| statistics.exchanges[self.index].clone())
    }

    /// Whether it has this status and a body that shows it.
    pub(crate) fn shows(&self, status: u16, evidence: Evidence) -> bool {
        self.status() == status && (evidence.shows)(&self.json())
    }

    /// The body as JSON, or null.
    pub fn json(&self) -> Value {
        self.response.json().unwrap_or(Value::Null)
    }

    /// Expects one of these statuses.
    pub fn expect_status(&self, wanted: &[u16]) -> Result<(), Stop> {
        self.expect(
            wanted.contains(&self.status()),
            At::status(),
            Want::one_of(wanted),
            self.status().to_string(),
        )
    }

    /// Expects the rejection that the check declares.
    pub fn expect_refused(&self) -> Result<(), Stop> {
        self.expect_status(self.probe.rejection().statuses)
    }

    /// Expects the rejection of this value of a member, such as `null` for `cid`.
    pub fn expect_refused_value(&self, member: &str, wrong: &ValueKind) -> Result<(), Stop> {
        self.expect_one_of(self.probe.rejection().statuses, member, wrong)
    }

    /// Expects one of these statuses for this value of a member. An open value is only noted.
    pub fn expect_one_of(&self, statuses: &[u16], member: &str, wrong: &ValueKind) -> Result<(), Stop> {
        let (status, what) = (self.status(), format!("{member} = {}", wrong.name));
        if wrong.may_be_accepted.is_empty() {
            let at = At::status_named(format!("status for {what}"));
            return self.expect(statuses.contains(&status), at, Want::one_of(statuses), status.to_string());
        }
        if !statuses.contains(&status) {
            self.probe.note(format!("{what} returns {status}"));
        }
        Ok(())
    }

    /// Expects that this valid value of a member is not rejected. A conflict or a limit says nothing about the value.
    pub fn expect_not_malformed(&self, member: &str, value: &ValueKind) -> Result<(), Stop> {
        let at = At::status_named(format!("status for {member} = {}", value.name));
        self.expect(!self.is_malformed(), at, "an accepted request", self.status().to_string())
    }

    /// Whether the request is rejected, but not for a conflict or a limit.
    pub fn is_malformed(&self) -> bool {
        self.status() >= 400 && ![409, 429, 503].contains(&self.status())
    }

    /// Whether this valid value of a member is rejected as malformed, which a server may do. That is noted.
    pub fn is_rejected_as_it_may(&self, member: &str, value: &ValueKind) -> bool {
        let is_rejected = self.status() == 400 && !value.may_be_rejected.is_empty();
        if is_rejected {
            self.probe.note(format!("{member} = {} is rejected: {}", value.name, value.may_be_rejected));
        }
        is_rejected
    }

    /// A precondition: without one of these statuses the check is inconclusive.
    pub fn given_status(&self, wanted: &[u16]) -> Result<(), Stop> {
        self.met_status(wanted, "a precondition failed:")
    }

    fn met_status(&self, wanted: &[u16], what: &str) -> Result<(), Stop> {
        let (want, got) = (Want::one_of(wanted), self.status());
        if wanted.contains(&got) {
            return Ok(());
        }
        let why = format!("{what} status {got} instead of {}", want.words);
        Err(Stop::Unmet(why, Failure::unmet_status(want, got, self.index)))
    }

    /// A precondition about this response: without it the check is inconclusive.
    pub fn given(&self, holds: bool, what: impl Into<String>) -> Result<(), Stop> {
        if holds { Ok(()) } else { Err(Stop::unmet(what, Some(self.index))) }
    }

    /// A precondition: one of these statuses with a body that shows it.
    pub fn given_accepted(&self, wanted: &[u16], evidence: Evidence) -> Result<(), Stop> {
        self.given_status(wanted)?;
        self.given_evidence(evidence)
    }

    /// Expects one of these statuses. Without a body that shows it, the check is inconclusive.
    pub fn expect_accepted(&self, wanted: &[u16], evidence: Evidence) -> Result<(), Stop> {
        self.expect_status(wanted)?;
        self.given_evidence(evidence)
    }

    /// The valid counterpart: one of these statuses with a body that shows it.
    pub fn counterpart_accepted(&self, wanted: &[u16], evidence: Evidence) -> Result<(), Stop> {
        self.counterpart_status(wanted)?;
        self.given_evidence(evidence)
    }

    /// A precondition: the body shows that the request was accepted.
    fn given_evidence(&self, Evidence { what, shows }: Evidence) -> Result<(), Stop> {
        let status = self.status();
        self.given(
            shows(&self.json()),
            format!("status {status} without {what}: the status alone shows nothing"),
        )
    }

    /// The valid counterpart: without one of these statuses the check's rejections prove nothing.
    pub fn counterpart_status(&self, wanted: &[u16]) -> Result<(), Stop> {
        self.probe.statistics(|statistics| statistics.counterparts += 1);
        self.met_status(wanted, "the valid counterpart returned")
    }

    /// States an expectation about this response.
    pub fn expect(
        &self,
        holds: bool,
        at: impl Into<At>,
        want: impl Into<Want>,
        got: impl Into<String>,
    ) -> Result<(), Stop> {
        self.probe.state(holds, at.into(), want.into(), got.into(), Some(self.index))
    }

    /// Expects the media type of JSON. If the body is not JSON, the check is inconclusive.
    pub fn expect_json_type(&self) -> Result<(), Stop> {
        self.given(self.response.json().is_ok(), "the body is not JSON")?;
        let got = self.response.media_type();
        self.expect(self.response.has_json_type(), At::header("content-type"), "a JSON media type", got)
    }

    /// Expects a member of the JSON body to satisfy `holds`.
    pub fn expect_json(
        &self,
        pointer: &str,
        want: &str,
        holds: impl Fn(&Value) -> bool,
    ) -> Result<Value, Stop> {
        let body = self.json();
        let found = body.pointer(pointer).cloned();
        let got = found.as_ref().map_or_else(|| format!("nothing at {pointer}"), ToString::to_string);
        self.expect(found.as_ref().is_some_and(holds), pointer, want, got)?;
        Ok(found.unwrap_or_default())
    }
}

/// What the body of an accepted request shows besides its status, which any server can return.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Its name in reports.
    pub what: &'static str,
    /// Whether a JSON body has it; null if the body is not JSON.
    pub shows: fn(&Value) -> bool,
}

/// A JSON object or array that is not empty.
pub const CONTENT: Evidence = Evidence {
    what: "a JSON object or array that is not empty",
    shows: |body| {
        body.as_object().is_some_and(|members| !members.is_empty())
            || body.as_array().is_some_and(|items| !items.is_empty())
    },
};

/// A request that is not completely sent.
pub struct Held<'probe> {
    pub(super) probe: &'probe Probe<'probe>,
    pub(super) index: usize,
    pub(super) rest: Rest,
}

/// The rest of the request.
pub(super) enum Rest {
    Open(Open),
    /// Its response from the recording.
    Played(Result<Response, Broken>),
}

impl<'probe> Held<'probe> {
    /// Sends the rest and waits for the whole response.
    pub async fn finish(self) -> Result<Answer<'probe>, Stop> {
        let Held { probe, index, rest } = self;
        let response = match rest {
            Rest::Open(open) => open.finish().await,
            Rest::Played(response) => response,
        };
        let response = probe.end(index, response).await?;
        probe.answer(index, response)
    }
}

/// The result of fetching a URL.
pub struct Fetched<'probe> {
    /// The response of the last URL.
    pub answer: Answer<'probe>,
    /// The last URL, after redirects.
    pub url: url::Url,
}
