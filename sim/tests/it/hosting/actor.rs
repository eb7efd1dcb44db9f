//! A driver of the application for tests, and access to what it wrote to the network.

use assay_spec::network::signing::verify_record;
use assay_spec::{Service, Strict};
use serde_json::{Value, json};

use crate::common::Driver;
use crate::common::net::MESSAGES;

/// A world with its application.
#[derive(Clone)]
pub(crate) struct Actor {
    pub(crate) driver: Driver,
}

impl Actor {
    pub(crate) fn new(seed: u64) -> Actor {
        let mut actor = Actor { driver: Driver::new(seed) };
        // Rate limits must not count the reads of a test. The application's own requests do not need this.
        actor.driver.lift_rates();
        actor
    }

    /// A world with one user.
    pub(crate) fn with_user(seed: u64) -> Actor {
        let mut actor = Actor::new(seed);
        actor.perform("wallet", &json!({}));
        actor
    }

    /// Performs an action that must be accepted.
    pub(crate) fn perform(&mut self, action: &str, arguments: &Value) -> Value {
        self.try_perform(action, arguments).unwrap_or_else(|why| panic!("{action} {arguments}: {why}"))
    }

    pub(crate) fn try_perform(&mut self, action: &str, arguments: &Value) -> Result<Value, String> {
        let (answer, outputs) = self.driver.world.perform(&format!("hosting.{action}"), arguments)?;
        assert!(outputs.is_empty(), "everything goes to the world's own site");
        Ok(answer)
    }

    /// A project of the latest user.
    pub(crate) fn project(&mut self, target: &str) -> String {
        text(&self.perform("project", &json!({ "target": target }))["project"])
    }

    pub(crate) fn deploy(&mut self, project: &str) -> String {
        text(&self.perform("deploy", &json!({ "project": project }))["deployment"])
    }

    pub(crate) fn live(&mut self, project: &str) -> String {
        let id = self.deploy(project);
        self.perform("finish", &json!({ "deployment": id, "outcome": "live" }));
        id
    }

    pub(crate) fn records(&mut self) -> Value {
        self.perform("records", &json!({}))
    }

    /// What the application holds of a deployment or project.
    pub(crate) fn held(&mut self, list: &str, id: &str) -> Value {
        let records = self.records();
        let found = records[list].as_array().expect("a list").iter().find(|one| one["id"] == *id);
        found.unwrap_or_else(|| panic!("{id} in {records}")).clone()
    }

    /// The records of a kind as the network shows them, in the order of writing.
    pub(crate) fn shown(&mut self, kind: &str) -> Vec<Value> {
        let records = self.records()["records"].as_array().expect("a list").clone();
        let hashes = records.iter().filter(|one| one["kind"] == *kind).map(|one| text(&one["hash"]));
        let hashes: Vec<String> = hashes.collect();
        hashes.iter().map(|hash| self.driver.wrapper(hash)["message"].clone()).collect()
    }

    /// The kind and status of every written message.
    pub(crate) fn statuses(&mut self) -> Vec<(String, String)> {
        let records = self.records()["records"].as_array().expect("a list").clone();
        records.iter().map(|one| (text(&one["kind"]), self.driver.status_of(&text(&one["hash"])))).collect()
    }

    /// The content of an aggregate.
    pub(crate) fn aggregate(&mut self, address: &str, key: &str) -> Value {
        self.driver.read(&format!("/api/v0/aggregates/{address}/{key}"))["content"].clone()
    }

    pub(crate) fn owner(&mut self) -> String {
        text(&self.records()["owner"])
    }

    pub(crate) fn view(&self) -> Value {
        self.driver.world.view(Service::Hosting)
    }

    pub(crate) fn limit(&mut self, limits: &Value) {
        self.driver.world.set_limits(Service::Hosting, limits).expect("known limits");
    }

    /// Asserts that no job is running and none has failed.
    pub(crate) fn assert_settled(&mut self) {
        let view = self.view();
        assert_eq!(view["jobs"], json!([]), "{view}");
        assert_eq!(view["failures"], json!([]), "{view}");
    }
}

/// The string in a value.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

/// Whether the signature over the record's canonical JSON is by its sender.
pub(crate) fn is_signed(message: &Value) -> bool {
    let (signature, sender) = (text(&message["signature"]), text(&message["sender"]));
    verify_record(&message.to_string(), &signature, &sender, &mut Strict).is_ok()
}

/// The path of one message.
pub(crate) fn path_of(hash: &str) -> String {
    format!("{MESSAGES}/{hash}")
}
