//! The two lists: pages at their bounds, and every filter against an independent model.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::Driver;
use crate::common::body_of;
use crate::common::drop::get;
use crate::common::net::{FLAT, MESSAGES, Wallet, message_at, refused};

/// A world with `count` messages of one wallet, the newest last.
fn filled(count: usize) -> (Driver, Vec<String>) {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let now = driver.now().seconds();
    let hashes = (0..count)
        .map(|n| {
            let sent = message_at(now - 1000 + n as i64, "POST", &json!({ "n": n }));
            driver.take_message(&wallet, &sent)
        })
        .collect();
    (driver, hashes)
}

fn shown(driver: &mut Driver, query: &str) -> (Vec<String>, Value) {
    let list = driver.read(&format!("{MESSAGES}{query}"));
    let messages = list["messages"].as_array().expect("an array");
    let hashes = messages.iter().map(|one| one["item_hash"].as_str().expect("a hash").to_owned()).collect();
    (hashes, list["pagination"].clone())
}

#[test]
fn pages_have_exact_sizes() {
    let (mut driver, hashes) = filled(120);
    let newest: Vec<&String> = hashes.iter().rev().collect();
    for (query, from, to, per_page, pages) in [
        ("", 0, 20, 20, 6),
        ("?page=1", 0, 20, 20, 6),
        ("?page=6", 100, 120, 20, 6),
        ("?page=7", 0, 0, 20, 6),
        ("?page=9223372036854775807", 0, 0, 20, 6),
        ("?limit=1", 0, 1, 1, 120),
        ("?limit=1&page=120", 119, 120, 1, 120),
        ("?limit=1&page=121", 0, 0, 1, 120),
        ("?limit=99", 0, 99, 99, 2),
        ("?limit=99&page=2", 99, 120, 99, 2),
        ("?limit=100", 0, 100, 100, 2),
        ("?limit=101", 0, 100, 100, 2),
        ("?limit=101&page=2", 100, 120, 100, 2),
        ("?limit=9223372036854775807", 0, 100, 100, 2),
        ("?limit=&page=", 0, 20, 20, 6),
    ] {
        let (hashes, pagination) = shown(&mut driver, query);
        assert_eq!(hashes.iter().collect::<Vec<_>>(), newest[from..to], "{query}");
        assert_eq!(pagination["total"], 120, "{query}");
        assert_eq!((&pagination["per_page"], &pagination["total_pages"]), (&json!(per_page), &json!(pages)));
    }
    let flat = driver.read(&format!("{FLAT}?limit=101"));
    assert_eq!(flat["messages"].as_array().map(Vec::len), Some(100));
}

#[test]
fn invalid_pages_and_limits_are_rejected() {
    let (mut driver, _) = filled(1);
    let odd = ["0", "-1", "x", "1.5", "9223372036854775808", "%00", "1e3", "0x1", "+"];
    for value in odd {
        for name in ["page", "limit"] {
            for path in [MESSAGES, FLAT] {
                let reply = driver.net(&get(&format!("{path}?{name}={value}")));
                assert_eq!(refused(&reply), 400, "{path} {name}={value}");
            }
        }
    }
    driver.apply_variations(&["network.odd-pages"]);
    for value in odd {
        assert_eq!(shown(&mut driver, &format!("?page={value}")).0.len(), 1);
    }
}

#[test]
fn an_empty_list_has_no_pages() {
    let mut driver = Driver::unhurried(1);
    let (hashes, pagination) = shown(&mut driver, "");
    assert!(hashes.is_empty());
    assert_eq!(pagination, json!({ "total": 0, "page": 1, "per_page": 20, "total_pages": 0 }));
    driver.apply_variations(&["network.empty-page", "network.past-end-404"]);
    assert_eq!(shown(&mut driver, "?page=3").1["total_pages"], 1, "an empty list has no page after the last");
}

#[test]
fn variations_change_lists() {
    let (mut driver, hashes) = filled(30);
    driver.apply_variations(&["network.ascending"]);
    assert_eq!(shown(&mut driver, "").0, hashes[..20]);
    assert_eq!(shown(&mut driver, "?page=2").0, hashes[20..]);
    assert_eq!(driver.hashes_of(MESSAGES, 7), hashes);
    driver.apply_variations(&["network.limit-400", "network.past-end-404", "network.flat-array"]);
    assert_eq!(refused(&driver.net(&get(&format!("{MESSAGES}?limit=101")))), 400);
    assert_eq!(shown(&mut driver, "?limit=100").0.len(), 30);
    assert_eq!(refused(&driver.net(&get(&format!("{MESSAGES}?page=3")))), 404);
    assert_eq!(driver.read(FLAT).as_array().map(Vec::len), Some(20));
}

