//! The outcome of the prepares: late answers, landed records, and agreement with the view.

use assay_spec::Instant;
use assay_spec::crypto::{ed25519, text};
use serde_json::{Value, json};

use super::{Model, Op, State, Verdict, ensure};
use crate::common::{Driver, body_of, show};

impl Model {
    /// Checks everything that may have changed; called whenever something was due.
    pub(crate) fn settle(&mut self, driver: &mut Driver) -> Verdict {
        if driver.landed() != self.landed {
            self.records(driver)?;
        }
        let view = driver.view();
        for at in 0..self.prepares.len() {
            self.follow(at, driver, &view["chain"])?;
        }
        self.compare(&view, driver.now())
    }

    /// Reads the new records on the chain.
    fn records(&mut self, driver: &mut Driver) -> Verdict {
        let lead =
            number(&driver.rpc("getSlot", &json!([]))) - number(&driver.view()["chain"]["block_height"]);
        for key in 0..self.keys.len() {
            let address = ed25519::address(&self.keys[key]);
            for line in array(&driver.rpc("getSignaturesForAddress", &json!([address]))) {
                let known =
                    |prepare: &super::Prepare| prepare.transaction.as_deref() == line["signature"].as_str();
                if !self.prepares.iter().any(known) {
                    let found = driver.rpc("getTransaction", &json!([line["signature"], "base64"]));
                    self.record(key, line, &found, number(&line["slot"]) - lead)?;
                }
            }
        }
        ensure!(driver.landed() == self.landed, "the chain counts {} records", driver.landed());
        Ok(())
    }

    fn record(&mut self, key: usize, line: &Value, found: &Value, height: u64) -> Verdict {
        let wire =
            text::parse_base64(found["transaction"][0].as_str().unwrap_or_default()).unwrap_or_default();
        ensure!(wire.len() > 129 && wire[0] == 2, "not a transaction with two signatures: {found}");
        let (signature, message) = (&wire[65..129], &wire[129..]);
        let at = self.prepares.iter().position(|prepare| prepare.prepared.message == message);
        let Some(at) = at else { return Err("a record that was never prepared landed".to_owned()) };
        let prepare = &self.prepares[at];
        let id = &prepare.prepared.id;
        ensure!(prepare.transaction.is_none(), "{id} landed twice");
        let waits = matches!(prepare.state, State::InFlight(_) | State::Unresolved);
        ensure!(waits, "{id} landed in state {:?}", prepare.state);
        ensure!(prepare.key == key && self.verifies(prepare, signature), "{id} landed unsigned");
        ensure!(
            prepare.signature.as_deref() == Some(signature),
            "{id} landed with a signature that no client sent"
        );
        let memo = format!("[{}] {}", prepare.record.len(), prepare.record);
        ensure!(line["memo"] == json!(memo), "{id} prepared {memo}, but {} landed", line["memo"]);
        ensure!(height <= prepare.prepared.last_valid_block_height, "{id} landed at height {height}");
        let (op, transaction) = (prepare.op, line["signature"].as_str().unwrap_or_default().to_owned());
        let domain = &mut self.domains[prepare.domain];
        let frozen = domain.pending.is_some() && domain.key == key;
        ensure!(!frozen, "{id} landed under a frozen key");
        match (op, &mut domain.pending) {
            (Op::Transfer(to), pending) => *pending = Some((to, transaction.clone(), 0)),
            (Op::Accept, Some((_, transfer, accepts))) => {
                *accepts += 1;
                ensure!(*accepts == 1, "{transfer} was accepted twice");
            }
            _ => {}
        }
        self.prepares[at].transaction = Some(transaction);
        self.landed += 1;
        Ok(())
    }

    /// Advances one prepare.
    fn follow(&mut self, at: usize, driver: &mut Driver, chain: &Value) -> Verdict {
        let now = driver.now();
        let prepare = &mut self.prepares[at];
        let gone = number(&chain["block_height"]) > prepare.prepared.last_valid_block_height;
        let landed = prepare.transaction.is_some();
        prepare.state = match prepare.state {
            State::Prepared if now >= prepare.prepared.expires_at => State::Gone,
            State::Unresolved if landed => State::Confirmed(now),
            State::Unresolved if gone => State::Gone,
            State::InFlight(exchange) => match driver.reply(exchange) {
                None => {
                    ensure!(!landed, "a record landed, and its submit still waits");
                    return Ok(());
                }
                Some(reply) => {
                    let error = body_of(&reply)["error"].as_str().unwrap_or_default().to_owned();
                    let ceiling = error.contains("safety ceiling");
                    let fault = prepare.fault.unwrap_or_default();
                    match reply.status {
                        200 if landed && !fault.ends_with("lost") && !fault.ends_with("rejected") => {
                            let named = body_of(&reply)["signature"].as_str().map(str::to_owned);
                            ensure!(named == prepare.transaction, "the submit names another transaction");
                            State::Confirmed(now)
                        }
                        410 if !landed && ceiling && !gone && now - prepare.submitted_at == 180_000 => {
                            State::Unresolved
                        }
                        410 if !landed && !ceiling && gone => State::Gone,
                        502 if !landed && fault.ends_with("rejected") => State::Gone,
                        _ => return Err(format!("a submit under {fault:?} returned {}", show(&reply))),
                    }
                }
            },
            other => other,
        };
        let domain = &mut self.domains[prepare.domain];
        if domain.lock == Some(at) && matches!(prepare.state, State::Confirmed(_) | State::Gone) {
            domain.lock = None;
        }
        Ok(())
    }

    /// Compares the simulator's state with the model.
    fn compare(&self, view: &Value, now: Instant) -> Verdict {
        for (n, domain) in self.domains.iter().enumerate() {
            let seen = &view["bindings"][domain.name];
            let lock = domain.lock.map(|at| self.prepares[at].prepared.id.as_str());
            ensure!(seen["locked_by"] == json!(lock), "{} is locked by {lock:?}: {seen}", domain.name);
            let address = ed25519::address(&self.keys[domain.key]);
            ensure!(seen["key"] == json!(address), "{} is bound to {address}: {seen}", domain.name);
            let today = domain.publishes.iter().filter(|time| now - **time < 86_400_000).count();
            ensure!(today <= self.daily, "{today} prepares of {} in a day", domain.name);
            let open = self.prepares.iter().enumerate().filter(|(_, prepare)| prepare.domain == n);
            let open: Vec<usize> = open
                .filter(|(_, prepare)| {
                    matches!(prepare.state, State::Prepared | State::InFlight(_) | State::Unresolved)
                })
                .map(|(at, _)| at)
                .collect();
            ensure!(open.as_slice() == domain.lock.as_slice(), "open prepares of {}: {open:?}", domain.name);
        }
        let open = ["prepared", "in-flight", "unresolved"];
        let prepares = view["prepares"].as_object().into_iter().flatten();
        for (id, seen) in
            prepares.filter(|(_, seen)| open.contains(&seen["state"].as_str().unwrap_or_default()))
        {
            let held = self.domains.iter().filter_map(|domain| domain.lock);
            let held = held.into_iter().any(|at| self.prepares[at].prepared.id == *id);
            ensure!(held, "{id} is {} and holds no lock", seen["state"]);
        }
        Ok(())
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}
