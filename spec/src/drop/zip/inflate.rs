//! Deflate streams into memory of a known size, with a budget of blocks.
//!
//! The budget is needed: ten million bytes hold eight million empty blocks, and the tables of each are built anew.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use super::MOST_BLOCKS;

/// Inflates the entries of one zip.
pub(super) struct Inflater {
    state: Box<DecompressorOxide>,
    blocks: u32,
}

/// How far a stream went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inflated {
    /// Bytes that came out.
    pub(super) size: u64,
    /// Why it stopped.
    pub(super) stop: Stop,
}

/// Why a stream stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At its end, and the input's.
    End,
    /// At its end, with input left.
    InputLeft,
    /// There is more than was asked for.
    More,
    /// The input is no deflate stream, or breaks off.
    Broken,
    /// The budget of blocks is spent.
    Blocks,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self { state: Box::default(), blocks: 0 }
    }

    /// Inflates into `out`, which is not grown.
    pub(super) fn fill(&mut self, data: &[u8], out: &mut [u8]) -> Inflated {
        self.state.init();
        let (mut read, mut size) = (0, 0);
        loop {
            let flags = TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
            let (status, taken, given) = decompress(&mut self.state, &data[read..], out, size, flags);
            (read, size) = (read + taken, size + given);
            if let Some(stop) = self.judge(status, read == data.len()) {
                return Inflated { size: size as u64, stop };
            }
        }
    }

    /// Counts what a stream holds, up to `most` bytes, and keeps nothing.
    pub(super) fn count(&mut self, data: &[u8], most: u64) -> Inflated {
        const WINDOW: usize = 65_536;
        let mut window = vec![0; WINDOW];
        self.state.init();
        let (mut read, mut size) = (0, 0_u64);
        loop {
            let at = (size % WINDOW as u64) as usize;
            let flags = TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY;
            let (status, taken, given) = decompress(&mut self.state, &data[read..], &mut window, at, flags);
            (read, size) = (read + taken, size + given as u64);
            if size > most {
                return Inflated { size, stop: Stop::More };
            }
            if status == TINFLStatus::HasMoreOutput {
                continue;
            }
            if let Some(stop) = self.judge(status, read == data.len()) {
                return Inflated { size, stop };
            }
        }
    }

    /// Why to stop, if so.
    fn judge(&mut self, status: TINFLStatus, all_read: bool) -> Option<Stop> {
        match status {
            TINFLStatus::BlockBoundary => {
                self.blocks = self.blocks.saturating_add(1);
                (self.blocks >= MOST_BLOCKS).then_some(Stop::Blocks)
            }
            TINFLStatus::Done => Some(if all_read { Stop::End } else { Stop::InputLeft }),
            TINFLStatus::HasMoreOutput => Some(Stop::More),
            _ => Some(Stop::Broken),
        }
    }
}
