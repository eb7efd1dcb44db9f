//! `assay publish` and `assay verify-publish`: a conforming client of the exchange.

use std::path::PathBuf;

use assay_suites::services::publish;
use clap::Args;

use super::target::DialectArgs;
use super::{Ending, read_secret};

/// The end of the help.
pub(crate) const HELP: &str = "The service is another topic: assay help testing-publish\n\nExamples:\n  ASSAY_KEY=… assay publish --url http://127.0.0.1:4116 --domain a.example --cid bafy…\n  assay publish --url … --domain a.example --key-file p.key --transfer-to 9xQe…\n\nExit codes: 0 published, 1 not published, 2 bad arguments";

/// The end of the help.
pub(crate) const VERIFY_HELP: &str = "Example:\n  assay verify-publish --chain http://127.0.0.1:4117 --signature 5Kd… --key 8qbH…\n\nExit codes: 0 verified, 1 not verified, 2 bad arguments, 3 chain unreachable";

#[derive(Args)]
pub(crate) struct PublishArgs {
    /// Base URL of the exchange
    #[arg(long, env = "ASSAY_URL")]
    url: String,
    /// The domain to publish under
    #[arg(long, env = "ASSAY_DOMAIN")]
    domain: String,
    /// The content identifier to publish
    #[arg(long, env = "ASSAY_CID", required_unless_present_any = ["transfer_to", "accept"])]
    cid: Option<String>,
    /// The version to publish; the default is 0
    #[arg(long = "build", value_name = "VERSION", env = "ASSAY_VERSION")]
    version: Option<String>,
    /// Transfer the domain to this base58 public key
    #[arg(long, value_name = "KEY", conflicts_with = "accept", env = "ASSAY_TRANSFER_TO")]
    transfer_to: Option<String>,
    /// Accept the transfer with this transaction signature
    #[arg(long, value_name = "SIGNATURE", env = "ASSAY_ACCEPT")]
    accept: Option<String>,
    /// File with the key's seed, 64 hex digits; the default is the environment variable ASSAY_KEY
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Base URL of the chain's JSON-RPC interface, to verify the published record
    #[arg(long, value_name = "URL", env = "ASSAY_CHAIN_URL")]
    chain: Option<String>,
    #[command(flatten)]
    names: DialectArgs,
}

#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// Base URL of the chain's JSON-RPC interface
    #[arg(long, value_name = "URL")]
    chain: String,
    /// Signature of the transaction, base58
    #[arg(long)]
    signature: String,
    /// The publishing key, base58
    #[arg(long)]
    key: String,
    #[command(flatten)]
    names: DialectArgs,
}

pub(crate) async fn publish(args: PublishArgs) -> Result<(), Ending> {
    use assay_spec::publish::check::{Intent, Op};
    use publish::client::{Publication, Published};

    let secret = match &args.key_file {
        Some(path) => read_secret(path)?,
        None => std::env::var("ASSAY_KEY")
            .map_err(|_| Ending::Bad("no key: set --key-file or ASSAY_KEY".to_owned()))?,
    };
    let (dialect, _) = args.names.load()?;
    let op = match (args.transfer_to, args.accept, args.cid) {
        (Some(key), ..) => Op::Transfer { new_authority: format!("{}{key}", dialect.key_scheme) },
        (_, Some(transfer), _) => Op::Accept { transfer },
        (.., cid) => Op::Publish { cid: cid.unwrap_or_default(), version: args.version },
    };
    let wanted = Publication {
        dialect,
        url: args.url,
        chain_url: args.chain,
        key: publish::signing_key(&secret).map_err(Ending::Bad)?,
        asked: Intent { domain: args.domain, op },
    };
    match publish::client::publish(&wanted).await {
        Ok(Published::Landed(signature)) => {
            println!("{signature}");
            Ok(())
        }
        Ok(Published::Unverified(signature, why)) => {
            println!("{signature}");
            eprintln!("assay: published, but not verified: {why}");
            Err(Ending::Code(1))
        }
        Ok(Published::Unresolved(why)) | Err(why) => {
            eprintln!("assay: {why}");
            Err(Ending::Code(1))
        }
    }
}

pub(crate) async fn verify(args: VerifyArgs) -> Result<(), Ending> {
    use publish::verify::{Verified, verify_publish};

    let (dialect, _) = args.names.load()?;
    let verified = verify_publish(&dialect, &args.chain, &args.signature, &args.key).await;
    match verified.map_err(Ending::Unreachable)? {
        Verified::Record(record) => {
            println!("{}", String::from_utf8_lossy(&record.encode(&dialect)));
            println!("published by {} in transaction {}", args.key, args.signature);
            Ok(())
        }
        Verified::Absent => {
            println!("unverified: the chain does not have this transaction");
            Err(Ending::Code(1))
        }
        Verified::Unproven(why) => {
            println!("unverified: {why}");
            Err(Ending::Code(1))
        }
    }
}
