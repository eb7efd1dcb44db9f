//! From a URL to a profile: what `assay init` writes, what `assay doctor` says of it, and that neither shows a secret.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use assay_sim::serve::ClockMode;
use assay_suites::doctor::{Mark, diagnose};
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::probe::wall_clock;
use assay_suites::profile::{Profile, Secret};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const KEY: &str = "sk-planted-0123456789abcdef";

async fn served() -> Served {
    let options = Options {
        seed: 7,
        listen: "127.0.0.1:0".parse().expect("an address"),
        clock: ClockMode::Real,
        epoch: wall_clock(),
        token: None,
        forwarded_header: None,
        limits: Vec::new(),
        deviations: Vec::new(),
        liberties: Vec::new(),
        https: false,
    };
    start(&options).await.expect("a simulator on any port")
}

/// The command with these arguments, in a folder; a thread of its own waits, so that the simulator goes on.
async fn assay(folder: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(arguments).current_dir(folder).env_remove("ASSAY_GATEWAY_KEY");
    command.envs(environment.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic");
    let Output { status, stdout, stderr } = output.expect("it starts");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (status.code(), text)
}

fn load(folder: &Path, name: &str) -> Profile {
    let path = folder.join(name);
    Profile::load(&path).unwrap_or_else(|e| panic!("{e}")).profile
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_api_alone_is_enough_for_a_profile_that_runs() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let init = ["init", "--control-url", &served.control, "--out", "p.toml"];
    let (code, text) = assay(folder.path(), &[], &init).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("time level T3") && text.contains("forks worlds"), "{text}");
    let profile = load(folder.path(), "p.toml");
    let gateway = profile.gateway.expect("it was reached");
    assert_eq!(gateway.url, served.sites["gateway"]);
    assert!(gateway.models.chat.is_some(), "a model of discovery");
    let network = profile.network.expect("it was reached");
    assert_eq!(network.compute_urls.len(), 2);
    assert_eq!(network.alt_url.as_ref(), served.sites.get("network-alt"));
    assert_eq!(profile.publish.expect("it was reached").chain_url.as_ref(), served.sites.get("chain"));
    // Nothing is written over what is there, unless somebody insists.
    std::fs::write(folder.path().join("p.toml"), "seed = 1\n").expect("written");
    let (code, text) = assay(folder.path(), &[], &init).await;
    assert_eq!((code, text.contains("--force")), (Some(2), true), "{text}");
    assert_eq!(load(folder.path(), "p.toml").seed, Some(1));
    let (code, text) = assay(folder.path(), &[], &[&init[..], &["--force"]].concat()).await;
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = assay(folder.path(), &[], &["doctor", "--profile", "p.toml"]).await;
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = assay(folder.path(), &[], &["run", "--profile", "p.toml", "network.info"]).await;
    assert_eq!(code, Some(0), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_reached_is_switched_off_and_named() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let nobody = format!("http://{}", listener.local_addr().expect("its address"));
    drop(listener);
    let urls = ["--drop-url", &served.sites["drop"], "--metadata-url", &nobody];
    let (code, text) = assay(folder.path(), &[], &[&["init"], &urls[..]].concat()).await;
    assert_eq!(code, Some(0), "{text}");
    let profile = load(folder.path(), "assay.toml");
    assert!(profile.drop.is_some() && profile.metadata.is_none(), "{text}");
    let written = std::fs::read_to_string(folder.path().join("assay.toml")).expect("a profile");
    assert!(
        written.contains(&format!("# - switched off: no connection: {nobody}")) || written.contains(&nobody)
    );
    // One host for all: what is not recognised is left out.
    let host = ["init", "--host", &served.sites["drop"], "--out", "-"];
    let (code, text) = assay(folder.path(), &[], &host).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\n[drop]\n") && text.contains("\n#[publish]\n"), "{text}");
    for arguments in
        [&["init", "--drop-url", &nobody, "--out", "q.toml"][..], &["doctor", "--drop-url", &nobody]]
    {
        let (code, text) = assay(folder.path(), &[], arguments).await;
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains(&nobody), "{text}");
    }
    assert!(!folder.path().join("q.toml").exists(), "nothing is written where nothing was reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_missing_is_told_at_once_and_in_the_same_order() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let site = |name: &str| served.sites[name].clone();
    std::fs::write(folder.path().join("publish.key"), "no key\n").expect("written");
    std::fs::write(folder.path().join("revoked.key"), "\n").expect("written");
    let text = format!(
        "[gateway]\nurl = \"{}\"\nkey = {{ env = \"ASSAY_TEST_NO_SUCH_KEY\" }}\n\
         revoked_key = {{ file = \"revoked.key\" }}\n[publish]\nurl = \"{}\"\ndomains = [\"a.example\"]\n\
         key = {{ file = \"publish.key\" }}\n[network]\nurl = \"{}\"\n",
        site("gateway"),
        site("publish"),
        site("network"),
    );
    std::fs::write(folder.path().join("p.toml"), &text).expect("written");
    let loaded = Profile::load(&folder.path().join("p.toml")).expect("a profile");
    let diagnosis = diagnose(&loaded).await;
    assert_eq!(diagnosis.exit_code(), 1, "{diagnosis}");
    let said = diagnosis.to_string();
    for needed in [
        "p.toml:3:15: gateway.key.env: the environment variable ASSAY_TEST_NO_SUCH_KEY is not set",
        "p.toml:4:24: gateway.revoked_key.file: the secret in",
        "publish.key: a key is 64 hex digits",
        "needs the chain's URL",
        "network.readings.signing_scheme is not declared [2 checks]",
        "a control API that moves time",
    ] {
        assert!(said.contains(needed), "{needed}: {said}");
    }
    let gateway = &diagnosis.services[0];
    let key = gateway.points.iter().find(|point| point.what.contains("gateway.key.env")).expect("a point");
    assert!(key.checks.is_some_and(|checks| checks > gateway.checks / 2), "{key:?}");
    // With everything counted that cannot run, the rest can.
    let network = diagnosis.services.iter().find(|part| part.service.name() == "network").expect("a part");
    assert!(network.ready > 0 && network.ready < network.checks, "{said}");
    assert!(network.points.iter().all(|point| point.mark != Mark::Hinders), "{said}");
    assert_eq!(diagnose(&loaded).await.to_string(), said, "the same twice");
    // A run says all of it too, before it sends anything.
    let (code, run) = assay(folder.path(), &[], &["run", "--profile", "p.toml"]).await;
    assert_eq!(code, Some(2), "{run}");
    assert!(
        run.contains("p.toml:3:15: gateway.key.env") && run.contains("p.toml:4:24: gateway.revoked_key"),
        "{run}"
    );
}

/// A gateway that sends back what it is told, and tries to break out of its line.
async fn echoing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = vec![0; 4096];
                let read = stream.read(&mut head).await.unwrap_or_default();
                let asked = String::from_utf8_lossy(&head[..read]).into_owned();
                let (status, body) = if asked.contains(KEY) {
                    let server = "{\"servers\":[\"https://a\"]}";
                    let names = [KEY, "a\\n[gateway]\\nkey = \\\"x\\\"", "\\u0000", "good", &"l".repeat(500)];
                    let models = names.map(|name| format!("\"{name}\":{server}"));
                    ("200 OK", format!("{{{}}}", models.join(",")))
                } else {
                    ("401 Unauthorized", "{}".to_owned())
                };
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nx: {KEY}\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_puts_nothing_into_a_profile_but_short_names() {
    let (url, folder) = (echoing().await, tempfile::tempdir().expect("a folder"));
    let environment = [("ASSAY_GATEWAY_KEY", KEY)];
    let (code, text) = assay(folder.path(), &environment, &["init", "--gateway-url", &url]).await;
    assert_eq!(code, Some(0), "{text}");
    let written = std::fs::read_to_string(folder.path().join("assay.toml")).expect("a profile");
    assert!(!text.contains(KEY) && !written.contains(KEY), "{text}\n{written}");
    let gateway = load(folder.path(), "assay.toml").gateway.expect("it answers");
    assert_eq!(gateway.models.chat.as_deref(), Some("good"));
    assert_eq!(gateway.key, Some(Secret::Env("ASSAY_GATEWAY_KEY".to_owned())));
    let (_, text) = assay(folder.path(), &environment, &["doctor", "--gateway-url", &url]).await;
    assert!(!text.contains(KEY), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_are_listed_for_people_and_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = assay(folder.path(), &[], &["readings", "--service", "drop"]).await;
    assert!(code == Some(0) && text.contains("drop.readings.hamt_size = \"links\" or \"block\""), "{text}");
    assert!(!text.contains("network."), "{text}");
    let (code, text) = assay(folder.path(), &[], &["readings", "--json"]).await;
    assert_eq!(code, Some(0), "{text}");
    let all: Vec<BTreeMap<String, serde_json::Value>> =
        serde_json::from_str(&text).expect("an array of objects");
    let keys = ["key", "values", "default", "example", "means", "source", "requirements", "silent"];
    assert!(all.iter().all(|one| keys.iter().all(|key| one.contains_key(*key))), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_arguments_say_what_helps() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases: [(&[&str], &str); 6] = [
        (&["init"], "name a URL"),
        (&["init", "--network-url", "ftp://a.example"], "--network-url: a base URL begins with http"),
        (&["init", "--host", "nowhere"], "--host: not a URL"),
        (&["doctor"], "--profile"),
        (&["doctor", "--control-url", "http://127.0.0.1:1"], "go with the URL of a service"),
        (&["readings", "--service", "nobody"], "known services"),
    ];
    for (arguments, named) in cases {
        let (code, text) = assay(folder.path(), &[], arguments).await;
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(named), "{arguments:?}: {text}");
    }
}
