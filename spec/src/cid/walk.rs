//! The walk: the content of a folder and below, in the order of names, as steps.

use std::sync::Arc;

use super::mistakes::cid::{DANGLING, LOOP};
use super::{CidError, Fault, Followed, Item, Layout, NodeKind, Tree};
use crate::Rules;
use crate::rules::{Mistake, Reading};

/// One step of the walk.
#[derive(Debug)]
pub(super) enum Step<F> {
    /// Enter the folder with this name. The first step has no name.
    Enter(String),
    /// A file in a folder.
    File(Arc<F>, String),
    /// Leave the folder.
    Leave,
    /// The walk failed.
    Fail(CidError),
}

/// The state of a walk.
pub(super) struct Walk<'a, T: Tree> {
    tree: &'a T,
    layout: &'a Layout,
    rules: &'a mut dyn Rules,
    open: Vec<Open<T::Folder>>,
    /// The root, until the walk enters it.
    root: Option<T::Folder>,
}

/// A folder that the walk has entered.
#[derive(Debug)]
struct Open<F> {
    name: String,
    folder: Arc<F>,
    /// The entries still to visit, the last first.
    rest: Vec<Item>,
}

impl<'a, T: Tree> Walk<'a, T> {
    /// A walk before its first step.
    pub(super) fn new(tree: &'a T, root: T::Folder, layout: &'a Layout, rules: &'a mut dyn Rules) -> Self {
        Walk { tree, layout, rules, open: Vec::new(), root: Some(root) }
    }

    /// The next steps, at most `count`; empty at the end of the walk.
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
            return self.enter(root, String::new()).map(Some);
        }
        while let Some(open) = self.open.last_mut() {
            let Some(item) = open.rest.pop() else {
                self.open.pop();
                return Ok(Some(Step::Leave));
            };
            let folder = Arc::clone(&open.folder);
            if let Some(step) = self.item(&folder, item)? {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// The step for an entry; `None` if it is omitted.
    fn item(&mut self, folder: &Arc<T::Folder>, item: Item) -> Result<Option<Step<T::Folder>>, CidError> {
        if item.name.starts_with(b".") && !self.layout.dotfiles {
            return Ok(None);
        }
        let name = String::from_utf8(item.name)
            .map_err(|error| self.fail(&error.as_bytes().escape_ascii().to_string(), Fault::Name))?;
        let unreadable = |why| self.fail(&name, Fault::Unreadable(why));
        match item.kind {
            NodeKind::File => Ok(Some(Step::File(Arc::clone(folder), name))),
            NodeKind::Folder => {
                let entered = self.tree.enter(folder, &name).map_err(unreadable)?;
                self.enter(entered, name).map(Some)
            }
            NodeKind::Special(what) => Err(self.fail(&name, Fault::Special(what))),
            NodeKind::Link if !self.layout.links => Ok(None),
            NodeKind::Link => match self.tree.follow(folder, &name).map_err(unreadable)? {
                Followed::File => Ok(Some(Step::File(Arc::clone(folder), name))),
                Followed::Folder(found) if self.is_open(&found).map_err(unreadable)? => {
                    self.refuse(&LOOP, &name, "the link leads to a folder that contains it")
                }
                Followed::Folder(found) => self.enter(found, name).map(Some),
                Followed::Nothing => self.refuse(&DANGLING, &name, "the link leads to nothing"),
                Followed::Endless => self.refuse(&LOOP, &name, "the link is part of a loop"),
                Followed::Special(what) => Err(self.fail(&name, Fault::Special(what))),
            },
        }
    }

    fn enter(&mut self, folder: T::Folder, name: String) -> Result<Step<T::Folder>, CidError> {
        let listed = self.tree.list(&folder);
        let mut rest = listed.map_err(|why| self.fail(&name, Fault::Unreadable(why)))?;
        rest.sort_unstable_by(|a, b| b.name.cmp(&a.name));
        self.open.push(Open { name: name.clone(), folder: Arc::new(folder), rest });
        Ok(Step::Enter(name))
    }

    fn is_open(&self, folder: &T::Folder) -> Result<bool, String> {
        for open in &self.open {
            if self.tree.is_same(&open.folder, folder)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fails by a rule about links. A program that misreads it omits the link.
    fn refuse(
        &mut self,
        rule: &Mistake<Reading<(), ()>>,
        name: &str,
        why: &str,
    ) -> Result<Option<Step<T::Folder>>, CidError> {
        let path = self.path(name);
        self.rules.refuse(rule, (), format!("{path}: {why}"))?;
        Ok(None)
    }

    fn fail(&self, name: &str, fault: Fault) -> CidError {
        CidError::at(&self.path(name), fault)
    }

    /// The path of an entry in the current folder.
    fn path(&self, name: &str) -> String {
        path(self.open.iter().map(|open| open.name.as_str()).chain([name]))
    }
}

/// Joins segments to a path. The root's segment is empty.
pub(super) fn path<'a>(segments: impl Iterator<Item = &'a str>) -> String {
    segments.filter(|segment| !segment.is_empty()).collect::<Vec<_>>().join("/")
}
