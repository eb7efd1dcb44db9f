//! A panic in one check becomes that check's error. The other checks go on.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::pin::pin;
use std::sync::Once;
use std::task::Poll;

use crate::harness::check::{Checked, Stop};

thread_local! {
    /// Whether this thread polls a check.
    static POLLS: Cell<bool> = const { Cell::new(false) };
    /// The last panic in a poll: message, file and line.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Awaits a check. A panic becomes [`Stop::Error`] with its message, file and line.
pub(crate) async fn caught(check: impl Future<Output = Checked>) -> Checked {
    install();
    let mut check = pin!(check);
    std::future::poll_fn(|context| {
        POLLS.set(true);
        // The check is not polled again after a panic, so no broken state is seen.
        let polled = catch_unwind(AssertUnwindSafe(|| check.as_mut().poll(context)));
        POLLS.set(false);
        polled.unwrap_or_else(|_| {
            let what = PANIC.take().unwrap_or_else(|| "no message".to_owned());
            Poll::Ready(Err(Stop::Error(format!("the check panicked, which is a bug of assay: {what}"))))
        })
    })
    .await
}

/// Panics of a check are kept for its outcome instead of being printed; all others go to the hook that was set before.
fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let other = take_hook();
        set_hook(Box::new(move |panic| {
            if !POLLS.get() {
                return other(panic);
            }
            let message = panic.payload_as_str().unwrap_or("no message");
            let place = panic.location().map(|at| format!(" at {}:{}", at.file(), at.line()));
            PANIC.set(Some(format!("{message}{}", place.unwrap_or_default())));
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_becomes_an_error_with_its_place() {
        let empty: Vec<u8> = Vec::new();
        let panics = async {
            tokio::task::yield_now().await;
            assert!(!empty.is_empty(), "no first byte");
            Ok(())
        };
        let Err(Stop::Error(why)) = caught(panics).await else { panic!("an error") };
        assert!(why.contains("a bug of assay: no first byte at suites/src/harness/run/panics.rs:"), "{why}");
        assert!(caught(async { Ok(()) }).await.is_ok(), "the next check runs");
    }
}
