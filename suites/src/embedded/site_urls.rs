//! The default URLs of the sites of `assay sim`.

use std::collections::BTreeMap;

use assay_sim::world;

/// The port of the control API.
const CONTROL_PORT: u16 = 4100;

/// The base URL of each site, by its name.
pub fn site_urls() -> BTreeMap<String, String> {
    let place = |site: assay_sim::Site| {
        let scheme = if site.tls { "https" } else { "http" };
        (site.name.to_owned(), format!("{scheme}://127.0.0.1:{}", CONTROL_PORT + site.port))
    };
    world::sites().into_iter().map(place).collect()
}
