//! The clients of a matrix check: at each place, who signs what for which domain.

use assay_spec::Place;
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::places::{ACCEPT, BY_INCOMING, EVERY, PREPARES, PUB, TRANSFER};
use serde_json::{Value, json};

use super::pool::{Purpose, Talk, draw, draw_pending, ordinary};
use super::wire::Draft;
use super::{
    Caller, NO_ID, PREPARE, PREPARED, Prepared, SUBMIT, accept_body, bound, drawn, fresh_key, landed,
    prepare, publish_body, read_prepared, submit, submit_body, transfer_body, trip,
};
use crate::harness::check::{Checked, Stop};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// Whether an accept is asked for.
fn is_accept(place: Place) -> bool {
    BY_INCOMING.contains(&place)
}

/// What a check does with one of the profile's domains that prepares or submits at a place.
fn purpose(place: Place) -> Result<Purpose, Stop> {
    if place.op != TRANSFER {
        Ok(Purpose::Publish)
    } else if PREPARES.contains(&place) {
        Ok(Purpose::Lock)
    } else {
        Err(Stop::NotTestable("needs a domain to transfer (a control API)".to_owned()))
    }
}

/// A client who may do what a place needs.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) place: Place,
    /// Who signs.
    pub(crate) caller: Caller,
    /// The client with the key that is bound to the domain: another one if the place needs an accept.
    pub(crate) old: Caller,
    /// The body of the prepare.
    pub(crate) body: Value,
    /// The transaction of the pending transfer, if there is one.
    pub(crate) transfer: String,
}

impl Scene {
    /// A client with a domain that is free.
    pub(crate) async fn at(probe: &Probe<'_>, place: Place) -> Result<Scene, Stop> {
        Scene::with(probe, place, &json!({})).await
    }

    /// As [`Scene::at`], with such a binding, for example `{"publishable": false}`.
    pub(crate) async fn with(probe: &Probe<'_>, place: Place, kind: &Value) -> Result<Scene, Stop> {
        if is_accept(place) {
            let purpose = if PREPARES.contains(&place) { Some(Purpose::Lock) } else { None };
            let pending = pending(probe, kind, purpose).await?;
            return Ok(Scene { place, ..pending });
        }
        let caller = if probe.has_control() {
            bound(probe, kind.clone()).await?
        } else {
            drawn(probe, purpose(place)?).await?
        };
        Ok(Scene::bound(probe, place, caller))
    }

    /// A client whose prepares are rejected.
    pub(crate) async fn rejected(probe: &Probe<'_>, place: Place) -> Result<Scene, Stop> {
        if probe.has_control() {
            return Scene::at(probe, place).await;
        }
        if is_accept(place) {
            let pending = pending(probe, &json!({}), Some(Purpose::Knock)).await?;
            return Ok(Scene { place, ..pending });
        }
        let purpose = if shows_locks(probe, place) { Purpose::Publish } else { Purpose::Knock };
        Ok(Scene::bound(probe, place, drawn(probe, purpose).await?))
    }

    /// Clients with different domains.
    pub(crate) async fn pair(probe: &Probe<'_>, places: [Place; 2]) -> Result<[Scene; 2], Stop> {
        if probe.has_control() || places.into_iter().any(is_accept) {
            let second = Scene::at(probe, places[1]).await?;
            return Ok([Scene::at(probe, places[0]).await?, second]);
        }
        let (callers, _) = draw(probe, &[purpose(places[0])?, purpose(places[1])?]).await?;
        let mut callers = callers.into_iter();
        Ok(places.map(|place| Scene::bound(probe, place, callers.next().expect("as many as purposes"))))
    }

    /// A client of a place that needs no transfer.
    pub(crate) fn bound(probe: &Probe<'_>, place: Place, caller: Caller) -> Scene {
        let is_transfer = place.op == PREPARES[1].op;
        let body = if is_transfer {
            transfer_body(probe, &caller, &fresh_key(probe))
        } else {
            publish_body(&caller)
        };
        Scene { place, old: caller.clone(), caller, body, transfer: String::new() }
    }

