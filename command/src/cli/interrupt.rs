//! What stops a run: signals and the deadline. The first Ctrl-C lets running checks finish, the second stops the run, the
//! third kills the process. After SIGTERM and after the deadline, running checks have some seconds.

use std::time::Duration;

use tokio::sync::watch;

/// The exit code after the third signal.
const GONE: i32 = 130;

/// How long running checks may take after SIGTERM or the deadline.
const GRACE: Duration = Duration::from_secs(5);

/// Counts the requests to stop.
pub(crate) struct Interrupt {
    count: watch::Sender<u32>,
    /// The deadline has passed.
    is_late: watch::Sender<bool>,
}

/// The deadline of one run.
pub(crate) struct Deadline(tokio::task::JoinHandle<()>);

impl Drop for Deadline {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The kind of a signal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signal {
    Interrupt,
    Terminate,
}

impl Interrupt {
    /// Starts to listen for signals.
    pub(crate) fn listen() -> Interrupt {
        let interrupt = Interrupt { count: watch::Sender::new(0), is_late: watch::Sender::new(false) };
        let count = interrupt.count.clone();
        hear(move |signal| {
            // The run may end as soon as it is asked to, so the message comes first.
            let times = *count.borrow() + 1;
            match (times, signal) {
                (1, Signal::Interrupt) => {
                    eprintln!("assay: waiting for the running checks; press Ctrl-C again to stop now");
                }
                (1, Signal::Terminate) => {
                    eprintln!("assay: stopping within {} s", GRACE.as_secs());
                    tokio::spawn(stop_after_grace(count.clone()));
                }
                (2, _) => {}
                // A third signal means that the run does not stop by itself.
                _ => std::process::exit(GONE),
            }
            count.send_modify(|count| *count += 1);
        });
        interrupt
    }

    /// Starts to listen for signals, and says nothing about them.
    pub(crate) fn listen_quietly() -> Interrupt {
        let interrupt = Interrupt { count: watch::Sender::new(0), is_late: watch::Sender::new(false) };
        let count = interrupt.count.clone();
        hear(move |_| count.send_modify(|count| *count += 1));
        interrupt
    }

    /// Resolves at the first request to stop.
    pub(crate) async fn wait(&self) {
        // The sender lives in `self`, so the channel cannot close.
        let _ = self.count.subscribe().wait_for(|count| *count > 0).await;
    }

    /// Stops the run at the deadline, unless the returned value is dropped before.
    pub(crate) fn stop_after(&self, deadline: Duration) -> Deadline {
        let (count, is_late) = (self.count.clone(), self.is_late.clone());
        Deadline(tokio::spawn(async move {
            tokio::time::sleep(deadline).await;
            eprintln!("assay: the deadline of {} s (--deadline) has passed; stopping", deadline.as_secs());
            is_late.send_replace(true);
            count.send_modify(|count| *count = (*count).max(1));
            stop_after_grace(count).await;
        }))
    }

    /// Asks to finish after this time, unless the returned value is dropped before.
    #[cfg(feature = "embedded")]
    pub(crate) fn finish_after(&self, time: Duration) -> Deadline {
        let count = self.count.clone();
        Deadline(tokio::spawn(async move {
            tokio::time::sleep(time).await;
            count.send_modify(|count| *count = (*count).max(1));
        }))
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        *self.is_late.borrow()
    }

    /// Asks to finish, as one Ctrl-C does.
    pub(crate) fn finish(&self) {
        self.count.send_modify(|count| *count = (*count).max(1));
    }
}

impl assay_suites::harness::run::Halt for Interrupt {
    fn count(&self) -> watch::Receiver<u32> {
        self.count.subscribe()
    }
}

/// Gives running checks some seconds, then asks to stop now.
async fn stop_after_grace(count: watch::Sender<u32>) {
    tokio::time::sleep(GRACE).await;
    count.send_modify(|count| *count = (*count).max(2));
}

/// Calls `heard` for each signal. The handlers are installed before this returns, so that no signal kills the process
/// from then on.
fn hear(mut heard: impl FnMut(Signal) + Send + 'static) {
    let Some(mut signals) = Signals::install() else { return };
    tokio::spawn(async move {
        while let Some(signal) = signals.next().await {
            heard(signal);
        }
    });
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn install() -> Option<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt()).ok()?;
        Some(Signals { interrupt, terminate: signal(SignalKind::terminate()).ok()? })
    }

    async fn next(&mut self) -> Option<Signal> {
        tokio::select! {
            come = self.interrupt.recv() => come.map(|()| Signal::Interrupt),
            come = self.terminate.recv() => come.map(|()| Signal::Terminate),
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn install() -> Option<Signals> {
        tokio::signal::windows::ctrl_c().ok().map(Signals)
    }

    async fn next(&mut self) -> Option<Signal> {
        self.0.recv().await.map(|()| Signal::Interrupt)
    }
}
