//! The certificates of the HTTPS sites, and the simulator's own certificate authority that signs them.
//!
//! Keys depend on the seed and signatures on the keys (RFC 6979), so that a response that names a certificate is the
//! same in every run. The randomness of TLS itself is not deterministic; nothing in a world depends on it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use p256::SecretKey;
use p256::ecdsa::{DerSignature, SigningKey};
use p256::pkcs8::EncodePrivateKey;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use sha2::{Digest, Sha256};
use x509_cert::SubjectPublicKeyInfo;
use x509_cert::builder::profile::cabf;
use x509_cert::builder::profile::cabf::tls::{CertificateType, Subscriber};
use x509_cert::builder::{self, Builder, CertificateBuilder};
use x509_cert::der::asn1::Ia5String;
use x509_cert::der::pem::{self, LineEnding};
use x509_cert::der::{DateTime, Encode, EncodePem};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::time::{Time, Validity};

use crate::host::PublicHost;
use crate::outgoing::SUFFIX;
use crate::rng::Rng;

/// The default validity of certificates: first and last year.
pub const YEARS: [u16; 2] = [2020, 2049];
/// The protocols that the sites support, in order of preference.
const ALPN: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A certificate authority: the same for the same seed.
pub struct Authority {
    rng: Rng,
    key: SigningKey,
    name: Name,
    certificate: x509_cert::Certificate,
    /// A further host that the sites' certificates name.
    public_host: Option<PublicHost>,
}

/// A site's certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Authority {
    /// The authority of the worlds of a seed.
    pub fn new(rng: Rng) -> Authority {
        let key = signing_key(rng, b"authority");
        let name = name("CN=Assay simulator,O=Assay,C=ZZ");
        let profile = built(cabf::Root::new(false, name.clone()));
        let (serial, validity) = (serial(rng, b"authority"), validity(YEARS));
        let builder = built(CertificateBuilder::new(profile, serial, validity, public_key(&key)));
        let certificate = built(builder.build::<_, DerSignature>(&key));
        Authority { rng, key, name, certificate, public_host: None }
    }

    /// The same authority, whose certificates of sites are valid for this host, too.
    #[must_use]
    pub fn naming(self, host: Option<&PublicHost>) -> Authority {
        Authority { public_host: host.cloned(), ..self }
    }

    /// Its own certificate, as PEM.
    pub fn pem(&self) -> String {
        self.certificate.to_pem(LineEnding::LF).expect("what was built can be written")
    }

    /// The certificate of a site at its `boot` (0 if it does not boot): for the loopback addresses, `localhost`,
    /// `<site>.sim`, from boot 1 on `<site>-<boot>.sim`, and the public host. Each boot has its own key.
    pub fn leaf(&self, site: &str, boot: u64) -> Leaf {
        let mut names = vec!["localhost".to_owned(), format!("{site}{SUFFIX}")];
        names.extend((boot > 0).then(|| format!("{site}-{boot}{SUFFIX}")));
        names
            .extend([IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()].map(|ip| ip.to_string()));
        let public = self.public_host.as_ref().map(|host| host.bare().to_owned());
        names.extend(public.filter(|host| !names.contains(host)));
        self.issue(&format!("{site} {boot}"), &names, YEARS)
    }

    /// A certificate for these host names and addresses, valid from the first to the last of these years. Its key is
    /// drawn for `label`.
    pub fn issue(&self, label: &str, names: &[String], years: [u16; 2]) -> Leaf {
        let key = signing_key(self.rng, label.as_bytes());
        let names: Vec<GeneralName> = names.iter().map(|name| general_name(name)).collect();
        let subject = self::name(&format!("CN={label}"));
        let profile = Subscriber {
            certificate_type: built(CertificateType::domain_validated(subject, names.clone())),
            issuer: self.name.clone(),
            client_auth: false,
        };
        let (serial, validity) = (serial(self.rng, label.as_bytes()), validity(years));
        let mut builder = built(CertificateBuilder::new(profile, serial, validity, public_key(&key)));
        builder.add_extension(&SubjectAltName(names)).expect("names have an encoding");
        let certificate = built(builder.build::<_, DerSignature>(&self.key));
        let key = SecretKey::from(&key).to_pkcs8_der().expect("a key of this curve has an encoding");
        Leaf {
            certificate: certificate.to_der().expect("what was built can be written"),
            key: key.as_bytes().to_vec(),
        }
    }
}

