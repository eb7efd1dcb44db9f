//! `assay chat`: a small conforming client of the gateway and of the servers behind it.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use assay_spec::crypto::text;
use assay_suites::http::client::Limits;
use assay_suites::http::tls::Trust;
use assay_suites::profile::parse_base_url;
use assay_suites::services::gateway::client::{Client, Prompt, Settings};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::target::DialectArgs;
use super::{Ending, whole};

pub(crate) const HELP: &str = "Examples:
  export ASSAY_GATEWAY_KEY=\u{2026}
  assay chat --url http://127.0.0.1:4101 --model assay-chat 'How are you?'
  assay chat --url \u{2026} --model assay-text --mode direct --stream 'How are you?'

The key is read from ASSAY_GATEWAY_KEY. If ASSAY_PAYMENT is set, a request that returns 402 is sent again with it as the X-PAYMENT header, without the key.

Without PROMPT, prompts are read from standard input, one JSON object a line: `id`, `model`, `prompt`, `stream`, and for tools `tools` (their declarations) and `results` (what each returns, by name). For each, one line is printed: `id` and `answer`, or `id` and `error`.

A confidential model works only in direct mode: requests go only to an enclave that was attested. The documents do not define how; the scheme of assay sim is used.

Exit codes: 0 the model answered, 1 no answer, 2 bad arguments";

#[derive(Args)]
pub(crate) struct ChatArgs {
    /// The prompt; without it, prompts are read from standard input
    #[arg(requires = "model")]
    prompt: Option<String>,
    /// Base URL of the gateway
    #[arg(long, env = "ASSAY_GATEWAY_URL", value_parser = parse_base_url)]
    url: String,
    /// Id of the model
    #[arg(long, env = "ASSAY_MODEL")]
    model: Option<String>,
    /// Send requests to the gateway, or directly to the servers that it lists
    #[arg(long, env = "ASSAY_MODE", default_value = "gateway")]
    mode: Mode,
    /// Stream the answer
    #[arg(long)]
    stream: bool,
    /// Certificates (PEM) of authorities to trust in addition to those of this machine
    #[arg(long, value_name = "FILE", env = "ASSAY_CA_FILE")]
    ca_file: Option<PathBuf>,
    /// Public key of the attestation authority, 64 hex digits
    #[arg(long, value_name = "HEX", env = "ASSAY_ATTESTATION_KEY", value_parser = parse_key)]
    attestation_key: Option<[u8; 32]>,
    /// Seconds until the list of servers is fetched again from discovery
    #[arg(long, default_value_t = 60, value_parser = whole::<u64>(0..=u64::MAX), env = "ASSAY_REFRESH_SECONDS")]
    refresh: u64,
    /// Timeout for one answer, in seconds
    #[arg(long, default_value_t = 120, value_parser = whole::<u64>(1..=86_400))]
    timeout: u64,
    #[command(flatten)]
    names: DialectArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Gateway,
    Direct,
}

fn parse_key(digits: &str) -> Result<[u8; 32], String> {
    let bytes = text::parse_hex(digits).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| "not 64 hex digits".to_owned())
}

pub(crate) async fn chat(args: ChatArgs) -> Result<(), Ending> {
    let trust = args.ca_file.as_deref().map(Trust::with_file).transpose().map_err(Ending::Bad)?;
    let (dialect, _) = args.names.load()?;
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut client = Client::new(Settings {
        dialect,
        url: args.url,
        key: variable("ASSAY_GATEWAY_KEY"),
        trust: trust.unwrap_or_default(),
        direct: args.mode == Mode::Direct,
        refresh: Duration::from_secs(args.refresh),
        authority: args.attestation_key,
        payment: variable("ASSAY_PAYMENT"),
        limits: Limits { timeout: Duration::from_secs(args.timeout), ..Limits::default() },
    });
    let (Some(prompt), Some(model)) = (&args.prompt, &args.model) else {
        return converse(&mut client, args.model.as_deref(), args.stream).await;
    };
    let (model, text) = (model.clone(), prompt.clone());
    match client.send_prompt(&Prompt { model, text, stream: args.stream, ..Prompt::default() }).await {
        Ok(answer) => {
            println!("{answer}");
            Ok(())
        }
        Err(why) => {
            eprintln!("assay: {why}");
            Err(Ending::Code(1))
        }
    }
}

/// Answers prompts until standard input ends.
async fn converse(client: &mut Client, model: Option<&str>, stream: bool) -> Result<(), Ending> {
    if std::io::stdin().is_terminal() {
        return Err(Ending::Bad("no prompt: give PROMPT, or send prompts on standard input".to_owned()));
    }
    // Nothing else runs while this waits for the next line.
    for line in std::io::stdin().lines() {
        let line = line.map_err(|e| Ending::Bad(e.to_string()))?;
        let asked: Value = serde_json::from_str(&line).map_err(|e| Ending::Bad(format!("{line:?}: {e}")))?;
        let prompt =
            read_prompt(&asked, model, stream).map_err(|why| Ending::Bad(format!("{line:?}: {why}")))?;
        let mut reply = json!({ "id": asked["id"] });
        match client.send_prompt(&prompt).await {
            Ok(answer) => reply["answer"] = json!(answer),
            Err(why) => reply["error"] = json!(why.to_string()),
        }
        println!("{reply}");
    }
    Ok(())
}

/// Reads a prompt from a line of standard input; the flags are the defaults.
fn read_prompt(asked: &Value, model: Option<&str>, stream: bool) -> Result<Prompt, String> {
    let text = asked["prompt"].as_str().ok_or("the string `prompt` is missing")?;
    let model = asked["model"].as_str().or(model);
    let model = model.ok_or("the string `model` is missing, and so is --model")?;
    let tools = serde_json::from_value(asked["tools"].clone());
    let tools: Option<_> = tools.map_err(|e| format!("`tools` must be an array: {e}"))?;
    let results = serde_json::from_value(asked["results"].clone());
    let results: Option<_> = results.map_err(|e| format!("`results` must be an object of strings: {e}"))?;
    Ok(Prompt {
        model: model.to_owned(),
        text: text.to_owned(),
        stream: asked["stream"].as_bool().unwrap_or(stream),
        tools: tools.unwrap_or_default(),
        results: results.unwrap_or_default(),
    })
}