    /// The client with the incoming key of a domain that the profile declares.
    pub(crate) fn incoming(probe: &Probe<'_>, (old, caller): (Caller, Caller)) -> Scene {
        let transfer = probe.settings.publish().pending_transfer.clone().unwrap_or_default();
        let body = accept_body(&caller);
        Scene { place: BY_INCOMING[0], caller, old, body, transfer }
    }

    /// Sends the prepare.
    pub(crate) async fn prepare<'p>(&self, probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
        prepare(probe, &self.caller, &self.body).await
    }

    /// The valid counterpart of rejected prepares. Without a control API, all checks share it.
    pub(crate) async fn counterpart(&self, probe: &Probe<'_>) -> Checked {
        if probe.has_control() {
            return self.unlocked(probe).await;
        }
        answered(probe, self.place).await?.1.answer.counterpart_status(&[200])
    }

    /// Sends the prepare after rejected requests for a domain of its own. They must not have locked it, unless every malformed
    /// prepare does: another check judges that.
    pub(crate) async fn unlocked(&self, probe: &Probe<'_>) -> Checked {
        let answer = self.prepare(probe).await?;
        self.expect_no_lock(probe, &answer).await
    }

    /// As [`Scene::unlocked`], of the response to the prepare.
    async fn expect_no_lock(&self, probe: &Probe<'_>, answer: &Answer<'_>) -> Checked {
        if answer.status() == 409 {
            probe.settings.publish().pool.lock_now(&self.caller.domain);
            let other = Box::pin(Scene::at(probe, self.place)).await?;
            Knock::malformed(other.clone(), PREPARE).counterpart(probe).await?;
            let again = other.prepare(probe).await?;
            probe.conclusive(again.status() != 409, "any malformed prepare locks its domain".to_owned())?;
        }
        expect_unlocked(answer)
    }

    /// Sends a prepare that must succeed; otherwise the check is inconclusive.
    pub(crate) async fn prepared(&self, probe: &Probe<'_>) -> Result<Prepared, Stop> {
        let answer = self.prepare(probe).await?;
        answer.given_accepted(&[200], PREPARED)?;
        read_prepared(probe, &answer.json())
    }

    /// The body of the submit of a prepare.
    pub(crate) fn submission(&self, prepared: &Prepared) -> Value {
        self.said(submit_body(prepared, &self.caller))
    }

    /// A submit's body, with `op` if it needs one.
    pub(crate) fn said(&self, mut body: Value) -> Value {
        if is_accept(self.place) {
            body["op"] = json!(self.place.op);
        }
        body
    }

    /// Sends a submit.
    pub(crate) async fn submit<'p>(&self, probe: &'p Probe<'_>, body: &Value) -> Result<Answer<'p>, Stop> {
        submit(probe, &self.caller, body).await
    }

    /// Prepares and submits. If that fails, the check is inconclusive.
    pub(crate) async fn landed(&self, probe: &Probe<'_>) -> Result<(Prepared, String), Stop> {
        landed(probe, &self.caller, &self.body).await
    }
}

/// Whether a check shows at a place of a shared target that rejected prepares lock nothing: by a publish.
fn shows_locks(probe: &Probe<'_>, place: Place) -> bool {
    let is_large = || Ok(Value::Bool(probe.settings.publish().pool.is_large()));
    PREPARES.contains(&place)
        && !is_accept(place)
        && probe.share("publish.large", is_large) == Ok(Value::Bool(true))
}

/// Expects a valid prepare after rejected requests to be accepted.
pub(crate) fn expect_unlocked(answer: &Answer<'_>) -> Checked {
    let at = At::status_named("status of a valid prepare after the rejected requests");
    let want = Want::one_of(&[200]).said("200, since what is rejected locks nothing");
    answer.expect(answer.status() != 409, at, want, "409")?;
    answer.counterpart_status(&[200])
}