#[test]
fn dates_bound_the_flat_list() {
    let (mut driver, hashes) = filled(10);
    let start = driver.now().seconds() - 1000;
    let of = |driver: &mut Driver, from: i64, to: i64| {
        let target = format!("{FLAT}?startDate={from}&endDate={to}");
        driver.hashes_of(&target, 100)
    };
    let newest = |from: usize, to: usize| hashes[from..to].iter().rev().cloned().collect::<Vec<_>>();
    assert_eq!(of(&mut driver, start, start + 10), newest(0, 10));
    assert_eq!(of(&mut driver, start + 1, start + 9), newest(1, 9));
    assert_eq!(of(&mut driver, start + 5, start + 5), newest(5, 5));
    assert_eq!(of(&mut driver, i64::MIN, i64::MAX), newest(0, 10));
    assert_eq!(of(&mut driver, start + 9, start), newest(0, 0));
    driver.apply_variations(&["network.edges"]);
    assert_eq!(of(&mut driver, start, start + 9), newest(1, 10));
    for bad in ["x", "1.5", "99999999999999999999"] {
        assert_eq!(refused(&driver.net(&get(&format!("{FLAT}?startDate={bad}")))), 400);
        assert_eq!(refused(&driver.net(&get(&format!("{FLAT}?endDate={bad}")))), 400);
    }
}

#[test]
fn messages_with_too_many_members_or_tags_are_still_found() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let many: serde_json::Map<String, Value> = (0..40).map(|n| (format!("k{n}"), json!(n))).collect();
    let tags: Vec<String> = (0..40).map(|n| format!("t{n}")).collect();
    let now = driver.now().seconds();
    let contents = [
        Value::Object(many),
        json!({ "k39": { "a": [1] } }),
        json!({ "tags": tags }),
        json!({ "tags": ["t39", "t1"] }),
    ];
    let hashes: Vec<String> = contents
        .iter()
        .map(|content| driver.take_message(&wallet, &message_at(now, "POST", content)))
        .collect();
    let mut found = |query: &str| {
        let set: BTreeSet<String> = driver.hashes_of(&format!("{MESSAGES}?{query}"), 1).into_iter().collect();
        hashes
            .iter()
            .enumerate()
            .filter(|(_, hash)| set.contains(*hash))
            .map(|(at, _)| at)
            .collect::<Vec<_>>()
    };
    assert_eq!(found("content.keys=k39"), [0, 1]);
    assert_eq!(found("content.keys=k39.a"), [1]);
    assert_eq!(found("content.keys=$.k0"), [0]);
    assert_eq!(found("tags=t39"), [2, 3]);
    assert_eq!(found("tags=t1,t39,t0"), [2, 3]);
    assert_eq!(found("tags=t40"), [] as [usize; 0]);
    assert_eq!(found("tags=t1&content.keys=tags&types=POST"), [2, 3]);
}

/// The properties of one message of the corpus.
#[derive(Clone, Debug)]
struct Spec {
    wallet: u16,
    channel: u8,
    kind: bool,
    content_type: u8,
    tags: Vec<u8>,
    key: u8,
    ago: i64,
}

fn spec() -> impl Strategy<Value = Spec> {
    (1..4_u16, 0..3_u8, any::<bool>(), 0..3_u8, proptest::collection::vec(0..4_u8, 0..3), 0..3_u8, 0..12_i64)
        .prop_map(|(wallet, channel, kind, content_type, tags, key, ago)| Spec {
            wallet,
            channel,
            kind,
            content_type,
            tags,
            key,
            ago,
        })
}

impl Spec {
    fn send(&self, driver: &mut Driver, n: usize) -> String {
        let mut content = json!({ "n": n, "type": format!("type{}", self.content_type) });
        content[format!("key{}", self.key)] = json!({ "deep": n });
        content["tags"] = self.tags.iter().map(|tag| format!("tag{tag}")).collect();
        let mut message = message_at(driver.now().seconds() - self.ago, self.name(), &content);
        message["channel"] = json!(format!("C{}", self.channel));
        driver.take_message(&Wallet::new(self.wallet), &message)
    }

    /// A STORE without a file is rejected but still listed.
    fn name(&self) -> &'static str {
        if self.kind { "POST" } else { "STORE" }
    }
}

/// Filters. An empty list means that there is no filter.
#[derive(Clone, Debug)]
struct Wanted {
    wallets: Vec<u16>,
    channels: Vec<u8>,
    kinds: Vec<bool>,
    tags: Vec<u8>,
    key: Option<(u8, bool)>,
    content_types: Vec<u8>,
    dates: Option<(i64, i64)>,
    upper_case: bool,
    limit: usize,
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let few = |top: u8| proptest::collection::vec(0..top, 0..3);
    (
        proptest::collection::vec(1..5_u16, 0..3),
        few(4),
        proptest::collection::vec(any::<bool>(), 0..3),
        few(5),
        proptest::option::of((0..4_u8, any::<bool>())),
        few(4),
        proptest::option::of((0..13_i64, 0..13_i64)),
        any::<bool>(),
        1..9_usize,
    )
        .prop_map(|(wallets, channels, kinds, tags, key, content_types, dates, upper_case, limit)| {
            Wanted { wallets, channels, kinds, tags, key, content_types, dates, upper_case, limit }
        })
}

