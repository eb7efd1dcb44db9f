//! Waits until a file or folder changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often it looks.
const INTERVAL: Duration = Duration::from_millis(300);
/// The maximum number of files in a folder.
const FILES: usize = 20_000;

/// The files below a path, with size and time of the last change. Names that begin with a dot are left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct State(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl State {
    /// What the paths are now. A path that does not exist has no files.
    pub(crate) fn read(paths: &[PathBuf]) -> State {
        let mut files = BTreeMap::new();
        let mut open: Vec<PathBuf> = paths.to_vec();
        while let Some(path) = open.pop().filter(|_| files.len() < FILES) {
            let Ok(about) = path.metadata() else { continue };
            if about.is_dir() {
                let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                open.extend(entries.map(|entry| entry.path()).filter(|path| !is_hidden(path)));
            } else {
                files.insert(path, (about.len(), about.modified().ok()));
            }
        }
        State(files)
    }

    /// Returns when the paths differ from this state.
    pub(crate) async fn changed(&self, paths: &[PathBuf]) {
        while State::read(paths) == *self {
            tokio::time::sleep(INTERVAL).await;
        }
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_below_a_folder_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = [folder.path().to_owned()];
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        std::fs::create_dir(folder.path().join("src")).expect("a folder");
        write("src/a.rs", "1");
        let before = State::read(&root);
        assert_eq!(before, State::read(&root));
        write(".swap", "1");
        assert_eq!(before, State::read(&root), "hidden files do not count");
        write("src/a.rs", "12");
        before.changed(&root).await;
        let before = State::read(&root);
        std::fs::remove_file(folder.path().join("src/a.rs")).expect("removed");
        before.changed(&root).await;
    }
}
