//! The layout of content in blocks: the parameters that determine an identifier.

use std::convert::identity;

use cid::Cid;

use super::block::Node;
use super::mistakes::OF_LAYOUT;
use crate::Rules;

/// The documented chunk size, in bytes.
const CHUNK_BYTES: usize = 262_144;
/// The documented directory size above which a directory is sharded, in bytes.
const SHARD_ABOVE_BYTES: u64 = 262_144;
/// Children per node of a file's tree, as in the reference implementation.
const WIDTH: usize = 174;

/// The parameters that determine an identifier. The default is what the document says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate documented rule")]
pub struct Layout {
    /// The version of the resulting identifier. Links between blocks are always version 1.
    pub version: Version,
    /// The name of the folder in its wrapping directory; `None` for no wrapping directory.
    pub wrapped_as: Option<String>,
    /// Whether a chunk is a raw block. If not, it is wrapped in a UnixFS file node.
    pub raw_leaves: bool,
    /// The chunk size in bytes; at least 1.
    pub chunk_bytes: usize,
    /// The maximum number of children of a node of a file's tree; at least 2.
    pub width: usize,
    /// The maximum size in bytes of a directory that is not sharded; `None` never shards.
    pub shard_above_bytes: Option<u64>,
    /// How that size is measured.
    pub estimate: Estimate,
    /// Whether entries whose name begins with a dot are included.
    pub dotfiles: bool,
    /// Whether directories without a file below them are included.
    pub empty_directories: bool,
    /// Whether symbolic links are followed. If not, they are omitted.
    pub links: bool,
}

/// How to measure the size of a directory, to decide whether it is sharded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimate {
    /// The bytes of names and identifiers, summed over the entries.
    #[default]
    Links,
    /// The bytes of the unsharded directory's block.
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

    /// The documented layout, or that of the mistake whose rule is violated.
    pub fn with_rules(estimate: Estimate, rules: &mut dyn Rules) -> Layout {
        let documented = Layout { estimate, ..Layout::default() };
        OF_LAYOUT.iter().fold(documented, |layout, mistake| rules.derive(mistake, layout, identity))
    }
}
