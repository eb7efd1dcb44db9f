//! The confidential deployment: its boots, and the stand-ins for its resolution and attestation.

use assay_sim::gateway::{ENCLAVE, GATEWAY};
use assay_sim::tls::Authority;
use assay_spec::gateway::stand_in::{Statement, Unverified};
use serde_json::json;

use crate::common::{Call, Driver, body_of};
use crate::gateway::model::{chat, get, post};

/// A valid statement for the current boot of the enclave, and the authority's key.
fn expected(driver: &Driver, nonce: &str) -> (Statement, [u8; 32]) {
    let enclave = driver.gateway()["enclave"].clone();
    let bytes = |name: &str| -> [u8; 32] {
        let text = enclave[name].as_str().expect("hex");
        assay_spec::crypto::text::parse_hex(text).and_then(|bytes| bytes.try_into().ok()).expect("32 bytes")
    };
    let statement = Statement {
        item_hash: enclave["item_hash"].as_str().expect("a hash").to_owned(),
        nonce: nonce.to_owned(),
        certificate_sha256: Authority::new(driver.world.core.rng)
            .leaf(ENCLAVE.name, enclave["boot"].as_u64().expect("a number"))
            .sha256(),
    };
    (statement, bytes("authority"))
}

fn attest(driver: &mut Driver, nonce: &str) -> Result<(), Unverified> {
    let reply = driver.ask_at(ENCLAVE, &get(&format!("/stand-in/v1/attestation?nonce={nonce}"), None));
    assert_eq!(reply.status, 200);
    let (statement, authority) = expected(driver, nonce);
    statement.verify(&body_of(&reply), &authority)
}

#[test]
fn item_hash_resolves_to_the_current_boot() {
    let mut driver = Driver::new(1);
    let hash = driver.gateway()["enclave"]["item_hash"].as_str().expect("a hash").to_owned();
    let address = |driver: &mut Driver| {
        let reply = driver.request(&get(&format!("/stand-in/v1/resolve/{hash}"), None));
        body_of(&reply)["address"].as_str().expect("an address").to_owned()
    };
    assert_eq!(address(&mut driver), "https://enclave-1.sim");
    driver.perform("gateway.reboot", &json!({}));
    assert_eq!(address(&mut driver), "https://enclave-2.sim");
    for unknown in ["", "00", "x/y"] {
        assert_eq!(driver.request(&get(&format!("/stand-in/v1/resolve/{unknown}"), None)).status, 404);
    }
}

#[test]
fn attestation_is_valid_only_for_its_nonce_and_boot() {
    let mut driver = Driver::new(1);
    let nonce = "00112233445566778899aabbccddeeff";
    assert_eq!(attest(&mut driver, nonce), Ok(()));
    let before = expected(&driver, nonce);
    driver.perform("gateway.reboot", &json!({}));
    assert_eq!(attest(&mut driver, nonce), Ok(()));
    assert_ne!(expected(&driver, nonce).0.certificate_sha256, before.0.certificate_sha256);
    for bad in ["", "00", "0011223344556677x", "zz112233445566778899aabbccddeeff", &"00".repeat(65)] {
        let reply = driver.ask_at(ENCLAVE, &get(&format!("/stand-in/v1/attestation?nonce={bad}"), None));
        assert_eq!(reply.status, 422, "{bad}");
    }
    assert_eq!(driver.ask_at(ENCLAVE, &get("/stand-in/v1/attestation", None)).status, 422);
    assert_eq!(driver.request(&get("/stand-in/v1/attestation?nonce=00112233445566778899", None)).status, 404);
}

#[test]
fn unverifiable_enclave_fails_in_the_requested_part() {
    let nonce = "00112233445566778899aabbccddeeff";
    for (what, expected) in [
        ("measurement", Unverified::Measurement),
        ("certificate", Unverified::Certificate),
        ("nonce", Unverified::Nonce),
        ("signature", Unverified::Signature),
    ] {
        let mut driver = Driver::new(1);
        driver.set_faults(&json!([{ "fault": "gateway.enclave-unverifiable", "where": { "what": what } }]));
        assert_eq!(attest(&mut driver, nonce), Err(expected));
    }
}

#[test]
fn boot_ends_requests_to_the_previous_one() {
    let mut driver = Driver::new(1);
    let [through, direct] = [GATEWAY, ENCLAVE].map(|site| driver.stream(site, "assay-sealed"));
    driver.advance(6);
    driver.perform("gateway.reboot", &json!({}));
    assert!(driver.reply(through).is_some_and(|reply| reply.body.ends_with(b"\n\n")));
    assert!(driver.cut.contains(&direct));

    let key = driver.key("valid");
    let mut at = |host: &str| {
        let call = post("/v1/chat/completions", Some(&key), &chat("assay-sealed"));
        let headers = [call.headers.clone(), vec![("host", host.as_bytes().to_vec())]].concat();
        let exchange = driver.start_at(ENCLAVE, &Call { headers, ..call });
        driver.reply(exchange).map(|reply| reply.status)
    };
    assert_eq!(at("enclave-1.sim"), None, "the earlier boot does not answer");
    assert_eq!(at("enclave-1.sim:443"), None);
    assert_eq!(at("enclave-2.sim"), Some(200));
    assert_eq!(at("127.0.0.1:4105"), Some(200));
}
