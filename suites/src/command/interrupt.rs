//! Ctrl-C, and what a job system sends instead: once to finish, twice to stop.

use tokio::sync::watch;

/// How often somebody has asked to stop.
pub(crate) struct Interrupt(watch::Sender<u32>);

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> Interrupt {
        let interrupt = Interrupt(watch::Sender::new(0));
        let count = interrupt.0.clone();
        tokio::spawn(async move {
            while signal().await {
                count.send_modify(|count| *count += 1);
            }
        });
        interrupt
    }

    /// Asks to finish, as somebody does who presses Ctrl-C once.
    pub(crate) fn finish(&self) {
        self.0.send_modify(|count| *count = (*count).max(1));
    }
}

impl assay_suites::run::Halt for Interrupt {
    fn count(&self) -> watch::Receiver<u32> {
        self.0.subscribe()
    }
}

/// Waits for one; `false` where none can come.
#[cfg(unix)]
async fn signal() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return false;
    };
    tokio::select! {
        come = interrupt.recv() => come.is_some(),
        come = terminate.recv() => come.is_some(),
    }
}

#[cfg(not(unix))]
async fn signal() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}
