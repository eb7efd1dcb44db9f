//! Publishing and verification over sockets: the conforming client against worlds with and without faults.

use std::net::SocketAddr;

use assay_sim::World;
use assay_sim::serve::{ClockMode, Handle, open_sites};
use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::check::{Intent, Op};
use assay_spec::{Dialect, Service};
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::services::publish::client::{Publication, Published, publish};
use assay_suites::services::publish::verify::{Verified, verify_publish};
use serde_json::{Value, json};
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::profiles::assay;

const KEY: [u8; 32] = [5; 32];

async fn served() -> Served {
    let options = Options {
        // Time jumps while a submit waits, so the test does not wait.
        clock: ClockMode::Auto,
        ..Options::new(11)
    };
    let served = start(&options).await.expect("a simulator on any port");
    bind(&served.handle);
    served
}

fn bind(handle: &Handle) {
    let bind = json!({ "domain": "a.example", "key": address(KEY) });
    let bound = handle.change(|world| {
        world.perform("publish.bind", &bind).map_or_else(|e| (Err(e), vec![]), |(v, o)| (Ok(v), o))
    });
    bound.expect("bound");
}

fn address(key: [u8; 32]) -> String {
    ed25519::address(&ed25519::key_from_seed(key))
}

/// The prepares of the exchange, by their ids.
fn prepares(served: &Served) -> serde_json::Map<String, Value> {
    let state = served.handle.read(|world| world.view(Service::Publish));
    state["prepares"].as_object().cloned().unwrap_or_default()
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
    verify_publish(&Dialect::default(), &served.sites["chain"], signature, &address(key))
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
    let other = address([6; 32]);
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
    assert!(!long.contains("clock"), "{long}");
    assert_eq!(prepares(&served).len(), 2, "neither is prepared again");
}

#[tokio::test(flavor = "multi_thread")]
async fn blank_versions_are_0_for_the_service_and_the_client() {
    let served = served().await;
    for (sent, written) in
        [("", "0"), (" ", "0"), ("  ", "0"), ("\u{2028}", "0"), ("\u{a0}\t", "0"), (" 1 ", " 1 ")]
    {
        let mut wanted = wanted(&served, "bafy");
        wanted.asked.op = Op::Publish { cid: "bafy".into(), version: Some(sent.into()) };
        let published = publish(&wanted).await.unwrap_or_else(|e| panic!("{sent:?}: {e}"));
        let Published::Landed(signature) = published else { panic!("{sent:?}: {published:?}") };
        let Verified::Record(record) = verified(&served, &signature, KEY).await else { panic!("{sent:?}") };
        assert_eq!(record.field("v"), Some(written), "{sent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_a_profile_are_used() {
    let dialect = Dialect {
        auth_scheme: "OtherKey".to_owned(),
        auth_prefix: "other:2:auth:".to_owned(),
        record_prefix: "other:2:".to_owned(),
        memo_program: address([8; 32]),
        ..Dialect::default()
    };
    let handle = Handle::new(World::new(11, Options::new(11).epoch, dialect.clone()), ClockMode::Real);
    bind(&handle);
    let first = SocketAddr::from(([127, 0, 0, 1], 0));
    let (_listeners, sites) = open_sites(&handle, first).await.expect("free ports");
    let folder = tempfile::tempdir().expect("a folder");
    let names = toml::to_string(&dialect).expect("TOML");
    std::fs::write(folder.path().join("p.toml"), format!("[dialect]\n{names}")).expect("written");
    let (key, seed) = (address(KEY), text::hex(&KEY));
    let run = async |arguments: &[&str], names: &[&str]| {
        let arguments = [arguments, names].concat();
        let (code, said) = assay(folder.path(), &[("ASSAY_KEY", &seed)], &arguments).await;
        (code, said.trim().to_owned())
    };
    let names = ["--profile", "p.toml"];
    let [url, chain] = ["publish", "chain"].map(|site| sites[site].as_str());
    let publish =
        ["publish", "--url", url, "--chain", chain, "--domain", "a.example", "--cid", "bafyexample"];
    let (code, said) = run(&publish, &[]).await;
    assert!(code == Some(1) && said.contains("prepare returned 404"), "{said}");
    let (code, signature) = run(&publish, &names).await;
    assert_eq!(code, Some(0), "{signature}");
    let verify = ["verify-publish", "--chain", chain, "--signature", &signature, "--key", &key];
    let (code, said) = run(&verify, &[]).await;
    assert!(code == Some(1) && said.contains("exactly one memo"), "{said}");
    let (code, said) = run(&verify, &names).await;
    assert!(code == Some(0) && said.starts_with("other:2:"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chain_at_a_path_is_asked_for_what_is_confirmed() {
    let chain = MockServer::start().await;
    // No transaction ever lands, and every blockhash has expired.
    let answer = |request: &Request| {
        let call: Value = request.body_json().expect("JSON");
        let result = match call["method"].as_str() {
            Some("getBlockHeight") => json!(1_u64 << 40),
            Some("getSignaturesForAddress") => json!([]),
            _ => Value::Null,
        };
        ResponseTemplate::new(200).set_body_json(json!({ "id": call["id"], "result": result }))
    };
    Mock::given(path("/rpc/v1")).and(query_param("key", "k")).respond_with(answer).mount(&chain).await;
    let url = format!("{}/rpc/v1?key=k", chain.uri());
    let absent = verify_publish(&Dialect::default(), &url, "5Kd", &address(KEY)).await;
    assert!(matches!(absent, Ok(Verified::Absent)), "{absent:?}");

    let served = served().await;
    set_faults(&served, &["publish.chain-slow"]);
    let lost = publish(&Publication { chain_url: Some(url), ..wanted(&served, "bafy") }).await;
    let why = lost.expect_err("nothing lands");
    assert!(!why.contains("clock"), "{why}");
    assert!(prepares(&served).len() <= 2, "{why}");
    let calls = chain.received_requests().await.unwrap_or_default();
    let calls: Vec<Value> = calls.iter().map(|call| call.body_json().expect("JSON")).collect();
    for method in ["getTransaction", "getSignaturesForAddress"] {
        let mut asked = calls.iter().filter(|call| call["method"] == method).peekable();
        assert!(asked.peek().is_some(), "{method}: {calls:?}");
        assert!(asked.all(|call| call["params"][1]["commitment"] == "confirmed"), "{calls:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn client_checks_the_chain_after_the_safety_ceiling_and_writes_no_second_record() {
    let served = served().await;
    set_faults(&served, &["publish.chain-slow"]);
    let wanted = wanted(&served, "bafy");
    let publishing = publish(&wanted);
    let landing = async {
        // The submit ends at the ceiling. Then the chain includes the transaction.
        let unresolved = || prepares(&served).values().any(|one| one["state"] == "unresolved");
        while !unresolved() {
            tokio::task::yield_now().await;
        }
        served.handle.advance(120_000);
    };
    let (published, ()) = tokio::join!(publishing, landing);
    assert!(matches!(published, Ok(Published::Landed(_))), "{published:?}");
    let state = served.handle.read(|world| world.view(Service::Publish));
    assert_eq!(state["chain"]["transactions"], 1);
}
