//! The node API's state machines (document 2, "States and transitions", "Reading the STORE message", "Events").

crate::machine! {
    /// A STORE message. The states forgotten, removed and rejected are final.
    STORE "store":
    StoreState {
        None = "none",
        Pending = "pending",
        Processed = "processed",
        Rejected = "rejected",
        Removing = "removing",
        Removed = "removed",
        Forgotten = "forgotten",
    }
    StoreEvent {
        Accept = "accepted",
        Valid = "validated",
        Invalid = "found-invalid",
        Forget = "forget-applies",
        Unpaid = "payer-runs-out",
        Grace = "grace-ends",
        Paid = "topped-up",
    }
    None on Accept => Pending;
    Pending on Valid => Processed;
    Pending on Invalid => Rejected;
    Processed on Forget => Forgotten;
    Removing on Forget => Forgotten;
    Processed on Unpaid => Removing;
    Removing on Grace => Removed;
    Removing on Paid => Processed unless "whether a payer can save a message that is being removed is not shown";
}

crate::machine! {
    /// A FORGET and its batch of targets: all of them are forgotten, or none.
    FORGET "forget":
    ForgetState {
        None = "none",
        Validating = "validating",
        Retrying = "retrying",
        Applied = "applied",
        Rejected = "rejected",
    }
    ForgetEvent {
        Receive = "received",
        Good = "every-target-good",
        Bad = "a-target-not-good",
        Foreign = "a-target-not-the-owners",
        GiveUp = "retries-used-up",
    }
    None on Receive => Validating;
    Validating on Good => Applied;
    Validating on Bad => Retrying;
    Validating on Foreign => Rejected unless "the result for another owner's target is left open";
    Retrying on Bad => Retrying;
    Retrying on Good => Applied;
    Retrying on GiveUp => Rejected;
}

crate::machine! {
    /// An instance. What control actions do to it is not shown; these transitions are one reading.
    INSTANCE "instance":
    InstanceState { None = "none", Running = "running", Stopped = "stopped" }
    InstanceEvent { Create = "created", Start = "start", Stop = "stop", Restart = "restart" }
    None on Create => Running;
    Running on Start => Running;
    Running on Stop => Stopped;
    Running on Restart => Running;
    Stopped on Start => Running;
    Stopped on Stop => Stopped;
    Stopped on Restart => Running;
}

crate::machine! {
    /// One hour of the measurement program, and the life of its records.
    MEASUREMENT "measurement":
    MeasurementState {
        None = "none",
        Probing = "probing",
        Published = "published",
        Dropped = "dropped",
    }
    MeasurementEvent {
        Open = "hour-opens",
        Probe = "node-probed",
        Close = "hour-closes",
        Age = "two-weeks-pass",
    }
    None on Open => Probing;
    Probing on Probe => Probing;
    Probing on Close => Published;
    Published on Age => Dropped;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::store::Status;

    #[test]
    fn final_states_have_no_transitions() {
        let leads_on = |state: &str| STORE.transitions.iter().any(|row| row.from == state);
        for end in [StoreState::Forgotten, StoreState::Removed, StoreState::Rejected] {
            assert!(!leads_on(end.name()), "{}", end.name());
        }
        for end in ["applied", "rejected"] {
            assert!(FORGET.transitions.iter().all(|row| row.from != end), "{end}");
        }
    }

    #[test]
    fn only_live_messages_can_be_forgotten_and_removal_is_never_immediate() {
        let by = |event: StoreEvent| -> Vec<&str> {
            STORE.transitions.iter().filter(|row| row.event == event.name()).map(|row| row.from).collect()
        };
        assert_eq!(by(StoreEvent::Forget), ["processed", "removing"]);
        assert_eq!(by(StoreEvent::Grace), ["removing"]);
    }

    #[test]
    fn every_state_but_the_first_is_a_status() {
        let states = STORE.transitions.iter().flat_map(|row| [row.from, row.to]);
        assert!(states.filter(|state| *state != "none").all(|state| Status::named(state).is_some()));
        assert_eq!(Status::from_state(StoreState::None), None);
        assert_eq!(Status::from_state(StoreState::Removing), Some(Status::Removing));
    }
}
