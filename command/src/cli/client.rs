//! `assay client`: tests a client program against conforming and deviating worlds.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_spec::Id;
use assay_suites::embedded::client::{Ability, Client, Hold, Without, gateway, node, publish, recovery};
use assay_suites::harness::data::{Outcome, Run};
use assay_suites::harness::select::each_selects;
use assay_suites::report::progress::Progress;
use assay_suites::report::{ctrf, json, junit};
use assay_suites::support::files::startable;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::interrupt::Interrupt;
use super::outputs::Printed;
use super::{Ending, whole, write};

#[derive(Subcommand)]
pub(crate) enum What {
    /// Test a client of the signed publishing exchange; it is started once per world
    #[command(
        after_help = "CMD gets these environment variables: ASSAY_URL and ASSAY_CHAIN_URL (base URLs of the exchange and of the chain's JSON-RPC interface), ASSAY_KEY (the key's seed, 64 hex digits), ASSAY_DOMAIN, ASSAY_CID and, in some worlds, ASSAY_VERSION. In place of ASSAY_CID, ASSAY_TRANSFER_TO asks for a transfer to this base58 key, and ASSAY_ACCEPT to accept the transfer with this transaction signature. It does so once and exits, with 0 only if it published and nothing contradicts it. It is judged by what it sends, never by what it prints. Its exit code counts where the chain does not prove a record.\n\nExamples:\n  assay client publish -- assay publish\n  assay client publish publish.check --junit out.xml -- node publish.mjs\n  assay client publish --hold second_expiry_in_a_row_ends_it\n\nExit codes: 0 conforming, 1 not conforming, 2 bad arguments, 4 the harness failed"
    )]
    Publish(PublishArgs),
    /// Test a client of the inference gateway, its servers and enclaves; it is started once per world and gets prompts
    #[command(
        after_help = "CMD gets these environment variables: ASSAY_GATEWAY_URL, ASSAY_CA_FILE (certificates of the authority for https URLs), ASSAY_MODE (gateway, or direct: the servers that discovery lists), ASSAY_GATEWAY_KEY or, where requests are paid, ASSAY_PAYMENT (value of the X-PAYMENT header), ASSAY_REFRESH_SECONDS (how long a list of servers may be used) and ASSAY_ATTESTATION_KEY (public key of the attestation authority, hex; resolution and attestation are stand-ins; without it no enclave can be verified). It reads prompts from standard input, one JSON object a line: {\"id\", \"model\", \"prompt\", \"stream\"}, and in some worlds {\"tools\", \"results\"}: the declarations of the request, and what each tool returns, by name. For each prompt it prints one line, {\"id\", \"answer\"} or {\"id\", \"error\"}. It exits at the end of its input. It is judged by what it sends; of its output, only that an answer is exactly what a server sent.\n\nExamples:\n  assay client gateway -- assay chat\n  assay client gateway gateway.confidential --junit out.xml -- node chat.mjs\n  assay client gateway --hold cookie_is_sent_back\n\nExit codes: 0 conforming, 1 not conforming, 2 bad arguments, 4 the harness failed"
    )]
    Gateway(GatewayArgs),
    /// Test a program that uses a node of the network; it is started once per world, with one task
    #[command(
        after_help = "CMD gets these environment variables: ASSAY_NODE_URLS (base URLs of nodes, without /api/v0, separated by blanks; the first is asked first), ASSAY_ADDRESS and ASSAY_WALLET_KEY (the sender, and its key, 64 hex digits) and ASSAY_TASK, one JSON object: {\"do\": \"create\", \"path\", \"type\", \"channel\", \"content\"} sends a signed message with this content to this path; {\"do\": \"upload\", \"path\", \"file\", \"channel\"} uploads a file, with a wallet signature over the hex SHA-256 of its bytes; both print {\"item_hash\"}. {\"do\": \"list\", \"path\", \"address\"} prints {\"item_hashes\"}, the hashes of all messages of an address. {\"do\": \"read\", \"path\", \"hash\"} prints {\"content\"}. It does the task once, prints one JSON object and exits. It is judged by what it sends, by what this creates, and by what it prints.\n\nExamples:\n  assay client node -- node task.mjs\n  assay client node network.client.once --junit out.xml -- python task.py\n  assay client node --no-uploads -- ./task\n\nExit codes: 0 conforming, 1 not conforming, 2 bad arguments, 4 the harness failed"
    )]
    Node(NodeArgs),
    /// Test a tool that recovers stored records from the network; it is started once per world and prints what it recovers
    #[command(
        after_help = "CMD gets these environment variables: ASSAY_NODE_URLS (base URLs of nodes, without /api/v0, separated by blanks; the first is asked first), ASSAY_ADDRESS (the owner) and ASSAY_WALLET_KEY (the wallet's key, 64 hex digits). It recovers the owner's history, prints one JSON object and exits: {\"projects\": [{\"id\", \"deleted\", \"plaintext\"}], \"deployments\": [{\"deploymentId\", \"projectId\", \"status\", \"storeRef\", \"cid\", \"plaintext\"}], \"claims\": [{\"instanceHash\", \"pubkey\"}], \"warnings\": [{\"warning\", \"subject\"}]}. A plaintext is an object, or null where there is none. The subject of a warning is the deployment's id. Lists have any order, and members may be added. It is judged by what it prints and, in one world, by what it requests.\n\nExamples:\n  assay client recovery -- assay recover\n  assay client recovery hosting.amends --junit out.xml -- node recover.mjs\n  assay client recovery --no-claims -- python recover.py\n\nExit codes: 0 conforming, 1 not conforming, 2 bad arguments, 4 the harness failed"
    )]
    Recovery(RecoveryArgs),
}

