//! How many checks run at a time at a shared target.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_spec::Service;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::Remote;
use assay_suites::profile::MetadataContract;
use assay_suites::services;
use assay_suites::services::metadata;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The longest that a test waits for requests that do not come.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server of several sites that holds each response until `at_once` requests have been in flight, and the most that
/// were in flight at each site.
async fn holding(at_once: usize) -> (String, Arc<Mutex<BTreeMap<String, usize>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let most = Arc::new(Mutex::new(BTreeMap::new()));
    let (in_flight, seen) = (Arc::new(Mutex::new(BTreeMap::<String, usize>::new())), most.clone());
    let (reached, _) = watch::channel(false);
    let reached = Arc::new(reached);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (in_flight, seen, reached) = (in_flight.clone(), seen.clone(), reached.clone());
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    if stream.read_buf(&mut head).await.unwrap_or_default() == 0 {
                        return;
                    }
                }
                // The first part of the path is the site.
                let head = String::from_utf8_lossy(&head).into_owned();
                let site = head.split('/').nth(1).unwrap_or_default().to_owned();
                let count = |by: isize| {
                    let mut in_flight = in_flight.lock().expect("not poisoned");
                    let count = in_flight.entry(site.clone()).or_default();
                    *count = count.saturating_add_signed(by);
                    let mut seen = seen.lock().expect("not poisoned");
                    let most: &mut usize = seen.entry(site.clone()).or_default();
                    *most = (*most).max(*count);
                    in_flight.values().sum::<usize>()
                };
                if count(1) >= at_once {
                    reached.send_replace(true);
                }
                let _ =
                    tokio::time::timeout(PATIENCE, reached.subscribe().wait_for(|reached| *reached)).await;
                count(-1);
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
            });
        }
    });
    (url, most)
}

/// The most requests in flight at each service, when these services run with four jobs and their limit.
async fn most_in_flight(services: &[Service], at_once: usize) -> BTreeMap<String, usize> {
    let (url, most) = holding(at_once).await;
    let sites = services.iter().map(|service| (service.name().to_owned(), format!("{url}/{service}")));
    let target = Remote::new(sites.collect(), None).await.expect("no control API");
    let (mut settings, pace) = (services::settings(), Pace::default());
    settings.fixtures.get_mut::<metadata::Fixtures>().contracts = vec![MetadataContract {
        cid: Some("bafk".to_owned()),
        tokens: vec!["1".to_owned()],
        ..MetadataContract::default()
    }];
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    // Each of these reads another document, so none waits for the response of another.
    let groups = ["metadata.root.*", "metadata.contract.by-cid", "metadata.token.by-cid*", "drop.upload.*"];
    let groups = groups.map(str::to_owned);
    let checks = select(services::checks(), services, &groups);
    let run = runner.run(&plan(&target, &checks), |_| {}).await;
    assert_eq!(run.outcomes.len(), checks.len());
    most.lock().expect("not poisoned").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_share_nothing_run_beside_each_other() {
    let most = most_in_flight(&[Service::Metadata], 4).await;
    assert!(most["metadata"] >= 4, "{most:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn services_run_beside_each_other_and_a_drop_one_at_a_time() {
    let most = most_in_flight(&[Service::Metadata, Service::Drop], 5).await;
    assert!(most["metadata"] >= 4, "{most:?}");
    assert!((1..=2).contains(&most["drop"]), "a check may send two requests at a time: {most:?}");
}
