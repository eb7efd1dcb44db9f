//! Inflates deflate streams into memory of a known size, with a limit on blocks.
//!
//! The limit is needed because ten million bytes hold eight million empty blocks, and each one rebuilds its tables.

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

/// The result of inflating a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inflated {
    /// Bytes of output.
    pub(super) size: u64,
    /// Why it stopped.
    pub(super) stop: Stop,
}

/// Why a stream stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The stream ended, and so did the input.
    End,
    /// The stream ended before the input did.
    InputLeft,
    /// There is more output than requested.
    More,
    /// The input is not a deflate stream, or is truncated.
    Broken,
    /// The limit on blocks is reached.
    Blocks,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self { state: Box::default(), blocks: 0 }
    }

    /// Inflates into `out`, which does not grow.
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

    /// Counts the output of a stream up to `most` bytes, and keeps nothing.
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

    /// Why to stop, if the stream must stop.
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
