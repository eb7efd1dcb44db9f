//! Hostile paths, through a real HTTP server and directly: they get 404, 422 or the HTTP layer's own rejection.

use std::time::Duration;

use assay_sim::clock::EPOCH;
use assay_sim::metadata::SITE;
use assay_sim::serve::{ClockMode, Handle, IN_MEMORY, connection};
use assay_sim::{World, serve};
use assay_spec::Dialect;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{fixture, get};
use crate::common::Driver;

/// The status for these bytes as a request target.
async fn status(handle: &serve::Handle, target: &[u8]) -> u16 {
    let (mut ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(connection(theirs, handle.site(SITE, IN_MEMORY)));
    let head = [b"GET ", target, b" HTTP/1.1\r\nHost: metadata.sim\r\nConnection: close\r\n\r\n"].concat();
    let talk = async {
        // A request that is rejected early may not be read to its end.
        let _ = ours.write_all(&head).await;
        let mut answer = Vec::new();
        let _ = ours.read_to_end(&mut answer).await;
        answer
    };
    let answer = tokio::time::timeout(Duration::from_secs(20), talk).await.expect("an answer in time");
    let line = String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned();
    line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{line:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_paths_are_rejected_by_their_layer() {
    let world = World::new(1, EPOCH, Dialect::default());
    let handle = Handle::new(world, ClockMode::Auto);
    let long = |piece: &str| format!("/{}", piece.repeat(100_000 / piece.len())).into_bytes();
    let cases: [(Vec<u8>, &[u16]); 22] = [
        (b"/a\0b".to_vec(), &[400]),
        (b"/a%00b".to_vec(), &[404]),
        (b"/a/%00".to_vec(), &[422]),
        (b"/a%2Fb".to_vec(), &[404]),
        (b"/a%2F%2F7".to_vec(), &[404]),
        (b"/a/7%2Foverrides".to_vec(), &[422]),
        (b"/%2e%2e".to_vec(), &[404]),
        (b"/%2e%2e/%2e%2e".to_vec(), &[422]),
        (b"/../../etc/passwd".to_vec(), &[404]),
        (b"/a/..".to_vec(), &[422]),
        (b"/%".to_vec(), &[404]),
        (b"/%zz/%".to_vec(), &[422]),
        (b"/%4//7".to_vec(), &[404]),
        (b"/\xff\xfe".to_vec(), &[400, 404]),
        (b"/a/\xff".to_vec(), &[400, 404, 422]),
        (b"/%ff".to_vec(), &[404]),
        (b"/a/%ff".to_vec(), &[404]),
        (long("a"), &[400, 404, 414, 431]),
        (long("/"), &[400, 404, 414, 431]),
        (long("%2F"), &[400, 404, 414, 431]),
        ([b"/a/".to_vec(), long("7")[1..].to_vec()].concat(), &[400, 404, 414, 431]),
        (b"/a b/7".to_vec(), &[400]),
    ];
    for (target, allowed) in cases {
        let status = status(&handle, &target).await;
        let shown = String::from_utf8_lossy(&target[..target.len().min(40)]).into_owned();
        assert!(allowed.contains(&status), "{shown}: {status}");
    }
    assert_eq!(status(&handle, b"/").await, 200, "the service still works");
}

#[test]
fn path_of_a_hundred_kilobytes_is_answered() {
    let mut driver = Driver::new(1);
    let uri = fixture(&driver, 0, "path");
    for (path, status) in [
        (format!("/{}", "a".repeat(100_000)), 404),
        ("/".repeat(100_000), 404),
        (format!("/{uri}{}", "/".repeat(100_000)), 404),
        (format!("/{uri}//{}", "7".repeat(100_000)), 404),
        (format!("/{uri}//{}", "x".repeat(100_000)), 422),
        (format!("/{}//7", "%2F".repeat(33_000)), 404),
        (format!("/{uri}//{}1", "0".repeat(100_000)), 200),
    ] {
        assert_eq!(get(&mut driver, &path).status, status, "{path:.60}");
    }
    let longest = driver.world.core.log.lines().map(|line| line.why.len()).max();
    assert!(longest.is_some_and(|length| length < 2000), "{longest:?}");
}

/// The rule of odd ids is asked of paths with an id alone.
#[test]
fn odd_bytes_of_a_contract_are_answered_at_its_place() {
    let mut driver = Driver::new(1);
    driver.world.core.watch_places();
    let base = fixture(&driver, 0, "path");
    for target in ["/%ff", "/%ff/"] {
        assert_eq!(get(&mut driver, &format!("/{base}{target}")).status, 404, "{target}");
        assert_eq!(driver.rows_are_at_their_places(), Ok(()), "{target}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_target_is_answered(target in "/[ -~]{0,40}", contract in 0_usize..4, in_front in any::<bool>()) {
        let mut driver = Driver::new(1);
        driver.world.core.watch_places();
        let member = if contract == 1 { "cid" } else { "path" };
        let base = fixture(&driver, contract, member);
        let target = if in_front { format!("/{base}{target}") } else { target };
        let status = get(&mut driver, &target).status;
        prop_assert!(matches!(status, 200 | 404 | 422), "{}: {}", target, status);
        prop_assert_eq!(driver.rows_are_at_their_places(), Ok(()));
    }
}
