//! Payments that the profile names: values, or a command that prints one.

use std::fmt;
use std::process::{Command, Stdio};

use super::Token;
use crate::harness::check::Stop;
use crate::harness::probe::Probe;

/// Where payments come from. None is sent twice where a reply is wanted.
#[derive(Clone, Default)]
pub(super) struct Payments {
    /// Values, in the order of the profile.
    pub(super) values: Vec<Token>,
    /// A program with its arguments.
    pub(super) command: Option<Vec<String>>,
}

/// Prints no payment.
impl fmt::Debug for Payments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} payments", self.values.len())
    }
}

impl Payments {
    /// The payment with this number, from 0, among those that pay once; `None` if there are less.
    pub(super) async fn once(&self, probe: &Probe<'_>, n: usize) -> Result<Option<String>, Stop> {
        self.get(probe, self.of_once(n)).await
    }

    /// The payment that is sent a second time: the last of several.
    pub(super) async fn twice(&self, probe: &Probe<'_>) -> Result<Option<String>, Stop> {
        self.get(probe, self.of_twice()).await
    }

    fn of_once(&self, n: usize) -> Option<&Token> {
        let most = self.values.len().saturating_sub(1).max(1);
        self.values.get(n).filter(|_| n < most)
    }

    fn of_twice(&self) -> Option<&Token> {
        self.values.get(1).and(self.values.last())
    }

    async fn get(&self, probe: &Probe<'_>, value: Option<&Token>) -> Result<Option<String>, Stop> {
        probe.rest_on("gateway.payments")?;
        let (None, Some(command)) = (value, self.command.clone()) else {
            return Ok(value.map(|value| value.0.clone()));
        };
        if probe.plays() {
            // Recorded responses are found without the payment.
            return Ok(Some("payment-unknown".to_owned()));
        }
        let made = tokio::task::spawn_blocking(move || printed(&command)).await;
        let made = made.map_err(|end| end.to_string()).flatten();
        made.map(Some).map_err(|why| Stop::NotTestable(format!("[gateway] payments: {why}")))
    }
}

/// What a command prints, without surrounding white space. No message contains any part of it.
fn printed(command: &[String]) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("the command is empty".to_owned());
    };
    let ended = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let ended = ended.map_err(|e| format!("the command {program:?} does not run: {e}"))?;
    if !ended.status.success() {
        return Err(format!("the command {program:?} failed: {}", ended.status));
    }
    let text = String::from_utf8(ended.stdout).unwrap_or_default().trim().to_owned();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("the command {program:?} printed no line of visible ASCII characters"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_prints_one_payment() {
        let run =
            |command: &[&str]| printed(&command.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert_eq!(run(&["echo", "pay-1"]).as_deref(), Ok("pay-1"));
        for wrong in [&["false"][..], &["echo"], &["echo", "two words"], &["assay-no-such-program"], &[]] {
            assert!(run(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_last_of_several_is_sent_twice() {
        let all = |count: usize| Payments {
            values: (0..count).map(|n| Token(n.to_string())).collect(),
            command: None,
        };
        let once = |count: usize| (0..9).filter(|n| all(count).of_once(*n).is_some()).count();
        assert_eq!([0, 1, 2, 7].map(once), [0, 1, 1, 6]);
        let twice = |count: usize| all(count).of_twice().map(|value| value.0.clone());
        assert_eq!([0, 1, 2, 7].map(twice), [None, None, Some("1".to_owned()), Some("6".to_owned())]);
    }
}