#[derive(Args)]
pub(crate) struct PublishArgs {
    /// Duration of a slow submit, in seconds; the document says about three minutes
    #[arg(long, default_value_t = 8, value_parser = whole::<u64>(0..=u64::MAX))]
    slow: u64,
    #[command(flatten)]
    lacking: Lacking<publish::Suite>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Args)]
pub(crate) struct GatewayArgs {
    /// Value of ASSAY_REFRESH_SECONDS: how long the client may use a list of servers
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(1..=60))]
    refresh: u64,
    #[command(flatten)]
    lacking: Lacking<gateway::Suite>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Args)]
pub(crate) struct NodeArgs {
    #[command(flatten)]
    lacking: Lacking<node::Suite>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Args)]
pub(crate) struct RecoveryArgs {
    #[command(flatten)]
    lacking: Lacking<recovery::Suite>,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Args)]
struct CommonArgs {
    /// Only these worlds: an id, a part of ids or facts, or a pattern with * and ?
    filters: Vec<String>,
    /// Seed of the worlds
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report in the Common Test Report Format (CTRF, JSON)
    #[arg(long, value_name = "FILE")]
    ctrf: Option<PathBuf>,
    /// Seconds after which a client that waits for nothing counts as hanging
    #[arg(long, default_value_t = 30, value_parser = whole::<u64>(1..=u64::MAX))]
    limit: u64,
    /// Number of worlds that run in parallel
    #[arg(long, default_value_t = 4, value_parser = whole::<u16>(1..=64))]
    jobs: u16,
    /// List the worlds and start nothing
    #[arg(long)]
    list: bool,
    /// Keep this world open for a client that you start, until Ctrl-C; then print the verdict
    #[arg(long, value_name = "WORLD", conflicts_with_all = ["list", "filters", "command", "jobs", "limit"])]
    hold: Option<String>,
    /// The client and its arguments
    #[arg(last = true, required_unless_present_any = ["list", "hold"], value_name = "CMD")]
    command: Vec<String>,
    #[command(flatten)]
    printed: Printed,
}

/// The flags of what the client of a suite may leave out.
struct Lacking<S>(Without, PhantomData<S>);

/// A suite of worlds for one kind of client.
trait Tests {
    /// What its client may leave out.
    const ABILITIES: &'static [Ability];
    /// A world.
    type Case: 'static;

