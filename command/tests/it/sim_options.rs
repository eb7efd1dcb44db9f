//! `assay sim` as a stand-in in other setups: which services it starts, at which ports, under which host, and for which pages.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use assay_spec::Service;
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::connect::Connect;
use assay_suites::http::exchange::Request;
use assay_suites::profile::Profile;
use serde_json::{Value, json};
use tempfile::tempdir;

const PAGE: &str = "http://app.example:3000";

/// The response to a request with these header lines and this body, as it came.
fn sent(base: &str, request: &str, headers: &[&str], body: &str) -> String {
    let host = base.trim_start_matches("http://").split('/').next().expect("a host");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    response
}

/// The head of a response, by header name, with the status line under an empty name.
fn head(response: &str) -> BTreeMap<&str, &str> {
    let (head, _) = response.split_once("\r\n\r\n").expect("a head");
    head.lines().map(|line| line.split_once(": ").unwrap_or(("", line))).collect()
}

/// Sends JSON to the control API.
fn control(served: &Served, request: &str, body: &Value) -> Value {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    let request = format!("{method} /_sim/v1/{path}");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = sent(&served.control, &request, &["content-type: application/json"], &body);
    serde_json::from_str(response.split_once("\r\n\r\n").expect("a head").1).expect("JSON")
}

async fn started(options: Options) -> Served {
    start(&options).await.expect("a simulator")
}

