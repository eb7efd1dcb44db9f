//! Random actions, compared with a model of the two state machines.

use std::collections::BTreeMap;

use assay_sim::rng::Rng;
use assay_spec::hosting::machines::{DEPLOYMENT, PROJECT};
use serde_json::{Value, json};

use crate::hosting::actor::{Actor, text};

/// The state of a deployment or project in the model.
#[derive(Default)]
struct Model {
    projects: BTreeMap<String, (&'static str, &'static str)>,
    deployments: BTreeMap<String, (String, &'static str)>,
    machines: BTreeMap<String, u32>,
}

struct Walk {
    actor: Actor,
    model: Model,
    rng: Rng,
    at: u64,
}

impl Walk {
    fn pick(&mut self, below: usize) -> usize {
        self.at += 1;
        let draw = self.rng.draw("test.walk", b"", self.at);
        usize::from(u16::from_be_bytes([draw[0], draw[1]])) % below.max(1)
    }

    /// Any project, or an id that does not exist.
    fn any_project(&mut self) -> String {
        let at = self.pick(self.model.projects.len() + 1);
        self.model.projects.keys().nth(at).cloned().unwrap_or_else(|| "proj_nobody_knows".to_owned())
    }

    fn any_deployment(&mut self) -> String {
        let at = self.pick(self.model.deployments.len() + 1);
        self.model.deployments.keys().nth(at).cloned().unwrap_or_else(|| "deploy_nobody_knows".to_owned())
    }

    fn is_active(&self, project: &str) -> bool {
        self.model.projects.get(project).is_some_and(|(state, _)| *state == "active")
    }

    /// Performs an action and asserts whether it is accepted.
    fn perform(&mut self, action: &str, arguments: &Value, is_accepted: bool) -> Option<Value> {
        let came = self.actor.try_perform(action, arguments);
        assert_eq!(came.is_ok(), is_accepted, "{action} {arguments}: {came:?}");
        came.ok()
    }

    fn step(&mut self) {
        match self.pick(9) {
            0 => {
                let target = ["ipfs", "instance"][self.pick(2)];
                let answer =
                    self.perform("project", &json!({ "target": target }), true).expect("it is accepted");
                self.model.projects.insert(text(&answer["project"]), ("active", target));
            }
            1 | 2 => {
                let project = self.any_project();
                let is_accepted = self.is_active(&project);
                if let Some(answer) = self.perform("deploy", &json!({ "project": project }), is_accepted) {
                    self.model.deployments.insert(text(&answer["deployment"]), (project, "queued"));
                }
            }
            3 | 4 => self.finish(),
            5 => {
                let project = self.any_project();
                let signer = ["wallet", "session"][self.pick(2)];
                let is_accepted = self.is_active(&project);
                self.perform("edit", &json!({ "project": project, "signer": signer }), is_accepted);
            }
            6 => {
                let project = self.any_project();
                let machines = self.model.machines.get(&project).copied().unwrap_or_default();
                let is_machine =
                    self.model.projects.get(&project).is_some_and(|(_, target)| *target == "instance");
                let replaces = self.pick(2) == 1;
                let is_accepted = self.is_active(&project) && is_machine && (machines > 0) == replaces;
                let action = if replaces { "replace" } else { "boot" };
                if self.perform(action, &json!({ "project": project }), is_accepted).is_some() {
                    self.model.machines.insert(project, machines + 1);
                }
            }
            7 if self.pick(3) == 0 => {
                let project = self.any_project();
                let is_accepted = self.is_active(&project);
                self.perform("delete", &json!({ "project": project }), is_accepted);
                if let Some((state, _)) = self.model.projects.get_mut(&project) {
                    *state = "deleted";
                }
            }
            _ => {
                let ms = self.pick(100_000) as i64;
                self.actor.driver.advance(ms);
            }
        }
    }

    fn finish(&mut self) {
        let id = self.any_deployment();
        let outcome = ["live", "failed"][self.pick(2)];
        let known = self.model.deployments.get(&id).cloned();
        let is_accepted = known.is_some_and(|(project, state)| {
            let ready = outcome == "failed"
                || self.model.projects[&project].1 == "ipfs"
                || self.model.machines.contains_key(&project);
            state == "queued" && self.is_active(&project) && ready
        });
        self.perform("finish", &json!({ "deployment": id, "outcome": outcome }), is_accepted);
        if is_accepted && let Some((_, state)) = self.model.deployments.get_mut(&id) {
            *state = outcome;
        }
    }

    /// Compares memory, map and artifacts with the model.
    fn compare(&mut self) {
        self.actor.assert_settled();
        let records = self.actor.records();
        let states = |list: &str| -> BTreeMap<String, String> {
            let list = records[list].as_array().expect("a list");
            list.iter().map(|one| (text(&one["id"]), text(&one["state"]))).collect()
        };
        let projects = self.model.projects.iter().map(|(id, (state, _))| (id.clone(), (*state).to_owned()));
        assert_eq!(states("projects"), projects.collect());
        let deployments =
            self.model.deployments.iter().map(|(id, (_, state))| (id.clone(), (*state).to_owned()));
        assert_eq!(states("deployments"), deployments.collect());
        if !self.model.projects.is_empty() {
            let owner = self.actor.owner();
            let map = self.actor.aggregate(&owner, "projects");
            let deleted = |id: &str| map[id]["public"]["deleted"].as_bool();
            for (id, (state, _)) in &self.model.projects {
                assert_eq!(deleted(id), Some(*state == "deleted"), "{id}");
            }
        }
        for one in records["deployments"].as_array().expect("a list") {
            let Some(hash) = one["store_ref"].as_str() else { continue };
            let is_gone = self.model.projects[&text(&one["project"])].0 == "deleted";
            let expected = if is_gone { "forgotten" } else { "processed" };
            assert_eq!(self.actor.driver.status_of(hash), expected, "{one}");
        }
    }
}

#[test]
fn random_actions_agree_with_the_model() {
    let mut made = BTreeMap::new();
    for seed in 0..6 {
        let mut walk =
            Walk { actor: Actor::with_user(seed), model: Model::default(), rng: Rng::new(seed), at: 0 };
        for step in 0..120 {
            walk.step();
            if step % 30 == 29 {
                walk.compare();
            }
        }
        for row in walk.actor.driver.world.core.transitions() {
            made.insert((row.machine, row.from, row.event), row.to);
        }
    }
    for machine in [&DEPLOYMENT, &PROJECT] {
        let rows = made.keys().filter(|(name, ..)| *name == machine.name).count();
        assert_eq!(
            rows,
            machine.transitions.len(),
            "every transition of {} was made, and no other",
            machine.name
        );
    }
}
