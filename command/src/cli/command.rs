//! The command line: its subcommands, and which function each runs.

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};

use super::Ending;

#[derive(Parser)]
#[command(
    name = "assay",
    version,
    about = "Tests whether a server, a client or a test vector conforms to the documents",
    disable_help_subcommand = true
)]
pub(crate) struct Command {
    /// When to use colours; NO_COLOR in the environment turns auto off
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) what: What,
}

#[derive(Subcommand)]
pub(crate) enum What {
    /// Run the checks against a target; without a target, against the embedded simulator
    #[command(after_help = super::run::HELP)]
    Run(Box<super::run::RunArgs>),
    /// Judge the traffic of other clients: as a proxy before a server, or from a recording (HAR)
    #[command(after_help = super::watch::HELP)]
    Watch(Box<super::watch::WatchArgs>),
    /// Compare two reports: regressions, fixes, new checks
    #[command(after_help = super::report::DIFF_HELP)]
    Diff(super::report::DiffArgs),
    /// Show many reports over time: flaky checks, coverage, durations
    #[command(after_help = super::history::HELP)]
    History(super::history::HistoryArgs),
    /// Merge the reports of shards into one
    #[command(after_help = super::report::MERGE_HELP)]
    Merge(super::report::MergeArgs),
    /// Recompute every verdict of a report from the recorded exchanges, without the target
    #[command(after_help = super::report::JUDGE_HELP)]
    Judge(super::report::JudgeArgs),
    /// Resend the recorded requests of one check
    #[command(after_help = super::report::REPLAY_HELP)]
    Replay(super::report::ReplayArgs),
    /// Print the JSON Schema of a report, or of another output in JSON
    #[command(after_help = super::report::SCHEMA_HELP)]
    Schema(super::report::SchemaArgs),
    /// Start the simulator: every service on loopback, each on its own port
    #[cfg(feature = "embedded")]
    #[command(after_help = super::sim::HELP)]
    Sim(super::sim::SimArgs),
    /// Prove that every check can fail, and that no check fails under a variation that the documents allow
    #[cfg(feature = "embedded")]
    #[command(after_help = super::prove::HELP)]
    Prove(super::prove::ProveArgs),
    /// Send random sequences of requests to a target, and compare each answer with that of the simulator
    #[cfg(feature = "embedded")]
    #[command(after_help = super::explore::HELP)]
    Explore(super::explore::ExploreArgs),
    /// Publish a content identifier or transfer a domain, as a conforming client of the exchange
    #[command(after_help = super::publish::HELP)]
    Publish(super::publish::PublishArgs),
    /// Send prompts to a model, as a conforming client of the gateway and of the servers behind it
    #[command(after_help = super::chat::HELP)]
    Chat(super::chat::ChatArgs),
    /// Verify on the chain that a key published a record
    #[command(after_help = super::publish::VERIFY_HELP)]
    VerifyPublish(super::publish::VerifyArgs),
    /// Test a client program against conforming and deviating simulators
    #[cfg(feature = "embedded")]
    Client {
        #[command(subcommand)]
        what: super::client::What,
    },
    /// List, explain, check and release the golden test vectors, and test a program against them
    Vectors {
        #[command(subcommand)]
        what: super::vectors::What,
    },
    /// Run the reference implementation of the JSON-lines protocol on stdin and stdout
    #[command(after_help = super::vectors::SHIM_HELP)]
    Shim,
    /// Compute the content identifier of a file or folder
    #[command(after_help = super::cid::HELP)]
    Cid(super::cid::CidArgs),
    /// Recover an owner's projects and deployments from nodes of the network
    #[command(after_help = super::recover::HELP)]
    Recover(super::recover::RecoverArgs),
    /// Query a target and write a first profile for it
    #[command(after_help = super::init::HELP)]
    Init(super::init::InitArgs),
    /// Report what prevents a target from being tested, fully or partly, and how to fix it
    #[command(after_help = super::doctor::HELP)]
    Doctor(super::doctor::DoctorArgs),
    /// List the readings that a profile can declare for ambiguous sentences
    #[command(after_help = super::readings::HELP)]
    Readings(super::readings::ReadingsArgs),
    /// Write the OpenAPI 3.1 document of a service
    #[command(after_help = super::openapi::HELP)]
    Openapi(super::openapi::OpenapiArgs),
    /// List every requirement with its evidence
    #[command(after_help = super::requirements::HELP)]
    Requirements(super::requirements::RequirementsArgs),
    /// Serve explain, plan, run, why and replay to an agent or an editor (Model Context Protocol)
    #[command(after_help = super::mcp::HELP)]
    Mcp(super::mcp::McpArgs),
    /// Explain requirements: statement, source, check, usual failures, how to run it alone
    #[command(after_help = super::explain::HELP)]
    Explain(super::explain::ExplainArgs),
    /// Print the help of a command, a page of the documentation, or the meaning of a word
    #[command(after_help = super::help::HELP)]
    Help(super::help::HelpArgs),
    /// Print the completions for a shell
    #[command(after_help = super::help::COMPLETIONS_HELP)]
    Completions(super::help::CompletionsArgs),
    /// Print the manual page, or write the pages of all commands into a folder
    #[command(after_help = super::help::MAN_HELP)]
    Man(super::help::ManArgs),
}

