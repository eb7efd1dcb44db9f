//! The memory for request bodies in flight.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a body waits for room.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);
/// The room for the beginnings of all bodies, in bytes.
const BEGINNINGS: u32 = 16 << 20;
/// The beginning of a body, in bytes.
const BEGINNING: usize = 1 << 20;
/// The room for everything after the beginnings, in bytes. A longer body takes all of it and continues.
const REST: u32 = 48 << 20;

/// The room for all bodies in flight, shared by a world and its forks. Every body takes room for its beginning, and
/// once for all the rest: a body that has begun to send its rest always completes.
#[derive(Clone, Debug)]
pub(super) struct Room {
    beginnings: Arc<Semaphore>,
    rest: Arc<Semaphore>,
}

impl Default for Room {
    fn default() -> Room {
        let semaphore = |bytes: u32| Arc::new(Semaphore::new(bytes as usize));
        Room { beginnings: semaphore(BEGINNINGS), rest: semaphore(REST) }
    }
}

/// One body's part of the room; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Occupied {
    room: Room,
    declared: Option<u64>,
    received: usize,
    beginning: Option<OwnedSemaphorePermit>,
    rest: Option<OwnedSemaphorePermit>,
}

/// Other bodies take all the room.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the simulator holds at most 64 MiB of request bodies at a time; send fewer large bodies at once")]
pub(crate) struct Full;

impl Room {
    /// A new body of a declared length, if any.
    pub(super) fn enter(&self, declared: Option<u64>) -> Occupied {
        Occupied { room: self.clone(), declared, received: 0, beginning: None, rest: None }
    }
}

impl Occupied {
    /// Takes room for `bytes` more; waits for other bodies.
    pub(super) async fn take(&mut self, bytes: usize) -> Result<(), Full> {
        let begun = self.received.min(BEGINNING);
        self.received += bytes;
        let more = self.received.min(BEGINNING) - begun;
        if more > 0 {
            let permit = acquire(&self.room.beginnings, more as u32).await?;
            match &mut self.beginning {
                Some(beginning) => beginning.merge(permit),
                none => *none = Some(permit),
            }
        }
        if self.received > BEGINNING && self.rest.is_none() {
            let declared = self.declared.map_or(u64::MAX, |length| length.saturating_sub(BEGINNING as u64));
            let rest = u32::try_from(declared).unwrap_or(REST).clamp(1, REST);
            self.rest = Some(acquire(&self.room.rest, rest).await?);
        }
        Ok(())
    }
}

async fn acquire(semaphore: &Arc<Semaphore>, bytes: u32) -> Result<OwnedSemaphorePermit, Full> {
    let permit = semaphore.clone().acquire_many_owned(bytes);
    tokio::time::timeout(PATIENCE, permit).await.map_err(|_| Full)?.map_err(|_| Full)
}
