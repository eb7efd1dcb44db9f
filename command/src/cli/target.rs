//! The target of a command: a profile or URLs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_spec::Dialect;
use assay_suites::harness::suite::{Suite, UrlFlag};
use assay_suites::profile::{Loaded, Profile, parse_base_url};
use assay_suites::services::SUITES;
use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches};

use super::Ending;

/// The profile that `init` writes and `doctor` reads, unless another is named.
pub(crate) const DEFAULT: &str = "assay.toml";

#[derive(Args)]
#[command(next_help_heading = "Target")]
pub(crate) struct TargetArgs {
    /// The target's profile (TOML)
    #[arg(long, value_name = "FILE", conflicts_with_all = [SERVICE_URLS, "control_url", "ca_file", "client_certificate", "client_key"])]
    pub(crate) profile: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) urls: UrlArgs,
}

#[derive(Args)]
pub(crate) struct UrlArgs {
    #[command(flatten)]
    pub(crate) services: ServiceUrls,
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

impl TargetArgs {
    /// The command that leads to a profile, if none is given.
    pub(crate) fn next(&self) -> Option<String> {
        if self.profile.is_some() {
            return None;
        }
        if Path::new(DEFAULT).exists() {
            return Some(format!("assay run --profile {DEFAULT}"));
        }
        Some(match self.urls.flags().as_str() {
            "" => "assay init --host URL writes a first profile of your own server".to_owned(),
            flags => format!("assay init{flags} writes a profile; with it more checks can run"),
        })
    }

    /// The given profile, or one made from the URLs; `None` without both.
    pub(crate) fn load(&self) -> Result<Option<Loaded>, Ending> {
        let loaded = match &self.profile {
            Some(path) => Profile::load(path).map(Some),
            None if self.urls.services.is_empty() => {
                let urls = &self.urls;
                let lone = urls.control_url.is_some()
                    || [&urls.ca_file, &urls.client_certificate].iter().any(|file| file.is_some());
                let why = "--control-url, --ca-file and --client-certificate need the URL of a service, \
                           such as --network-url";
                return if lone { Err(Ending::Bad(why.to_owned())) } else { Ok(None) };
            }
            None => {
                self.urls.check()?;
                Profile::of_text(self.urls.text(), "the command line".to_owned(), Path::new(".")).map(Some)
            }
        };
        loaded.map_err(|e| Ending::Bad(e.to_string()))
    }
}

/// Reads a base URL; an error names its option.
pub(crate) fn base_url(option: &str, url: &str) -> Result<String, Ending> {
    parse_base_url(url).map_err(|why| Ending::Bad(format!("--{option}: {why}")))
}

impl UrlArgs {
    /// The options as they are given.
    fn flags(&self) -> String {
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let services = self.services.iter().map(|(_, flag, url)| (flag.name, Some(url.to_owned())));
        let others = [
            ("control-url", self.control_url.clone()),
            ("ca-file", shown(&self.ca_file)),
            ("client-certificate", shown(&self.client_certificate)),
            ("client-key", shown(&self.client_key)),
        ];
        services.chain(others).filter_map(|(name, value)| Some(format!(" --{name} {}", value?))).collect()
    }

    /// Checks that each URL is a base URL.
    fn check(&self) -> Result<(), Ending> {
        let services = self.services.iter().map(|(_, flag, url)| (flag.name, url));
        let control = self.control_url.iter().map(|url| ("control-url", url.as_str()));
        services.chain(control).try_for_each(|(option, url)| base_url(option, url).map(drop))
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
        for (suite, flag, url) in self.services.iter() {
            text.push_str(&format!("[{}]\nurl = {}\n", suite.service, literal(url.to_owned())));
            if let Some((variable, key)) = flag.secret
                && std::env::var_os(variable).is_some()
            {
                text.push_str(&format!("{key} = {{ env = {variable:?} }}\n"));
            }
        }
        text
    }
}

/// The group of the flags of [`ServiceUrls`].
const SERVICE_URLS: &str = "service_urls";

/// The base URLs of services: a flag for each service that has one.
pub(crate) struct ServiceUrls(BTreeMap<&'static str, String>);

impl ServiceUrls {
    /// The services with a URL, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static Suite, &'static UrlFlag, &str)> {
        flags().filter_map(|(suite, flag)| Some((suite, flag, self.0.get(flag.name)?.as_str())))
    }

    /// Whether no service has a URL.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn flags() -> impl Iterator<Item = (&'static Suite, &'static UrlFlag)> {
    SUITES.iter().filter_map(|suite| Some((suite, suite.url_flag.as_ref()?)))
}

impl Args for ServiceUrls {
    fn augment_args(command: Command) -> Command {
        let command = flags().fold(command, |command, (_, flag)| {
            command.arg(Arg::new(flag.name).long(flag.name).value_name("URL").help(flag.about))
        });
        let names = flags().map(|(_, flag)| flag.name);
        command.group(ArgGroup::new(SERVICE_URLS).args(names).multiple(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        ServiceUrls::augment_args(command)
    }
}

impl FromArgMatches for ServiceUrls {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let url = |name| matches.get_one::<String>(name).cloned();
        Ok(ServiceUrls(flags().filter_map(|(_, flag)| Some((flag.name, url(flag.name)?))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(ServiceUrls::from_arg_matches(matches)?.0);
        Ok(())
    }
}