impl What {
    /// Runs the command.
    pub(crate) async fn run(self) -> Result<(), Ending> {
        match self {
            What::Run(args) => Box::pin(super::run::run(*args)).await,
            What::Watch(args) => super::watch::watch(*args).await,
            What::Diff(args) => super::report::compare(&args),
            What::History(args) => super::history::history(&args),
            What::Merge(args) => super::report::merge(&args),
            What::Judge(args) => super::report::judge(args).await,
            What::Replay(args) => super::report::replay(args).await,
            What::Schema(args) => {
                super::report::schema(&args);
                Ok(())
            }
            #[cfg(feature = "embedded")]
            What::Sim(args) => super::sim::sim(args).await,
            #[cfg(feature = "embedded")]
            What::Prove(args) => super::prove::prove(args).await,
            #[cfg(feature = "embedded")]
            What::Explore(args) => super::explore::explore(args).await,
            What::Publish(args) => super::publish::publish(args).await,
            What::Chat(args) => super::chat::chat(args).await,
            What::VerifyPublish(args) => super::publish::verify(args).await,
            #[cfg(feature = "embedded")]
            What::Client { what } => super::client::client(what).await,
            What::Vectors { what } => super::vectors::vectors(what),
            What::Cid(args) => super::cid::cid(&args),
            What::Recover(args) => super::recover::recover(args).await,
            What::Openapi(args) => super::openapi::openapi(&args),
            What::Shim => super::vectors::serve(),
            What::Init(args) => super::init::init(args).await,
            What::Doctor(args) => super::doctor::doctor(args).await,
            What::Readings(args) => super::readings::readings(&args),
            What::Requirements(args) => super::requirements::requirements(&args),
            What::Mcp(args) => super::mcp::mcp(args).await,
            What::Explain(args) => super::explain::explain(&args),
            What::Help(args) => super::help::help(&args, Command::command()),
            What::Completions(args) => {
                super::help::completions(&args, Command::command());
                Ok(())
            }
            What::Man(args) => super::help::man(&args, Command::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use assay_suites::support::prose;
    use clap::CommandFactory;

    use super::super::help::{GROUPS, TOPICS, WORDS, grouped, rows};
    use super::*;

    fn command() -> clap::Command {
        grouped(Command::command()).term_width(prose::WIDTH)
    }

    #[test]
    fn every_command_is_in_one_group() {
        command().debug_assert();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let command = command();
        let known: BTreeSet<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let unique: BTreeSet<&str> = grouped.iter().copied().collect();
        assert_eq!(unique.len(), grouped.len(), "a command is in two groups");
        // Without the simulator some commands are missing.
        assert!(known.is_subset(&unique), "without a group: {:?}", known.difference(&unique));
        assert!(!cfg!(feature = "embedded") || unique.is_subset(&known), "no command: {unique:?}");
    }

    #[test]
    fn every_command_prints_its_exit_codes_in_eighty_columns() {
        fn leaves(command: &clap::Command, all: &mut Vec<clap::Command>) {
            if command.has_subcommands() {
                command.get_subcommands().for_each(|one| leaves(one, all));
            } else {
                all.push(command.clone());
            }
        }
        let (mut root, mut all) = (command(), Vec::new());
        root.build();
        leaves(&root, &mut all);
        assert!(all.len() > 30 || cfg!(not(feature = "embedded")), "{}", all.len());
        for mut one in all {
            let text = one.render_long_help().to_string();
            assert!(text.contains("Exit codes: 0 "), "{}: {text}", one.get_name());
            // clap does not wrap the line of the usage.
            let long = text.lines().find(|line| line.chars().count() > 80 && !line.starts_with("Usage:"));
            assert_eq!(long, None, "{}", one.get_name());
        }
    }

    #[test]
    fn every_service_verdict_and_word_is_a_topic() {
        use assay_suites::harness::data::Verdict;

        let words: BTreeSet<String> =
            WORDS.iter().flat_map(|page| rows(page)).map(|(_, row)| row[0].clone()).collect();
        for verdict in Verdict::ALL {
            assert!(words.contains(verdict.name()), "{}", verdict.name());
        }
        for service in assay_spec::Service::ALL {
            assert!(TOPICS.iter().any(|topic| topic.name == format!("testing-{service}")), "{service}");
        }
        for word in words.iter().map(String::as_str).chain(["lint", "drop"]) {
            let args = super::super::help::HelpArgs { words: vec![word.to_owned()] };
            assert!(super::super::help::help(&args, Command::command()).is_ok(), "{word}");
        }
        assert!(words.contains("control API") && words.contains("conforms"), "{words:?}");
    }

    #[test]
    fn every_page_is_a_topic_and_no_topic_hides_behind_a_command() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut pages = BTreeSet::new();
        for folder in ["docs", "docs/services"] {
            for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
                let name = entry.expect("an entry").file_name();
                let is_page = std::path::Path::new(&name).extension().is_some_and(|kind| kind == "md");
                pages.extend(is_page.then(|| format!("{folder}/{}", name.to_string_lossy())));
            }
        }
        let mut topics: BTreeSet<String> = TOPICS.iter().map(|topic| topic.file.to_owned()).collect();
        assert!(topics.remove("README.md"));
        assert_eq!(pages, topics, "pages and topics");
        let command = command();
        for topic in TOPICS {
            assert!(command.find_subcommand(topic.name).is_none(), "{} is also a command", topic.name);
        }
    }
}
