//! The drop's state machine (document 3, "States and transitions").

crate::machine! {
    /// A drop, from the first byte of its upload to its end. What happens to a project later is not shown.
    DROP "drop":
    DropState {
        None = "none",
        Uploading = "uploading",
        Published = "published",
        Owned = "owned-project",
        Removed = "removed",
        Refused = "refused",
        Failed = "failed",
        Aborted = "aborted",
    }
    DropEvent {
        Post = "post",
        Publish = "publish",
        Refusal = "bad-artifact",
        Failure = "publish-fails",
        Abort = "client-goes-away",
        Claim = "claim",
        Deadline = "4-hours-pass",
    }
    None on Post => Uploading;
    Uploading on Publish => Published;
    Uploading on Refusal => Refused;
    Uploading on Failure => Failed;
    Uploading on Abort => Aborted unless "an aborted upload is not visible from outside";
    Published on Claim => Owned;
    Published on Deadline => Removed;
}
