//! Clients that do one thing, print one JSON object and exit.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::time::{interval, sleep, timeout};

use super::judge::{Client, Hold, fail};
use super::stage::Stage;
use super::trace::Ended;
use super::watch::{READ_EVERY, Said};
use crate::harness::check::Stop;

/// The most bytes of a client's output that are read.
const OUTPUT_BYTES: u64 = 16 * 1024 * 1024;

/// How long an output must be quiet after its client has exited.
const QUIET: Duration = Duration::from_millis(300);

/// What a client printed, or why that cannot be read.
pub(super) type Printed = Result<Value, String>;

/// Runs a client to its end, or stops it. An error is the harness's own.
pub(super) async fn run(stage: &Stage, client: &Client) -> Result<(Printed, Ended, Said), String> {
    let mut started = stage.start(&client.command, Stdio::null(), Stdio::piped())?;
    let (printed, ended) = match timeout(client.limit, ended(&mut started.child)).await {
        Ok(ran) => ran?,
        Err(_) => (Err("nothing in time".to_owned()), Ended::Stopped(client.limit)),
    };
    if let Ended::Stopped(_) = ended {
        started.child.kill().await.map_err(|e| format!("cannot stop the client: {e}"))?;
    }
    Ok((printed, ended, started.said))
}

/// Waits for the end of a hold, while the user starts the client and enters what it prints.
pub(super) async fn hold(stage: &mut Stage, Hold { say, end }: Hold<'_>) -> Printed {
    say("Start the client with this environment:");
    stage.exports().iter().for_each(|line| say(line));
    say(
        "Its requests are listed as they are answered. Pipe what it prints into this command, or enter it and end with Ctrl-D.",
    );
    say("Ctrl-C ends the world and prints the verdict.");
    let (mut printed, mut ticks) = (Err("nothing: no JSON was entered".to_owned()), interval(READ_EVERY));
    let mut entered = entered();
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = &mut end => break,
            Some(bytes) = entered.recv() => printed = parse(&bytes),
            _ = ticks.tick() => stage.list(say),
        }
    }
    stage.list(say);
    printed
}

/// The JSON object that a client printed.
pub(super) fn object(printed: &Printed) -> Result<&Value, Stop> {
    let got = match printed {
        Ok(json @ Value::Object(_)) => return Ok(json),
        Ok(json) => format!("{json:.200}"),
        Err(why) => why.clone(),
    };
    Err(fail("the output", "one JSON object", got, None))
}

/// The whole standard input of this process. A thread reads it, which does not keep the process from ending.
fn entered() -> mpsc::UnboundedReceiver<Vec<u8>> {
    let (sender, entered) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if std::io::stdin().take(OUTPUT_BYTES).read_to_end(&mut bytes).is_ok() {
            // After Ctrl-C nothing is waiting for it.
            let _ = sender.send(bytes);
        }
    });
    entered
}

/// Reads the output of a client, and waits for its exit. A child process that keeps the output open is not waited for.
async fn ended(child: &mut Child) -> Result<(Printed, Ended), String> {
    let output = child.stdout.take().ok_or("no standard output")?;
    let (mut output, mut bytes, mut status) = (output.take(OUTPUT_BYTES), Vec::new(), None);
    loop {
        tokio::select! {
            read = output.read_buf(&mut bytes) => match read {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            },
            exited = child.wait(), if status.is_none() => status = Some(exited),
            () = sleep(QUIET), if status.is_some() => break,
        }
    }
    // A client that goes on writing must not wait for a reader.
    drop(output);
    let status = match status {
        Some(status) => status,
        None => child.wait().await,
    };
    let status = status.map_err(|e| format!("cannot wait for the client: {e}"))?;
    Ok((parse(&bytes), Ended::Itself(status.code())))
}

fn parse(bytes: &[u8]) -> Printed {
    if bytes.len() as u64 == OUTPUT_BYTES {
        return Err(format!("{OUTPUT_BYTES} bytes or more"));
    }
    serde_json::from_slice(bytes).map_err(|e| match String::from_utf8_lossy(bytes).trim() {
        "" => "no output".to_owned(),
        text => format!("not JSON ({e}): {text:.200}"),
    })
}