/// The response to an ordinary prepare at a place, and who sent it. Without a control API, all checks share it.
pub(crate) async fn answered<'p>(probe: &'p Probe<'_>, place: Place) -> Result<(Scene, Talk<'p>), Stop> {
    if probe.has_control() {
        let scene = Scene::at(probe, place).await?;
        let talk = Talk::begin(probe, &scene.caller, &scene.body).await?;
        return Ok((scene, talk));
    }
    if is_accept(place) {
        let talk = ordinary(probe, ACCEPT, false).await?;
        let old = if trip::is_given(probe) {
            trip::other(probe, &talk.caller)?
        } else {
            super::pool::pending(probe)?.0
        };
        return Ok((Scene::incoming(probe, (old, talk.caller.clone())), talk));
    }
    let op = if purpose(place)? == Purpose::Lock { TRANSFER } else { PUB };
    let talk = ordinary(probe, op, false).await?;
    let (caller, body) = (talk.caller.clone(), talk.body.clone());
    Ok((Scene { place, old: caller.clone(), caller, body, transfer: String::new() }, talk))
}

/// The response to an ordinary submit at a place, who sent it, and what was prepared. Without a control API, all checks
/// share it.
pub(crate) async fn published<'p>(
    probe: &'p Probe<'_>,
    place: Place,
) -> Result<(Caller, Prepared, Answer<'p>), Stop> {
    if !probe.has_control() && place.op == PUB {
        return ordinary(probe, PUB, true).await?.submitted(probe).await;
    }
    if trip::is_given(probe) {
        return trip::step(probe, place.op, true).await?.submitted(probe).await;
    }
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    let answer = scene.submit(probe, &scene.submission(&prepared)).await?;
    Ok((scene.caller, prepared, answer))
}

/// Transfers a domain to a new key. Returns the clients with the old and the new key, what was prepared, and the
/// transaction's signature. Without a control API that is the domain that the profile lets the run transfer.
pub(crate) async fn transferred(probe: &Probe<'_>) -> Result<(Caller, Caller, Prepared, String), Stop> {
    if !probe.has_control() {
        return trip::transferred(probe).await;
    }
    let old = bound(probe, json!({})).await?;
    let new = old.with_key(fresh_key(probe));
    let (prepared, transfer) = landed(probe, &old, &transfer_body(probe, &old, &new.key)).await?;
    Ok((old, new, prepared, transfer))
}

/// A domain with a pending transfer, such that the caller has the incoming key: made by the control API, otherwise the
/// profile's, for such a purpose. No check submits an accept there.
async fn pending(probe: &Probe<'_>, kind: &Value, purpose: Option<Purpose>) -> Result<Scene, Stop> {
    if !probe.has_control() {
        let purpose = purpose.ok_or_else(|| {
            Stop::NotTestable("needs a transfer that may be accepted (a control API)".to_owned())
        })?;
        return Ok(Scene::incoming(probe, draw_pending(probe, purpose).await?));
    }
    let incoming = fresh_key(probe);
    let transfer = [probe.draw("transfer"), probe.draw("transfer")].concat();
    let transfer = bs58::encode(transfer).into_string();
    let mut made = kind.clone();
    made["pending"] = json!({ "key": ed25519::address(&incoming), "transfer": transfer });
    let (old, transfer) = match bound(probe, made).await {
        Ok(old) => (old, transfer),
        // A control API that cannot do this can bind a domain, which is then transferred.
        Err(Stop::Error(_)) => {
            let old = bound(probe, kind.clone()).await?;
            let (_, transfer) = landed(probe, &old, &transfer_body(probe, &old, &incoming)).await?;
            (old, transfer)
        }
        Err(other) => return Err(other),
    };
    let caller = old.with_key(incoming);
    let body = accept_body(&caller);
    Ok(Scene { place: Place::ANY, caller, old, body, transfer })
}

