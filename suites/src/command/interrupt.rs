//! Ctrl-C and SIGTERM: the first one lets running checks finish, the second stops the run, the third kills the process.

use tokio::sync::watch;

/// The exit code after the third signal.
const GONE: i32 = 130;

/// Counts the requests to stop.
pub(crate) struct Interrupt(watch::Sender<u32>);

impl Interrupt {
    /// Starts to listen for signals.
    pub(crate) fn listen() -> Interrupt {
        let interrupt = Interrupt(watch::Sender::new(0));
        let count = interrupt.0.clone();
        tokio::spawn(signals(move || {
            count.send_modify(|count| *count += 1);
            let times = *count.borrow();
            match times {
                1 => eprintln!("assay: waiting for the running checks; press Ctrl-C again to stop now"),
                2 => {}
                // A third signal means that the run does not stop by itself.
                _ => std::process::exit(GONE),
            }
        }));
        interrupt
    }

    /// Asks to finish, as one Ctrl-C does.
    pub(crate) fn finish(&self) {
        self.0.send_modify(|count| *count = (*count).max(1));
    }
}

impl assay_suites::run::Halt for Interrupt {
    fn count(&self) -> watch::Receiver<u32> {
        self.0.subscribe()
    }
}

/// Calls `heard` for each signal.
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
