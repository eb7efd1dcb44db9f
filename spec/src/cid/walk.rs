//! The walk: what stands in a folder and below it, in the order of names, as steps.

use std::sync::Arc;

use super::{CidError, Fault, Followed, Item, Kind, Layout, Tree};
use crate::drop::requirements::cid::{DANGLING, LOOP};
use crate::{Gate, Id};

/// One step of the walk.
#[derive(Debug)]
pub(super) enum Step<F> {
    /// Into the folder of this name; the first step of all has no name.
    Enter(String),
    /// Past a file.
    File(Arc<Place<F>>, String),
    /// Out of the folder.
    Leave,
    /// Not further.
    Fail(CidError),
}

/// A folder that the walk has entered.
#[derive(Debug)]
pub(super) struct Place<F> {
    pub(super) folder: F,
    path: String,
}

impl<F> Place<F> {
    /// The path of an entry.
    pub(super) fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }
}

/// A walk that has come so far.
#[derive(Debug)]
pub(super) struct Walk<'a, T: Tree, G> {
    tree: &'a T,
    layout: &'a Layout,
    gate: &'a mut G,
    open: Vec<Open<T::Folder>>,
    /// The root, until it is entered.
    root: Option<T::Folder>,
}

/// A folder with the entries that are still to come, the last first.
#[derive(Debug)]
struct Open<F> {
    place: Arc<Place<F>>,
    rest: Vec<Item>,
}

impl<'a, T: Tree, G: Gate> Walk<'a, T, G> {
    /// A walk that stands before the root.
    pub(super) fn new(tree: &'a T, root: T::Folder, layout: &'a Layout, gate: &'a mut G) -> Self {
        Walk { tree, layout, gate, open: Vec::new(), root: Some(root) }
    }

    /// The next steps, `count` at most; none where the walk has ended.
    pub(super) fn steps(&mut self, count: usize) -> Vec<Step<T::Folder>> {
        let mut steps = Vec::new();
        while steps.len() < count {
            match self.step() {
                Ok(None) => break,
                Ok(Some(step)) => steps.push(step),
                Err(error) => {
                    self.open.clear();
                    steps.push(Step::Fail(error));
                }
            }
        }
        steps
    }

    fn step(&mut self) -> Result<Option<Step<T::Folder>>, CidError> {
        if let Some(root) = self.root.take() {
            return self.enter(root, String::new(), String::new()).map(Some);
        }
        while let Some(open) = self.open.last_mut() {
            let Some(item) = open.rest.pop() else {
                self.open.pop();
                return Ok(Some(Step::Leave));
            };
            let place = Arc::clone(&open.place);
            if let Some(step) = self.item(&place, item)? {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// The step past or into an entry; none where it is left out.
    fn item(&mut self, place: &Arc<Place<T::Folder>>, item: Item) -> Result<Option<Step<T::Folder>>, CidError> {
        if item.name.starts_with(b".") && !self.layout.dotfiles {
            return Ok(None);
        }
        let name = String::from_utf8(item.name).map_err(|error| {
            let name = error.as_bytes().escape_ascii().to_string();
            CidError::at(&place.path(&name), Fault::Name)
        })?;
        let fail = |fault| CidError::at(&place.path(&name), fault);
        let unreadable = |why| fail(Fault::Unreadable(why));
        match item.kind {
            Kind::File => Ok(Some(Step::File(Arc::clone(place), name))),
            Kind::Folder => {
                let folder = self.tree.enter(&place.folder, &name).map_err(unreadable)?;
                self.enter(folder, place.path(&name), name).map(Some)
            }
            Kind::Special(what) => Err(fail(Fault::Special(what))),
            Kind::Link if !self.layout.links => Ok(None),
            Kind::Link => match self.tree.follow(&place.folder, &name).map_err(unreadable)? {
                Followed::File => Ok(Some(Step::File(Arc::clone(place), name))),
                Followed::Folder(folder) if self.is_open(&folder).map_err(unreadable)? => {
                    self.refuse(&LOOP, &place.path(&name), "the link leads to a folder that it stands in")
                }
                Followed::Folder(folder) => self.enter(folder, place.path(&name), name).map(Some),
                Followed::Nothing => self.refuse(&DANGLING, &place.path(&name), "the link leads to nothing"),
                Followed::Endless => self.refuse(&LOOP, &place.path(&name), "the link leads to links without end"),
                Followed::Special(what) => Err(fail(Fault::Special(what))),
            },
        }
    }

    fn enter(&mut self, folder: T::Folder, path: String, name: String) -> Result<Step<T::Folder>, CidError> {
        let listed = self.tree.list(&folder);
        let mut rest = listed.map_err(|why| CidError::at(&path, Fault::Unreadable(why)))?;
        rest.sort_unstable_by(|a, b| b.name.cmp(&a.name));
        self.open.push(Open { place: Arc::new(Place { folder, path }), rest });
        Ok(Step::Enter(name))
    }

    fn is_open(&self, folder: &T::Folder) -> Result<bool, String> {
        for open in &self.open {
            if self.tree.is_same(&open.place.folder, folder)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fails by a rule; where the rule lapses, the link is left out.
    fn refuse(&mut self, rule: Id, path: &str, why: &str) -> Result<Option<Step<T::Folder>>, CidError> {
        self.gate.require(rule, false, || format!("{path}: {why}"))?;
        Ok(None)
    }
}
