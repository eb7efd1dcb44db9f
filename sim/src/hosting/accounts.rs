//! The application's state in memory: users, their projects, deployments and machines.

use std::sync::Arc;

use assay_spec::hosting::key_e::{self, Sentences};
use assay_spec::hosting::machines::{DeploymentState, ProjectState};
use assay_spec::hosting::places::{CREATION, PROJECT_CREATION};
use assay_spec::{Strict, crypto::address::Address, crypto::text::base64url};
use imbl::{OrdMap, Vector};
use serde_json::Value;

use super::keys::Secret;
use crate::core::Core;
use crate::seam::steps;
use crate::shape::Word;

/// A user. Each record written in their name has a later time than the one before.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    /// The wallet's key.
    pub(super) wallet: Secret,
    /// The key of the browser's session.
    pub(super) session: Secret,
    /// The derived key E.
    pub(super) encryption: Secret,
    /// The wallet's address.
    pub(super) address: Arc<str>,
    /// Whether `security` has been written.
    pub(super) secured: bool,
    /// Whether it authorizes the session key.
    pub(super) admits_session: bool,
    /// Projects, oldest first.
    pub(super) projects: Vector<Arc<str>>,
    /// The time of the latest record, in seconds.
    pub(super) last_s: i64,
    /// The distance between records in seconds, independent of the clock; 0 writes them at the current time.
    pub(super) pace_s: i64,
}

/// The target of a project's deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A static site.
    Site,
    /// A virtual machine.
    Machine,
}

impl Word for Target {
    const WORDS: &'static [(&'static str, Target)] =
        &[(Target::Site.name(), Target::Site), (Target::Machine.name(), Target::Machine)];
}

impl Target {
    /// Its name in records.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Target::Site => "ipfs",
            Target::Machine => "instance",
        }
    }
}

/// A project.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Project {
    pub(super) id: Arc<str>,
    pub(super) owner: Arc<str>,
    pub(super) state: ProjectState,
    pub(super) target: Target,
    /// The public and the encrypted members.
    pub(super) framework: String,
    pub(super) name: String,
    /// The time of the first map that contains it, in seconds.
    pub(super) created_s: i64,
    /// Its entry in the map.
    pub(super) entry: Value,
    /// Its latest entry before deletion.
    pub(super) living: Value,
    /// Deployments, oldest first.
    pub(super) deployments: Vector<Arc<str>>,
    /// The machine that receives its bundles, if any.
    pub(super) machine: Option<Arc<str>>,
}

/// A deployment.
#[derive(Clone, Debug)]
pub(super) struct Deployment {
    pub(super) id: Arc<str>,
    pub(super) project: Arc<str>,
    pub(super) state: DeploymentState,
    /// Its number among all deployments.
    pub(super) number: u64,
    /// Of an earlier schema, which the current application never writes.
    pub(super) legacy: bool,
    pub(super) created_s: i64,
    pub(super) creation: Option<Arc<str>>,
    pub(super) terminal: Option<Arc<str>>,
    /// The hash of the STORE message of its artifact.
    pub(super) store_ref: Option<Arc<str>>,
    /// The artifact's content identifier.
    pub(super) cid: Option<Arc<str>>,
    /// The SHA-256 of its bundle as pinned.
    pub(super) bundle_hash: Option<Arc<str>>,
}

/// A virtual machine.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) key: Secret,
    pub(super) address: Arc<str>,
    pub(super) project: Arc<str>,
    /// The hash of its INSTANCE message.
    pub(super) instance: Option<Arc<str>>,
    /// The hash of its claim.
    pub(super) claim: Option<Arc<str>>,
}

/// All users, projects, deployments and machines.
#[derive(Clone, Debug, Default)]
pub(super) struct Accounts {
    /// By address.
    pub(super) owners: OrdMap<Arc<str>, Arc<Owner>>,
    pub(super) projects: OrdMap<Arc<str>, Arc<Project>>,
    pub(super) deployments: OrdMap<Arc<str>, Arc<Deployment>>,
    /// By address.
    pub(super) machines: OrdMap<Arc<str>, Arc<Machine>>,
    /// The user of actions that name no user.
    pub(super) latest: Option<Arc<str>>,
    /// The numbers of the random draws.
    pub(super) drawn: u64,
}

impl Accounts {
    /// The number of the next draw.
    pub(super) fn next(&mut self) -> u64 {
        self.drawn += 1;
        self.drawn
    }

    pub(super) fn owner(&self, address: &str) -> Option<&Owner> {
        self.owners.get(address).map(|owner| &**owner)
    }

    pub(super) fn owner_mut(&mut self, address: &str) -> Option<&mut Owner> {
        self.owners.get_mut(address).map(Arc::make_mut)
    }

    pub(super) fn project(&self, id: &str) -> Option<&Project> {
        self.projects.get(id).map(|project| &**project)
    }

    pub(super) fn project_mut(&mut self, id: &str) -> Option<&mut Project> {
        self.projects.get_mut(id).map(Arc::make_mut)
    }

    pub(super) fn deployment(&self, id: &str) -> Option<&Deployment> {
        self.deployments.get(id).map(|deployment| &**deployment)
    }

