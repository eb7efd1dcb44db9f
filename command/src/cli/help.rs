//! `assay help`, `assay completions` and `assay man`: what the program says about itself.

use std::path::PathBuf;

use assay_spec::Service;
use assay_spec::names::did_you_mean;
use assay_suites::support::prose::{self, wrap};
use clap::{Args, Command};
use pulldown_cmark::{Event, Parser};

use super::{Ending, is_coloured};

/// The subcommands by purpose, as `assay --help` shows them.
pub(crate) const GROUPS: [(&str, &[&str]); 6] = [
    ("Test a server", &["run", "explore", "watch", "init", "doctor", "mcp"]),
    ("Test a client or a library", &["client", "vectors", "shim"]),
    ("Reports", &["diff", "history", "merge", "judge", "replay", "schema"]),
    ("Simulator and proof", &["sim", "prove"]),
    ("Conforming clients", &["publish", "verify-publish", "chat", "recover", "cid"]),
    ("Reference", &["explain", "requirements", "readings", "openapi", "help", "completions", "man"]),
];

/// A page of the documentation.
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    /// Its file in the repository.
    pub(crate) file: &'static str,
    text: &'static str,
}

macro_rules! topics {
    ($($name:literal $file:literal;)*) => {
        &[$(Topic { name: $name, file: $file, text: include_str!(concat!("../../", $file)) }),*]
    };
}

/// The pages that `assay help` prints. No name is also a command.
pub(crate) static TOPICS: &[Topic] = topics! {
    "overview" "README.md";
    "install" "docs/install.md";
    "testing-a-server" "docs/testing-a-server.md";
    "profile" "docs/profile.md";
    "testing-gateway" "docs/services/gateway.md";
    "testing-metadata" "docs/services/metadata.md";
    "testing-network" "docs/services/network.md";
    "testing-hosting" "docs/services/hosting.md";
    "testing-publish" "docs/services/publish.md";
    "testing-drop" "docs/services/drop.md";
    "shared-targets" "docs/shared-targets.md";
    "exploration" "docs/exploration.md";
    "watching" "docs/watching.md";
    "ci" "docs/ci.md";
    "simulator" "docs/simulator.md";
    "control-api" "docs/control-api.md";
    "tests-with-the-simulator" "docs/tests-with-the-simulator.md";
    "testing-clients" "docs/testing-clients.md";
    "client-duties" "docs/client-duties.md";
    "golden-vectors" "docs/vectors.md";
    "vectors-protocol" "docs/vectors-protocol.md";
    "content-identifiers" "docs/content-identifiers.md";
    "verdicts" "docs/verdicts.md";
    "ambiguous-sentences" "docs/readings.md";
    "performance" "docs/performance.md";
    "other-tools" "docs/other-tools.md";
    "dependencies" "docs/dependencies.md";
    "glossary" "docs/glossary.md";
    "style" "docs/style.md";
    "troubleshooting" "docs/troubleshooting.md";
};

/// The end of the help.
pub(crate) const COMPLETIONS_HELP: &str = "Example:\n  assay completions bash > ~/.local/share/bash-completion/completions/assay\n\nExit codes: 0 printed, 2 unknown shell";

/// The end of the help.
pub(crate) const MAN_HELP: &str = "Example:\n  assay man --into ~/.local/share/man/man1\n\nExit codes: 0 printed or written, 2 bad arguments, 4 the folder cannot be written";

/// The end of the help.
pub(crate) const HELP: &str = "Examples:\n  assay help run\n  assay help drop             # the page of a service\n  assay help not-testable     # a verdict, or a word of the glossary\n\nExit codes: 0 printed, 2 unknown command, topic or word";

#[derive(Args)]
pub(crate) struct HelpArgs {
    /// A command, or a topic: see the end of assay --help
    #[arg(value_name = "COMMAND OR TOPIC")]
    pub(crate) words: Vec<String>,
}

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

#[derive(Args)]
pub(crate) struct ManArgs {
    /// Write the page of each command into this folder
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

/// The command line, with its subcommands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let style = *command.get_styles().get_header();
    let mut groups = String::new();
    for (title, names) in GROUPS {
        let known: Vec<_> = names.iter().filter_map(|name| command.find_subcommand(name)).collect();
        if !known.is_empty() {
            groups += &format!("{style}{title}:{style:#}\n");
        }
        for one in known {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            groups += &wrap(&format!("  {:<16}", one.get_name()), &about);
        }
        groups += "\n";
    }
    let names: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
    let topics = wrap("Topics of assay help: ", &names.join(", "));
    let words = wrap(
        "",
        "Services, verdicts and the words of the glossary are topics, too: assay help drop, assay help inconclusive",
    );
    command
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{style}Options:{style:#}\n{{options}}\n\n{words}{topics}"
        ))
        .term_width(prose::width())
}

