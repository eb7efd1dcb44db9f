//! How content is laid out in blocks: the parameters that decide an identifier.

use cid::Cid;

use super::block::Node;
use crate::Rules;
use crate::drop::requirements::cid as rows;

/// The documented size of a chunk, in bytes.
const CHUNK_BYTES: usize = 262_144;
/// The documented size above which a directory is sharded, in bytes.
const SHARD_ABOVE_BYTES: u64 = 262_144;
/// Children of a node of a file's tree, as the reference implementation sets it.
const WIDTH: usize = 174;

/// The parameters that decide an identifier. The default is what the document says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a documented rule of its own")]
pub struct Layout {
    /// The version of the identifier that comes out; links between blocks are always version 1.
    pub version: Version,
    /// The name under which a folder hangs in a directory around it; `None` where there is no such directory.
    pub wrapped_as: Option<String>,
    /// Whether a chunk is a block as it is; else it is wrapped in a UnixFS file node.
    pub raw_leaves: bool,
    /// Bytes of a chunk; at least 1.
    pub chunk_bytes: usize,
    /// The most children of a node of a file's tree; at least 2.
    pub width: usize,
    /// The size in bytes that a directory may have before it is sharded; `None` never shards.
    pub shard_above_bytes: Option<u64>,
    /// How that size is measured.
    pub estimate: Estimate,
    /// Whether entries whose name begins with a dot are included.
    pub dotfiles: bool,
    /// Whether directories without a file below them are included.
    pub empty_directories: bool,
    /// Whether symbolic links are followed; else they are left out.
    pub links: bool,
}

/// How the size of a directory is measured that decides whether it is sharded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimate {
    /// Bytes of names and of identifiers, summed over the entries.
    #[default]
    Links,
    /// Bytes of the unsharded directory's block.
    Block,
}

/// The version of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The bare digest in base58.
    V0,
    /// Version, codec and digest in lower-case base32.
    V1,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            version: Version::V1,
            wrapped_as: None,
            raw_leaves: true,
            chunk_bytes: CHUNK_BYTES,
            width: WIDTH,
            shard_above_bytes: Some(SHARD_ABOVE_BYTES),
            estimate: Estimate::Links,
            dotfiles: true,
            empty_directories: false,
            links: true,
        }
    }
}

impl Layout {
    /// The identifier of a root, in this layout's version.
    pub(super) fn cid(&self, root: &Node) -> Cid {
        match self.version {
            Version::V0 => root.cid_v0(),
            Version::V1 => root.cid(),
        }
    }

    /// The documented layout, less what is violated in `rules`.
    pub fn of(estimate: Estimate, rules: &mut impl Rules) -> Layout {
        let conforming = Layout { estimate, ..Layout::default() };
        Layout {
            version: rules.effect(&rows::VERSION, conforming.version, |_, _| Version::V0),
            wrapped_as: rules
                .effect(&rows::NOT_WRAPPED, conforming.wrapped_as, |_, _| Some("folder".to_owned())),
            raw_leaves: rules.effect(&rows::RAW_LEAVES, conforming.raw_leaves, |_, _| false),
            chunk_bytes: rules.effect(&rows::CHUNKS, conforming.chunk_bytes, |_, _| 1 << 20),
            width: rules.effect(&rows::BALANCED, conforming.width, |_, _| 1024),
            shard_above_bytes: rules.effect(&rows::SHARDED, conforming.shard_above_bytes, |_, _| None),
            estimate,
            dotfiles: rules.effect(&rows::DOTFILES, conforming.dotfiles, |_, _| false),
            empty_directories: rules.effect(
                &rows::EMPTY_DIRECTORIES,
                conforming.empty_directories,
                |_, _| true,
            ),
            links: rules.effect(&rows::SYMLINKS, conforming.links, |_, _| false),
        }
    }
}
