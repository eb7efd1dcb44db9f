//! Verifiable random numbers: a drawn number verifies, and nothing else does.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::net::{post, refused};
use crate::common::{Call, Driver, body_of, show};

const GENERATE: &str = "/api/v0/vrf/generate";
const VERIFY: &str = "/api/v0/vrf/verify";

fn generate(driver: &mut Driver, body: &Value) -> Value {
    let reply = driver.net(&post(GENERATE, body));
    assert_eq!(reply.status, 200, "{}", show(&reply));
    body_of(&reply)
}

fn valid(driver: &mut Driver, claim: &Value) -> Value {
    let reply = driver.net(&post(VERIFY, claim));
    assert_eq!(reply.status, 200, "{}", show(&reply));
    body_of(&reply)["valid"].clone()
}

#[test]
fn only_a_drawn_number_verifies() {
    let mut driver = Driver::unhurried(1);
    let drawn =
        generate(&mut driver, &json!({ "seed": "s\u{e9}", "min": -1000, "max": 1_000_000, "count": 1 }));
    assert_eq!(drawn["seed"], "s\u{e9}");
    assert!((-1000..=1_000_000).contains(&drawn["value"].as_i64().expect("an integer")));
    let good = json!({ "seed": drawn["seed"], "value": drawn["value"], "proof": drawn["proof"] });
    assert_eq!(valid(&mut driver, &good), true);
    let proof = drawn["proof"].as_str().expect("a string");
    let changes = [
        ("seed", json!("s")),
        ("seed", json!("")),
        ("value", json!(drawn["value"].as_i64().expect("an integer") + 1)),
        ("value", json!(i64::MIN)),
        ("proof", json!("")),
        ("proof", json!("zz")),
        ("proof", json!(format!("{proof}00"))),
        ("proof", json!(proof.to_uppercase())),
        ("proof", json!("\u{202e}")),
    ];
    for (name, value) in changes {
        let mut bad = good.clone();
        bad[name] = value;
        assert_eq!(valid(&mut driver, &bad), false, "{name}: {}", bad[name]);
    }
    for at in (0..proof.len()).step_by(7) {
        let mut other = proof.to_owned();
        let digit = if &proof[at..=at] == "0" { "1" } else { "0" };
        other.replace_range(at..=at, digit);
        let mut bad = good.clone();
        bad["proof"] = json!(other);
        assert_eq!(valid(&mut driver, &bad), false, "digit {at}");
    }
    // Another world has another key.
    assert_eq!(valid(&mut Driver::unhurried(2), &good), false);
}

#[test]
fn a_seed_gives_the_same_value_or_a_new_one_under_a_variation() {
    let mut driver = Driver::unhurried(1);
    let wanted = json!({ "seed": "s", "min": 0, "max": 1_000_000_000, "count": 3 });
    let first = generate(&mut driver, &wanted);
    assert_eq!(generate(&mut driver, &wanted), first);
    driver.apply_variations(&["network.vrf-fresh", "network.vrf-refused"]);
    let fresh = [generate(&mut driver, &wanted), generate(&mut driver, &wanted)];
    assert!(fresh[0]["value"] != fresh[1]["value"]);
    for drawn in fresh.iter().chain([&first]) {
        let claim = json!({ "seed": "s", "value": drawn["value"], "proof": drawn["proof"] });
        assert_eq!(valid(&mut driver, &claim), true);
    }
    let foreign = json!({ "seed": "t", "value": first["value"], "proof": first["proof"] });
    assert_eq!(refused(&driver.net(&post(VERIFY, &foreign))), 400);
}

#[test]
fn bodies_of_another_form_are_rejected() {
    let mut driver = Driver::unhurried(1);
    let generation = json!({ "seed": "s", "min": 1, "max": 9, "count": 1 });
    let verification = json!({ "seed": "s", "value": 1, "proof": "00" });
    for (path, good) in [(GENERATE, generation), (VERIFY, verification)] {
        for name in good.as_object().expect("an object").keys() {
            for shape in [Value::Null, json!(true), json!([]), json!({}), json!(1.5), json!(1e300)] {
                let mut bad = good.clone();
                bad[name] = shape;
                assert_eq!(refused(&driver.net(&post(path, &bad))), 400, "{path} {bad}");
            }
            let mut bad = good.clone();
            bad.as_object_mut().expect("an object").shift_remove(name);
            if name != "count" {
                assert_eq!(refused(&driver.net(&post(path, &bad))), 400, "{path} {bad}");
            }
        }
        let deep = "[".repeat(200_000);
        for bad in ["", "x", "[]", "null", "{", "\u{feff}{}", &deep] {
            let reply = driver.net(&Call::new("POST", path, Vec::new(), bad.as_bytes().to_vec()));
            assert_eq!(refused(&reply), 400, "{path} {bad:.20}");
        }
    }
    for (min, max, count) in [(2, 1, 1), (0, 1, 0), (0, 1, -1), (0, 1, 1_000_000), (0, i64::MAX, 1)] {
        let body = json!({ "seed": "s", "min": min, "max": max, "count": count });
        assert_eq!(refused(&driver.net(&post(GENERATE, &body))), 400, "{body}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn values_are_within_their_bounds_and_verify(
        seed in "\\PC{0,20}", a in -1_000_000_000_000_i64..1_000_000_000_000, b in -1_000_000_000_000_i64..1_000_000_000_000,
        count in 1..5_i64,
    ) {
        let mut driver = Driver::unhurried(1);
        let (min, max) = (a.min(b), a.max(b));
        let drawn = generate(&mut driver, &json!({ "seed": seed, "min": min, "max": max, "count": count }));
        let value = drawn["value"].as_i64().expect("one integer");
        prop_assert!((min..=max).contains(&value));
        let claim = json!({ "seed": seed, "value": value, "proof": drawn["proof"] });
        prop_assert_eq!(valid(&mut driver, &claim), json!(true));
    }
}