pub(crate) fn help(args: &HelpArgs, command: Command) -> Result<(), Ending> {
    if let [name] = args.words.as_slice()
        && command.find_subcommand(name).is_none()
        && let Some(topic) = topic(name)
    {
        print!("{}", prose::page(topic.text, follow));
        return Ok(());
    }
    let is_command = args.words.first().is_some_and(|word| command.find_subcommand(word).is_some());
    if !is_command && let Some(meaning) = meaning(&args.words.join(" ")) {
        print!("{meaning}");
        return Ok(());
    }
    let mut root = grouped(command);
    root.build();
    let mut found = &mut root;
    for word in &args.words {
        let names: Vec<String> = found.get_subcommands().map(|one| one.get_name().to_owned()).collect();
        found = found.find_subcommand_mut(word).ok_or_else(|| {
            let words = WORDS.iter().flat_map(|page| rows(page)).map(|(_, row)| row[0].clone());
            let names: Vec<String> = names.into_iter().chain(words).collect();
            let names = names.iter().map(String::as_str).chain(TOPICS.iter().map(|topic| topic.name));
            Ending::Bad(format!("no command, topic or word is {word:?}{}", did_you_mean(word, names)))
        })?;
    }
    let text = found.render_help();
    if is_coloured() {
        print!("{}", text.ansi());
    } else {
        print!("{text}");
    }
    Ok(())
}

/// The page of a topic; a service has its page, too.
fn topic(name: &str) -> Option<&'static Topic> {
    let of_service = Service::named(name).map(|service| format!("testing-{service}"));
    TOPICS.iter().find(|topic| topic.name == name || of_service.as_deref() == Some(topic.name))
}

/// The topics whose tables explain words: a word in the first column.
pub(crate) const WORDS: [&str; 2] = ["verdicts", "glossary"];

/// The rows of the tables of a topic: the cells of the head and of the row, without marks.
pub(crate) fn rows(name: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let text = topic(name).map_or("", |topic| topic.text);
    let (mut rows, mut head) = (Vec::new(), Vec::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
        let cells: Vec<String> = cells.split(" | ").map(unmarked).collect();
        match lines.peek() {
            Some(next) if next.starts_with("|---") => head = cells,
            _ => rows.push((head.clone(), cells)),
        }
    }
    rows
}

/// A cell without marks for code, stress and links.
fn unmarked(cell: &str) -> String {
    let words = Parser::new(cell).filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    });
    words.collect::<Vec<_>>().concat()
}

/// What a name is for `assay help`, besides a command: a service, a page, or a word.
pub(crate) fn what_is(name: &str) -> Option<&'static str> {
    match topic(name) {
        Some(_) if Service::named(name).is_some() => Some("a service"),
        Some(_) => Some("a page of the documentation"),
        None => meaning(name).map(|_| "a word"),
    }
}

/// What the pages say about a word, such as a verdict.
fn meaning(word: &str) -> Option<String> {
    let is_it = |cell: &str| cell == word || cell.split(" (").next() == Some(word);
    let found =
        WORDS.iter().find_map(|page| Some((page, rows(page).into_iter().find(|(_, row)| is_it(&row[0]))?)));
    let (page, (head, row)) = found?;
    let mut out = format!("{}\n{}", row[0], wrap("  ", &row[1]));
    for (title, cell) in head.iter().zip(&row).skip(2) {
        out += &wrap("  ", &format!("{title}: {cell}"));
    }
    Some(format!("{out}\nassay help {page} says more\n"))
}

/// How to follow a link of a page: another page has its own topic, and a URL is shown.
fn follow(url: &str) -> Option<String> {
    let file = url.split('#').next().unwrap_or(url);
    let file = file.rsplit('/').next().filter(|_| !url.contains("://"));
    let is_it = |topic: &&Topic| file.is_some_and(|file| topic.file.rsplit('/').next() == Some(file));
    match TOPICS.iter().find(is_it) {
        Some(topic) => Some(format!("assay help {}", topic.name)),
        None => url.contains("://").then(|| url.to_owned()),
    }
}

pub(crate) fn completions(args: &CompletionsArgs, command: Command) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut grouped(command), "assay", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
}

pub(crate) fn man(args: &ManArgs, command: Command) -> Result<(), Ending> {
    let Some(folder) = &args.into else {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(grouped(command)).render(&mut page);
        written.map_err(|e| Ending::Failed(e.to_string()))?;
        print!("{}", String::from_utf8_lossy(&page));
        return Ok(());
    };
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(grouped(command), folder));
    written.map_err(|e| Ending::Failed(format!("{}: {e}", folder.display())))
}