    fn select(filters: &[String]) -> Vec<&'static Self::Case>;
    fn world(case: &Self::Case) -> (Id, &'static str);
    async fn run(&self, cases: &[&'static Self::Case], seen: impl FnMut(&Outcome)) -> Run;
    async fn hold(&self, case: &'static Self::Case, hold: Hold<'_>) -> Run;
}

/// Every suite has the same functions.
macro_rules! tests {
    ($($suite:ident)*) => {$(
        impl Tests for $suite::Suite {
            const ABILITIES: &'static [Ability] = $suite::ABILITIES;
            type Case = $suite::Case;

            fn select(filters: &[String]) -> Vec<&'static Self::Case> {
                $suite::select(filters)
            }

            fn world(case: &Self::Case) -> (Id, &'static str) {
                (case.requirement, case.fact)
            }

            async fn run(&self, cases: &[&'static Self::Case], seen: impl FnMut(&Outcome)) -> Run {
                self.run(cases, seen).await
            }

            async fn hold(&self, case: &'static Self::Case, hold: Hold<'_>) -> Run {
                self.hold(case, hold).await
            }
        }
    )*};
}

tests! { publish gateway node recovery }

impl<S: Tests> Args for Lacking<S> {
    fn augment_args(command: Command) -> Command {
        let flag = |ability: &Ability| {
            let help = format!("The client {}: those worlds are not applicable", ability.lack);
            Arg::new(ability.flag).long(ability.flag).action(ArgAction::SetTrue).help(help)
        };
        command.args(S::ABILITIES.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Tests> FromArgMatches for Lacking<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let lacking = S::ABILITIES.iter().copied().filter(|ability| matches.get_flag(ability.flag));
        Ok(Lacking(lacking.collect(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(crate) async fn client(what: What) -> Result<(), Ending> {
    match what {
        What::Publish(PublishArgs { common, slow, lacking }) => {
            let suite = publish::Suite::new(common.client(lacking));
            test(&common, publish::Suite { slow: Duration::from_secs(slow), ..suite }).await
        }
        What::Gateway(GatewayArgs { common, refresh, lacking }) => {
            let suite = gateway::Suite::new(common.client(lacking));
            test(&common, gateway::Suite { refresh_s: refresh, ..suite }).await
        }
        What::Node(NodeArgs { common, lacking }) => {
            let client = common.client(lacking);
            test(&common, node::Suite { client }).await
        }
        What::Recovery(RecoveryArgs { common, lacking }) => {
            let client = common.client(lacking);
            test(&common, recovery::Suite { client }).await
        }
    }
}

/// Runs the client in the selected worlds, or holds one of them open.
async fn test<S: Tests>(common: &CommonArgs, suite: S) -> Result<(), Ending> {
    let cases = S::select(&common.filters());
    let all = S::select(&[]);
    let [all, selected] = [&all, &cases].map(|cases| cases.iter().map(|case| S::world(case)));
    if !start(common, &all, selected.clone())? {
        return Ok(());
    }
    let run = if let (Some(_), [case]) = (&common.hold, &cases[..]) {
        common.hold(async |hold| suite.hold(case, hold).await).await
    } else {
        let progress = Progress::start(selected.map(|(row, _)| row), common.printed.is_short(), None);
        let run = suite.run(&cases, |one| progress.checked(one, one.verdict)).await;
        progress.finish();
        run
    };
    tell(common, &Run { is_whole: common.is_whole(), ..run })
}

impl CommonArgs {
    /// What selects the worlds.
    fn filters(&self) -> Vec<String> {
        self.hold.clone().map_or_else(|| self.filters.clone(), |world| vec![world])
    }

    /// Whether every world runs.
    fn is_whole(&self) -> bool {
        self.filters.is_empty() && self.hold.is_none()
    }

    fn client<S>(&self, lacking: Lacking<S>) -> Client {
        Client {
            limit: Duration::from_secs(self.limit),
            without: lacking.0,
            jobs: usize::from(self.jobs),
            ..Client::new(self.command.clone(), self.seed)
        }
    }

    /// Holds a world open until Ctrl-C.
    async fn hold(&self, open: impl AsyncFnOnce(Hold<'_>) -> Run) -> Run {
        let interrupt = Interrupt::listen_quietly();
        let say = |line: &str| anstream::println!("{line}");
        open(Hold { say: &say, end: std::pin::pin!(interrupt.wait()) }).await
    }
}

/// Whether the worlds run; with `--list` they are only printed.
fn start(
    common: &CommonArgs,
    all: &(impl Iterator<Item = (Id, &'static str)> + Clone),
    cases: impl Iterator<Item = (Id, &'static str)> + Clone,
) -> Result<bool, Ending> {
    each_selects("world", "--list", &common.filters(), all).map_err(Ending::Bad)?;
    if let (Some(world), count @ 2..) = (&common.hold, cases.clone().count()) {
        return Err(Ending::Bad(format!(
            "--hold {world}: it selects {count} worlds, and only one can be held open; --list shows the worlds"
        )));
    }
    let width = cases.clone().map(|(requirement, _)| requirement.to_string().len()).max();
    let width = width.unwrap_or_default();
    if common.list {
        for (requirement, fact) in cases {
            println!("{:<width$}  {fact}", requirement.to_string());
        }
        return Ok(false);
    }
    common.command.first().map_or(Ok(()), |program| startable(program)).map_err(Ending::Bad)?;
    Ok(true)
}

fn tell(common: &CommonArgs, run: &Run) -> Result<(), Ending> {
    let files = [&common.json, &common.junit, &common.ctrf].map(Option::as_deref);
    let files: Vec<&Path> = files.into_iter().flatten().collect();
    common.printed.print(run, &files);
    for (path, report) in [
        (&common.json, json::write as fn(&Run) -> String),
        (&common.junit, junit::write),
        (&common.ctrf, ctrf::write),
    ] {
        if let Some(path) = path {
            write(path, &report(run))?;
        }
    }
    match run.exit_code() {
        0 => Ok(()),
        code => Err(Ending::Code(code)),
    }
}
