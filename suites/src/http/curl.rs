//! A bash command that resends a request, byte for byte.
//!
//! It uses `curl` where curl sends the exact bytes, otherwise a plain socket. It never contains a bearer token; it
//! reads the token from `$ASSAY_GATEWAY_KEY`.

use std::fmt::Write;
use std::path::Path;

use assay_spec::crypto::text::{base64, sha256_hex};

use crate::http::exchange::Exchange;

/// The variable that replaces a bearer token.
pub const KEY_VARIABLE: &str = "ASSAY_GATEWAY_KEY";

/// Longer text bodies are read from a file.
const TEXT_BYTES: usize = 8 * 1024;
/// Longer binary bodies are written in base64.
const PRINTF_BYTES: usize = 4 * 1024;
/// Longer binary bodies are read from a file: in base64 they exceed the size of a program argument.
const BASE64_BYTES: usize = 64 * 1024;

/// The variables for the files of the client certificate and its key.
const CERTIFICATE_VARIABLES: [&str; 2] = ["ASSAY_CLIENT_CERTIFICATE", "ASSAY_CLIENT_KEY"];

/// How a server is reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach<'t> {
    /// Additional trusted certificates for https.
    pub ca_file: Option<&'t Path>,
    /// A client certificate is sent to https servers; the command reads its path from variables.
    pub shows_identity: bool,
    /// Use HTTP/2 if it can express the request.
    pub over_two: bool,
}

/// The command that resends the exchange's request and prints the response with its head. A long body is read from a
/// file `BODY`, which a comment at the end describes.
pub fn command_line(exchange: &Exchange, reach: Reach<'_>) -> String {
    let is_exact = curl_is_exact(exchange);
    let line = if is_exact { curl_line(exchange, reach) } else { socket_line(exchange, reach) };
    if is_whole(exchange) {
        return line;
    }
    let digest = exchange.cut.as_ref().map(|cut| cut.sha256.clone());
    let digest = digest.unwrap_or_else(|| sha256_hex(&exchange.request.body));
    format!("{line}  # BODY: the {} bytes of the body, SHA-256 {digest}", exchange.body_bytes())
}

/// Where the token of an `Authorization: Bearer` header begins in the value. Such a token is a secret; other schemes
/// sign one request and are shown.
pub fn bearer_token(name: &str, value: &[u8]) -> Option<usize> {
    let is_bearer = value.len() > 7 && value[..7].eq_ignore_ascii_case(b"bearer ");
    (name.eq_ignore_ascii_case("authorization") && is_bearer).then_some(7)
}

/// Host and port of a base URL, as the `Host` header names them.
pub(crate) fn authority(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default()
}

fn is_https(base: &str) -> bool {
    base.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"))
}

/// Whether the command contains everything that it sends.
pub fn is_whole(exchange: &Exchange) -> bool {
    let writes_base64 = curl_is_exact(exchange) && as_text(&exchange.request.body).is_none();
    exchange.body_bytes() <= if writes_base64 { BASE64_BYTES } else { TEXT_BYTES }
}

/// The body as a string, if a shell can hold it.
fn as_text(body: &[u8]) -> Option<&str> {
    std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'))
}

/// Whether curl sends exactly this request. curl frames bodies itself, allows one `Host`, drops empty headers and waits
/// for a response body after a HEAD with data.
fn curl_is_exact(exchange: &Exchange) -> bool {
    let request = &exchange.request;
    let is_token = |text: &str| {
        let tchar = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        !text.is_empty() && text.bytes().all(tchar)
    };
    let is_plain = |text: &[u8]| !text.is_empty() && !text.iter().any(|&b| b < 0x20 || b == 0x7f);
    let is_kept = |(name, value): &(String, Vec<u8>)| {
        is_token(name) && is_plain(value) && value.first() != Some(&b' ') && value.last() != Some(&b' ')
    };
    is_token(&request.method)
        && is_plain(request.target.as_bytes())
        && !request.target.contains(' ')
        && request.headers.iter().all(is_kept)
        && request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("host")).count() <= 1
        && !["content-length", "transfer-encoding", "expect"].iter().any(|name| request.has(name))
        && (request.method != "HEAD" || exchange.body_bytes() == 0)
}

