//! HTTP proxies from the usual environment variables.
//!
//! `CONNECT` is written here: the tunnel of `hyper-util` returns neither the status nor the reason phrase of a proxy that
//! rejects it, and accepts no other status than 200.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::{Host, Position, Url};

/// Timeout for opening a tunnel.
const ANSWER: Duration = Duration::from_secs(20);
/// The maximum size of a proxy's response head.
const HEAD_BYTES: usize = 8 * 1024;
/// How much of a proxy's reason phrase a message has.
const PHRASE_CHARS: usize = 80;
/// The variables that name proxies; if both spellings are set, the first one is used.
const VARIABLES: [[&str; 2]; 3] =
    [["HTTP_PROXY", "http_proxy"], ["HTTPS_PROXY", "https_proxy"], ["ALL_PROXY", "all_proxy"]];
/// The variable that lists the exceptions.
const PAST: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The proxies and their exceptions.
#[derive(Clone)]
pub struct Proxies(Arc<Known>);

struct Known {
    matcher: Matcher,
    /// The hosts that are reached directly, as in `NO_PROXY`.
    past: String,
    /// Variables with unusable values, and why.
    wrong: Vec<(String, String)>,
    /// Users with passwords, as written in the variables and as sent.
    secrets: Vec<String>,
}

/// A proxy.
#[derive(Clone)]
pub struct Proxy {
    /// Its URL, without user and password.
    pub url: Url,
    authorization: Option<Vec<u8>>,
}

/// The proxies that the environment names; the environment is read once.
impl Default for Proxies {
    fn default() -> Self {
        static ENVIRONMENT: OnceLock<Proxies> = OnceLock::new();
        let read = || {
            let set = |names: &[&str; 2]| {
                names.iter().find_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            };
            let values: Vec<(String, String)> = VARIABLES.iter().filter_map(set).collect();
            let past = set(&PAST).map(|(_, past)| past).unwrap_or_default();
            Proxies::new(Matcher::from_env(), &values, past)
        };
        ENVIRONMENT.get_or_init(read).clone()
    }
}

impl Proxies {
    fn new(matcher: Matcher, values: &[(String, String)], past: String) -> Proxies {
        let wrong = values.iter().filter_map(|(name, value)| Some((name.clone(), wrong(name, value)?)));
        let wrong = wrong.collect();
        let secrets = values.iter().flat_map(|(_, value)| secrets(value)).collect();
        Proxies(Arc::new(Known { matcher, past, wrong, secrets }))
    }

    /// This proxy for every URL, except for hosts that `past` lists (`NO_PROXY`).
    pub fn all(proxy: &str, past: &str) -> Proxies {
        let values = [("ALL_PROXY".to_owned(), proxy.to_owned())];
        Proxies::new(Matcher::builder().all(proxy).build(), &values, past.to_owned())
    }

    /// Secrets that no report may show.
    pub fn secrets(&self) -> &[String] {
        &self.0.secrets
    }

    /// The proxy for `url`, if any. This machine itself is reached directly. An error says why the proxy cannot be
    /// used.
    pub fn for_url(&self, url: &Url) -> Result<Option<Proxy>, String> {
        let is_here = match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
            None => true,
        };
        if is_here {
            return Ok(None);
        }
        let Ok(uri) = url[..Position::AfterPort].parse::<http::Uri>() else { return Ok(None) };
        if self.0.leaves_alone(&uri, url.port_or_known_default()) {
            return Ok(None);
        }
        if let Some(found) = self.0.matcher.intercept(&uri) {
            return Proxy::new(&found).map(Some);
        }
        // Do not connect directly if a proxy was intended.
        let meant = self.0.wrong.iter().find(|(variable, _)| governs(variable, url.scheme()));
        meant.map_or(Ok(None), |(_, why)| Err(why.clone()))
    }
}

impl Known {
    /// Whether `NO_PROXY` lists the host, with this port or without a port.
    fn leaves_alone(&self, uri: &http::Uri, port: Option<u16>) -> bool {
        let hosts: Vec<&str> = self.past.split(',').filter_map(|entry| host(entry.trim(), port)).collect();
        // The matcher applies the star only to names, so it is handled here.
        let others = || Matcher::builder().all("http://proxy.invalid").no(hosts.join(",")).build();
        hosts.contains(&"*") || others().intercept(uri).is_none()
    }
}

