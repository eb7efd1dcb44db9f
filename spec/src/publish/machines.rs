//! The exchange's state machines (document 3, "States and transitions").

crate::machine! {
    /// A prepare, from the first call to its end.
    PREPARE "prepare":
    PrepareState {
        None = "none",
        Prepared = "prepared",
        InFlight = "in-flight",
        Confirmed = "confirmed",
        Expired = "expired",
        Failed = "failed",
        Unresolved = "unresolved",
        Dropped = "dropped",
    }
    PrepareEvent {
        Prepare = "prepare",
        Submit = "submit",
        BadSubmit = "bad-submit",
        Lifetime = "60-seconds-pass",
        Confirmation = "chain-confirms",
        BlockhashExpiry = "blockhash-expires",
        Rejection = "chain-rejects",
        Ceiling = "safety-ceiling",
        Repeat = "same-submit-again",
        Window = "repeat-window-passes",
    }
    None on Prepare => Prepared;
    Prepared on Submit => InFlight;
    Prepared on BadSubmit => Prepared;
    Prepared on Lifetime => Expired;
    InFlight on Repeat => InFlight;
    InFlight on Confirmation => Confirmed;
    InFlight on BlockhashExpiry => Expired;
    InFlight on Rejection => Failed;
    InFlight on Ceiling => Unresolved;
    Unresolved on Confirmation => Confirmed;
    Unresolved on BlockhashExpiry => Expired;
    Confirmed on Repeat => Confirmed;
    Confirmed on Window => Dropped;
}

crate::machine! {
    /// The one-in-flight lock of a domain.
    LOCK "lock":
    LockState { Free = "free", Held = "held" }
    LockEvent {
        Prepare = "prepare-answers-200",
        Refusal = "refused-request",
        End = "holder-ends",
    }
    Free on Prepare => Held;
    Held on Refusal => Held;
    Held on End => Free;
}

crate::machine! {
    /// The binding of a domain to a key. The documents do not show what follows an accept or an operator's
    /// confirmation. The last two states are one reading.
    BINDING "binding":
    BindingState { Bound = "bound", Pending = "pending-transfer", Accepted = "accepted" }
    BindingEvent {
        Transfer = "transfer-confirmed",
        Accept = "accept-confirmed",
        Operator = "operator-confirms",
    }
    Bound on Transfer => Pending;
    Pending on Accept => Accepted;
    Pending on Operator => Bound unless "an operator action has no endpoint";
    Accepted on Operator => Bound unless "an operator action has no endpoint";
}
