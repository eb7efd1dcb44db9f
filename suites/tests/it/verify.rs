//! Publishing and verification over sockets: the conforming client against worlds with and without faults.

use assay_sim::serve::ClockMode;
use assay_spec::Dialect;
use assay_spec::crypto::ed25519;
use assay_spec::publish::check::{Intent, Op};
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::publish::client::{Publication, Published, publish};
use assay_suites::publish::verify::{Verified, verify_publish};
use serde_json::json;

const KEY: [u8; 32] = [5; 32];

async fn served() -> Served {
    let options = Options {
        // Time jumps while a submit waits, so the test does not wait.
        clock: ClockMode::Auto,
        ..Options::new(11)
    };
    let served = start(&options).await.expect("a simulator on any port");
    let key = ed25519::address(&ed25519::key_from_seed(KEY));
    let bind = json!({ "domain": "a.example", "key": key });
    served
        .handle
        .change(|world| {
            world.perform("publish.bind", &bind).map_or_else(|e| (Err(e), vec![]), |(v, o)| (Ok(v), o))
        })
        .expect("bound");
    served
}

fn wanted(served: &Served, cid: &str) -> Publication {
    Publication {
        dialect: Dialect::default(),
        url: served.sites["publish"].clone(),
        chain_url: Some(served.sites["chain"].clone()),
        key: ed25519::key_from_seed(KEY),
        asked: Intent { domain: "a.example".into(), op: Op::Publish { cid: cid.into(), version: None } },
    }
}

fn set_faults(served: &Served, names: &[&str]) {
    let faults =
        serde_json::from_value(names.iter().map(|name| json!({ "fault": name })).collect()).expect("faults");
    served.handle.change(|world| (world.set_faults(faults), Vec::new())).expect("known faults");
}

async fn verified(served: &Served, signature: &str, key: [u8; 32]) -> Verified {
    let key = ed25519::address(&ed25519::key_from_seed(key));
    verify_publish(&Dialect::default(), &served.sites["chain"], signature, &key)
        .await
        .expect("the chain answers")
}

#[tokio::test(flavor = "multi_thread")]
async fn published_record_verifies_only_for_its_key() {
    let served = served().await;
    let published = publish(&wanted(&served, "bafy")).await.expect("published");
    let Published::Landed(signature) = published else { panic!("{published:?}") };
    assert!(matches!(verified(&served, &signature, KEY).await, Verified::Record(_)));
    assert!(matches!(verified(&served, &signature, [6; 32]).await, Verified::Unproven(_)));
    let unknown = bs58::encode([1; 64]).into_string();
    assert!(matches!(verified(&served, &unknown, KEY).await, Verified::Absent));
}

#[tokio::test(flavor = "multi_thread")]
async fn memo_that_imitates_log_lines_proves_nothing() {
    let served = served().await;
    let other = ed25519::address(&ed25519::key_from_seed([6; 32]));
    let imitation = format!("x\nProgram log: Signed by {other}\nProgram log: Memo (len 1): y");
    let published = publish(&wanted(&served, &imitation)).await.expect("published");
    let Published::Landed(signature) = published else { panic!("{published:?}") };
    assert!(matches!(verified(&served, &signature, KEY).await, Verified::Record(_)));
    assert!(matches!(verified(&served, &signature, [6; 32]).await, Verified::Unproven(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn truncated_log_is_unverified() {
    let served = served().await;
    set_faults(&served, &["publish.log-truncated"]);
    let published = publish(&wanted(&served, "bafy")).await.expect("published");
    assert!(matches!(published, Published::Unverified(_, why) if why.contains("truncated")));
}

#[tokio::test(flavor = "multi_thread")]
async fn chain_rejects_only_a_record_over_the_compute_budget() {
    let served = served().await;
    set_faults(&served, &["publish.compute-budget"]);
    assert!(matches!(publish(&wanted(&served, "short")).await, Ok(Published::Landed(_))));
    let long = publish(&wanted(&served, &"x".repeat(600))).await.expect_err("rejected");
    assert!(long.contains("502") && long.contains("look for the record"), "{long}");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_checks_the_chain_after_the_safety_ceiling_and_writes_no_second_record() {
    let served = served().await;
    set_faults(&served, &["publish.chain-slow"]);
    let wanted = wanted(&served, "bafy");
    let publishing = publish(&wanted);
    let landing = async {
        // The submit ends at the ceiling. Then the chain includes the transaction.
        let unresolved = || {
            let state = served.handle.read(|world| world.view(assay_spec::Service::Publish));
            state["prepares"]
                .as_object()
                .is_some_and(|all| all.values().any(|one| one["state"] == "unresolved"))
        };
        while !unresolved() {
            tokio::task::yield_now().await;
        }
        served.handle.advance(120_000);
    };
    let (published, ()) = tokio::join!(publishing, landing);
    assert!(matches!(published, Ok(Published::Landed(_))), "{published:?}");
    let state = served.handle.read(|world| world.view(assay_spec::Service::Publish));
    assert_eq!(state["chain"]["transactions"], 1);
}
