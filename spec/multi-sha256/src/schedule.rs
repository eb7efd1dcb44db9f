//! Messages of any lengths in a fixed number of lanes: a lane that has finished its message takes the next one.

use crate::consts::INITIAL;
use crate::{Block, Digest, State};

/// Compresses blocks of several messages at once.
pub(crate) trait Kernel<const LANES: usize>: Copy {
    /// The state of each lane, in the order that the kernel reads.
    type States: States;

    /// Compresses as many blocks of each message as the shortest list has.
    fn compress(self, states: &mut Self::States, blocks: [&[Block]; LANES]);
}

/// The states of all lanes.
pub(crate) trait States {
    /// Every lane before its first block.
    fn initial() -> Self;

    fn set(&mut self, lane: usize, state: &State);

    fn state(&self, lane: usize) -> State;
}

/// The state of each lane after the other.
#[derive(Debug)]
pub(crate) struct Rows<const LANES: usize>(pub(crate) [State; LANES]);

impl<const LANES: usize> States for Rows<LANES> {
    fn initial() -> Self {
        Rows([INITIAL; LANES])
    }

    fn set(&mut self, lane: usize, state: &State) {
        self.0[lane] = *state;
    }

    fn state(&self, lane: usize) -> State {
        self.0[lane]
    }
}

/// Each word of the state, of all lanes.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Columns<const LANES: usize>(pub(crate) [[u32; LANES]; 8]);

#[cfg(target_arch = "x86_64")]
impl<const LANES: usize> States for Columns<LANES> {
    fn initial() -> Self {
        Columns(INITIAL.map(|word| [word; LANES]))
    }

    fn set(&mut self, lane: usize, state: &State) {
        for (column, &word) in self.0.iter_mut().zip(state) {
            column[lane] = word;
        }
    }

    fn state(&self, lane: usize) -> State {
        self.0.map(|column| column[lane])
    }
}

/// One message at a time, by the `sha2` crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single;

impl Kernel<1> for Single {
    type States = Rows<1>;

    fn compress(self, states: &mut Rows<1>, [blocks]: [&[Block]; 1]) {
        sha2::block_api::compress256(&mut states.0[0], blocks);
    }
}

/// The part of a message that is not compressed yet.
#[derive(Debug)]
struct Message<'a> {
    /// Which message it is.
    index: usize,
    state: State,
    /// Blocks of the message's own bytes.
    body: &'a [Block],
    /// The rest of its bytes, and the padding.
    tail: [Block; 2],
    /// Blocks of the tail that are compressed, or unused.
    tail_done: usize,
}

impl<'a> Message<'a> {
    fn new(index: usize, bytes: &'a [u8]) -> Message<'a> {
        let (body, rest) = bytes.as_chunks::<64>();
        let mut tail = [[0; 64]; 2];
        // The padding is a set bit, zeros, and the length in bits in the last eight bytes.
        let tail_done = usize::from(rest.len() < 56);
        let padded = &mut tail.as_flattened_mut()[64 * tail_done..];
        padded[..rest.len()].copy_from_slice(rest);
        padded[rest.len()] = 0x80;
        tail[1][56..].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
        Message { index, state: INITIAL, body, tail, tail_done }
    }

    /// Blocks that follow each other in memory.
    fn blocks(&self) -> &[Block] {
        if self.body.is_empty() { &self.tail[self.tail_done..] } else { self.body }
    }

    /// Skips blocks of [`blocks`](Message::blocks).
    fn skip(&mut self, count: usize) {
        if self.body.is_empty() {
            self.tail_done += count;
        } else {
            self.body = &self.body[count..];
        }
    }

    fn is_done(&self) -> bool {
        self.body.is_empty() && self.tail_done == self.tail.len()
    }
}

/// Messages that wait for a lane.
#[derive(Debug)]
pub(crate) struct Queue<'a> {
    messages: &'a [&'a [u8]],
    /// Indices of messages, the longest last.
    rest: Vec<usize>,
    /// Messages that are compressed in part.
    begun: Vec<Message<'a>>,
    digests: Vec<Digest>,
}

impl<'a> Queue<'a> {
    /// All messages wait.
    pub(crate) fn new(messages: &'a [&'a [u8]]) -> Queue<'a> {
        let mut rest: Vec<usize> = (0..messages.len()).rev().collect();
        // The longest messages first: at the end, all lanes finish at about the same time.
        rest.sort_by_key(|&index| messages[index].len());
        Queue { messages, rest, begun: Vec::new(), digests: vec![[0; 32]; messages.len()] }
    }

    /// Compresses messages while at least `least` lanes have one. The others remain in the queue.
    pub(crate) fn run<const LANES: usize, K: Kernel<LANES>>(&mut self, kernel: K, least: usize) {
        if self.rest.len() + self.begun.len() < least {
            return;
        }
        let mut lanes: [Option<Message<'a>>; LANES] = [const { None }; LANES];
        let mut states = K::States::initial();
        loop {
            for (lane, place) in lanes.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
                *place = self.next();
                if let Some(message) = place {
                    states.set(lane, &message.state);
                }
            }
            let used = lanes.iter().flatten();
            let Some(shortest) = used.clone().map(Message::blocks).min_by_key(|blocks| blocks.len()) else {
                return;
            };
            if used.count() < least {
                break;
            }
            // A lane without a message compresses any blocks.
            let count = shortest.len();
            let blocks = lanes.each_ref().map(|lane| lane.as_ref().map_or(shortest, Message::blocks));
            kernel.compress(&mut states, blocks.map(|blocks| &blocks[..count]));
            for (lane, place) in lanes.iter_mut().enumerate() {
                if let Some(message) = place {
                    message.skip(count);
                    if message.is_done() {
                        self.digests[message.index] = digest(&states.state(lane));
                        *place = None;
                    }
                }
            }
        }
        for (lane, place) in lanes.into_iter().enumerate() {
            let state = states.state(lane);
            self.begun.extend(place.map(|message| Message { state, ..message }));
        }
    }

    /// The digests, when no message waits.
    pub(crate) fn finish(self) -> Vec<Digest> {
        debug_assert!(self.rest.is_empty() && self.begun.is_empty(), "a message waits");
        self.digests
    }

    fn next(&mut self) -> Option<Message<'a>> {
        let new = |index| Message::new(index, self.messages[index]);
        self.begun.pop().or_else(|| self.rest.pop().map(new))
    }
}

fn digest(state: &State) -> Digest {
    let mut digest = [0; 32];
    let (words, _) = digest.as_chunks_mut::<4>();
    for (place, word) in words.iter_mut().zip(state) {
        *place = word.to_be_bytes();
    }
    digest
}
