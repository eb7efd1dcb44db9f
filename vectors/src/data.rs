//! The embedded data besides the generated cases: an installed program needs no files.

macro_rules! embed {
    ($($path:literal)*) => { &[$(($path, include_str!(concat!("../data/", $path)))),*] };
}

/// The exchanges written by hand: successes, and rejections.
pub(crate) static EXCHANGES: &[(&str, &str)] = embed! {
    "gateway/exchange/chat.json"
    "gateway/exchange/chat-stream.json"
    "gateway/exchange/completions.json"
    "gateway/exchange/responses.json"
    "gateway/exchange/messages.json"
    "gateway/exchange/models.json"
    "gateway/exchange/native-completions.json"
    "gateway/exchange/discovery.json"
    "gateway/exchange/auth-check.json"
    "metadata/exchange/root.json"
    "metadata/exchange/contract-by-cid.json"
    "metadata/exchange/contract-by-uri.json"
    "metadata/exchange/token-by-cid-json.json"
    "metadata/exchange/token-by-cid.json"
    "metadata/exchange/token-by-uri-json.json"
    "metadata/exchange/token-by-uri.json"
    "metadata/exchange/overrides-by-cid.json"
    "metadata/exchange/overrides-by-uri.json"
    "network/exchange/create-message.json"
    "network/exchange/message.json"
    "network/exchange/messages.json"
    "network/exchange/create-aggregate.json"
    "network/exchange/aggregate.json"
    "network/exchange/aggregates.json"
    "network/exchange/aggregates-of.json"
    "network/exchange/messages-flat.json"
    "network/exchange/store-file.json"
    "network/exchange/file.json"
    "network/exchange/raw-file.json"
    "network/exchange/pin.json"
    "network/exchange/pinned.json"
    "network/exchange/create-program.json"
    "network/exchange/run.json"
    "network/exchange/create-instance.json"
    "network/exchange/instance.json"
    "network/exchange/instances.json"
    "network/exchange/update-instance.json"
    "network/exchange/control-instance.json"
    "network/exchange/events.json"
    "network/exchange/transactions.json"
    "network/exchange/vrf-generate.json"
    "network/exchange/vrf-verify.json"
    "network/exchange/create-webhook.json"
    "network/exchange/info.json"
    "network/exchange/core-metrics.json"
    "network/exchange/compute-metrics.json"
    "publish/exchange/prepare.json"
    "publish/exchange/submit.json"
    "gateway/rejection/chat-401.json"
    "gateway/rejection/chat-402.json"
    "gateway/rejection/chat-404.json"
    "gateway/rejection/chat-422.json"
    "gateway/rejection/chat-503.json"
    "metadata/rejection/token-by-cid-422.json"
    "network/rejection/create-message-400.json"
    "network/rejection/create-message-401.json"
    "network/rejection/create-message-403.json"
    "network/rejection/message-404.json"
    "network/rejection/messages-429.json"
    "network/rejection/info-500.json"
    "publish/rejection/prepare-404.json"
    "publish/rejection/prepare-413.json"
    "publish/rejection/prepare-409-frozen.json"
    "publish/rejection/prepare-429.json"
    "publish/rejection/prepare-503-standby.json"
    "publish/rejection/submit-404.json"
    "publish/rejection/submit-413.json"
    "publish/rejection/submit-409-frozen.json"
    "publish/rejection/submit-429.json"
    "publish/rejection/submit-503-standby.json"
    "publish/rejection/prepare-400.json"
    "publish/rejection/submit-400.json"
    "publish/rejection/submit-410.json"
    "publish/rejection/submit-502.json"
    "publish/rejection/prepare-503-passive.json"
    "drop/exchange/drop.json"
};

/// The contents of the files, and their hashes.
pub(crate) static MANIFEST: &str = include_str!("../data/manifest.json");

/// The record of witnesses. It is not part of the hashed data, because it is written later.
pub(crate) static WITNESSES: &str = include_str!("../data/witnesses.json");

/// The schema of a case file, for other languages.
pub static SCHEMA: &str = include_str!("../schema/case.schema.json");

/// Where the libraries of witnesses differ from the cases, with reasons.
pub(crate) static DIVERGENCES: &str = include_str!("../divergences.json");

macro_rules! beside {
    ($($path:literal $file:literal)*) => { &[$(($path, include_str!(concat!("../", $file)))),*] };
}

/// The files of a release besides the data: the protocol, example programs, and the witnesses.
pub(crate) static BESIDE: &[(&str, &str)] = beside! {
    "LICENSE" "release/LICENSE"
    "README.md" "release/README.md"
    "CHANGELOG.md" "release/CHANGELOG.md"
    "examples/python/shim.py" "examples/python/shim.py"
    "examples/node/shim.mjs" "examples/node/shim.mjs"
    "witness/README.md" "witness/README.md"
    "witness/run" "witness/run"
    "witness/lineages.json" "witness/lineages.json"
    "witness/python/requirements.txt" "witness/python/requirements.txt"
    "witness/python/alone.py" "witness/python/alone.py"
    "witness/python/drop.py" "witness/python/drop.py"
    "witness/python/gateway.py" "witness/python/gateway.py"
    "witness/python/history.py" "witness/python/history.py"
    "witness/python/metadata.py" "witness/python/metadata.py"
    "witness/python/network.py" "witness/python/network.py"
    "witness/python/recipes.py" "witness/python/recipes.py"
    "witness/python/records.py" "witness/python/records.py"
    "witness/python/refusal.py" "witness/python/refusal.py"
    "witness/python/sealed.py" "witness/python/sealed.py"
    "witness/python/shim.py" "witness/python/shim.py"
    "witness/python/verify.py" "witness/python/verify.py"
    "witness/node/package.json" "witness/node/package.json"
    "witness/node/package-lock.json" "witness/node/package-lock.json"
    "witness/node/alone.mjs" "witness/node/alone.mjs"
    "witness/node/folder.mjs" "witness/node/folder.mjs"
    "witness/node/gateway.mjs" "witness/node/gateway.mjs"
    "witness/node/history.mjs" "witness/node/history.mjs"
    "witness/node/json.mjs" "witness/node/json.mjs"
    "witness/node/messages.mjs" "witness/node/messages.mjs"
    "witness/node/metadata.mjs" "witness/node/metadata.mjs"
    "witness/node/network.mjs" "witness/node/network.mjs"
    "witness/node/recipes.mjs" "witness/node/recipes.mjs"
    "witness/node/records.mjs" "witness/node/records.mjs"
    "witness/node/refusal.mjs" "witness/node/refusal.mjs"
    "witness/node/sealed.mjs" "witness/node/sealed.mjs"
    "witness/node/unixfs.mjs" "witness/node/unixfs.mjs"
    "witness/node/verify.mjs" "witness/node/verify.mjs"
    "witness/node/zips.mjs" "witness/node/zips.mjs"
};

/// The page of the protocol.
pub(crate) static PROTOCOL: &str = include_str!("../vectors-protocol.md");