impl Leaf {
    /// The certificate's bytes, DER.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// Certificate and key as PEM.
    pub fn pem(&self) -> [String; 2] {
        let pem = |label: &str, bytes: &[u8]| {
            pem::encode_string(label, LineEnding::LF, bytes).expect("bytes of any kind have this form")
        };
        [pem("CERTIFICATE", &self.certificate), pem("PRIVATE KEY", &self.key)]
    }

    /// The SHA-256 of the certificate's bytes.
    pub fn sha256(&self) -> [u8; 32] {
        Sha256::digest(&self.certificate).into()
    }

    /// The TLS configuration of a server with this certificate. Sessions are never resumed, so every connection shows
    /// the certificate that is current.
    pub fn server_config(&self) -> Arc<ServerConfig> {
        let chain = vec![CertificateDer::from(self.certificate.clone())];
        let key = PrivatePkcs8KeyDer::from(self.key.clone()).into();
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider has both versions of the protocol")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("the key belongs to the certificate");
        config.alpn_protocols = ALPN.map(<[u8]>::to_vec).to_vec();
        config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Arc::new(config)
    }
}

/// The certificates of a served world and its forks, each made once.
pub(crate) struct Shown {
    authority: Authority,
    configs: Mutex<BTreeMap<(&'static str, u64), Arc<ServerConfig>>>,
}

impl Shown {
    pub(crate) fn new(rng: Rng, public_host: Option<&PublicHost>) -> Shown {
        Shown { authority: Authority::new(rng).naming(public_host), configs: Mutex::default() }
    }

    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The TLS configuration of the site at this boot.
    pub(crate) fn config(&self, site: &'static str, boot: u64) -> Arc<ServerConfig> {
        let mut configs = self.configs.lock().unwrap_or_else(PoisonError::into_inner);
        let config =
            configs.entry((site, boot)).or_insert_with(|| self.authority.leaf(site, boot).server_config());
        config.clone()
    }
}

fn built<T>(result: builder::Result<T>) -> T {
    result.expect("names, keys and years come from this file")
}

/// Draws a key; a second draw is needed for fewer than one of 2^32 seeds.
fn signing_key(rng: Rng, label: &[u8]) -> SigningKey {
    (0..)
        .find_map(|n| SigningKey::from_slice(&rng.draw("tls.key", label, n)).ok())
        .expect("nearly every number is a valid key")
}

fn public_key(key: &SigningKey) -> SubjectPublicKeyInfo {
    SubjectPublicKeyInfo::from_key(key.verifying_key()).expect("a key of this curve has an encoding")
}

/// A positive number of 16 bytes.
fn serial(rng: Rng, label: &[u8]) -> SerialNumber {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&rng.draw("tls.serial", label, 0)[..16]);
    bytes[0] = bytes[0] & 0x7f | 0x40;
    SerialNumber::new(&bytes).expect("16 bytes are a serial number")
}

fn validity([first, last]: [u16; 2]) -> Validity {
    let date = |year, month, day, hour, minute, second| {
        Time::from(DateTime::new(year, month, day, hour, minute, second).expect("a date"))
    };
    Validity::new(date(first, 1, 1, 0, 0, 0), date(last, 12, 31, 23, 59, 59))
}

fn name(text: &str) -> Name {
    Name::from_str(text).expect("the name comes from this file")
}

fn general_name(name: &str) -> GeneralName {
    match name.parse::<IpAddr>() {
        Ok(address) => GeneralName::from(address),
        Err(_) => GeneralName::DnsName(Ia5String::new(name).expect("host names are ASCII")),
    }
}
