//! Proxies by the usual environment variables: which connection goes through one, and how it is asked.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use url::{Host, Position, Url};

/// How long a proxy may take to open a tunnel.
const ANSWER: Duration = Duration::from_secs(20);
/// The longest head of its answer.
const HEAD_BYTES: usize = 8 * 1024;
/// The variables that name proxies; where both spellings are set, the first one holds.
const VARIABLES: [[&str; 2]; 3] =
    [["HTTP_PROXY", "http_proxy"], ["HTTPS_PROXY", "https_proxy"], ["ALL_PROXY", "all_proxy"]];

/// Which proxies there are, and what goes past them.
#[derive(Clone)]
pub struct Proxies(Arc<Known>);

struct Known {
    matcher: Matcher,
    /// A variable whose value names no proxy that can be used, and why.
    wrong: Option<String>,
    /// Users with their passwords, as they stand in the values and as they go out.
    secrets: Vec<String>,
}

/// A proxy that a connection goes through.
#[derive(Clone)]
pub struct Proxy {
    /// Where it stands; without user and password.
    pub url: Url,
    authorization: Option<Vec<u8>>,
}

/// Those that the environment names; it is read once.
impl Default for Proxies {
    fn default() -> Self {
        static ENVIRONMENT: OnceLock<Proxies> = OnceLock::new();
        let read = || {
            let set = |names: &[&str; 2]| {
                names.iter().find_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            };
            let values: Vec<(String, String)> = VARIABLES.iter().filter_map(set).collect();
            let wrong = values.iter().find_map(|(name, value)| wrong(name, value));
            let secrets = values.iter().flat_map(|(_, value)| secrets(value)).collect();
            Proxies(Arc::new(Known { matcher: Matcher::from_env(), wrong, secrets }))
        };
        ENVIRONMENT.get_or_init(read).clone()
    }
}

impl Proxies {
    /// This proxy for every URL, but for hosts that `past` lists (`NO_PROXY`).
    pub fn all(proxy: &str, past: &str) -> Proxies {
        let matcher = Matcher::builder().all(proxy.to_owned()).no(past.to_owned()).build();
        let (wrong, secrets) = (wrong("ALL_PROXY", proxy), secrets(proxy));
        Proxies(Arc::new(Known { matcher, wrong, secrets }))
    }

    /// What no report may show.
    pub fn secrets(&self) -> &[String] {
        &self.0.secrets
    }

    /// The proxy through which `url` is reached, if any. This machine itself is reached without one. An error says why
    /// the proxy that is named cannot be used.
    pub fn of(&self, url: &Url) -> Result<Option<Proxy>, String> {
        let is_here = match url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
            None => true,
        };
        if is_here {
            return Ok(None);
        }
        let found = url[..Position::AfterPort].parse().ok().and_then(|uri| self.0.matcher.intercept(&uri));
        match (found, &self.0.wrong) {
            (Some(found), _) => Proxy::new(&found).map(Some),
            // Going straight where a proxy was meant would be no favour.
            (None, Some(wrong)) => Err(wrong.clone()),
            (None, None) => Ok(None),
        }
    }
}

/// The user and password of a proxy's URL, and the password alone; as they stand there and as they are meant.
fn secrets(value: &str) -> Vec<String> {
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let Some((user, _)) = rest.rsplit_once('@') else { return Vec::new() };
    let meant = percent_encoding::percent_decode_str(user).decode_utf8_lossy().into_owned();
    let both = [user.to_owned(), meant];
    let passwords = both.iter().filter_map(|user| Some(user.split_once(':')?.1.to_owned()));
    passwords.chain(both.iter().cloned()).collect()
}

/// Why a variable names no proxy; no word of its user and password.
fn wrong(name: &str, value: &str) -> Option<String> {
    if value.is_empty() {
        return None;
    }
    let uri: Result<http::Uri, _> = value.parse();
    let scheme = uri.as_ref().ok().and_then(|uri| uri.scheme_str()).unwrap_or("http");
    let is_known = matches!(scheme, "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h");
    match uri {
        Ok(uri) if is_known && uri.authority().is_some() => None,
        Ok(_) if !is_known => Some(format!("{name} names a proxy of {scheme}:, which is not supported")),
        _ => Some(format!("{name} holds no URL of a proxy")),
    }
}