/// The host of an entry of `NO_PROXY`; `None` if the entry has another port.
fn host(entry: &str, port: Option<u16>) -> Option<&str> {
    let (host, about) = match entry.rsplit_once(':') {
        // An IPv6 address contains colons; before a port it is in brackets.
        Some((host, about)) if !host.contains(':') || host.ends_with(']') => (host, about.parse().ok()),
        _ => (entry, port),
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    (about == port).then_some(bare.unwrap_or(host))
}

/// Whether a variable applies to URLs of that scheme.
fn governs(variable: &str, scheme: &str) -> bool {
    let about = variable.split_once('_').map_or(variable, |(about, _)| about);
    about.eq_ignore_ascii_case("all") || about.eq_ignore_ascii_case(scheme)
}

/// The user and password of a proxy's URL, and the password alone; as written and percent-decoded.
fn secrets(value: &str) -> Vec<String> {
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let Some((user, _)) = rest.rsplit_once('@') else { return Vec::new() };
    let meant = percent_encoding::percent_decode_str(user).decode_utf8_lossy().into_owned();
    let both = [user.to_owned(), meant];
    let passwords = both.iter().filter_map(|user| Some(user.split_once(':')?.1.to_owned()));
    passwords.chain(both.iter().cloned()).collect()
}

/// Why a variable's value is unusable, without its user and password.
fn wrong(name: &str, value: &str) -> Option<String> {
    if value.is_empty() {
        return None;
    }
    let uri: Result<http::Uri, _> = value.parse();
    let scheme = uri.as_ref().ok().and_then(|uri| uri.scheme_str()).unwrap_or("http");
    let is_known = matches!(scheme, "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h");
    match uri {
        Ok(uri) if is_known && uri.authority().is_some() => None,
        Ok(_) if !is_known => Some(format!("{name}: proxies of {scheme}: are not supported; use http")),
        _ => Some(format!("{name}: not the URL of a proxy")),
    }
}

impl Proxy {
    fn new(found: &Intercept) -> Result<Proxy, String> {
        // Parsers that split at the first @ would treat a part of the password as the host.
        if found.uri().authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err("the proxy URL contains more than one @; write %40 in the password".to_owned());
        }
        let scheme = found.uri().scheme_str().unwrap_or("http");
        let url = found.uri().to_string();
        if !matches!(scheme, "http" | "https") {
            let shown = url.trim_end_matches('/');
            return Err(format!(
                "the proxy {shown} uses {scheme}, which is not supported; use an http proxy"
            ));
        }
        let url = Url::parse(&url).map_err(|e| format!("the proxy {url}: {e}"))?;
        Ok(Proxy { url, authorization: found.basic_auth().map(|value| value.as_bytes().to_vec()) })
    }

    /// The value of `Proxy-Authorization`, if the URL contains a user.
    pub fn authorization(&self) -> Option<&[u8]> {
        self.authorization.as_deref()
    }

    /// Opens a tunnel to the host of `url`. An error contains the proxy's response.
    pub async fn tunnel<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        io: &mut S,
        url: &Url,
    ) -> Result<(), String> {
        let asked = tokio::time::timeout(ANSWER, self.request_tunnel(io, url)).await;
        let answered = asked.unwrap_or_else(|_| Err(format!("no response within {} s", ANSWER.as_secs())));
        answered.map_err(|why| format!("{self}: {why}"))
    }

    async fn request_tunnel<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        io: &mut S,
        url: &Url,
    ) -> Result<(), String> {
        let port = url.port_or_known_default().unwrap_or(80);
        let place = format!("{}:{port}", url.host_str().unwrap_or_default());
        let mut head = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            head.extend([b"Proxy-Authorization: ", &authorization[..], b"\r\n"].concat());
        }
        head.extend(b"\r\n");
        io.write_all(&head).await.map_err(|e| e.to_string())?;
        io.flush().await.map_err(|e| e.to_string())?;
        // Byte by byte, because what follows the head belongs to the server.
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() >= HEAD_BYTES {
                return Err(format!("the head of its response is longer than {HEAD_BYTES} bytes"));
            }
            let byte =
                io.read_u8().await.map_err(|_| "the connection ended before its response".to_owned())?;
            answer.push(byte);
        }
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Response::new(&mut headers);
        let status = parsed.parse(&answer).ok().and(parsed.code);
        match status.ok_or("its response is not HTTP")? {
            200..=299 => Ok(()),
            407 => Err("it requires a user and password (status 407)".to_owned()),
            status => {
                let phrase: String = parsed.reason.unwrap_or_default().chars().take(PHRASE_CHARS).collect();
                let said = format!("{status} {phrase}");
                Err(format!("it does not open a tunnel to {place} (status {})", said.trim_end()))
            }
        }
    }
}