/// A request that a server rejects for what its body asks, once it accepts the envelope. It changes nothing.
pub(crate) struct Knock {
    pub(crate) scene: Scene,
    pub(crate) path: &'static str,
    pub(crate) body: String,
    /// What it returns.
    pub(crate) statuses: &'static [u16],
}

impl Knock {
    /// A prepare without a field that it needs, or a submit whose `prepareId` is unknown. To be one of a transfer, a submit
    /// needs the `prepareId` of a transfer: its signature is wrong.
    pub(crate) async fn at(probe: &Probe<'_>, place: Place) -> Result<Knock, Stop> {
        let zeros = text::base64(&[0; 64]);
        let path = if PREPARES.contains(&place) { PREPARE } else { SUBMIT };
        if place == EVERY[4] {
            if !probe.has_control() {
                return Err(Stop::NotTestable("needs a domain to transfer (a control API)".to_owned()));
            }
            let scene = Scene::at(probe, place).await?;
            let prepared = scene.prepared(probe).await?;
            let body = json!({ "prepareId": prepared.id, "signature": zeros }).to_string();
            return Ok(Knock { scene, path, body, statuses: &[400, 410] });
        }
        Ok(Knock::malformed(Scene::rejected(probe, place).await?, path))
    }

    /// The request of this client to an endpoint.
    pub(crate) fn malformed(scene: Scene, path: &'static str) -> Knock {
        let zeros = text::base64(&[0; 64]);
        let (body, statuses): (Value, &[u16]) = if path == SUBMIT {
            (scene.said(json!({ "prepareId": NO_ID, "signature": zeros })), &[410])
        } else {
            let mut body = scene.body.clone();
            let needed = match scene.place.op {
                "pub" => "cid",
                "transfer" => "newAuthority",
                _ => "domain",
            };
            body.as_object_mut().and_then(|members| members.shift_remove(needed));
            (body, &[400])
        };
        Knock { scene, path, body: body.to_string(), statuses }
    }

    /// The request, correctly signed.
    pub(crate) async fn draft(&self, probe: &Probe<'_>) -> Result<Draft, Stop> {
        Draft::new(probe, &self.scene.caller, self.path, self.body.clone()).await
    }

    /// Sends it with a change.
    pub(crate) async fn send<'p>(
        &self,
        probe: &'p Probe<'_>,
        edit: impl FnOnce(&mut Draft),
    ) -> Result<Answer<'p>, Stop> {
        let mut draft = self.draft(probe).await?;
        edit(&mut draft);
        draft.send(probe).await
    }

    /// After rejected requests: they have not locked the domain. `again` sends them for another domain, because a shared target may
    /// have got a prepare of another client meanwhile.
    pub(crate) async fn locks_nothing(
        &self,
        probe: &Probe<'_>,
        again: impl AsyncFn(&Knock) -> Checked,
    ) -> Checked {
        if self.path != PREPARE {
            return Ok(());
        }
        if probe.has_control() {
            return self.scene.unlocked(probe).await;
        }
        if !shows_locks(probe, self.scene.place) {
            return Ok(());
        }
        let publish = |knock: &Knock| Scene::bound(probe, PREPARES[0], knock.scene.caller.clone());
        let (first, pool) = (publish(self), &probe.settings.publish().pool);
        let answer = first.prepare(probe).await?;
        if answer.status() == 409 {
            pool.lock_now(&first.caller.domain);
            let other = Box::pin(Knock::at(probe, self.scene.place)).await?;
            again(&other).await?;
            let is_locked = publish(&other).prepare(probe).await?.status() == 409;
            let why = format!("another client has locked {} meanwhile", first.caller.domain);
            probe.conclusive(is_locked, why)?;
            pool.lock_now(&other.scene.caller.domain);
        }
        first.expect_no_lock(probe, &answer).await
    }

    /// Sends it as the valid counterpart: the server accepts the envelope.
    pub(crate) async fn counterpart(&self, probe: &Probe<'_>) -> Checked {
        self.send(probe, |_| {}).await?.counterpart_status(self.statuses)
    }
}
