//! Random walks: whatever clients, the chain, time and the operator do, the exchange keeps its guarantees.
//!
//! `PROPTEST_CASES` and `PROPTEST_RNG_SEED` select more and other walks.

mod model;
mod step;

use std::fmt::Write;

use crate::common::{Call, Client, Driver, body_of, show};
use assay_sim::Input;
use assay_spec::Service;
use model::{Ask, Expected, Model, Verdict};
use proptest::prelude::*;
use serde_json::json;
use step::Step;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_walk_keeps_the_guarantees(
        daily in prop_oneof![Just(4u32), Just(30)],
        steps in prop::collection::vec(step::any(), 1..60),
    ) {
        let mut walk = Walk::new(daily);
        let verdict = steps.iter().try_for_each(|step| walk.take(step)).and_then(|()| walk.rest());
        if let Err(why) = verdict {
            return Err(TestCaseError::fail(format!("{why}\n{}", walk.log)));
        }
    }
}

/// More walks than usual, unless the environment selects another number.
fn config() -> ProptestConfig {
    let asked = ProptestConfig::default();
    let cases = if asked.cases == 256 { 512 } else { asked.cases };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..asked }
}

/// A walk: the world, its model, and a log of the steps.
struct Walk {
    driver: Driver,
    model: Model,
    sent: Vec<(Ask, Call)>,
    log: String,
}

impl Walk {
    fn new(daily: u32) -> Walk {
        let mut driver = Driver::new(1);
        driver.world.core.watch_places();
        let model = Model::new(daily as usize);
        for (key, domain) in [(0, "a.example"), (1, "b.example")] {
            driver.bind(&Client { key: model.keys[key].clone(), domain: domain.to_owned() });
        }
        let limits = json!({ "publishes_per_window": daily });
        driver.world.set_limits(Service::Publish, &limits).expect("a known limit");
        let log = format!("{daily} publishes a day; a.example is bound to key 0, b.example to key 1");
        Walk { driver, model, sent: Vec::new(), log }
    }

    fn take(&mut self, step: &Step) -> Verdict {
        match step {
            Step::Prepare { .. } | Step::Submit { .. } => {
                let (ask, call) = step.call(&self.model, self.driver.now());
                self.sent.push((ask.clone(), call.clone()));
                self.send(&ask, &call)
            }
            Step::Again { which, peer } => {
                if self.sent.is_empty() {
                    return Ok(());
                }
                let (mut ask, call) = which.get(&self.sent).clone();
                ask.peer = *peer;
                self.send(&ask, &call)
            }
            Step::Wait(ms) => {
                self.tell(format_args!("{ms} ms pass"));
                self.pass(*ms)
            }
            Step::Chain(fault) => {
                self.tell(format_args!("faults of the chain: {fault:?}"));
                let faults: Vec<_> = fault.iter().map(|name| json!({ "fault": name })).collect();
                self.driver.set_faults(&json!(faults));
                self.model.fault = *fault;
                Ok(())
            }
            Step::Confirm(domain) => {
                let name = self.model.domains[*domain].name;
                self.tell(format_args!("an operator confirms the transfer of {name}"));
                let done = self.driver.world.perform("publish.confirm-transfer", &json!({ "domain": name }));
                self.model.confirm(*domain, done.is_ok())
            }
        }
    }

    /// Sends a call and compares its answer with the model's.
    fn send(&mut self, ask: &Ask, call: &Call) -> Verdict {
        self.tell(format_args!("{call}"));
        let before = self.driver.view();
        let expected = self.model.expect(ask, self.driver.now());
        self.driver.peer = [10, 0, 0, ask.peer].into();
        let exchange = self.driver.start(call);
        let reply = self.driver.reply(exchange);
        let status = reply.as_ref().map_or(Expected::Wait, |reply| Expected::Status(reply.status));
        self.tell(format_args!("  -> {}", reply.as_ref().map_or("waits".to_owned(), show)));
        if status != expected {
            return Err(format!("the model expects {expected:?}"));
        }
        let opened = ask.is_prepare() && status == Expected::Status(200);
        if status != Expected::Wait && !opened && self.driver.view() != before {
            return Err("a rejected call changed the state".to_owned());
        }
        match &reply {
            Some(reply) => self.model.answered(ask, reply, self.driver.now())?,
            None => self.model.waits(ask, exchange, self.driver.now()),
        }
        if status == Expected::Status(400) {
            self.valid_submit_still_works(ask)?;
        }
        self.model.settle(&mut self.driver)
    }

    /// In a copy of the world: after a 400, the same prepare can still be submitted.
    fn valid_submit_still_works(&self, ask: &Ask) -> Verdict {
        let Some((client, prepared, op)) = self.model.good_submit(ask) else { return Ok(()) };
        let mut copy = self.driver.clone();
        copy.peer = [10, 0, 0, 99].into();
        copy.set_faults(&json!([]));
        let reply = copy.submit(&client, &prepared, op);
        let height = copy.rpc("getBlockHeight", &json!([])).as_u64();
        let too_late = reply.status == 410 && height > Some(prepared.last_valid_block_height);
        let found = copy.rpc("getTransaction", &json!([body_of(&reply)["signature"]]));
        if reply.status == 200 && found.is_object() || too_late {
            return Ok(());
        }
        Err(format!("after a 400, the valid submit got {}", show(&reply)))
    }

    /// Moves time on, and checks at every time at which something was due.
    fn pass(&mut self, ms: i64) -> Verdict {
        let until = self.driver.now() + ms;
        while let Some(due) = self.driver.world.core.clock.next_due().filter(|due| *due <= until) {
            self.driver.input(Input::Tick(due));
            self.model.settle(&mut self.driver)?;
        }
        self.driver.input(Input::Tick(until));
        self.model.settle(&mut self.driver)
    }

    /// Long after the last step nothing waits, no lock is held and the day is free again.
    fn rest(&mut self) -> Verdict {
        self.tell(format_args!("two days pass"));
        self.pass(2 * 86_400_000)?;
        let view = self.driver.view();
        let quiet = self.driver.world.waiting() == 0
            && view["prepares"] == json!({})
            && self.model.domains.iter().all(|domain| view["bindings"][domain.name]["locked_by"].is_null());
        if !quiet {
            return Err(format!("not at rest: {view}"));
        }
        self.driver.rows_are_at_their_places()?;
        self.model.good_prepares().into_iter().try_for_each(|(ask, call)| {
            let call = call(self.driver.now());
            self.send(&Ask { time: self.driver.now(), ..ask }, &call)
        })
    }

    fn tell(&mut self, what: std::fmt::Arguments<'_>) {
        write!(self.log, "\n{what}").expect("a string can grow");
    }
}
