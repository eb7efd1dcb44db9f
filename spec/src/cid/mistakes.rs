//! The mistakes that programs make with content identifiers (document 3, "Computing the content identifier"). Nearly
//! each is a layout that differs from the documented one in one parameter.

use super::layout::{Layout, Version};
use crate::drop::requirements;
use crate::rules::{Mistake, mistakes};

mistakes! {
    /// The layout of content in blocks, and links.
    mod cid {
        VERSION => "A program uses the default of older tools, which print the bare digest.",
            |layout: Layout| -> Layout { Layout { version: Version::V0, ..layout } }
        NOT_WRAPPED => "A program adds the folder itself, as most tools do with a folder that they upload.",
            |layout: Layout| -> Layout { Layout { wrapped_as: Some("folder".to_owned()), ..layout } }
        RAW_LEAVES => "A program uses the default of identifiers of version 0, whose chunks are file nodes.",
            |layout: Layout| -> Layout { Layout { raw_leaves: false, ..layout } }
        CHUNKS => "A program takes chunks of 1 MiB, which newer profiles of the reference implementation have.",
            |layout: Layout| -> Layout { Layout { chunk_bytes: 1 << 20, ..layout } }
        BALANCED => "A program takes 1,024 children per node, which newer profiles of the reference implementation have.",
            |layout: Layout| -> Layout { Layout { width: 1024, ..layout } }
        SHARDED => "A program writes each directory as one block, which is right for all but very large ones.",
            |layout: Layout| -> Layout { Layout { shard_above_bytes: None, ..layout } }
        DOTFILES => "A program omits hidden files, as listings of a folder do.",
            |layout: Layout| -> Layout { Layout { dotfiles: false, ..layout } }
        EMPTY_DIRECTORIES => "A program adds each directory that it walks through, because a directory is an entry too.",
            |layout: Layout| -> Layout { Layout { empty_directories: true, ..layout } }
        SYMLINKS => "A program skips symbolic links, because they may lead out of the folder.",
            |layout: Layout| -> Layout { Layout { links: false, ..layout } }
        DANGLING => "A program omits a link that leads to nothing, because it has nothing to add.",
            |_link: ()| -> Result<(), String> { Ok(()) }
        LOOP => "A program omits a link that leads back, because its walk must end.",
            |_link: ()| -> Result<(), String> { Ok(()) }
    }
}

/// A mistake about a layout.
type OfLayout = Mistake<fn(Layout) -> Layout>;

/// Those about a layout.
pub(super) static OF_LAYOUT: [&OfLayout; 9] = [
    &cid::VERSION,
    &cid::NOT_WRAPPED,
    &cid::RAW_LEAVES,
    &cid::CHUNKS,
    &cid::BALANCED,
    &cid::SHARDED,
    &cid::DOTFILES,
    &cid::EMPTY_DIRECTORIES,
    &cid::SYMLINKS,
];