/// The name in messages, without user and password.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the proxy {}", self.url.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proxies")
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy_for(proxies: &Proxies, url: &str) -> Result<Option<String>, String> {
        proxies.for_url(&Url::parse(url).unwrap()).map(|proxy| proxy.map(|proxy| proxy.url.to_string()))
    }

    #[test]
    fn hosts_reached_through_a_proxy() {
        let proxies = Proxies::all("http://me:hunter2@proxy.example:3128", "inside.example, 10.0.0.0/8");
        let through = Ok(Some("http://proxy.example:3128/".to_owned()));
        for url in ["http://a.example", "https://a.example:9/x", "http://192.0.2.1", "http://[2001:db8::1]:9"]
        {
            assert_eq!(proxy_for(&proxies, url), through, "{url}");
        }
        for url in [
            "http://localhost:1",
            "https://127.0.0.1:1",
            "http://127.8.8.8",
            "http://[::1]:1",
            "http://[::ffff:127.0.0.1]",
            "http://a.localhost",
            "https://inside.example",
            "https://b.inside.example",
            "http://10.1.2.3",
        ] {
            assert_eq!(proxy_for(&proxies, url), Ok(None), "{url}");
        }
        let shown = proxies.for_url(&Url::parse("http://a.example").unwrap()).unwrap().unwrap();
        assert_eq!(shown.authorization(), Some(&b"Basic bWU6aHVudGVyMg=="[..]));
        assert_eq!(format!("{shown} {shown:?}").matches("http://proxy.example:3128").count(), 2);
        assert!(!format!("{shown:?}{proxies:?}").contains("hunter2"));
        assert_eq!(proxies.secrets(), ["hunter2", "hunter2", "me:hunter2", "me:hunter2"]);
        let odd = Proxies::all("http://me:hunter2@secretpart@host:9", "");
        let why = odd.for_url(&Url::parse("http://a.example").unwrap()).unwrap_err();
        assert!(!why.contains("hunter2") && !why.contains("secretpart"), "{why}");
        assert!(Proxies::all("socks://a:1", "").for_url(&Url::parse("http://a.example").unwrap()).is_err());
    }

    #[test]
    fn unusable_proxies_are_rejected_without_showing_the_password() {
        for (proxy, words) in [
            ("socks5://me:hunter2@proxy.example:1080", "the proxy socks5://proxy.example:1080 uses socks5"),
            ("ftp://me:hunter2@proxy.example", "ALL_PROXY: proxies of ftp:"),
            ("http://me:hunter2@", "ALL_PROXY: not the URL"),
            ("http://a b:hunter2", "ALL_PROXY: not the URL"),
        ] {
            let why = proxy_for(&Proxies::all(proxy, ""), "http://a.example").expect_err(proxy);
            assert!(why.starts_with(words) && !why.contains("hunter2"), "{why}");
        }
        assert_eq!(proxy_for(&Proxies::all("", ""), "http://a.example"), Ok(None));
    }

    #[tokio::test]
    async fn a_rejected_tunnel_is_reported_with_the_proxys_status_and_phrase() {
        let url = Url::parse("https://a.example").unwrap();
        let proxies = Proxies::all("http://proxy.example:3128", "");
        let proxy = proxies.for_url(&url).unwrap().unwrap();
        for (answer, said) in [
            ("HTTP/1.1 204 No\r\n\r\n", None),
            (
                "HTTP/1.0 403 Not here\r\nA: b\r\n\r\n",
                Some("a tunnel to a.example:443 (status 403 Not here)"),
            ),
            ("HTTP/1.1 502\r\n\r\n", Some("(status 502)")),
            ("HTTP/1.1 407 Who\r\n\r\n", Some("it requires a user and password (status 407)")),
            ("SSH-2.0\r\n\r\n", Some("its response is not HTTP")),
            ("HTTP/1.1 200", Some("the connection ended before its response")),
        ] {
            let (mut io, mut far) = tokio::io::duplex(4096);
            far.write_all(answer.as_bytes()).await.unwrap();
            far.shutdown().await.unwrap();
            match (proxy.tunnel(&mut io, &url).await, said) {
                (Ok(()), None) => {}
                (Err(why), Some(said)) => {
                    assert!(
                        why.starts_with("the proxy http://proxy.example:3128: ") && why.contains(said),
                        "{why}"
                    );
                }
                other => panic!("{answer}: {other:?}"),
            }
        }
    }

    #[test]
    fn an_invalid_variable_matters_only_for_urls_that_it_applies_to() {
        let proxies = |variable: &str, value: &str, past: &str| {
            // No value here is a valid proxy, so the matcher is empty.
            let values = [(variable.to_owned(), value.to_owned())];
            Proxies::new(Matcher::builder().build(), &values, past.to_owned())
        };
        for (variable, value, past, url, is_fine) in [
            ("HTTP_PROXY", "ftp://127.0.0.1:1", "", "http://a.example", false),
            ("HTTP_PROXY", "ftp://127.0.0.1:1", "a.example", "http://a.example", true),
            ("HTTP_PROXY", "ftp://127.0.0.1:1", "", "https://a.example", true),
            ("HTTPS_PROXY", "not a url", "", "http://a.example", true),
            ("https_proxy", "not a url", "", "https://a.example", false),
            ("all_proxy", "not a url", "", "http://a.example", false),
            ("ALL_PROXY", "not a url", "", "https://a.example", false),
            ("ALL_PROXY", "not a url", "*", "https://192.0.2.1", true),
        ] {
            let found = proxy_for(&proxies(variable, value, past), url);
            assert_eq!(found.is_ok(), is_fine, "{variable} {past} {url}: {found:?}");
        }
    }

    #[test]
    fn exceptions_are_hosts_ports_networks_or_a_star() {
        for (past, url, goes) in [
            ("a.example:8080", "http://a.example:8080", true),
            ("a.example:8080", "http://b.a.example:8080", true),
            ("a.example:8080", "http://a.example:8081", false),
            ("a.example:8080", "http://a.example", false),
            ("a.example:80, b.example", "http://a.example", true),
            ("a.example:443", "https://a.example", true),
            ("a.example:x", "http://a.example", false),
            ("192.0.2.1:8080", "http://192.0.2.1:8080", true),
            ("192.0.2.1:8080", "http://192.0.2.1:8081", false),
            ("192.0.2.0/24", "http://192.0.2.1:8081", true),
            ("2001:db8::1", "http://[2001:db8::1]:9", true),
            ("[2001:db8::1]", "http://[2001:db8::1]:9", true),
            ("[2001:db8::1]:9", "http://[2001:db8::1]:9", true),
            ("[2001:db8::1]:9", "http://[2001:db8::1]:8", false),
            ("2001:db8::/32", "http://[2001:db8::1]:9", true),
            ("*", "http://a.example", true),
            ("*", "http://192.0.2.1", true),
            ("b.example, *", "https://[2001:db8::1]", true),
            ("", "http://a.example", false),
        ] {
            let found = proxy_for(&Proxies::all("http://proxy.example:3128", past), url);
            assert_eq!(found.map(|proxy| proxy.is_none()), Ok(goes), "{past} {url}");
        }
    }
}
