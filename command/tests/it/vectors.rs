//! `assay vectors …` as a process: its output and exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assay_vectors::{Collection, pack};

const UPPER: &str = "publish/domain/upper-case";

fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_assay"))
        .arg("vectors")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it starts");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(!text.contains("panicked"), "{text}");
    (status.code(), text)
}

fn vectors_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors")
}

/// Each entry is within the limit of one recipe; together they exceed the memory that the shim may take.
#[test]
#[cfg(target_os = "linux")]
fn the_shim_answers_too_large_an_input_without_taking_the_memory() {
    let entry = |n: u32| format!(r#"{{"path":"{n}","content":{{"prng":["{n}",60000000]}}}}"#);
    let entries: Vec<String> = (0..20).map(entry).collect();
    let large = format!(r#"{{"id":"1","op":"cid.directory","in":{{"entries":[{}]}}}}"#, entries.join(","));
    let one = r#"{"id":"2","op":"keccak256","in":{"data":{"repeat":["00",67108865]}}}"#;
    let streamed = r#"{"id":"3","op":"cid.file","in":{"content":{"repeat":["00",67108865]}}}"#;
    // The address space is smaller than the entries together.
    let mut child = Command::new("bash")
        .args(["-c", "ulimit -v 1000000; exec \"$0\" shim", env!("CARGO_BIN_EXE_assay")])
        .env("RAYON_NUM_THREADS", "1")
        .env("TOKIO_WORKER_THREADS", "1")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = format!("{large}\n{one}\n{streamed}\n");
    std::io::Write::write_all(&mut child.stdin.take().expect("its pipe"), input.as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let replies: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(replies.len(), 3, "{text}");
    for (reply, bytes) in replies.iter().zip(["1200000000 bytes", "67108865 bytes"]) {
        let why = reply["error"].as_str().unwrap_or_else(|| panic!("{reply}"));
        assert!(why.contains(bytes) && why.contains("64 MiB"), "{why}");
    }
    assert!(replies[2]["ok"].is_object(), "{}", replies[2]);
}

#[test]
fn a_program_that_says_no_hello_judges_no_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = assay(folder.path(), &["run", "--only", UPPER, "--", "true"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the program ended before its hello"), "{text}");
    assert!(text.ends_with("no case was judged\n"), "{text}");
}

#[test]
fn a_filter_without_a_case_is_an_error_with_suggestions() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [
        &["run", "--only", "publish/domian", "--", "true"][..],
        &["run", "--only", UPPER, "--only", "publish/domian", "--", "true"],
        &["list", "publish/domian"],
    ] {
        let (code, text) = assay(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains("matches no case; did you mean publish/domain?"), "{arguments:?}: {text}");
    }
}

/// Writes the collection as files, as unpacking the release does.
fn unpack(folder: &Path) -> PathBuf {
    let root = folder.join("copy");
    for (path, bytes) in Collection::embedded().files() {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }
    root
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).expect("readable");
    assert!(text.contains(from), "{from}");
    std::fs::write(path, text.replacen(from, to, 1)).expect("written");
}

#[test]
fn explanation_to_a_pipe_has_no_colors() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = assay(folder.path(), &["explain", UPPER]);
    assert_eq!(code, Some(0), "{text}");
    for part in
        ["reject by domain.alphabet at", "publish.domain.alphabet", "document 3", " became [", "confirmed by"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\x1b'));
    let (code, text) = assay(folder.path(), &["explain", "domain/upper"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains(UPPER), "{text}");
    assert_eq!(assay(folder.path(), &["explain"]).0, Some(2));
}

#[test]
fn html_explanation_is_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = assay(folder.path(), &["explain", "--html", "v.html"]);
    assert_eq!(code, Some(0), "{text}");
    let page = std::fs::read_to_string(folder.path().join("v.html")).expect("written");
    assert!(page.starts_with("<!doctype html>") && page.contains(UPPER));
    let (code, text) = assay(folder.path(), &["explain", "--html", "no/such/folder.html"]);
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn release_is_reproducible_and_has_a_checksum_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, first) = assay(folder.path(), &["pack", "a.tar"]);
    assert_eq!(code, Some(0), "{first}");
    assert_eq!(assay(folder.path(), &["pack"]).0, Some(0));
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("written");
    let own = format!("{}.tar", pack::FOLDER);
    assert!(read("a.tar") == read(&own));
    assert_eq!(read("a.tar.sha256"), first.as_bytes());
    assert_eq!(first, pack::sum_line(&read("a.tar"), "a.tar"));
    assert_eq!(assay(folder.path(), &["drift", "a.tar"]).0, Some(0));
    // Another test lints its content.
    assert_eq!(assay(folder.path(), &["drift", &own]).0, Some(0));
}

#[test]
fn drift_lists_each_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = unpack(folder.path());
    for copy in [folder.path(), &root, &root.join("data")] {
        let (code, text) = assay(folder.path(), &["drift", copy.to_str().expect("a name")]);
        assert_eq!(code, Some(0), "{text}");
    }
    edit(&root.join("data/publish/domain.json"), "\"why\": \"", "\"why\": \"Once: ");
    std::fs::remove_file(root.join("data/drop/cid-file.json")).expect("removed");
    std::fs::write(root.join("data/drop/mine.json"), "[]").expect("written");
    let (code, text) = assay(folder.path(), &["drift", "copy"]);
    assert_eq!(code, Some(1), "{text}");
    for words in [
        "changed case  publish/domain/",
        "missing file  data/drop/cid-file.json",
        "added file    data/drop/mine.json",
        "edited        data/publish/domain.json",
        "4 differences",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // The remaining files show the same and are read faster.
    for service in ["drop", "gateway", "hosting", "metadata", "network"] {
        std::fs::remove_dir_all(root.join("data").join(service)).expect("removed");
    }
    let (code, text) = assay(folder.path(), &["lint", "copy"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("[manifest]"), "{text}");
    for nothing in ["nowhere", env!("CARGO_MANIFEST_DIR"), concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]
    {
        let (code, text) = assay(folder.path(), &["drift", nothing]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(nothing), "{text}");
    }
}

#[test]
fn stale_and_unknown_files_fail_the_check_and_are_regenerated() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = unpack(folder.path()).join("data");
    edit(&data.join("publish/domain.json"), "\"why\": \"", "\"why\": \"Once: ");
    std::fs::write(data.join("publish/mine.json"), "[]").expect("written");
    let generate = |only: &str, more: &[&str]| {
        let arguments = ["generate", "--into", "copy/data", "--only", only];
        assay(folder.path(), &[&arguments[..], more].concat())
    };
    // Generating every file takes long; another test does it in process.
    let (code, text) = generate("publish/domain", &["--check"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("stale: ") && text.contains("assay vectors generate --into copy/data"), "{text}");
    assert!(text.contains("not written by any generator: copy/data/publish/mine.json"), "{text}");
    let (code, text) = generate("publish/vfkey-sign", &[]);
    assert_eq!((code, text.contains("0 of 1 files written")), (Some(0), true), "{text}");
    let (code, text) = generate("publish/domain", &[]);
    assert_eq!((code, text.contains("1 of 1 files written")), (Some(0), true), "{text}");
    std::fs::remove_file(folder.path().join("copy/data/publish/mine.json")).expect("removed");
    // Every file is restored, byte for byte.
    let (code, text) = assay(folder.path(), &["drift", "copy"]);
    assert_eq!(code, Some(0), "{text}");
    for bad in [&["--into", "nowhere"][..], &["--into", "copy/data", "--only", "publish/none"]] {
        let (code, text) = assay(folder.path(), &[&["generate", "--check"], bad].concat());
        assert_eq!(code, Some(2), "{text}");
    }
}

#[test]
fn reference_program_conforms_and_a_wrong_map_is_reported_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = env!("CARGO_BIN_EXE_assay");
    let (code, text) = assay(folder.path(), &["run", "--rules", "--", own, "shim"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(" pass - answers agree ("), "{text}");
    std::fs::write(folder.path().join("m.toml"), "[rules]\nA = ['domain.colour']\n").expect("written");
    let (code, text) =
        assay(folder.path(), &["run", "--map", "m.toml", "--only", "publish/domain", "--", own, "shim"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("m.toml:2: domain.colour is not a rule"), "{text}");
    std::fs::write(folder.path().join("m.toml"), "[rules]\nA = ['domain.alphabet']\n").expect("written");
    let (code, text) =
        assay(folder.path(), &["run", "--map", "m.toml", "--only", "publish/domain", "--", own, "shim"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("expected a reject by domain.alphabet (mapped to A), got"), "{text}");
}

#[test]
fn the_example_programs_conform() {
    let folder = tempfile::tempdir().expect("a folder");
    for (program, file) in [("python3", "python/shim.py"), ("node", "node/shim.mjs")] {
        let is_there =
            Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
        if !is_there && std::env::var_os("CI").is_none() {
            eprintln!("{program} is not installed, so its example is not run");
            continue;
        }
        let file = vectors_folder().join("examples").join(file);
        let file = file.to_str().expect("a name");
        let (code, text) = assay(folder.path(), &["run", "--", program, file]);
        assert_eq!(code, Some(0), "{program}: {text}");
        assert!(text.contains("answers agree (") && text.contains("Not claimed: "), "{text}");
    }
}

#[test]
fn a_result_is_written_in_every_format_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = env!("CARGO_BIN_EXE_assay");
    let outputs = ["--json", "r.json", "--junit", "r.xml", "--markdown", "r.md"];
    let run = |more: &[&str], program: &[&str]| {
        assay(folder.path(), &[&["run", "--operation", "domain.canonical"], more, &["--"], program].concat())
    };
    let (code, text) = run(&outputs, &[own, "shim"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("a domain of digits  accepted\n"), "{text}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    let json: serde_json::Value = serde_json::from_str(&read("r.json")).expect("JSON");
    assert_eq!(
        (json["agrees"].as_bool(), json["format"].as_str()),
        (Some(true), Some("assay-vectors-run/1"))
    );
    assert!(read("r.xml").contains("name=\"publish/domain/plain\""));
    assert!(read("r.md").contains("| domain.canonical "));
    let (code, text) = assay(folder.path(), &["compare", "r.json"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("(reference)") && text.contains("No case is answered differently."), "{text}");

    // A program that accepts everything differs, and a baseline of its failures cannot rot.
    let careless = "import json,sys\nfor line in sys.stdin:\n r=json.loads(line)\n ok={'name':'careless','version':'1',\
                    'operations':['domain.canonical']} if r['op']=='hello' else {}\n print(json.dumps({'id':r['id'],'ok':ok}),flush=True)\n";
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    std::fs::write(folder.path().join("careless.py"), careless).expect("written");
    let (code, text) = run(&["--json", "c.json"], &["python3", "careless.py"]);
    assert_eq!(code, Some(1), "{text}");
    for words in [
        "publish.domain.alphabet (document 3",
        "\n       assay vectors explain publish/domain/",
        " - answers differ\n",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (_, table) = assay(folder.path(), &["compare", "r.json", "c.json"]);
    assert!(table.contains("careless 1") && table.contains("| publish/domain/upper-case "), "{table}");
    let known = |id: &str| format!("[[known]]\ncase = {id:?}\nreason = 'r'\n");
    let baseline = ["--baseline", "b.toml", "--only", UPPER];
    std::fs::write(folder.path().join("b.toml"), known(UPPER)).expect("written");
    let (_, text) = run(&baseline, &["python3", "careless.py"]);
    assert!(text.contains("1 known-failure") && text.contains(", with 1 known failure\n"), "{text}");
    let (code, text) = run(&baseline, &[own, "shim"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the baseline expects a failure, but the case is pass"), "{text}");
}

#[test]
fn an_unknown_name_is_an_error_with_suggestions() {
    let folder = tempfile::tempdir().expect("a folder");
    for (flag, name, near) in [
        ("--operation", "vfkey.verfy", "did you mean vfkey.verify?"),
        ("--reading", "A-047/low", "did you mean A-047/low-s?"),
    ] {
        let (code, text) = assay(folder.path(), &["run", flag, name, "--", "true"]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(near), "{text}");
    }
    let (code, text) = assay(folder.path(), &["readings"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("A-047/low-s (") && text.contains("network.signing.low-s, document 2"), "{text}");
}

/// The path of an auditor: a release in an empty folder, its example, and its example broken.
#[test]
fn a_release_is_enough_to_test_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = unpack(folder.path());
    let text = |name: &str| std::fs::read_to_string(root.join(name)).expect(name);
    for op in assay_vectors::op::operations() {
        assert!(text("PROTOCOL.md").contains(&format!("### `{op}`")), "{op} is not described");
    }
    for name in ["rules.json", "readings.json", "behaviours.json"] {
        let table: serde_json::Value = serde_json::from_str(&text(name)).expect("JSON");
        assert!(table.as_array().is_some_and(|rows| rows.len() > 20), "{name}");
    }
    assert!(text("CHANGELOG.md").contains(&format!("\n## {}\n", assay_vectors::VERSION)));
    let files = std::fs::read_dir(vectors_folder().join("witness/python")).expect("a folder");
    for name in files.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
        let is_source = matches!(name.rsplit_once('.'), Some((_, "py" | "txt")));
        assert!(
            !is_source || root.join("witness/python").join(&name).is_file(),
            "{name} is not in the release"
        );
    }
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let (code, report) = assay(&root, &["run", "--", "python3", "examples/python/shim.py"]);
    assert_eq!(code, Some(0), "{report}");
    edit(&root.join("examples/python/shim.py"), "a-z0-9", "A-Za-z0-9");
    let (code, report) = assay(&root, &["run", "--", "python3", "examples/python/shim.py"]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains(UPPER) && report.ends_with(" - answers differ\n"), "{report}");
}
