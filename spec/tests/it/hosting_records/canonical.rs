//! Canonical JSON: three levels in the documented order, everything below as received.

use assay_spec::Strict;
use assay_spec::network::signing::canonical;
use proptest::prelude::*;
use serde_json::{Map, Value};

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..9_007_199_254_740_992).prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-z]{1,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn shuffled(members: Vec<(&'static str, Value)>) -> impl Strategy<Value = Map<String, Value>> {
    Just(members)
        .prop_shuffle()
        .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

proptest! {
    #[test]
    fn documented_levels_are_ordered_and_the_rest_is_unchanged(
        body in values(),
        optional in proptest::sample::subsequence(vec!["key", "type", "ref"], 0..=3),
        (outer, inner) in (shuffled(vec![("type", "POST".into()), ("channel", "C".into()), ("content", Value::Null), ("sender", "0x1".into())]),
            shuffled(vec![("address", "a".into()), ("content", Value::Null), ("time", 7.into()), ("more", 1.into()), ("key", "k".into()), ("type", "t".into()), ("ref", "r".into())])),
    ) {
        let mut inner = inner;
        inner.retain(|name, _| !["key", "type", "ref"].contains(&name.as_str()) || optional.contains(&name.as_str()));
        inner["content"] = body.clone();
        let mut outer = outer;
        outer["content"] = Value::Object(inner);
        let members: Vec<String> = optional.iter().map(|name| format!("\"{name}\":\"{}\",", &name[..1])).collect();
        let members = members.concat();
        let expected = format!(
            "{{\"type\":\"POST\",\"channel\":\"C\",\"content\":{{\"address\":\"a\",{members}\"content\":{body},\"time\":7}}}}"
        );
        let sent = serde_json::to_string_pretty(&outer).unwrap();
        prop_assert_eq!(canonical(&sent, &mut Strict), Ok(expected));
    }
}
