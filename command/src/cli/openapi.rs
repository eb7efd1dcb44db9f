//! `assay openapi`: writes the OpenAPI document of a service.

use std::collections::BTreeMap;
use std::path::PathBuf;

use assay_spec::Service;
use assay_suites::documents::openapi::{describe, sites};
use assay_suites::services::SUITES;
use clap::Args;
use url::Url;

use super::{Ending, parse_service, write};

pub(crate) const HELP: &str = "Examples:\n  assay openapi --service drop\n  \
    assay openapi --service gateway --url https://inference.example --out gateway.json\n  \
    assay openapi --service network --url http://node.example --url scheduler=http://plan.example\n\n\
    Exit codes: 0 written, 2 bad arguments, 4 the file cannot be written";

#[derive(Args)]
pub(crate) struct OpenapiArgs {
    /// The service
    #[arg(long, value_parser = parse_service)]
    service: Service,
    /// Base URL of the service, or NAME=URL for another of its sites (repeatable); default: the ports of assay sim
    #[arg(long = "url", value_name = "[NAME=]URL")]
    urls: Vec<String>,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn openapi(args: &OpenapiArgs) -> Result<(), Ending> {
    let urls = if args.urls.is_empty() { site_urls() } else { named(args.service, &args.urls)? };
    let document = describe(args.service, &SUITES.get(args.service).openapi, &urls);
    let mut text = serde_json::to_string_pretty(&document).map_err(|e| Ending::Failed(e.to_string()))?;
    text.push('\n');
    if let Some(path) = &args.out {
        write(path, &text)
    } else {
        print!("{text}");
        Ok(())
    }
}

#[cfg(feature = "embedded")]
fn site_urls() -> BTreeMap<String, String> {
    assay_suites::embedded::site_urls::site_urls()
}

#[cfg(not(feature = "embedded"))]
fn site_urls() -> BTreeMap<String, String> {
    BTreeMap::new()
}

fn named(service: Service, texts: &[String]) -> Result<BTreeMap<String, String>, Ending> {
    let known = sites(service);
    let mut urls = BTreeMap::new();
    for text in texts {
        // A URL may contain an equals sign, but never before the end of its scheme.
        let (name, url) = match text.split_once('=') {
            Some((name, url)) if !name.contains(':') => (name, url),
            _ => (service.name(), text.as_str()),
        };
        if !known.contains(&name) {
            let known = known.join(", ");
            return Err(Ending::Bad(format!("--url: {service} has no site {name:?}; it has {known}")));
        }
        let parsed = Url::parse(url).map_err(|e| Ending::Bad(format!("--url for {name}: {e}")))?;
        let is_base = matches!(parsed.scheme(), "http" | "https")
            && parsed.username().is_empty()
            && parsed.password().is_none()
            && parsed.query().is_none()
            && parsed.fragment().is_none();
        if !is_base {
            let why = "not a base URL: use http or https, without credentials, query and fragment";
            return Err(Ending::Bad(format!("--url for {name}: {why}")));
        }
        if urls.insert(name.to_owned(), url.trim_end_matches('/').to_owned()).is_some() {
            return Err(Ending::Bad(format!("--url: {name} is given twice")));
        }
    }
    Ok(urls)
}