    pub(super) fn deployment_mut(&mut self, id: &str) -> Option<&mut Deployment> {
        self.deployments.get_mut(id).map(Arc::make_mut)
    }

    /// The target of a deployment's project.
    pub(super) fn target(&self, deployment: &str) -> Option<Target> {
        Some(self.project(&self.deployment(deployment)?.project)?.target)
    }

    pub(super) fn machine(&self, address: &str) -> Option<&Machine> {
        self.machines.get(address).map(|machine| &**machine)
    }

    pub(super) fn machine_mut(&mut self, address: &str) -> Option<&mut Machine> {
        self.machines.get_mut(address).map(Arc::make_mut)
    }

    /// Adds a user, or returns the one with this wallet.
    pub(super) fn add_owner(&mut self, core: &Core, wallet: Option<Secret>) -> Result<Arc<str>, String> {
        let n = self.next();
        let wallet = wallet.unwrap_or_else(|| Secret::draw(core, "wallet", n));
        let address: Arc<str> = wallet.address().into();
        if !self.owners.contains_key(&address) {
            let account = Address::parse(&address).expect("the address was just formatted");
            let text = key_e::message(&core.dialect, &Sentences::default(), account);
            let derived = key_e::of_wallet(&wallet.key(), &text, &mut Strict).map_err(|e| e.to_string())?;
            let encryption = Secret::from_bytes(*derived.secret).ok_or("E is not a valid key")?;
            let session = Secret::draw(core, "session", n);
            let owner = Owner {
                wallet,
                session,
                encryption,
                address: address.clone(),
                secured: false,
                admits_session: false,
                projects: Vector::new(),
                last_s: i64::MIN,
                pace_s: 0,
            };
            self.owners.insert(address.clone(), Arc::new(owner));
        }
        self.latest = Some(address.clone());
        Ok(address)
    }

    /// Adds a project. It is not written yet.
    pub(super) fn add_project(
        &mut self,
        core: &mut Core,
        owner: &Arc<str>,
        target: Target,
        framework: &str,
        name: &str,
    ) -> Arc<str> {
        let n = self.next();
        let id: Arc<str> = core.within(PROJECT_CREATION[0], |core| ProjectId::run(core, n)).into();
        let project = Project {
            id: id.clone(),
            owner: owner.clone(),
            state: ProjectState::None,
            target,
            framework: framework.to_owned(),
            name: name.to_owned(),
            created_s: 0,
            entry: Value::Null,
            living: Value::Null,
            deployments: Vector::new(),
            machine: None,
        };
        self.projects.insert(id.clone(), Arc::new(project));
        if let Some(owner) = self.owner_mut(owner) {
            owner.projects.push_back(id.clone());
        }
        id
    }

    /// Adds a deployment. It is not written yet.
    pub(super) fn add_deployment(&mut self, core: &mut Core, project: &Arc<str>, legacy: bool) -> Arc<str> {
        let number = self.next();
        let id: Arc<str> = core.within(CREATION[0], |core| DeploymentId::run(core, number)).into();
        let deployment = Deployment {
            id: id.clone(),
            project: project.clone(),
            state: DeploymentState::None,
            number,
            legacy,
            created_s: 0,
            creation: None,
            terminal: None,
            store_ref: None,
            cid: None,
            bundle_hash: None,
        };
        self.deployments.insert(id.clone(), Arc::new(deployment));
        if let Some(project) = self.project_mut(project) {
            project.deployments.push_back(id.clone());
        }
        id
    }

    /// Adds a machine for a project. It is not booted yet.
    pub(super) fn add_machine(&mut self, core: &Core, project: &Arc<str>) -> Arc<str> {
        let key = Secret::draw(core, "machine", self.next());
        let address: Arc<str> = key.address().into();
        let machine =
            Machine { key, address: address.clone(), project: project.clone(), instance: None, claim: None };
        self.machines.insert(address.clone(), Arc::new(machine));
        address
    }

    /// The time of an owner's next record in seconds; later than the one before.
    pub(super) fn next_second(&mut self, owner: &str, now_s: i64) -> i64 {
        let Some(owner) = self.owner_mut(owner) else { return now_s };
        owner.last_s = match owner.pace_s {
            0 => now_s.max(owner.last_s.saturating_add(1)),
            pace => owner.last_s.saturating_add(pace),
        };
        owner.last_s
    }
}

steps! {
    /// The id of the project with this number.
    ProjectId(n: u64) -> String = project_id;
    /// The id of the deployment with this number.
    DeploymentId(n: u64) -> String = deployment_id;
}

/// The id of a project.
pub(super) fn project_id(core: &mut Core, n: u64) -> String {
    format!("proj_{}", id12(core, n))
}

/// The id of a deployment.
pub(super) fn deployment_id(core: &mut Core, n: u64) -> String {
    format!("deploy_{}", id12(core, n))
}

/// Twelve base64url characters.
fn id12(core: &Core, n: u64) -> String {
    base64url(&core.rng.draw("hosting.id", b"", n)[..9])
}