fn among<T: PartialEq>(wanted: &[T], one: &T) -> bool {
    wanted.is_empty() || wanted.contains(one)
}

fn joined<T>(values: &[T], text: impl Fn(&T) -> String) -> String {
    values.iter().map(text).collect::<Vec<_>>().join(",")
}

impl Wanted {
    fn address(&self, wallet: u16) -> String {
        let address = Wallet::new(wallet).address;
        if self.upper_case { address.to_uppercase() } else { address }
    }

    fn of_list(&self, spec: &Spec) -> bool {
        self.of_both(spec)
            && among(&self.kinds, &spec.kind)
            && (self.tags.is_empty() || spec.tags.iter().any(|tag| self.tags.contains(tag)))
            && self.key.is_none_or(|(key, _)| key == spec.key)
    }

    fn of_flat(&self, spec: &Spec) -> bool {
        self.of_both(spec)
            && among(&self.content_types, &spec.content_type)
            && self.dates.is_none_or(|(from, to)| spec.ago <= from && spec.ago > to)
    }

    fn of_both(&self, spec: &Spec) -> bool {
        among(&self.wallets, &spec.wallet) && among(&self.channels, &spec.channel)
    }

    fn list(&self) -> String {
        let key = self
            .key
            .map_or_else(String::new, |(key, deep)| format!("key{key}{}", if deep { ".deep" } else { "" }));
        let kinds = joined(&self.kinds, |kind| if *kind { "POST" } else { "STORE" }.to_owned());
        let tags = joined(&self.tags, |tag| format!("tag{tag}"));
        format!("{MESSAGES}?{}&types={kinds}&tags={tags}&content.keys={key}", self.both())
    }

    fn flat(&self, now: i64) -> String {
        let types = joined(&self.content_types, |kind| format!("type{kind}"));
        let dates = self
            .dates
            .map_or_else(String::new, |(from, to)| format!("&startDate={}&endDate={}", now - from, now - to));
        format!("{FLAT}?{}&content_types={types}{dates}", self.both())
    }

    fn both(&self) -> String {
        let wallets = joined(&self.wallets, |wallet| self.address(*wallet));
        let channels = joined(&self.channels, |channel| format!("C{channel}"));
        format!("addresses={wallets}&channels={channels}")
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Paging returns each message once, newest first, and exactly those that the model selects.
    #[test]
    fn pages_equal_the_model(
        specs in proptest::collection::vec(spec(), 0..40),
        all_wanted in proptest::collection::vec(wanted(), 8),
    ) {
        let mut driver = Driver::unhurried(1);
        let hashes: Vec<String> = specs.iter().enumerate().map(|(n, spec)| spec.send(&mut driver, n)).collect();
        let now = driver.now().seconds();
        let mut newest: Vec<usize> = (0..specs.len()).collect();
        newest.sort_by_key(|n| (specs[*n].ago, std::cmp::Reverse(*n)));
        for wanted in all_wanted {
            let model = |holds: &dyn Fn(&Spec) -> bool| -> Vec<String> {
                newest.iter().filter(|n| holds(&specs[**n])).map(|n| hashes[*n].clone()).collect()
            };
            let listed = driver.hashes_of(&wanted.list(), wanted.limit);
            prop_assert_eq!(listed, model(&|spec| wanted.of_list(spec)), "{}", wanted.list());
            let flat = driver.hashes_of(&wanted.flat(now), wanted.limit);
            prop_assert_eq!(flat, model(&|spec| wanted.of_flat(spec)), "{}", wanted.flat(now));
        }
        let some: Vec<String> = hashes.iter().step_by(3).cloned().collect();
        if !some.is_empty() {
            let listed = driver.hashes_of(&format!("{MESSAGES}?hashes={0},{0}", some.join(",")), 4);
            prop_assert_eq!(listed.iter().collect::<BTreeSet<_>>(), some.iter().collect::<BTreeSet<_>>());
            prop_assert_eq!(listed.len(), some.len());
        }
    }
}

#[test]
fn a_filter_without_matches_returns_an_empty_list() {
    let (mut driver, _) = filled(3);
    for query in
        ["?addresses=0x1", "?types=post", "?channels=test", "?hashes=x", "?tags=t", "?content.keys=m"]
    {
        assert_eq!(shown(&mut driver, query).0, [] as [String; 0], "{query}");
    }
    let reply = driver.net(&get(&format!("{FLAT}?content_types=none")));
    assert_eq!(body_of(&reply)["messages"], json!([]));
}
