//! Why a call of a control API gave no result.

use std::fmt;

/// Why a call of a control API gave no result. Each variant has its words for a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// The API answered before and stopped answering.
    Silent(String),
    /// It returned this status.
    Status(u16, String),
    /// There was no usable response.
    Failed(String),
}

impl ControlError {
    /// Whether the API stopped answering.
    pub const fn is_silent(&self) -> bool {
        matches!(self, ControlError::Silent(_))
    }

    /// Whether the API does not accept the token.
    pub const fn is_unauthorized(&self) -> bool {
        matches!(self, ControlError::Status(401 | 403, _))
    }

    /// The text, to redact it.
    pub fn text_mut(&mut self) -> &mut String {
        match self {
            ControlError::Silent(why) | ControlError::Status(_, why) | ControlError::Failed(why) => why,
        }
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlError::Silent(why) | ControlError::Status(_, why) | ControlError::Failed(why) => {
                f.write_str(why)
            }
        }
    }
}

impl From<String> for ControlError {
    fn from(why: String) -> ControlError {
        ControlError::Failed(why)
    }
}
