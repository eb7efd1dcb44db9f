//! A simple model of the network, written from the document; walks are compared with it.

use std::collections::BTreeSet;

use assay_spec::instant::{HOUR, MINUTE};

use crate::common::Call;

/// A message of the model.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) hash: String,
    pub(super) call: Call,
    pub(super) wallet: u16,
    pub(super) kind: MessageKind,
    pub(super) status: &'static str,
    /// When it became `removing`.
    pub(super) removing: Option<i64>,
}

#[derive(Clone, Debug)]
pub(super) enum MessageKind {
    /// A POST.
    Post,
    /// A STORE and its file.
    File(String),
    /// A STORE without a file.
    Hollow,
    /// A FORGET: the time of its next retry, and the number of retries.
    Forget { targets: Vec<String>, next: i64, left: u32 },
}

impl Known {
    /// Whether it is a STORE.
    pub(super) fn is_store(&self) -> bool {
        matches!(self.kind, MessageKind::File(_) | MessageKind::Hollow)
    }

    /// Whether its file can be read.
    pub(super) fn is_live(&self) -> bool {
        ["processed", "removing"].contains(&self.status)
    }
}

/// The network.
#[derive(Default)]
pub(super) struct Model {
    /// The messages, in order of arrival.
    pub(super) all: Vec<Known>,
    /// The wallets that cannot pay.
    pub(super) broke: BTreeSet<u16>,
    /// When they are charged next.
    pub(super) bill: Option<i64>,
    /// Whether validation is held at present: of all messages, or of STOREs.
    pub(super) held: Option<bool>,
}

impl Model {
    fn position(&self, hash: &str) -> Option<usize> {
        self.all.iter().position(|one| one.hash == hash)
    }

    /// Moves the time forward, from event to event.
    pub(super) fn pass(&mut self, until: i64) {
        loop {
            let mut due: Vec<(i64, u8, usize)> = Vec::new();
            due.extend(self.bill.map(|at| (at, 0, 0)));
            for (n, one) in self.all.iter().enumerate() {
                due.extend(one.removing.map(|since| (since + 24 * HOUR, 1, n)));
                if let (MessageKind::Forget { next, .. }, "pending") = (&one.kind, one.status) {
                    due.push((*next, 2, n));
                }
            }
            // Retries of held FORGETs are not in the list of times.
            due.retain(|(at, ..)| *at <= until);
            let Some((at, what, n)) = due.into_iter().min() else { return };
            match what {
                0 => self.charge(at),
                1 => {
                    self.all[n].status = "removed";
                    self.all[n].removing = None;
                }
                _ => self.retry(n, at),
            }
        }
    }

    pub(super) fn charge(&mut self, now: i64) {
        for wallet in self.broke.iter().copied() {
            for one in self.all.iter_mut().filter(|one| one.wallet == wallet) {
                if one.is_store() && one.status == "processed" {
                    (one.status, one.removing) = ("removing", Some(now));
                }
            }
        }
        self.bill = (!self.broke.is_empty()).then_some(now + HOUR);
    }

    /// Whether a batch applies: yes, never, or not now.
    fn judge(&self, wallet: u16, targets: &[String]) -> Option<bool> {
        let found: Vec<Option<&Known>> =
            targets.iter().map(|hash| self.position(hash).map(|n| &self.all[n])).collect();
        let foreign = |one: &&Known| one.wallet != wallet || !one.is_store();
        if found.iter().flatten().any(foreign) {
            return Some(false);
        }
        let good = |one: Option<&Known>| {
            one.is_some_and(|one| ["processed", "removing", "forgotten"].contains(&one.status))
        };
        found.into_iter().all(good).then_some(true)
    }

    fn apply(&mut self, targets: &[String]) {
        for hash in targets {
            let n = self.position(hash).expect("a valid target");
            (self.all[n].status, self.all[n].removing) = ("forgotten", None);
        }
    }

    fn receive(&mut self, n: usize, now: i64) {
        let MessageKind::Forget { targets, .. } = self.all[n].kind.clone() else { return };
        match self.judge(self.all[n].wallet, &targets) {
            Some(true) => {
                self.apply(&targets);
                self.all[n].status = "processed";
            }
            Some(false) => self.all[n].status = "rejected",
            None => self.all[n].kind = MessageKind::Forget { targets, next: now + 10 * MINUTE, left: 5 },
        }
    }

    fn retry(&mut self, n: usize, now: i64) {
        let MessageKind::Forget { targets, left, .. } = self.all[n].kind.clone() else { return };
        match self.judge(self.all[n].wallet, &targets) {
            Some(true) => {
                self.apply(&targets);
                self.all[n].status = "processed";
            }
            _ if left == 1 => self.all[n].status = "rejected",
            _ => self.all[n].kind = MessageKind::Forget { targets, next: now + 10 * MINUTE, left: left - 1 },
        }
    }

    /// Validates the held messages in order of arrival.
    pub(super) fn release(&mut self, now: i64) {
        self.held = None;
        for n in 0..self.all.len() {
            let held = self.all[n].status == "pending"
                && !matches!(&self.all[n].kind, MessageKind::Forget { next, .. } if *next != i64::MAX);
            if held {
                self.settle(n, now);
            }
        }
    }

    fn settle(&mut self, n: usize, now: i64) {
        match self.all[n].kind {
            MessageKind::Forget { .. } => self.receive(n, now),
            MessageKind::Hollow => self.all[n].status = "rejected",
            _ => self.all[n].status = "processed",
        }
    }

    pub(super) fn add(&mut self, known: Known, now: i64) {
        if let Some(n) = self.position(&known.hash) {
            assert_eq!(known.call.body, self.all[n].call.body, "another message has this hash");
            return;
        }
        let is_held = self.held.is_some_and(|all| all || known.is_store());
        self.all.push(known);
        if !is_held {
            self.settle(self.all.len() - 1, now);
        }
    }
}
