//! A caller of the anonymous drop: forms, uploads and their results.

use assay_sim::drop::SITE;
use assay_sim::{ExchangeId, Reply};
use assay_spec::{Instant, Service};
use serde_json::{Value, json};

use super::{Call, Driver, body_of, show, zip};

/// The path, written out, so that the simulator and its tests cannot share a wrong one.
pub(crate) const DROP: &str = "/api/drop";
/// The boundary between the parts of a form.
pub(crate) const BOUNDARY: &str = "assay";
/// The content type of a form.
pub(crate) const FORM: &str = "multipart/form-data; boundary=assay";

/// The documented statuses of an upload.
pub(crate) const DOCUMENTED: [u16; 6] = [200, 400, 413, 429, 500, 503];

/// A multipart form being written.
#[derive(Clone, Default)]
pub(crate) struct Form(Vec<u8>);

impl Form {
    /// Adds a part with this head.
    #[must_use]
    pub(crate) fn part(mut self, head: &str, content: &[u8]) -> Form {
        self.0.extend_from_slice(format!("--{BOUNDARY}\r\n{head}\r\n\r\n").as_bytes());
        self.0.extend_from_slice(content);
        self.0.extend_from_slice(b"\r\n");
        self
    }

    #[must_use]
    pub(crate) fn field(self, name: &str, value: &[u8]) -> Form {
        self.part(&format!("content-disposition: form-data; name=\"{name}\""), value)
    }

    #[must_use]
    pub(crate) fn artifact(self, zip: &[u8]) -> Form {
        let head = "content-disposition: form-data; name=\"artifact\"; filename=\"site.zip\"\r\n\
            content-type: application/zip";
        self.part(head, zip)
    }

    /// Both, the parts of `other` last.
    #[must_use]
    pub(crate) fn then(mut self, other: &Form) -> Form {
        self.0.extend_from_slice(&other.0);
        self
    }

    /// The body, complete.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [&self.0[..], format!("--{BOUNDARY}--\r\n").as_bytes()].concat()
    }

    pub(crate) fn call(&self) -> Call {
        post(FORM, self.bytes())
    }
}

/// A POST to the drop with any body.
pub(crate) fn post(content_type: &str, body: Vec<u8>) -> Call {
    Call::new("POST", DROP, vec![("content-type", content_type.as_bytes().to_vec())], body)
}

/// An upload of a zip.
pub(crate) fn upload(zip: &[u8]) -> Call {
    Form::default().artifact(zip).call()
}

/// A request for a page.
pub(crate) fn get(target: &str) -> Call {
    Call::new("GET", target, Vec::new(), Vec::new())
}

/// A header that a reply must have.
pub(crate) fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
    let value = reply.headers.get(name).unwrap_or_else(|| panic!("no {name}: {}", show(reply)));
    value.to_str().expect("a string")
}

/// A site with one page.
pub(crate) fn page(content: &str) -> Vec<u8> {
    zip::from_files(&[("index.html", content.as_bytes())])
}

/// The response to an upload.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    pub(crate) id: String,
    pub(crate) token: String,
    pub(crate) url: String,
    pub(crate) cid: String,
    pub(crate) expires_at: Instant,
    pub(crate) claim_url: String,
}

impl Dropped {
    pub(crate) fn read(reply: &Reply) -> Dropped {
        let whole = body_of(reply);
        let text = |key: &str| whole[key].as_str().expect("a string").to_owned();
        Dropped {
            id: text("dropId"),
            token: text("claimToken"),
            url: text("url"),
            cid: text("cid"),
            expires_at: Instant(whole["expiresAt"].as_i64().expect("milliseconds")),
            claim_url: text("claimUrl"),
        }
    }

    /// The path of its page.
    pub(crate) fn path(&self) -> &str {
        let host = self.url.strip_prefix("http://").expect("a whole URL");
        &host[host.find('/').expect("a path")..]
    }

    /// The path of a file below its page.
    pub(crate) fn below(&self, path: &str) -> String {
        format!("{}{path}", self.path())
    }
}

impl Driver {
    /// The drop's state in the view.
    pub(crate) fn drops(&self) -> Value {
        self.world.view(Service::Drop)
    }

    /// Sets the client address of the next calls.
    pub(crate) fn at(&mut self, peer: &str) -> &mut Driver {
        self.peer = peer.parse().expect("an address");
        self
    }

    /// Sends the head of a call to the drop.
    pub(crate) fn open(&mut self, call: &Call) -> ExchangeId {
        self.begin(SITE, call)
    }

    /// Sends a call to the drop, which answers at once.
    pub(crate) fn exchange(&mut self, call: &Call) -> Reply {
        let exchange = self.start_at(SITE, call);
        self.reply(exchange).expect("the drop answers at once")
    }

    /// Uploads a zip; returns the status.
    pub(crate) fn post_zip(&mut self, zip: &[u8]) -> u16 {
        self.exchange(&upload(zip)).status
    }

    /// Sends an upload that must be accepted.
    pub(crate) fn drop_form(&mut self, call: &Call) -> Dropped {
        let reply = self.exchange(call);
        assert_eq!(reply.status, 200, "{}", show(&reply));
        Dropped::read(&reply)
    }

    /// Uploads a zip that must be accepted.
    pub(crate) fn drop_zip(&mut self, zip: &[u8]) -> Dropped {
        self.drop_form(&upload(zip))
    }

    /// Uploads a site with one page.
    pub(crate) fn drop_page(&mut self) -> Dropped {
        self.drop_zip(&page("<p>"))
    }

    /// The answer to a GET.
    pub(crate) fn look(&mut self, target: &str) -> Reply {
        self.exchange(&get(target))
    }

    pub(crate) fn claim(&mut self, token: &str) -> Result<Value, String> {
        self.world.perform("drop.claim", &json!({ "token": token })).map(|(answer, _)| answer)
    }

    pub(crate) fn set_drop_limits(&mut self, limits: &Value) {
        self.world.set_limits(Service::Drop, limits).expect("known limits");
    }

    /// The requirement of the latest refusal.
    pub(crate) fn refused_by(&self) -> &str {
        self.world.core.log.lines().last().map_or("", |line| line.requirement.as_str())
    }
}

/// Asserts this status and its form, no change, and that a valid upload still works.
pub(crate) fn expect(name: &str, call: &Call, status: u16) -> Driver {
    let mut driver = Driver::new(1);
    let before = driver.drops();
    let reply = driver.exchange(call);
    assert_eq!(reply.status, status, "{name}: {}", show(&reply));
    assert!(DOCUMENTED.contains(&status) && body_of(&reply)["error"].is_string(), "{name}");
    assert_eq!(driver.drops(), before, "{name} changed something");
    assert_eq!(driver.clone().post_zip(&page("")), 200, "after {name}");
    driver
}
