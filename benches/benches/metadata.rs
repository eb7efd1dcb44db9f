//! Token metadata: resolving a raw path, compared with a router that knows the four forms without a URI and
//! with a URL parser; and a whole request for a token's document.

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};

use assay_benches::{Post, answer, criterion, input};
use assay_sim::clock::EPOCH;
use assay_sim::{RequestHead, World, metadata};
use assay_spec::metadata::route::{endpoint, route};
use assay_spec::{Dialect, Service, Strict};
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use http::{HeaderMap, Method};
use matchit::Router;
use url::Url;

const CID: &str = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
const URI: &str = "https://tokens.example:8443/collections/first";

/// The suffixes of the four forms of a contract's address.
fn forms(base: &str, separator: &str) -> [String; 4] {
    let end = if separator == "//" { "//" } else { "" };
    [
        format!("/{base}{end}"),
        format!("/{base}{separator}7"),
        format!("/{base}{separator}7.json"),
        format!("/{base}{separator}7/overrides"),
    ]
}

/// The forms that the router can distinguish; it treats `.json` as part of the id.
fn router() -> Router<u8> {
    let mut router = Router::new();
    for (n, path) in ["/{cid}", "/{cid}/{id}", "/{cid}/{id}/overrides"].into_iter().enumerate() {
        router.insert(path, u8::try_from(n).expect("three")).expect("a path");
    }
    router
}

fn paths(c: &mut Criterion) {
    let (by_cid, by_uri) = (forms(CID, "/"), forms(URI, "//"));
    let router = router();
    let mut group = c.benchmark_group("metadata_paths");
    group.throughput(Throughput::Elements(4));
    group.bench_function("route_by_cid", |b| {
        b.iter(|| {
            by_cid.each_ref().map(|path| route(black_box(path).as_bytes(), &mut Strict).expect("a resource"))
        });
    });
    group.bench_function("endpoint_by_cid", |b| {
        b.iter(|| {
            by_cid.each_ref().map(|path| endpoint(black_box(path).as_bytes()).expect("an endpoint").name)
        });
    });
    group.bench_function("peer_matchit_by_cid", |b| {
        b.iter(|| by_cid.each_ref().map(|path| *router.at(black_box(path)).expect("a route").value));
    });
    group.bench_function("route_by_uri", |b| {
        b.iter(|| {
            by_uri.each_ref().map(|path| route(black_box(path).as_bytes(), &mut Strict).expect("a resource"))
        });
    });
    let base = Url::parse("http://metadata.example").expect("a URL");
    group.bench_function("peer_url_by_uri", |b| {
        b.iter(|| by_uri.each_ref().map(|path| base.join(&format!(".{}", black_box(path))).expect("a URL")));
    });
    group.finish();
}

fn requests(c: &mut Criterion) {
    let mut world = World::new(1, EPOCH, Dialect::default());
    let view = world.view(Service::Metadata);
    let uri = view["contracts"][0]["path"].as_str().expect("a path").to_owned();
    let get = || {
        let (site, peer) = (metadata::SITE, IpAddr::V4(Ipv4Addr::LOCALHOST));
        let target = format!("/{uri}//3.json");
        let head = RequestHead { site, peer, method: Method::GET, target, headers: HeaderMap::new() };
        Post { head, body: Bytes::new() }
    };
    let mut group = c.benchmark_group("metadata_requests");
    group.throughput(Throughput::Elements(1));
    group.bench_function("token_by_uri", |b| {
        b.iter(|| assert_eq!(answer(&input(&mut world, get())).0, 200));
    });
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = paths, requests }
criterion_main!(benches);
