//! `assay recover`: recovers an owner's projects and deployments from the network and a wallet key.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assay_spec::Strict;
use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::hex;
use assay_spec::hosting::envelope::{Keys, Role};
use assay_suites::http::hiding::Hidden;
use assay_suites::http::sockets::Tcp;
use assay_suites::profile::parse_base_url;
use assay_suites::services::hosting::collect::{Recovered, Wanted, recover as collect};
use assay_suites::support::files;
use clap::Args;
use zeroize::Zeroizing;

use super::target::DialectArgs;
use super::{Ending, whole, write};

pub(crate) const HELP: &str = "\
The wallet's key is 64 hex digits. It is read from the file of --key-file (mode 600) or from the environment variable
ASSAY_WALLET_KEY, never from an argument. Without a key, only public data is recovered. Several --network are queried in
order: their lists are merged, and an artifact is reported absent only after every node has reported it absent.

Standard output is JSON: projects, deployments, claims, the documents' warnings, notes, the ignored records with
reasons, and the state of each node. Problems with a node are also printed on standard error.

Examples:
  ASSAY_WALLET_KEY=\u{2026} assay recover --network http://127.0.0.1:4107 --address 0x7E5F\u{2026}
  assay recover --network http://a.example --network http://b.example --address 0x7E5F\u{2026} --key-file wallet.key --json history.json

Exit codes: 0 recovered, 1 recovered in part (a list is incomplete, or the state of an artifact is unknown), 2 bad arguments or key, 3 no node responds, 4 the file cannot be written";

/// The environment variable of the key.
const VARIABLE: &str = "ASSAY_WALLET_KEY";
/// The maximum size of a key file, in bytes.
const KEY_FILE_BYTES: u64 = 1024;

#[derive(Args)]
pub(crate) struct RecoverArgs {
    /// Base URL of a node, without /api/v0 (repeatable: mirrors); in the variable they are separated by blanks
    #[arg(
        long,
        value_name = "URL",
        env = "ASSAY_NODE_URLS",
        required = true,
        value_delimiter = ' ',
        value_parser = parse_base_url
    )]
    network: Vec<String>,
    /// The owner's address
    #[arg(long, value_name = "0x…", env = "ASSAY_ADDRESS", value_parser = parse_address)]
    address: Address,
    /// File with the wallet's key, 64 hex digits; the default is the environment variable ASSAY_WALLET_KEY
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Write the JSON to this file; without it, or with -, to standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    #[command(flatten)]
    names: DialectArgs,
    /// Timeout for one exchange, in seconds
    #[arg(long, default_value_t = 15, value_parser = whole::<u64>(1..=600))]
    timeout: u64,
}

fn parse_address(text: &str) -> Result<Address, String> {
    let address = Address::parse(text).ok_or("not an address: use 0x and 40 hexadecimal digits")?;
    let digits = text.trim_start_matches("0x");
    let is_cased = digits.contains(|c: char| c.is_ascii_uppercase())
        && digits.contains(|c: char| c.is_ascii_lowercase());
    if is_cased && address.to_string() != text {
        return Err(format!("the checksum does not match; the letter case should be {address}"));
    }
    Ok(address)
}