impl Proxy {
    fn new(found: &Intercept) -> Result<Proxy, String> {
        // Whoever splits it at the first @ takes a part of the password for the host.
        if found.uri().authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err("the URL of the proxy holds more than one @: write %40 in its password".to_owned());
        }
        let scheme = found.uri().scheme_str().unwrap_or("http");
        let url = found.uri().to_string();
        if !matches!(scheme, "http" | "https") {
            let shown = url.trim_end_matches('/');
            return Err(format!(
                "the proxy {shown} speaks {scheme}, which is not supported: name one of http"
            ));
        }
        let url = Url::parse(&url).map_err(|e| format!("the proxy {url}: {e}"))?;
        Ok(Proxy { url, authorization: found.basic_auth().map(|value| value.as_bytes().to_vec()) })
    }

    /// The value of `Proxy-Authorization`, where its URL names a user.
    pub fn authorization(&self) -> Option<&[u8]> {
        self.authorization.as_deref()
    }

    /// Asks for a tunnel to the host of `url`. An error says what the proxy answered.
    pub async fn tunnel<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        io: &mut S,
        url: &Url,
    ) -> Result<(), String> {
        let asked = tokio::time::timeout(ANSWER, self.ask(io, url)).await;
        let answered = asked.unwrap_or_else(|_| Err(format!("no answer within {} s", ANSWER.as_secs())));
        answered.map_err(|why| format!("{self}: {why}"))
    }

    async fn ask<S: AsyncRead + AsyncWrite + Unpin>(&self, io: &mut S, url: &Url) -> Result<(), String> {
        let port = url.port_or_known_default().unwrap_or(80);
        let place = format!("{}:{port}", url.host_str().unwrap_or_default());
        let mut head = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            head.extend([b"Proxy-Authorization: ", &authorization[..], b"\r\n"].concat());
        }
        head.extend(b"\r\n");
        io.write_all(&head).await.map_err(|e| e.to_string())?;
        io.flush().await.map_err(|e| e.to_string())?;
        // Byte by byte, since what follows the head is another's.
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() >= HEAD_BYTES {
                return Err(format!("its answer's head is longer than {HEAD_BYTES} bytes"));
            }
            let byte = io.read_u8().await.map_err(|_| "the connection ended before its answer".to_owned())?;
            answer.push(byte);
        }
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Response::new(&mut headers);
        let status = parsed.parse(&answer).ok().and(parsed.code);
        match status.ok_or("its answer is no HTTP response")? {
            200..=299 => Ok(()),
            407 => Err("it wants a user and password (status 407)".to_owned()),
            status => Err(format!("it opens no tunnel to {place} (status {status})")),
        }
    }
}

/// How messages name it: without user and password.
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

    fn of(proxies: &Proxies, url: &str) -> Result<Option<String>, String> {
        proxies.of(&Url::parse(url).unwrap()).map(|proxy| proxy.map(|proxy| proxy.url.to_string()))
    }

    #[test]
    fn who_is_reached_through_a_proxy() {
        let proxies = Proxies::all("http://me:hunter2@proxy.example:3128", "inside.example, 10.0.0.0/8");
        let through = Ok(Some("http://proxy.example:3128/".to_owned()));
        for url in ["http://a.example", "https://a.example:9/x", "http://192.0.2.1", "http://[2001:db8::1]:9"]
        {
            assert_eq!(of(&proxies, url), through, "{url}");
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
            assert_eq!(of(&proxies, url), Ok(None), "{url}");
        }
        let shown = proxies.of(&Url::parse("http://a.example").unwrap()).unwrap().unwrap();
        assert_eq!(shown.authorization(), Some(&b"Basic bWU6aHVudGVyMg=="[..]));
        assert_eq!(format!("{shown} {shown:?}").matches("http://proxy.example:3128").count(), 2);
        assert!(!format!("{shown:?}{proxies:?}").contains("hunter2"));
        assert_eq!(proxies.secrets(), ["hunter2", "hunter2", "me:hunter2", "me:hunter2"]);
        let odd = Proxies::all("http://me:hunter2@secretpart@host:9", "");
        let why = odd.of(&Url::parse("http://a.example").unwrap()).unwrap_err();
        assert!(!why.contains("hunter2") && !why.contains("secretpart"), "{why}");
        assert!(Proxies::all("socks://a:1", "").of(&Url::parse("http://a.example").unwrap()).is_err());
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_refused_without_its_password() {
        for (proxy, words) in [
            ("socks5://me:hunter2@proxy.example:1080", "the proxy socks5://proxy.example:1080 speaks socks5"),
            ("ftp://me:hunter2@proxy.example", "ALL_PROXY names a proxy of ftp:"),
            ("http://me:hunter2@", "ALL_PROXY holds no URL"),
            ("http://a b:hunter2", "ALL_PROXY holds no URL"),
        ] {
            let why = of(&Proxies::all(proxy, ""), "http://a.example").expect_err(proxy);
            assert!(why.starts_with(words) && !why.contains("hunter2"), "{why}");
        }
        assert_eq!(of(&Proxies::all("", ""), "http://a.example"), Ok(None));
    }
}
