//! How a check ends.

use super::control_error::ControlError;
use super::reason::{Failure, Reason, Why};

/// Why a check ended early.
#[derive(Clone, Debug)]
pub enum Stop {
    /// An expectation did not hold.
    Fail(Failure),
    /// A response was not as the check needs it: a precondition or the valid counterpart did not hold. The reason in the
    /// check's words, and the response.
    Unmet(String, Failure),
    /// Nothing can be said, and no response of the target is the cause.
    Inconclusive(String),
    /// As `Inconclusive`, for a reason that has a kind of its own.
    Undecided(Reason),
    /// The target does not offer what the check tests.
    NotApplicable(String),
    /// The target lacks what the check needs.
    NotTestable(String),
    /// The harness or the transport failed.
    Error(String),
}

impl Stop {
    /// A precondition about the content of a response that did not hold.
    pub fn unmet(what: impl Into<String>, exchange: Option<usize>) -> Stop {
        let what = what.into();
        Stop::Unmet(what.clone(), Failure::unmet(what, exchange))
    }
}

/// A failed call of the control API is an error of the harness, unless the API stopped answering.
impl From<ControlError> for Stop {
    fn from(error: ControlError) -> Stop {
        match error {
            ControlError::Silent(why) => Stop::Undecided(Reason::new(Why::Silent, why)),
            ControlError::Status(_, why) | ControlError::Failed(why) => Stop::Error(why),
        }
    }
}

/// How a check ends.
pub type Checked = Result<(), Stop>;
