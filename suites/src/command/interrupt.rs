//! Ctrl-C, and what a job system sends instead: once to finish, twice to stop, a third time to be gone.

use tokio::sync::watch;

/// The exit code of a command that signals have ended.
const GONE: i32 = 130;

/// How often somebody has asked to stop.
pub(crate) struct Interrupt(watch::Sender<u32>);

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> Interrupt {
        let interrupt = Interrupt(watch::Sender::new(0));
        let count = interrupt.0.clone();
        tokio::spawn(signals(move || {
            count.send_modify(|count| *count += 1);
            let times = *count.borrow();
            match times {
                1 => eprintln!("assay: finishing what runs; Ctrl-C once more stops at once"),
                2 => {}
                // Whoever asks again sees that the run does not end by itself.
                _ => std::process::exit(GONE),
            }
        }));
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

/// Hears of each one that comes, so long as any can.
#[cfg(unix)]
async fn signals(mut heard: impl FnMut()) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    loop {
        let come = tokio::select! {
            come = interrupt.recv() => come,
            come = terminate.recv() => come,
        };
        if come.is_none() {
            return;
        }
        heard();
    }
}

#[cfg(not(unix))]
async fn signals(mut heard: impl FnMut()) {
    while tokio::signal::ctrl_c().await.is_ok() {
        heard();
    }
}