fn curl_line(exchange: &Exchange, reach: Reach<'_>) -> String {
    let Exchange { base, request, .. } = exchange;
    let length = exchange.body_bytes();
    let http = match (reach.over_two, is_https(base)) {
        (false, _) => "--http1.1",
        (true, true) => "--http2",
        (true, false) => "--http2-prior-knowledge",
    };
    let mut line = format!("curl -sS -i {http} --path-as-is");
    put_trust(&mut line, base, reach, ["--cacert", "--cert", "--key"]);
    if base.contains('[') {
        line.push_str(" -g");
    }
    put(&mut line, "--request-target", request.target.as_bytes());
    let is_head = request.method == "HEAD";
    if is_head {
        line.push_str(" -I -H 'Content-Length: 0'");
    } else {
        put(&mut line, "-X", request.method.as_bytes());
    }
    for (name, value) in &request.headers {
        match bearer_token(name, value) {
            Some(at) => {
                let scheme = String::from_utf8_lossy(&value[..at]);
                let _ = write!(line, " -H \"{name}: {scheme}${KEY_VARIABLE}\"");
            }
            None => put(&mut line, "-H", &[name.as_bytes(), b": ", value].concat()),
        }
    }
    if !request.has("connection") && !reach.over_two {
        line.push_str(" -H 'Connection: close'");
    }
    let sends_data = !is_head && (request.method != "GET" || length > 0);
    let is_long = length > 1024;
    let own = [("Accept", true), ("User-Agent", true), ("Content-Type", sends_data), ("Expect", is_long)];
    for (name, _) in own.iter().filter(|(name, adds)| *adds && !request.has(name)) {
        let _ = write!(line, " -H '{name}:'");
    }
    if !sends_data {
        return format!("{line} {}", quote(base.as_bytes()));
    }
    let mut before = String::new();
    match as_text(&request.body) {
        text if length > if text.is_some() { TEXT_BYTES } else { BASE64_BYTES } => {
            line.push_str(" --data-binary @BODY");
        }
        // `--data-binary` reads a file if the value starts with an at sign.
        Some(text) if text.starts_with('@') => put(&mut line, "--data-raw", text.as_bytes()),
        Some(text) => put(&mut line, "--data-binary", text.as_bytes()),
        None => {
            before = if length > PRINTF_BYTES {
                format!("base64 -d <<< {} | ", base64(&request.body))
            } else {
                format!("printf '{}' | ", printf_format(&request.body))
            };
            line.push_str(" --data-binary @-");
        }
    }
    format!("{before}{line} {}", quote(base.as_bytes()))
}

/// Sends the bytes with bash alone, or, over TLS, with `openssl s_client`.
fn socket_line(exchange: &Exchange, reach: Reach<'_>) -> String {
    let base = exchange.base.as_str();
    let authority = authority(base);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (authority, if is_https(base) { "443" } else { "80" }),
    };

    // The command ends when the connection does.
    let mut shown = Exchange { slot: None, ..exchange.clone() };
    let mut keys = String::new();
    for (name, value) in &mut shown.request.headers {
        if let Some(at) = bearer_token(name, value) {
            value.truncate(at);
            value.extend_from_slice(KEY_MARK);
            let _ = write!(keys, " \"${KEY_VARIABLE}\"");
        }
    }
    let mut format = printf_format(&shown.head(authority)).replace(&printf_format(KEY_MARK), "%s");
    let is_long = shown.body_bytes() > TEXT_BYTES;
    if !is_long {
        format.push_str(&printf_format(&shown.request.body));
    }
    if is_https(base) {
        let send = if is_long { " && cat BODY" } else { "" };
        let mut line = String::from("openssl s_client -quiet -verify_return_error");
        put(&mut line, "-connect", format!("{host}:{port}").as_bytes());
        put_trust(&mut line, base, reach, ["-CAfile", "-cert", "-key"]);
        return format!("( printf '{format}'{keys}{send} ) | {line}");
    }
    let place = format!("/dev/tcp/{}/{port}", host.trim_matches(['[', ']']));
    let send = if is_long { " && cat BODY >&3" } else { "" };
    format!("( exec 3<>{} && printf '{format}'{keys} >&3{send} && cat <&3 )", quote(place.as_bytes()))
}

/// Appends the options for the trusted authorities and the client certificate of an https URL.
fn put_trust(line: &mut String, base: &str, reach: Reach<'_>, [ca, certificate, key]: [&str; 3]) {
    if !is_https(base) {
        return;
    }
    if let Some(path) = reach.ca_file {
        put(line, ca, path.display().to_string().as_bytes());
    }
    if reach.shows_identity {
        for (option, variable) in [certificate, key].iter().zip(CERTIFICATE_VARIABLES) {
            let _ = write!(line, " {option} \"${variable}\"");
        }
    }
}

