//! Payment instead of a key.

use assay_sim::gateway::SERVERS;
use serde_json::json;

use crate::common::Driver;
use crate::gateway::model::{chat, detail, get, post};

#[test]
fn without_the_flow_a_payment_is_rejected() {
    let mut driver = Driver::new(1);
    let mut call = post("/v1/chat/completions", None, &chat("assay-chat"));
    call.headers.push(("x-payment", b"signed".to_vec()));
    assert_eq!(driver.request(&call).status, 401);
}

#[test]
fn with_the_flow_a_request_is_paid_by_key_or_payment() {
    let mut driver = Driver::new(1);
    let mut issue = || {
        let (issued, _) =
            driver.world.perform("gateway.payments", &json!({ "on": true })).expect("an action");
        issued["payment"].as_str().expect("a payment").to_owned()
    };
    let (payment, other) = (issue(), issue());
    assert_ne!(payment, other);
    let keyless = post("/v1/chat/completions", None, &chat("assay-chat"));
    let refused = driver.request(&keyless);
    assert_eq!(refused.status, 402);
    assert!(!detail(&refused).is_empty());
    let mut paying = |payment: &[u8]| {
        let mut call = keyless.clone();
        call.headers.push(("x-payment", payment.to_vec()));
        driver.request(&call).status
    };
    assert_eq!(paying(payment.as_bytes()), 200);
    assert_eq!(paying(payment.as_bytes()), 402, "it has paid for a request");
    assert_eq!(paying(other.as_bytes()), 200);
    assert_eq!(paying(b"eyJzaWduZWQiOnRydWV9"), 402, "it was never issued");
    for bad in [&b""[..], b"a b", b"\xff\xfe"] {
        assert_eq!(paying(bad), 402, "{bad:?}");
    }
    let key = driver.key("valid");
    let status = |driver: &mut Driver, key: &str| {
        driver.request(&post("/v1/chat/completions", Some(key), &chat("assay-chat"))).status
    };
    assert_eq!(status(&mut driver, &key), 200);
    assert_eq!(status(&mut driver, "svc-nobody"), 401);
    assert_eq!(
        driver.request(&get("/svc/auth/check", None)).status,
        401,
        "the key check accepts no payments"
    );
    let at_server = driver.ask_at(SERVERS[0], &keyless);
    assert_eq!(at_server.status, 401, "a server's own site has no payment flow");
    driver.set_gateway_limits(&json!({ "payment_flow": 0 }));
    assert_eq!(driver.request(&keyless).status, 401);
}
