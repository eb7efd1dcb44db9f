//! The host by which clients know a served world, where that is not the address at which it listens.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

/// A host name or an address, as URLs hold it: ASCII, in lower case, an IPv6 address in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicHost(Arc<str>);

/// Why a string is not a [`PublicHost`]. It says what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAHost {
    /// It is a URL.
    #[error("write the host alone, without a scheme and a path")]
    Url,
    /// It has a port.
    #[error("write the host without a port: each site has its own (--port SITE=PORT)")]
    Port,
    /// It is an IPv6 address without brackets.
    #[error("write an IPv6 address in brackets, such as [::1]")]
    Brackets,
    /// It is the address of every interface.
    #[error("it means every address of this machine; write the one that clients use, such as localhost")]
    Unspecified,
    /// It is something else.
    #[error("write a host name of letters, digits, hyphens and dots, or an IP address")]
    Form,
}

/// The maximum length of a host name, and of one of its labels.
const NAME: usize = 253;
const LABEL: usize = 63;

impl PublicHost {
    /// A URL of a scheme, a host and a port, at this host.
    #[must_use]
    pub fn in_url(&self, url: &str) -> String {
        let port = url.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        match (url.split_once("://"), port) {
            (Some((scheme, _)), Some((_, port))) => format!("{scheme}://{self}:{port}"),
            _ => url.to_owned(),
        }
    }

    /// The host without the brackets of an IPv6 address.
    pub fn bare(&self) -> &str {
        self.0.trim_start_matches('[').trim_end_matches(']')
    }
}

impl fmt::Display for PublicHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PublicHost {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<PublicHost, NotAHost> {
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(inner) = inner {
            let address: Ipv6Addr = inner.parse().map_err(|_| NotAHost::Form)?;
            return specified(address.into()).map(|()| PublicHost(format!("[{address}]").into()));
        }
        if text.parse::<Ipv6Addr>().is_ok() {
            return Err(NotAHost::Brackets);
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return specified(address.into()).map(|()| PublicHost(text.into()));
        }
        if text.contains(['/', '\\', '?', '#', '@']) {
            return Err(NotAHost::Url);
        }
        if text.contains(':') && text.starts_with('[') == text.contains("]:") {
            return Err(NotAHost::Port);
        }
        if text.len() > NAME || !text.split('.').all(is_label) || ends_in_number(text) {
            return Err(NotAHost::Form);
        }
        Ok(PublicHost(text.to_ascii_lowercase().into()))
    }
}

fn specified(address: IpAddr) -> Result<(), NotAHost> {
    if address.to_canonical().is_unspecified() { Err(NotAHost::Unspecified) } else { Ok(()) }
}

/// Underscores are not for host names, but containers have them.
fn is_label(label: &str) -> bool {
    (1..=LABEL).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// URL parsers read such a name as an IPv4 address, in one of its old forms.
fn ends_in_number(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let hex = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    hex || last.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address() {
        let read = |text: &str| text.parse::<PublicHost>().map(|host| host.to_string());
        for (text, host) in [
            ("localhost", "localhost"),
            ("Api.Example", "api.example"),
            ("my_service-1", "my_service-1"),
            ("3fa4b5c6", "3fa4b5c6"),
            ("192.0.2.1", "192.0.2.1"),
            ("[0:0::1]", "[::1]"),
        ] {
            assert_eq!(read(text), Ok(host.to_owned()), "{text}");
        }
        let long = ["x".repeat(64), vec!["x".repeat(60); 5].join(".")];
        for (text, why) in [
            ("", NotAHost::Form),
            (".", NotAHost::Form),
            ("a..b", NotAHost::Form),
            ("-a", NotAHost::Form),
            ("a b", NotAHost::Form),
            ("a\r\nb", NotAHost::Form),
            ("\u{e9}.example", NotAHost::Form),
            ("1.2.3", NotAHost::Form),
            ("256.1.1.1", NotAHost::Form),
            ("a.0x1f", NotAHost::Form),
            ("[::1", NotAHost::Form),
            ("[::g]", NotAHost::Form),
            ("[127.0.0.1]", NotAHost::Form),
            ("::1", NotAHost::Brackets),
            ("localhost:80", NotAHost::Port),
            ("[::1]:80", NotAHost::Port),
            ("http://localhost", NotAHost::Url),
            ("localhost/", NotAHost::Url),
            ("user@localhost", NotAHost::Url),
            ("0.0.0.0", NotAHost::Unspecified),
            ("[::]", NotAHost::Unspecified),
            (&long[0], NotAHost::Form),
            (&long[1], NotAHost::Form),
        ] {
            assert_eq!(read(text), Err(why), "{text}");
        }
    }

    #[test]
    fn a_url_keeps_its_scheme_and_port() {
        let host: PublicHost = "[::1]".parse().expect("a host");
        assert_eq!(host.in_url("https://0.0.0.0:4102"), "https://[::1]:4102");
        assert_eq!(host.in_url("http://[::]:9"), "http://[::1]:9");
        assert_eq!(host.bare(), "::1");
    }
}