/// A placeholder for the token until the format is made; no valid header can contain it.
const KEY_MARK: &[u8] = b"\0ASSAY_GATEWAY_KEY\0";

/// Appends an option and its quoted value.
fn put(line: &mut String, option: &str, value: &[u8]) {
    let _ = write!(line, " {option} {}", quote(value));
}

/// One bash word. Bytes that a terminal, a log or history expansion would change are escaped.
fn quote(bytes: &[u8]) -> String {
    let is_bare = |b: &u8| b.is_ascii_alphanumeric() || b"-_./:=+,@%".contains(b);
    if !bytes.is_empty() && bytes.iter().all(is_bare) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let is_plain = |b: &u8| matches!(b, 0x20..=0x7e) && !matches!(b, b'\'' | b'!');
    if bytes.iter().all(is_plain) {
        return format!("'{}'", String::from_utf8_lossy(bytes));
    }
    let mut out = String::from("$'");
    for &byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'\\' => out.push_str("\\\\"),
            _ if is_plain(&byte) => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out + "'"
}

/// A format for bash's `printf`, for use in single quotes.
fn printf_format(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'%' => out.push_str("%%"),
            // A leading hyphen would start an option.
            b'\\' | b'\'' | b'!' | b'-' if byte != b'-' || out.is_empty() => {
                let _ = write!(out, "\\x{byte:02x}");
            }
            0x20..=0x7e => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::http::exchange::{Request, Response};

    fn exchange(base: &str, request: Request) -> Exchange {
        Exchange {
            site: String::new(),
            base: base.into(),
            request,
            cut: None,
            slot: None,
            response: Ok(Response::default()),
        }
    }

    fn line(request: Request) -> String {
        command_line(&exchange("http://127.0.0.1:4101", request), Reach::default())
    }

    #[test]
    fn commands_for_plain_http() {
        let post = Request::new("POST", "/sites/prepare").header("Content-Type", "application/json");
        let lines = [
            line(Request::new("GET", "//a?b=%2F#c")),
            line(Request::new("HEAD", "/")),
            line(post.clone().body("{\"it's\":\"\u{e9}!\"}\n")),
            line(post.clone().header("authorization", "Bearer hunter2").body("@file")),
            line(Request::new("PUT", "/").body(b"\0\xff%\\'".to_vec())),
            line(
                post.clone()
                    .header("Authorization", "Bearer hunter2")
                    .header("Transfer-Encoding", "chunked")
                    .body("0\r\n\r\n"),
            ),
            line(post.body(vec![b'x'; 8_193])),
        ];
        assert!(!lines.concat().contains("hunter2"));
        insta::assert_snapshot!(lines.join("\n"), @r#"
        curl -sS -i --http1.1 --path-as-is --request-target '//a?b=%2F#c' -X GET -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' http://127.0.0.1:4101
        curl -sS -i --http1.1 --path-as-is --request-target / -I -H 'Content-Length: 0' -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' http://127.0.0.1:4101
        curl -sS -i --http1.1 --path-as-is --request-target /sites/prepare -X POST -H 'Content-Type: application/json' -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' --data-binary $'{"it\x27s":"\xc3\xa9\x21"}\n' http://127.0.0.1:4101
        curl -sS -i --http1.1 --path-as-is --request-target /sites/prepare -X POST -H 'Content-Type: application/json' -H "authorization: Bearer $ASSAY_GATEWAY_KEY" -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' --data-raw @file http://127.0.0.1:4101
        printf '\x00\xff%%\x5c\x27' | curl -sS -i --http1.1 --path-as-is --request-target / -X PUT -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' -H 'Content-Type:' --data-binary @- http://127.0.0.1:4101
        ( exec 3<>/dev/tcp/127.0.0.1/4101 && printf 'POST /sites/prepare HTTP/1.1\r\nHost: 127.0.0.1:4101\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n' "$ASSAY_GATEWAY_KEY" >&3 && cat <&3 )
        curl -sS -i --http1.1 --path-as-is --request-target /sites/prepare -X POST -H 'Content-Type: application/json' -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' -H 'Expect:' --data-binary @BODY http://127.0.0.1:4101  # BODY: the 8193 bytes of the body, SHA-256 e5c8309afda18ec4ec225ada92dab2d5768f7d845d8cebf2b9968392a6bfd6de
        "#);
    }

    #[test]
    fn an_omitted_body_gives_the_same_command() {
        let post = Request::new("POST", "/").body(vec![b'x'; 300_000]);
        for request in [post.clone(), post.header("Host", "a").header("Host", "b")] {
            let whole = exchange("http://127.0.0.1:4101", request);
            let mut omitted = whole.clone();
            omitted.cut();
            assert_eq!((omitted.body_bytes(), omitted.request.body.len()), (300_000, 0));
            let [whole, omitted] = [whole, omitted].map(|one| command_line(&one, Reach::default()));
            assert_eq!(omitted, whole);
            assert!(omitted.contains("BODY: the 300000 bytes"), "{omitted}");
        }
    }

    #[test]
    fn other_addresses() {
        let get = || Request::new("GET", "/");
        assert!(command_line(&exchange("http://[::1]:4101", get()), Reach::default()).contains(" -g "));
        let socket = |base: &str| {
            command_line(&exchange(base, get().header("Host", "a").header("Host", "b")), Reach::default())
        };
        assert!(socket("http://[::1]:4101").contains("3<>/dev/tcp/::1/4101 "));
        assert!(socket("http://[::1]").contains("3<>/dev/tcp/::1/80 "));
        assert!(socket("http://a.example/base").contains("3<>/dev/tcp/a.example/80 "));
    }

    #[test]
    fn commands_for_https() {
        let get = || Request::new("GET", "/");
        let trusting = Reach { ca_file: Some(Path::new("my ca.pem")), ..Reach::default() };
        let curl = |base: &str, request: Request| super::command_line(&exchange(base, request), trusting);
        let twice = || get().header("Host", "a").header("Host", "b");
        let lines = [
            curl("https://127.0.0.1:4102", get()),
            curl("https://[::1]:4102", twice()),
            curl(
                "https://a.example/base",
                twice().header("Authorization", "Bearer x").body(vec![b'x'; 9_000]),
            ),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        curl -sS -i --http1.1 --path-as-is --cacert 'my ca.pem' --request-target / -X GET -H 'Connection: close' -H 'Accept:' -H 'User-Agent:' https://127.0.0.1:4102
        ( printf 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n' ) | openssl s_client -quiet -verify_return_error -connect '[::1]:4102' -CAfile 'my ca.pem'
        ( printf 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: Bearer %s\r\nContent-Length: 9000\r\nConnection: close\r\n\r\n' "$ASSAY_GATEWAY_KEY" && cat BODY ) | openssl s_client -quiet -verify_return_error -connect a.example:443 -CAfile 'my ca.pem'  # BODY: the 9000 bytes of the body, SHA-256 e797e2af6f05c24cdd064793ce60a9d01302d9a3b0e5dff5bb0c046b87f2f668
        "#);
        assert!(!curl("http://127.0.0.1:4101", get()).contains("ca.pem"), "plain http needs no certificate");

        let reach = Reach { shows_identity: true, over_two: true, ..Reach::default() };
        let lines = ["https://a.example", "http://a.example"]
            .map(|base| super::command_line(&exchange(base, get()), reach));
        insta::assert_snapshot!(lines.join("\n"), @r#"
        curl -sS -i --http2 --path-as-is --cert "$ASSAY_CLIENT_CERTIFICATE" --key "$ASSAY_CLIENT_KEY" --request-target / -X GET -H 'Accept:' -H 'User-Agent:' https://a.example
        curl -sS -i --http2-prior-knowledge --path-as-is --request-target / -X GET -H 'Accept:' -H 'User-Agent:' http://a.example
        "#);
    }

    /// Runs every command and compares the received bytes with what the harness sends. Needs bash and curl.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_same_bytes_arrive() {
        if ["bash", "curl"].iter().any(|tool| Command::new(tool).arg("--version").output().is_err()) {
            return;
        }
        let get = || Request::new("GET", "/a");
        let post = || Request::new("POST", "/a");
        let every_byte: Vec<u8> = (0..=255).collect();
        let printable: String = (1..128).map(char::from).collect();
        for request in [
            get(),
            Request::new("GET", "//a/../b/./c?x=%2f&y={1,2}[3-4]#f"),
            Request::new("GET", "*"),
            Request::new("GET", "http://other.example/a"),
            Request::new("GET", "/\u{e9}'$(x)`\\\""),
            Request::new("GET", "/a b"),
            get().body("body of a GET"),
            Request::new("HEAD", "/a"),
            Request::new("HEAD", "/a").body("x"),
            Request::new("DELETE", "/a"),
            Request::new("get", "/a"),
            Request::new("OPTIONS", "/a").header("Origin", "null"),
            Request::new("A b", "/a"),
            get().header("X", "it's \"$HOME\" \\n `x` !! ; # %s").header("x", "2"),
            get().header("X", *b"\xff\xfe\xe9"),
            get().header("X", "").header("Y", " z "),
            get().header("X y", "1"),
            get().header("Host", "other"),
            get().header("Host", "a").header("Host", "b"),
            get().header("Connection", "close, x").header("Accept", "*/*").header("User-Agent", "me"),
            get().header("Authorization", "Bearer hunter2hunter2"),
            get().header("Authorization", "bearer a").header("X", ""),
            get().header("Authorization", "VfKey a.b"),
            get().header("Authorization", "Basic YTpi").header("Cookie", "a=b").header("Range", "bytes=0-1"),
            post(),
            post().body("{\"a\": 1}").header("Content-Type", "application/json"),
            post().body("@/etc/hostname"),
            post().body("-\n--data 'x' \"y\" \\x41 %s \u{e9}\u{1f980}\r\n\n"),
            post().body(printable),
            post().body(every_byte.clone()).header("Content-Type", "text/plain").header("Content-Type", "b"),
            post().body("-0%d\0"),
            post().body("abc").header("Content-Length", "3").header("X", every_byte[0x80..].to_vec()),
            post().body("3\r\nabc\r\n0\r\n\r\n").header("Transfer-Encoding", "chunked"),
            post().body("abc").header("Expect", "100-continue"),
            post().body(vec![b'y'; 8_192]),
            post().body(vec![0; 3_000]),
            post().body(vec![0xff; 4_097]),
            post().body(vec![0xff; 65_536]),
            post().header("Content-Length", "8192").body(vec![0xff; 8_192]),
        ] {
            assert_arrives(request, None).await;
        }
        let long: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
        assert_arrives(post().body(long.clone()), Some(&long)).await;
        assert_arrives(post().header("Content-Length", "200000").body(long.clone()), Some(&long)).await;
    }

    async fn assert_arrives(request: Request, file: Option<&[u8]>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let script = command_line(&exchange(&format!("http://{host}"), request.clone()), Reach::default());
        let key = request.headers.iter().find_map(|(name, value)| {
            bearer_token(name, value).map(|at| String::from_utf8_lossy(&value[at..]).into_owned())
        });
        let folder = tempfile::tempdir().unwrap();
        if let Some(file) = file {
            std::fs::write(folder.path().join("BODY"), file).unwrap();
        }
        let expected = request.bytes(&host);
        let mut command = Command::new("bash");
        command.args(["-c", &script]).current_dir(folder.path()).env("HOME", folder.path());
        command.env(KEY_VARIABLE, key.unwrap_or_default()).env_remove("http_proxy").env_remove("ALL_PROXY");
        let shell = tokio::task::spawn_blocking(move || command.output().unwrap());
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut arrived = vec![0; expected.len()];
        let length = stream.read_exact(&mut arrived);
        let length = tokio::time::timeout(std::time::Duration::from_secs(10), length).await;
        assert!(length.is_ok(), "fewer bytes than expected for {script}: {}", arrived.escape_ascii());
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        stream.shutdown().await.unwrap();
        // Nothing follows, so the lengths are equal.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert_eq!(rest, b"", "{script}");
        drop(stream);
        let output = shell.await.unwrap();
        assert!(output.stdout.starts_with(b"HTTP/1.1 200 OK"), "{script}: {output:?}");
        let parts = |bytes: &[u8]| {
            let end = bytes.windows(4).position(|at| at == b"\r\n\r\n").unwrap();
            let mut lines: Vec<Vec<u8>> = bytes[..end].split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            for line in &mut lines {
                line.retain(|&b| b != b'\r');
            }
            lines[1..].sort();
            (lines, bytes[end..].to_vec())
        };
        let show = |bytes: &[u8]| bytes[..bytes.len().min(3_000)].escape_ascii().to_string();
        assert_eq!(parts(&arrived), parts(&expected), "{script}\n{}\n{}", show(&arrived), show(&expected));
    }
}
