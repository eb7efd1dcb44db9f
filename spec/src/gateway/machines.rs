//! The states of a request, and of the two kinds of connection that a client keeps itself (document 1,
//! "Authentication", "Errors" and "Direct server access").

crate::machine! {
    /// A request for inference, from its first byte to its end.
    REQUEST "request":
    RequestState {
        Received = "received",
        Routed = "routed",
        Streaming = "streaming",
        Refused = "refused",
        Answered = "answered",
        Broken = "broken",
        Failed = "failed",
    }
    RequestEvent {
        BadKey = "bad-key",
        Unpaid = "no-payment",
        InvalidBody = "invalid-body",
        UnknownModel = "unknown-model",
        Admitted = "admitted",
        ServerFails = "server-fails",
        LastServerFails = "last-server-fails",
        Reply = "reply",
        FirstByte = "first-byte",
        LastByte = "last-byte",
    }
    Received on BadKey => Refused;
    Received on Unpaid => Refused;
    Received on InvalidBody => Refused;
    Received on UnknownModel => Refused;
    Received on Admitted => Routed;
    Routed on ServerFails => Routed;
    Routed on LastServerFails => Failed;
    Routed on Reply => Answered;
    Routed on FirstByte => Streaming;
    Streaming on LastByte => Answered;
    Streaming on ServerFails => Broken;
}

crate::machine! {
    /// A client's connection to a confidential deployment. Nothing is sent before it is open.
    CONFIDENTIAL "confidential-connection":
    ConfidentialState {
        Unresolved = "unresolved",
        Resolved = "resolved",
        Attested = "attested",
        Pinned = "pinned",
        Open = "open",
        Refused = "refused",
    }
    ConfidentialEvent {
        Resolution = "address-found",
        Attestation = "attestation-holds",
        BadAttestation = "attestation-fails",
        Pin = "certificate-pinned",
        Connection = "certificate-is-the-pin",
        OtherCertificate = "certificate-is-another",
        Reboot = "reboot",
        Send = "send",
    }
    Unresolved on Resolution => Resolved unless "a client's own transition, judged by what reaches an enclave";
    Unresolved on Send => Unresolved unless "the client itself does not send, which is not visible from outside";
    Resolved on Attestation => Attested unless "a client's own transition, judged by what reaches an enclave";
    Resolved on BadAttestation => Refused unless "a client's own transition, judged by what reaches an enclave";
    Resolved on Send => Resolved unless "the client itself does not send, which is not visible from outside";
    Resolved on Reboot => Unresolved unless "a client's own transition, judged by what reaches an enclave";
    Attested on Pin => Pinned unless "a client's own transition, judged by what reaches an enclave";
    Attested on Send => Attested unless "the client itself does not send, which is not visible from outside";
    Attested on Reboot => Unresolved unless "a client's own transition, judged by what reaches an enclave";
    Pinned on Connection => Open unless "a client's own transition, judged by what reaches an enclave";
    Pinned on OtherCertificate => Unresolved unless "a client's own transition, judged by what reaches an enclave";
    Pinned on Reboot => Unresolved unless "a client's own transition, judged by what reaches an enclave";
    Open on Send => Open unless "a client's own transition, judged by what reaches an enclave";
    Open on Reboot => Unresolved unless "a client's own transition, judged by what reaches an enclave";
}

crate::machine! {
    /// A client that calls servers directly, and its list of servers from discovery.
    DIRECT "direct-client":
    DirectState { Stale = "stale", Current = "current" }
    DirectEvent {
        Discovery = "discovery-asked",
        Failure = "server-fails",
        Exhaustion = "last-server-fails",
        Age = "time-passes",
    }
    Stale on Discovery => Current unless "a client's own transition, judged by what reaches the servers";
    Current on Failure => Current unless "a client's own transition, judged by what reaches the servers";
    Current on Exhaustion => Stale unless "a client's own transition, judged by what reaches the servers";
    Current on Age => Stale unless "a client's own transition, judged by what reaches the servers";
}