/// Options for ports of an address of its own, which no other test uses.
fn at(listen: &str) -> Options {
    Options { listen: listen.parse().expect("an address"), ..Options::new(7) }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_named_services_and_what_they_need_start() {
    let network = ["compute-1", "compute-2", "credit"];
    let nodes = ["network", "network-alt", "network-mirror", "scheduler", "status"];
    for (only, sites) in [
        (Service::Drop, vec!["drop"]),
        (Service::Metadata, vec!["metadata"]),
        (Service::Publish, vec!["chain", "publish"]),
        (Service::Gateway, vec!["enclave", "gateway", "server-a", "server-b", "server-c"]),
        (Service::Network, [&network[..], &nodes].concat()),
        (Service::Hosting, [&network[..], &["hosting"], &nodes].concat()),
    ] {
        let served = started(Options { only: vec![only], ..Options::new(7) }).await;
        let names = |urls: &Value| urls.as_object().expect("URLs").keys().cloned().collect::<Vec<_>>();
        let described = served.described();
        assert_eq!(names(&described["sites"]), sites, "{only}");
        assert_eq!(names(&control(&served, "GET info", &Value::Null)["sites"]), sites, "{only}");
        let fork = control(&served, "POST fork", &json!({}));
        assert_eq!(names(&fork["sites"]), sites, "{only}: a fork listens in the same way");
        let world = fork["world"].as_str().expect("a name");
        control(&served, &format!("POST worlds/{world}/close"), &Value::Null);
        let again = control(&served, &format!("POST worlds/{world}/open"), &Value::Null);
        assert_eq!(names(&again["sites"]), sites, "{only}: it opens again in the same way");

        let folder = tempdir().expect("a folder");
        let path = folder.path().join("p.toml");
        served.write_profile(&path, None).expect("a profile");
        let written = std::fs::read_to_string(&path).expect("a profile");
        for service in Service::ALL {
            let is_there = sites.contains(&service.name());
            assert_eq!(written.contains(&format!("\n[{service}]\n")), is_there, "{only}: {service}");
            assert_eq!(!described["services"][service.name()].is_null(), is_there, "{only}: {service}");
            let variable = format!("ASSAY_{}_URL=", service.name().to_uppercase());
            assert_eq!(served.environment().contains(&variable), is_there, "{only}: {service}");
        }
        let names_a_key = served.environment().contains("OPENAI_API_KEY=");
        assert_eq!(names_a_key, only == Service::Gateway, "{only}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_run_against_the_services_that_were_started() {
    let folder = tempdir().expect("a folder");
    let served = started(Options { only: vec![Service::Hosting], ..Options::new(7) }).await;
    let path = folder.path().join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    let mut run = Command::new(env!("CARGO_BIN_EXE_assay"));
    run.args(["run", "--profile", "p.toml", "hosting.projects", "network.info"]);
    run.current_dir(folder.path()).stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || run.output().expect("it starts"));
    let output = output.await.expect("no panic");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{printed}{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn sites_are_at_the_ports_that_were_chosen() {
    let ports = ["drop=28080", "gateway=28443", "enclave=0"].map(str::to_owned).to_vec();
    let served = started(Options { ports, ..at("127.0.41.1:24100") }).await;
    let url = |site: &str| served.sites[site].as_str();
    assert_eq!(served.control, "http://127.0.41.1:24100/_sim/v1");
    assert_eq!(url("drop"), "http://127.0.41.1:28080");
    assert_eq!(url("gateway"), "http://127.0.41.1:28443");
    assert_eq!(url("metadata"), "http://127.0.41.1:24106", "others keep their places");
    assert!(!url("enclave").ends_with(":24105") && !url("enclave").ends_with(":0"), "{}", url("enclave"));
    assert!(sent(url("drop"), "POST /api/drop", &[], "").starts_with("HTTP/1.1 400"), "it answers there");
    // The place of one site may be given to another.
    let ports = ["drop=24101", "gateway=24118"].map(str::to_owned).to_vec();
    let served = started(Options { ports, ..at("127.0.41.2:24100") }).await;
    assert_eq!(served.sites["drop"], "http://127.0.41.2:24101");
    // Every other port is free, and one is fixed.
    let served = started(Options { ports: vec!["status=28081".to_owned()], ..at("127.0.41.3:0") }).await;
    assert_eq!(served.sites["status"], "http://127.0.41.3:28081");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_options_say_what_to_write_before_anything_starts() {
    let held = TcpListener::bind("127.0.41.4:0").expect("a port");
    let held = held.local_addr().expect("an address").port();
    let in_use = format!("drop={held}");
    #[rustfmt::skip]
    let cases: &[(&[&str], &str)] = &[
        (&["--only", "gatway"], "unknown service; known services: gateway, metadata, network, hosting, publish, drop"),
        (&["--only", ""], "unknown service"),
        (&["--only", "drop,"], "unknown service"),
        (&["--port", "dorp=80"], "--port \"dorp=80\": unknown site; did you mean drop?"),
        (&["--port", "network-mirrow=80"], "did you mean network-mirror?"),
        (&["--port", "drop"], "write SITE=PORT, such as drop=8080"),
        (&["--port", "drop="], "a port is a number from 0 (any free port) to 65535"),
        (&["--port", "drop=65536"], "a port is a number from 0 (any free port) to 65535"),
        (&["--port", "drop=-1"], "a port is a number from 0 (any free port) to 65535"),
        (&["--port", "drop=+1"], "a port is a number from 0 (any free port) to 65535"),
        (&["--port", "drop=http"], "a port is a number from 0 (any free port) to 65535"),
        (&["--port", "drop=8080", "--port", "drop=8081"], "drop has a port already; name each site once"),
        (&["--port", "control=80"], "the control API and its page are at the port of --listen"),
        (&["--port", "drop=8080", "--port", "chain=8080"], "port 8080 is that of chain and of drop; --port drop=0"),
        (&["--port", "drop=4105"], "port 4105 is that of enclave and of drop"),
        (&["--port", "drop=4100"], "port 4100 is that of control and of drop"),
        (&["--port", "drop=80", "--only", "gateway"], "--only does not start drop; add drop to --only"),
        (&["--listen", "127.0.41.4:65530"], "metadata listens 6 above the control API, and port 65530 + 6 does not exist"),
        (&["--listen", "127.0.41.4:0", "--port", &in_use], "(drop): Address already in use"),
        (&["--listen", "127.0.41.4:0", "--port", &in_use], "--port SITE=PORT or --listen 127.0.0.1:PORT chooses other ports"),
        (&["--public-host", ""], "write a host name of letters, digits, hyphens and dots, or an IP address"),
        (&["--public-host", "http://a.example"], "write the host alone, without a scheme and a path"),
        (&["--public-host", "a.example:80"], "write the host without a port"),
        (&["--public-host", "::1"], "write an IPv6 address in brackets, such as [::1]"),
        (&["--public-host", "0.0.0.0"], "write the one that clients use, such as localhost"),
        (&["--public-host", "a\nb"], "--public-host \"a\\nb\": write a host name"),
        (&["--cors", ""], "--cors \"\" is not an origin"),
        (&["--cors", "localhost:3000"], "such as http://localhost:3000, without a path"),
        (&["--cors", "http://localhost:3000/"], "such as http://localhost:3000, without a path"),
        (&["--cors", "http://a\r\nx-y: z"], "--cors \"http://a\\r\\nx-y: z\" is not an origin"),
    ];
    for (arguments, words) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.arg("sim").args(*arguments).stdin(Stdio::null());
        let output = tokio::task::spawn_blocking(move || command.output().expect("it starts"));
        let output = output.await.expect("no panic");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}: nothing has started");
        assert!(said.contains(words) && !said.contains("panicked"), "{arguments:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_inside_answers_can_be_followed_at_the_public_host() {
    let folder = tempdir().expect("a folder");
    let (token, public_host) = (Some("t".to_owned()), Some("LOCALHOST".to_owned()));
    let served = started(Options { token, public_host, ..at("0.0.0.0:0") }).await;
    let path = folder.path().join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    for shown in [served.table(), served.environment(), served.described().to_string()] {
        assert!(shown.contains("://localhost:") && !shown.contains("0.0.0.0"), "{shown}");
    }
    let written = std::fs::read_to_string(&path).expect("a profile");
    assert!(written.contains("url = \"http://localhost:") && !written.contains("0.0.0.0"), "{written}");

    let loaded = Profile::load(&path).expect("the profile that was written");
    let sockets = loaded.profile.sockets(&loaded.folder).expect("certificates");
    let get = async |base: &str, target: &str, authorization: &str| {
        let stream = sockets.connect(base, None).await.expect("it listens there");
        let request = Request::new("GET", target).header("authorization", authorization);
        let host = base.rsplit('/').next().expect("a host");
        let response = exchange(stream, &request, host, Limits::default()).await.expect("a response");
        assert_eq!(response.status, 200, "{base}{target}");
        response.json().expect("JSON")
    };
    let discovery = get(&served.sites["gateway"], "/svc/models", "").await;
    let server = discovery["assay-chat"]["servers"][0].as_str().expect("a URL").to_owned();
    assert!(server.starts_with("https://localhost:"), "{server}");
    assert_eq!(get(&server, "/v1/models", "").await["object"], "list");

    // The control API answers at this host, too.
    let base = served.control.strip_suffix("/_sim/v1").expect("the prefix");
    let info = get(base, "/_sim/v1/info", "Bearer t").await;
    assert_eq!(info["sites"], served.described()["sites"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_origin_uses_the_services_and_not_the_control_api() {
    let options = Options { clock: assay_sim::serve::ClockMode::Manual, ..Options::new(7) };
    let epoch = assay_sim::clock::EPOCH;
    let plain = started(Options { epoch, ..options.clone() }).await;
    let cors = vec!["HTTP://app.example:3000".to_owned(), "https://b.example".to_owned()];
    let served = started(Options { epoch, cors, ..options }).await;
    let journal = |served: &Served| served.handle.read(|world| world.core.journal.count());
    let origin = format!("origin: {PAGE}");
    let target = "/v1/chat/completions";
    let preflight = |served: &Served, origin: &str| {
        let asks =
            ["access-control-request-method: POST", "access-control-request-headers: authorization,x-a"];
        let lines = [&[origin][..], &asks].concat();
        sent(&served.sites["gateway"], &format!("OPTIONS {target}"), &lines, "")
    };

    let before = journal(&served);
    let response = preflight(&served, &origin);
    let headers = head(&response);
    assert_eq!(headers[""], "HTTP/1.1 204 No Content");
    assert_eq!(headers["access-control-allow-origin"], PAGE);
    assert_eq!(headers["access-control-allow-credentials"], "true");
    assert_eq!(headers["access-control-allow-methods"], "POST");
    assert_eq!(headers["access-control-allow-headers"], "authorization,x-a");
    assert!(headers["vary"].starts_with("Origin"), "{response}");
    let stranger = preflight(&served, "origin: http://evil.example");
    assert!(stranger.starts_with("HTTP/1.1 403") && !stranger.contains("access-control"), "{stranger}");
    assert_eq!(journal(&served), before, "a world sees no preflight");

    let described = served.described();
    let key = format!(
        "authorization: Bearer {}",
        described["services"]["gateway"]["key"][0].as_str().expect("a key")
    );
    let chat = json!({ "model": "assay-chat", "messages": [{ "role": "user", "content": "Hello" }] });
    let ask = |served: &Served, origin: &[&str]| {
        let lines = [&[key.as_str(), "content-type: application/json"][..], origin].concat();
        sent(&served.sites["gateway"], &format!("POST {target}"), &lines, &chat.to_string())
    };
    let (with, without) = (ask(&served, &[&origin]), ask(&plain, &[&origin]));
    let headers = head(&with);
    assert_eq!(headers[""], "HTTP/1.1 200 OK", "{with}");
    assert_eq!(headers["access-control-allow-origin"], PAGE);
    assert_eq!(headers["vary"], "Origin");
    assert!(headers["access-control-expose-headers"].contains("content-type"), "{with}");
    // The service itself returns the same bytes, and the world saw the same.
    let own = |response: &str| {
        let lines = response.split("\r\n").map(str::to_owned);
        let is_own = |line: &String| !line.starts_with("access-control-") && line != "vary: Origin";
        lines.filter(is_own).collect::<Vec<_>>()
    };
    assert_eq!(own(&with), own(&without));
    assert_eq!(journal(&served), journal(&plain));

    // Another page, and a client without an origin, get no permission.
    for other in [&["origin: http://evil.example"][..], &[]] {
        let response = ask(&served, other);
        assert!(response.contains("\r\nvary: Origin\r\n"), "caches keep it for no other origin: {response}");
        assert!(!response.contains("access-control"), "{response}");
    }
    // An OPTIONS that is not a preflight, and every OPTIONS without the option, reaches the service.
    let before = journal(&served);
    sent(&served.sites["gateway"], &format!("OPTIONS {target}"), &[&origin], "");
    assert!(journal(&served) > before);
    let before = journal(&plain);
    assert!(!preflight(&plain, &origin).contains("access-control"));
    assert!(journal(&plain) > before);

    let refused = sent(&served.control, "GET /_sim/v1/info", &[&origin], "");
    assert!(refused.starts_with("HTTP/1.1 403") && !refused.contains("access-control"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_origin_is_allowed_without_credentials() {
    let deviations = vec!["drop.upload.no-cors".to_owned()];
    let served = started(Options { cors: vec!["*".to_owned()], deviations, ..Options::new(7) }).await;
    for origin in ["origin: http://a.example", "origin: null"] {
        let response = sent(&served.sites["drop"], "POST /api/drop", &[origin], "");
        assert_eq!(response.matches("access-control-allow-origin: *").count(), 1, "{response}");
        assert!(!response.contains("credentials") && response.contains("vary: Origin"), "{response}");
    }
    // Forks are served in the same way.
    let fork = control(&served, "POST fork", &json!({}));
    let drop = fork["sites"]["drop"].as_str().expect("a URL");
    assert!(sent(drop, "POST /api/drop", &["origin: null"], "").contains("access-control-allow-origin: *"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_is_how_the_simulator_begins() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("s.toml");
    let scenario = "variations = [\"drop.status-201\"]\n[limits.publish]\nrequests_per_window = 1000\n\
                    [gateway]\nmodels = [{ id = \"mine\", answers = [{ text = \"Yes.\" }] }]\n\
                    [[fault]]\nfault = \"drop.busy\"\n[[action]]\nat = \"1h\"\naction = \"gateway.reboot\"\n";
    std::fs::write(&path, scenario).expect("written");
    let options = Options {
        scenario: Some(path),
        clock: assay_sim::serve::ClockMode::Manual,
        limits: vec!["publish.requests-per-window=7".to_owned()],
        variations: vec!["drop.error-text".to_owned()],
        ..Options::new(7)
    };
    let served = started(options).await;
    let get = |path: &str| control(&served, &format!("GET {path}"), &Value::Null);
    assert_eq!(get("variations"), json!(["drop.error-text", "drop.status-201"]));
    assert_eq!(get("limits")["publish"]["requests_per_window"], 7, "the command line comes last");
    assert_eq!(get("faults")[0]["fault"], "drop.busy");
    assert_eq!(get("actions")[0]["outcome"], "waiting");
    let described = served.described();
    let models = described["services"]["gateway"]["models"][0].as_str().expect("models");
    assert!(models.ends_with(" mine"), "{models}");

    // A wall clock performs what is due, although nothing is asked.
    let path = folder.path().join("soon.toml");
    let soon = "[[action]]\nat = \"100ms\"\naction = \"gateway.server\"\narguments = { site = \"server-a\", up = false }\n";
    std::fs::write(&path, soon).expect("written");
    let served = started(Options { scenario: Some(path), ..Options::new(7) }).await;
    let mut changes = served.handle.changes();
    while served.handle.read(|world| world.scheduled()[0]["outcome"] == "waiting") {
        changes.changed().await.expect("the world goes on");
    }
}

#[test]
fn a_scenario_that_is_wrong_is_named_with_its_line() {
    let folder = tempdir().expect("a folder");
    let long = format!("#{}\n", "a".repeat(1 << 20));
    for (name, text, why) in [
        (
            "fault.toml",
            "[[fault]]\nfault = \"drop.bussy\"\n",
            "assay: fault.toml:2: fault[0].fault: unknown fault \"drop.bussy\"; did you mean drop.busy?",
        ),
        ("limits.toml", "limts = 1\n", "assay: limits.toml:1: limts: unknown key; did you mean limits?"),
        (
            "long.toml",
            &long,
            "assay: long.toml: the file has 1048578 bytes, but a scenario has at most 1 MiB",
        ),
        ("none.toml", "", "assay: none.toml: "),
    ] {
        if !text.is_empty() {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let mut sim = Command::new(env!("CARGO_BIN_EXE_assay"));
        sim.args(["sim", "--listen", "127.0.0.1:0", "--scenario", name]);
        let output = sim.current_dir(folder.path()).stdin(Stdio::null()).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.starts_with(why), "{name}: {said}");
    }
}
