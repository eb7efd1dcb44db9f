//! What the three documents say, as values and pure functions: types, encodings, rules, endpoints, and one row for each
//! statement. Use it to read and write what a service exchanges, and to learn which statement a rejected input breaks.
//!
//! ```
//! use assay_spec::publish::record::Record;
//! use assay_spec::{Dialect, Instant, Strict};
//!
//! let dialect = Dialect::default();
//! let time = Instant::parse_exact("2026-03-04T05:06:07.089Z").expect("an instant");
//! let record = Record::publish("site.example", "bafy-example", "1.2.3", time);
//! let bytes = record.encode(&dialect);
//! let text = r#"svc-vf:1:pub:{"d":"site.example","c":"bafy-example","v":"1.2.3","t":"2026-03-04T05:06:07.089Z"}"#;
//! assert_eq!(bytes, text.as_bytes());
//!
//! // Only these bytes are the record: a space is enough to be rejected, by a rule that has a name.
//! assert_eq!(Record::parse(&dialect, &bytes, &mut Strict), Ok(record));
//! let refused = Record::parse(&dialect, text.replace(':', ": ").as_bytes(), &mut Strict).unwrap_err();
//! assert_eq!(refused.rule.to_string(), "publish.record.form");
//! ```
//!
//! Rule of this layer: no input or output, no clock, no randomness, no async. The same input bytes give the same
//! output bytes. Each service has its own folder. Shared modules are beside them.

pub mod catalogue;
pub mod cid;
pub mod crypto;
pub mod dialect;
pub mod drop;
pub mod endpoint;
pub mod field;
pub mod gateway;
pub mod hosting;
pub mod instant;
pub mod json;
pub mod limit;
pub mod machine;
pub mod metadata;
pub mod network;
pub mod place;
pub mod publish;
pub mod rejection;
pub mod relation;
pub mod reply;
pub mod requirement;
pub mod rules;
pub mod service;
pub mod shape;
pub mod value;

pub use dialect::Dialect;
pub use instant::Instant;
pub use place::Place;
pub use requirement::{Id, Requirement};
pub use rules::{Refused, Rules, Strict, Without};
pub use service::Service;
