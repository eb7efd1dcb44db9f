//! The default URLs of the sites of `assay sim`.

use std::collections::BTreeMap;

use assay_sim::world;

/// The port of the control API; the sites follow.
const CONTROL_PORT: u16 = 4100;

/// The base URL of each site, by its name.
pub fn site_urls() -> BTreeMap<String, String> {
    let ports = CONTROL_PORT + 1..;
    let place = |(port, site): (u16, assay_sim::Site)| {
        let scheme = if site.tls { "https" } else { "http" };
        (site.name.to_owned(), format!("{scheme}://127.0.0.1:{port}"))
    };
    ports.zip(world::sites()).map(place).collect()
}