pub(crate) async fn recover(args: RecoverArgs) -> Result<(), Ending> {
    let wallet = wallet(args.key_file.as_deref())?;
    if let Some((key, place)) = &wallet
        && Address::from_key(key) != args.address
    {
        let (of_key, asked) = (Address::from_key(key), args.address);
        return Err(Ending::Bad(format!("{place}: this is the key of {of_key}, not of {asked}")));
    }
    let (dialect, first_page) = args.names.load()?;
    let wallet = wallet.map(|(key, _)| key);
    let hidden = hidden(wallet.as_ref());
    let wanted = Wanted {
        connector: Arc::new(Tcp),
        nodes: args.network,
        owner: args.address,
        keys: Keys { wallet, encryption: None },
        dialect,
        role: Role::RecoveryTool,
        first_page,
        timeout: Duration::from_secs(args.timeout),
    };
    let shown = |mut text: String| {
        hidden.redact_text(&mut text);
        text
    };
    let recovered = collect(&wanted, &mut Strict).await.map_err(|why| Ending::Unreachable(shown(why)))?;
    for (url, trouble) in troubles(&recovered) {
        eprintln!("assay: {}", shown(format!("{url}: {trouble}")));
    }
    let text = serde_json::to_string_pretty(&recovered).map_err(|e| Ending::Failed(e.to_string()))?;
    let text = shown(text);
    match args.json.filter(|path| path != Path::new("-")) {
        Some(path) => write(&path, &format!("{text}\n"))?,
        None => println!("{text}"),
    }
    if recovered.complete { Ok(()) } else { Err(Ending::Code(1)) }
}

fn troubles(recovered: &Recovered) -> impl Iterator<Item = (&str, &str)> {
    recovered
        .nodes
        .iter()
        .flat_map(|node| node.troubles.iter().map(|trouble| (node.url.as_str(), trouble.as_str())))
}

/// The key, in every form that a record may contain.
fn hidden(wallet: Option<&SigningKey>) -> Hidden {
    let mut hidden = Hidden::default();
    if let Some(wallet) = wallet {
        let digits = Zeroizing::new(hex(&Zeroizing::new(wallet.to_bytes())[..]));
        hidden.add("wallet key", &digits);
        hidden.add("wallet key", &Zeroizing::new(digits.to_uppercase()));
    }
    hidden
}

/// The wallet's key, and where it was read from.
fn wallet(file: Option<&Path>) -> Result<Option<(SigningKey, String)>, Ending> {
    let (text, place) = match file {
        Some(path) => (key_file(path).map_err(Ending::Bad)?, path.display().to_string()),
        None => match std::env::var(VARIABLE) {
            Ok(text) => (Zeroizing::new(text), VARIABLE.to_owned()),
            Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => {
                return Err(Ending::Bad(format!("{VARIABLE}: not 64 hex digits")));
            }
        },
    };
    let key = parse_key(&text).map_err(|why| Ending::Bad(format!("{place}: {why}")))?;
    Ok(Some((key, place)))
}

/// Reads a key file. Only its owner may have read permission.
fn key_file(path: &Path) -> Result<Zeroizing<String>, String> {
    let named = |why: String| format!("{}: {why}", path.display());
    let (file, metadata) = files::open(path).map_err(|e| named(e.to_string()))?;
    if !metadata.is_file() {
        return Err(named("not a file".to_owned()));
    }
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            return Err(named(format!(
                "other users can read the key (mode {mode:03o}); run chmod 600 on it"
            )));
        }
    }
    if metadata.len() > KEY_FILE_BYTES {
        return Err(named(format!(
            "the file has {} bytes, which is not a key of 64 hex digits",
            metadata.len()
        )));
    }
    let mut text = Zeroizing::new(String::with_capacity(KEY_FILE_BYTES as usize));
    file.take(KEY_FILE_BYTES).read_to_string(&mut text).map_err(|e| named(e.to_string()))?;
    Ok(text)
}

/// Parses a key: 64 hex digits, with or without `0x`. Errors never repeat the input.
fn parse_key(text: &str) -> Result<SigningKey, String> {
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    if digits.is_empty() {
        return Err("the key is empty".to_owned());
    }
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("the key contains characters that are not hex digits".to_owned());
    }
    if digits.len() != 64 {
        return Err(format!("the key has {} hex digits, not 64", digits.len()));
    }
    let mut secret = Zeroizing::new([0; 32]);
    base16ct::mixed::decode(digits, secret.as_mut_slice()).map_err(|_| "not 64 hex digits".to_owned())?;
    key_from_secret(&secret)
        .ok_or_else(|| "not a valid private key: it is zero, or not below the order of the curve".to_owned())
}
