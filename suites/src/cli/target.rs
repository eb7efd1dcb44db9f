//! The target of a command: a profile or URLs.

use std::path::{Path, PathBuf};

use assay_spec::Dialect;
use assay_suites::profile::{Loaded, Profile};
use clap::Args;

use crate::Ending;

#[derive(Args)]
pub(crate) struct TargetArgs {
    /// The target's profile (TOML)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gateway_url", "metadata_url", "network_url", "publish_url", "drop_url", "control_url", "ca_file", "client_certificate", "client_key"])]
    pub(crate) profile: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) urls: UrlArgs,
}

#[derive(Args)]
pub(crate) struct UrlArgs {
    /// Base URL of an inference gateway; its key is read from the environment variable ASSAY_GATEWAY_KEY
    #[arg(long, value_name = "URL")]
    pub(crate) gateway_url: Option<String>,
    /// Base URL of a token metadata service
    #[arg(long, value_name = "URL")]
    pub(crate) metadata_url: Option<String>,
    /// Base URL of a node of the network
    #[arg(long, value_name = "URL")]
    pub(crate) network_url: Option<String>,
    /// Base URL of a publishing exchange
    #[arg(long, value_name = "URL")]
    pub(crate) publish_url: Option<String>,
    /// Base URL of an anonymous drop
    #[arg(long, value_name = "URL")]
    pub(crate) drop_url: Option<String>,
    /// Base URL of a control API
    #[arg(long, value_name = "URL")]
    pub(crate) control_url: Option<String>,
    /// Certificates (PEM) of authorities to trust in addition to those of this machine
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Client certificate (PEM, with its chain)
    #[arg(long, value_name = "FILE", requires = "client_key")]
    pub(crate) client_certificate: Option<PathBuf>,
    /// Private key (PEM) of the client certificate
    #[arg(long, value_name = "FILE", requires = "client_certificate")]
    pub(crate) client_key: Option<PathBuf>,
}

/// The profile of a command that is a client: only its names are used.
#[derive(Args)]
pub(crate) struct DialectArgs {
    /// Use the dialect table of this profile
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
}

impl DialectArgs {
    /// The dialect; without a profile, that of the documents. Also the number of the first page of lists.
    pub(crate) fn load(&self) -> Result<(Dialect, u64), Ending> {
        let Some(path) = &self.profile else { return Ok((Dialect::default(), 1)) };
        let profile = Profile::load(path).map_err(|e| Ending::Bad(e.to_string()))?.profile;
        Ok((profile.dialect, profile.network.map_or(1, |network| network.readings.first_page)))
    }
}

/// The environment variable of the key for `--gateway-url`.
pub(crate) const GATEWAY_KEY: &str = "ASSAY_GATEWAY_KEY";

impl TargetArgs {
    /// The given profile, or one made from the URLs; `None` without both.
    pub(crate) fn load(&self) -> Result<Option<Loaded>, Ending> {
        let loaded = match &self.profile {
            Some(path) => Profile::load(path).map(Some),
            None if self.urls.named().next().is_none() => {
                let urls = &self.urls;
                let lone = urls.control_url.is_some()
                    || [&urls.ca_file, &urls.client_certificate].iter().any(|file| file.is_some());
                let why = "--control-url, --ca-file and --client-certificate need the URL of a service, \
                           such as --network-url";
                return if lone { Err(Ending::Bad(why.to_owned())) } else { Ok(None) };
            }
            None => {
                Profile::of_text(self.urls.text(), "the command line".to_owned(), Path::new(".")).map(Some)
            }
        };
        loaded.map_err(|e| Ending::Bad(e.to_string()))
    }
}

impl UrlArgs {
    /// The services that have a URL, in order.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let all = [
            ("gateway", &self.gateway_url),
            ("metadata", &self.metadata_url),
            ("network", &self.network_url),
            ("publish", &self.publish_url),
            ("drop", &self.drop_url),
        ];
        all.into_iter().filter_map(|(service, url)| Some((service, url.as_ref()?)))
    }

    /// The TOML profile for the URLs.
    fn text(&self) -> String {
        let literal = |text: String| toml::Value::from(text).to_string();
        let mut text = String::new();
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let files = [("ca_file", &self.ca_file), ("client_certificate", &self.client_certificate)];
        let files = files.map(|(key, path)| (key, shown(path)));
        for (key, value) in [("control", self.control_url.clone())].into_iter().chain(files) {
            text.extend(value.map(|value| format!("{key} = {}\n", literal(value))));
        }
        let key = shown(&self.client_key).map(literal);
        text.extend(key.map(|key| format!("client_key = {{ file = {key} }}\n")));
        for (service, url) in self.named() {
            text.push_str(&format!("[{service}]\nurl = {}\n", literal(url.clone())));
            if service == "gateway" && std::env::var_os(GATEWAY_KEY).is_some() {
                text.push_str(&format!("key = {{ env = {GATEWAY_KEY:?} }}\n"));
            }
        }
        text
    }
}
