//! Responses that point to other servers: no secret of the run is sent there.

use assay_suites::http::transport::Http;

use crate::hostile::room::{AUTH, Hear, KEY, Server, run, say};

/// Redirects, in every status that has them.
const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

#[tokio::test(flavor = "multi_thread")]
async fn no_credential_follows_a_redirect() {
    let body = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    for status in STATUSES {
        let elsewhere = Server::start(vec![Hear, say(body)]).await;
        let to = elsewhere.url("http");
        let redirect = format!(
            "HTTP/1.1 {status} Away\r\nLocation: {to}/x?y\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
        );
        let here = Server::start(vec![Hear, say(&redirect)]).await;
        let run =
            run(&here.url("http"), Http::One, &["gateway.auth", "gateway.models", "metadata.root"]).await;
        assert!(run.outcomes.len() > 5);
        assert!(here.heard().contains(KEY) && here.heard().contains(AUTH), "both were sent to the target");
        assert_eq!(elsewhere.connections(), 0, "{status}: {}", elsewhere.heard());
    }
}

/// A live site may have another origin, and its pages may redirect: these are followed without credentials.
#[tokio::test(flavor = "multi_thread")]
async fn followed_requests_carry_no_credentials() {
    let elsewhere = Server::start(vec![Hear, say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")]).await;
    let to = elsewhere.url("http");
    let dropped = format!(
        "{{\"dropId\":\"drop_aaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"url\":\"{to}/live/\",\"cid\":\"bafy\",\
         \"claimToken\":\"t\",\"claimUrl\":\"{to}/#t\",\"expiresAt\":1}}"
    );
    let length = dropped.len();
    let here = Server::start(vec![
        Hear,
        say(&format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{dropped}"
        )),
    ])
    .await;
    run(&here.url("http"), Http::One, &["drop.site.live"]).await;
    assert!(here.heard().contains(AUTH), "the target's own sites get the header");
    let heard = elsewhere.heard();
    assert!(heard.contains("GET /live/"), "the page was requested: {heard}");
    assert!(!heard.contains(AUTH) && !heard.contains(KEY) && !heard.contains("Authorization"), "{heard}");
}
