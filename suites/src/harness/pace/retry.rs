//! When a request is sent again.

use std::time::Duration;

use crate::http::exchange::{Broken, Response};

/// When a request is sent again: one policy for checks, for surveys and for the clients of the commands.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// How often a request is sent at most if its server gives no answer, or fails.
    pub tries: u32,
    /// How often it is sent again after a 429.
    pub waits: u32,
    /// The pause where the server names no time; it doubles. Without one, the request is sent again only where the
    /// server names a time.
    pub pause: Option<Duration>,
    /// A server that names a longer time does not get the request again.
    pub longest: Duration,
    /// Whether a result other than a 429 may be better next time.
    pub is_temporary: fn(&Result<Response, Broken>) -> bool,
}

/// How often a request has failed, and how often it was rejected with a 429.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    failed: u32,
    rejected: u32,
}

impl Retry {
    /// Only after a 429 that names a time, and only once.
    pub(crate) const fn named(longest: Duration) -> Retry {
        Retry { tries: 1, waits: 1, pause: None, longest, is_temporary: |_| false }
    }

    /// After how long a request with this result is sent again; `None` if it is not.
    pub fn again(&self, tried: &mut Tried, result: &Result<Response, Broken>) -> Option<Duration> {
        let named = result.as_ref().ok().and_then(named_wait);
        let pause = if result.as_ref().is_ok_and(|response| response.status == 429) {
            let pause = self.pause_after(*tried);
            tried.rejected += 1;
            (tried.rejected <= self.waits).then_some(pause)
        } else if (self.is_temporary)(result) {
            self.again_after_failure(tried).map(Some)
        } else {
            None
        }?;
        match named {
            Some(named) => Some(named).filter(|named| *named <= self.longest),
            None => pause,
        }
    }

    /// As [`Retry::again`], after a failure that is worth another try.
    pub fn again_after_failure(&self, tried: &mut Tried) -> Option<Duration> {
        let pause = self.pause_after(*tried);
        tried.failed += 1;
        pause.filter(|_| tried.failed < self.tries)
    }

    fn pause_after(&self, tried: Tried) -> Option<Duration> {
        let factor = 2_u32.saturating_pow(tried.failed + tried.rejected);
        self.pause.map(|pause| pause.saturating_mul(factor).min(self.longest))
    }
}

/// The wait in the `Retry-After` of a 429 or 503: seconds, or a date relative to the response's `Date`.
pub(super) fn named_wait(response: &Response) -> Option<Duration> {
    let text = response.header("retry-after").filter(|_| matches!(response.status, 429 | 503))?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit exceeds every wait.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    Some(until.duration_since(date.unwrap_or_else(std::time::SystemTime::now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
        Response { status, headers: headers.collect(), body: Vec::new().into() }
    }

    #[test]
    fn retries_end_and_wait_as_long_as_the_server_says() {
        let is_temporary = |result: &Result<Response, Broken>| {
            result.as_ref().map_or(true, |response| response.status >= 500)
        };
        let (pause, longest) = (Some(Duration::from_secs(1)), Duration::from_mins(1));
        let retry = Retry { tries: 3, waits: 2, pause, longest, is_temporary };
        let waits = |result: Result<Response, Broken>| -> Vec<u64> {
            let mut tried = Tried::default();
            std::iter::from_fn(|| retry.again(&mut tried, &result)).map(|wait| wait.as_secs()).collect()
        };
        assert!(waits(Ok(refused(200, &[]))).is_empty());
        assert_eq!(waits(Ok(refused(500, &[]))), [1, 2]);
        assert_eq!(waits(Err(Broken::Closed("mid-way".to_owned()))), [1, 2]);
        assert_eq!(waits(Ok(refused(429, &[]))), [1, 2]);
        assert_eq!(waits(Ok(refused(429, &[("retry-after", "7")]))), [7, 7]);
        assert_eq!(waits(Ok(refused(503, &[("retry-after", "7")]))), [7, 7]);
        assert_eq!(waits(Ok(refused(500, &[("retry-after", "7")]))), [1, 2]);
        assert_eq!(waits(Ok(refused(429, &[("retry-after", "60")]))), [60, 60]);
        assert!(waits(Ok(refused(429, &[("retry-after", "61")]))).is_empty());
        let mut tried = Tried::default();
        let once = Retry::named(longest);
        assert_eq!(once.again(&mut tried, &Ok(refused(429, &[]))), None);
        let named = refused(429, &[("retry-after", "7")]);
        assert_eq!(once.again(&mut Tried::default(), &Ok(named)), Some(Duration::from_secs(7)));
        assert_eq!(once.again(&mut Tried::default(), &Ok(refused(500, &[]))), None);
    }
}
