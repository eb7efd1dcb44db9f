//! What `assay init` writes and what `assay doctor` reports; neither shows a secret.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use assay_sim::rng::Rng;
use assay_sim::serve::ClockMode;
use assay_sim::tls::{Authority, YEARS};
use assay_spec::crypto::text::base64;
use assay_suites::embedded::sim::{Options, Served, start};
use assay_suites::harness::control::Control;
use assay_suites::http::sockets::Tcp;
use assay_suites::onboarding::doctor::{Diagnosis, Mark, diagnose};
use assay_suites::profile::{Profile, Secret};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wiremock::matchers::{any, header, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{DEAD_URL, unpaced};

const KEY: &str = "sk-planted-0123456789abcdef";

pub(crate) async fn served() -> Served {
    served_for(None).await
}

/// A simulator whose control API requires this token, if any.
async fn served_for(token: Option<&str>) -> Served {
    let options = Options { token: token.map(str::to_owned), ..Options::new(7) };
    start(&options).await.expect("a simulator on any port")
}

/// Runs the command with these arguments in a folder; its own thread waits, so that the simulator keeps running.
pub(crate) async fn assay(
    folder: &Path,
    environment: &[(&str, &str)],
    arguments: &[&str],
) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(arguments).current_dir(folder).env_remove("ASSAY_GATEWAY_KEY");
    command.env_remove("ASSAY_CONTROL_TOKEN").envs(environment.iter().copied());
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
    assert!(gateway.models.chat.is_none(), "without a key no model is tried");
    let network = profile.network.expect("it was reached");
    assert_eq!(network.compute_urls.len(), 2);
    assert_eq!(network.alt_url.as_ref(), served.sites.get("network-alt"));
    assert_eq!(profile.publish.expect("it was reached").chain_url.as_ref(), served.sites.get("chain"));
    // An existing file is overwritten only with --force.
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
async fn a_run_with_a_control_api_leaves_its_base_world_as_it_was() {
    // The chain's height moves with the clock.
    let options = Options { clock: ClockMode::Manual, ..Options::new(7) };
    let (served, folder) =
        (start(&options).await.expect("a simulator on any port"), tempfile::tempdir().expect("a folder"));
    let written = folder.path().join("p.toml");
    served.write_profile(&written, None).expect("a profile");
    let control = Control::new(Arc::new(Tcp), &served.control, None);
    let before = control.call("GET", "state", None).await.expect("the control API answers");
    let (code, text) =
        assay(folder.path(), &[], &["run", "--profile", "p.toml", "network.info", "publish.chain"]).await;
    assert_eq!(code, Some(0), "{text}");
    let after = control.call("GET", "state", None).await.expect("the control API answers");
    assert_eq!(after, before);
    // A profile that names another URL is tested there or not at all.
    let (metadata, publish) = (&served.sites["metadata"], &served.sites["publish"]);
    let wrong = std::fs::read_to_string(&written).expect("a profile").replace(metadata, publish);
    std::fs::write(&written, wrong).expect("written");
    let (code, text) = assay(folder.path(), &[], &["run", "--profile", "p.toml", "network.info"]).await;
    assert_eq!(code, Some(3), "{text}");
    let text = text.replace('\n', " ");
    assert!(text.contains(&format!("the profile names {publish} for metadata")), "{text}");
    assert!(text.contains(&format!("serves metadata at {metadata}")), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_services_are_switched_off_and_named() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let urls = ["--drop-url", &served.sites["drop"], "--metadata-url", DEAD_URL];
    let (code, text) = assay(folder.path(), &[], &[&["init"], &urls[..]].concat()).await;
    assert_eq!(code, Some(0), "{text}");
    let profile = load(folder.path(), "assay.toml");
    assert!(profile.drop.is_some() && profile.metadata.is_none(), "{text}");
    let written = std::fs::read_to_string(folder.path().join("assay.toml")).expect("a profile");
    assert!(written.contains(DEAD_URL), "{written}");
    // One host for all: unrecognized services are left out.
    let host = ["init", "--host", &served.sites["drop"], "--out", "-"];
    let (code, text) = assay(folder.path(), &[], &host).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\n[drop]\n") && !text.contains("[publish]"), "{text}");
    for arguments in
        [&["init", "--drop-url", DEAD_URL, "--out", "q.toml"][..], &["doctor", "--drop-url", DEAD_URL]]
    {
        let (code, text) = assay(folder.path(), &[], arguments).await;
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains(DEAD_URL), "{text}");
    }
    assert!(!folder.path().join("q.toml").exists(), "no profile is written if no server was reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_missing_things_are_reported_together_in_a_stable_order() {
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
        "publish.key: the key is not 64 hex digits",
        "needs the chain's URL",
        "network.readings.signing_scheme is not declared [2 checks]",
        "a control API that moves time",
    ] {
        assert!(said.contains(needed), "{needed}: {said}");
    }
    let gateway = &diagnosis.services[0];
    let key = gateway.points.iter().find(|point| point.what.contains("gateway.key.env")).expect("a point");
    assert!(key.checks.is_some_and(|checks| checks > gateway.checks / 2), "{key:?}");
    // All checks that are not counted as skipped can run.
    let network = diagnosis.services.iter().find(|part| part.service.name() == "network").expect("a part");
    assert!(network.ready > 0 && network.ready < network.checks, "{said}");
    assert!(network.points.iter().all(|point| point.mark != Mark::Hinders), "{said}");
    assert_eq!(diagnose(&loaded).await.to_string(), said, "the same twice");
    // A run reports the same before it sends anything.
    let (code, run) = assay(folder.path(), &[], &["run", "--profile", "p.toml"]).await;
    assert_eq!(code, Some(2), "{run}");
    assert!(
        run.contains("p.toml:3:15: gateway.key.env") && run.contains("p.toml:4:24: gateway.revoked_key"),
        "{run}"
    );
}

/// A gateway that returns the received key, and strings that try to break out of their line.
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
                    let (upper, encoded) = (KEY.to_uppercase(), base64(KEY.as_bytes()));
                    let names = [
                        KEY,
                        &upper,
                        &encoded,
                        "a\\n[gateway]\\nkey = \\\"x\\\"",
                        "\\u0000",
                        "good",
                        &"l".repeat(500),
                    ];
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
async fn only_short_names_of_a_target_get_into_a_profile() {
    let (url, folder) = (echoing().await, tempfile::tempdir().expect("a folder"));
    let environment = [("ASSAY_GATEWAY_KEY", KEY)];
    let (code, text) = assay(folder.path(), &environment, &["init", "--gateway-url", &url]).await;
    assert_eq!(code, Some(0), "{text}");
    let written = std::fs::read_to_string(folder.path().join("assay.toml")).expect("a profile");
    for way in [KEY.to_owned(), KEY.to_uppercase(), base64(KEY.as_bytes())] {
        assert!(!text.contains(&way) && !written.contains(&way), "{way}: {text}\n{written}");
    }
    let gateway = load(folder.path(), "assay.toml").gateway.expect("it answers");
    assert_eq!(gateway.models.chat, None, "none answers a chat");
    assert_eq!(gateway.key, Some(Secret::Env("ASSAY_GATEWAY_KEY".to_owned())));
    let (_, text) = assay(folder.path(), &environment, &["doctor", "--gateway-url", &url]).await;
    assert!(!text.contains(KEY), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_are_listed_as_text_and_json() {
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
async fn bad_arguments_say_how_to_fix_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let identity = ["--client-certificate", "c.pem", "--client-key", "c.key"];
    let identified = [&["init", "--drop-url", DEAD_URL][..], &identity].concat();
    let cases: [(&[&str], &str); 8] = [
        (
            &["init", "--publish-url", DEAD_URL, "--chain-url", "nowhere"],
            "--chain-url: the scheme is missing",
        ),
        (&identified, "c.key"),
        (&["init"], "no URL: give one"),
        (&["init", "--network-url", "ftp://a.example"], "--network-url: ftp is not supported"),
        (&["init", "--host", "nowhere"], "--host: the scheme is missing"),
        (&["doctor"], "--profile"),
        (&["doctor", "--control-url", "http://127.0.0.1:1"], "need the URL of a service"),
        (&["readings", "--service", "unknown"], "known services"),
    ];
    for (arguments, named) in cases {
        let (code, text) = assay(folder.path(), &[], arguments).await;
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(named), "{arguments:?}: {text}");
    }
}

/// A server that returns the same response to every request.
async fn always(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

async fn diagnosed(folder: &Path, text: &str) -> Diagnosis {
    std::fs::write(folder.join("p.toml"), text).expect("written");
    let loaded = Profile::load(&folder.join("p.toml")).unwrap_or_else(|e| panic!("{e}"));
    diagnose(&loaded).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_different_service_is_not_reported_as_reached() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let broken = always(ResponseTemplate::new(500)).await;
    let doctor = async |service: &str, url: &str| {
        let profile = unpaced(&format!("[{service}]\nurl = {url:?}\n"));
        std::fs::write(folder.path().join("p.toml"), profile).expect("written");
        assay(folder.path(), &[], &["doctor", "--profile", "p.toml"]).await
    };
    for (service, url, words) in [
        ("gateway", &served.sites["drop"], "is not a gateway service, it looks like the drop service"),
        ("network", &served.sites["drop"], "is not a network service, it looks like the drop service"),
        ("drop", &broken.uri(), "the server fails: GET /api/drop returned 500"),
        ("publish", &broken.uri(), "the server fails: "),
        ("gateway", &broken.uri(), "the server fails: "),
    ] {
        let (code, text) = doctor(service, url).await;
        assert_eq!(code, Some(1), "{service}: {text}");
        assert!(text.contains(words) && !text.contains("can be tested"), "{service}: {text}");
    }
    for service in ["drop", "publish", "metadata"] {
        let (_, text) = doctor(service, &served.sites[service]).await;
        assert!(text.contains("+ reached: "), "{service}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_sends_requests_as_a_run_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(serde_json::json!({ "version": "sesame street" }));
    let guarded = Mock::given(header("X-Auth", "sesame")).respond_with(answer);
    guarded.mount(&server).await;
    std::fs::write(folder.path().join("auth"), "sesame").expect("written");
    let network = format!("[network]\nurl = \"{}\"\n", server.uri());
    let said =
        diagnosed(folder.path(), &format!("{network}[headers]\nX-Auth = {{ file = \"auth\" }}\n")).await;
    let said = said.to_string();
    assert!(said.contains("+ reached: ") && !said.contains("sesame"), "{said}");
    let said = diagnosed(folder.path(), &network).await.to_string();
    assert!(said.contains("is not a network service"), "{said}");
    // Nothing reads from this listener, and the profile sets the timeout.
    let mute = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", mute.local_addr().expect("its address"));
    let text = format!("[transport]\nanswer_seconds = 1\n[network]\nurl = \"{url}\"\n");
    let said = diagnosed(folder.path(), &text).await;
    assert_eq!(said.exit_code(), 3, "{said}");
    assert!(said.to_string().contains(&format!("x {url}: no complete response within 1 s")), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_secret_is_reported_even_if_the_service_is_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = "key = { env = \"ASSAY_TEST_NO_SUCH_KEY\" }";
    let said = diagnosed(folder.path(), &format!("[gateway]\nurl = \"{DEAD_URL}\"\n{key}\n")).await;
    assert_eq!(said.exit_code(), 3, "{said}");
    let said = said.to_string();
    assert!(said.contains("refused") && said.contains("p.toml:3:15: gateway.key.env: "), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_of_stored_records_depend_on_the_node() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let hosting = "[hosting]\nwallet_key = { file = \"wallet\" }\n";
    std::fs::write(folder.path().join("wallet"), "01".repeat(32)).expect("written");
    let at = |url: &str| format!("[network]\nurl = \"{url}\"\n{hosting}");
    let said = diagnosed(folder.path(), &at(&served.sites["network"])).await;
    let part = said.services.iter().find(|part| part.service.name() == "hosting").expect("a part");
    let lines = part.points.iter().find(|point| point.what.contains("derivation_lines")).expect("a hint");
    assert!(lines.checks.is_some_and(|silent| part.ready + silent <= part.checks), "{said}");
    let said = diagnosed(folder.path(), &at(DEAD_URL)).await;
    assert_eq!(said.exit_code(), 3, "{said}");
    assert!(said.to_string().contains("hosting: 0 of "), "{said}");
    // No request was sent, so no server is unreachable.
    let said = diagnosed(folder.path(), hosting).await;
    assert_eq!(said.exit_code(), 1, "{said}");
    assert!(said.to_string().contains("add the node: [network] url"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_does_not_identify_a_service() {
    let folder = tempfile::tempdir().expect("a folder");
    let only_get = ResponseTemplate::new(405).insert_header("Allow", "GET, HEAD");
    for answer in [401, 403, 422].map(ResponseTemplate::new).into_iter().chain([only_get]) {
        let server = always(answer).await;
        let (code, text) = assay(folder.path(), &[], &["init", "--host", &server.uri()]).await;
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("was not recognized there") && !text.contains("reached      "), "{text}");
    }
    let server = always(ResponseTemplate::new(405)).await;
    let (code, text) = assay(folder.path(), &[], &["init", "--host", &server.uri(), "--out", "-"]).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("\n[drop]\n") && !text.contains("[publish]"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_control_api_does_not_prevent_a_profile() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let sites = serde_json::json!({ "chain": "nonsense", "drop": served.sites["drop"] });
    let info = serde_json::json!({ "time": "T0", "sites": sites });
    let strange = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(info);
    Mock::given(path("/info")).respond_with(answer).mount(&strange).await;
    let failing = serde_json::json!({ "error": "\u{1b}[31m\u{0}no" });
    let failing = always(ResponseTemplate::new(500).set_body_json(failing)).await;
    for (control, words) in
        [(strange.uri(), "site skipped: chain: the scheme is missing"), (failing.uri(), "not reached")]
    {
        let urls = ["--control-url", &control, "--publish-url", &served.sites["publish"]];
        let init = [&["init", "--force"][..], &urls].concat();
        let (code, text) = assay(folder.path(), &[], &init).await;
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(words) && !text.contains('\u{1b}'), "{text}");
        assert!(load(folder.path(), "assay.toml").publish.is_some_and(|publish| publish.chain_url.is_none()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_control_token_is_sent_to_the_control_api() {
    let token = "tk-planted-fedcba9876543210";
    let (served, folder) = (served_for(Some(token)).await, tempfile::tempdir().expect("a folder"));
    let init = ["init", "--control-url", &served.control];
    let (code, text) = assay(folder.path(), &[], &init).await;
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("ASSAY_CONTROL_TOKEN"), "{text}");
    let environment = [("ASSAY_CONTROL_TOKEN", token)];
    let (code, text) = assay(folder.path(), &environment, &init).await;
    assert_eq!(code, Some(0), "{text}");
    let written = std::fs::read_to_string(folder.path().join("assay.toml")).expect("a profile");
    assert!(!text.contains(token) && !written.contains(token), "{text}\n{written}");
    let secret = Secret::Env("ASSAY_CONTROL_TOKEN".to_owned());
    assert_eq!(load(folder.path(), "assay.toml").control_token, Some(secret));
    let (code, text) = assay(folder.path(), &environment, &["doctor", "--profile", "assay.toml"]).await;
    assert_eq!(code, Some(0), "{text}");
    let control = format!("control = \"{}\"\n[drop]\nurl = \"{}\"\n", served.control, served.sites["drop"]);
    let said = diagnosed(folder.path(), &control).await.to_string();
    assert!(said.contains("-> set a valid token: control_token = "), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_of_this_client_goes_into_the_profile() {
    let (served, folder) = (served().await, tempfile::tempdir().expect("a folder"));
    let leaf = Authority::new(Rng::new(5)).issue("client", &["client.example".to_owned()], YEARS);
    for (name, text) in ["c.pem", "c.key"].into_iter().zip(leaf.pem()) {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let files = ["--client-certificate", "c.pem", "--client-key", "c.key", "--out", "sub/p.toml"];
    std::fs::create_dir(folder.path().join("sub")).expect("a folder");
    let init = [&["init", "--drop-url", &served.sites["drop"]][..], &files].concat();
    let (code, text) = assay(folder.path(), &[], &init).await;
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = assay(folder.path(), &[], &["doctor", "--profile", "sub/p.toml"]).await;
    assert_eq!(code, Some(0), "{text}");
    let profile = load(folder.path(), "sub/p.toml");
    assert!(profile.client_certificate.is_some_and(|path| path.is_absolute()), "{text}");
    assert!(matches!(profile.client_key, Some(Secret::File(path)) if path.is_absolute()), "{text}");
}

#[test]
fn a_closed_pipe_causes_no_panic() {
    let commands: [&[&str]; 5] = [
        &["readings"],
        &["requirements"],
        &["run", "--list", "drop.upload"],
        &["openapi", "--service", "drop"],
        &["doctor", "--profile", "p.toml"],
    ];
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.toml"), format!("[drop]\nurl = \"{DEAD_URL}\"\n")).expect("written");
    for arguments in commands {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(arguments).current_dir(folder.path()).stdout(writer);
        let Output { status, stderr, .. } = command.output().expect("it starts");
        let text = String::from_utf8_lossy(&stderr);
        let code = if arguments[0] == "doctor" { 3 } else { 0 };
        assert_eq!((status.code(), text.contains("panicked")), (Some(code), false), "{arguments:?}: {text}");
    }
}
