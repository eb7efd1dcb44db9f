//! One request to each endpoint of a core node, for what the document says about all of them.

use assay_spec::crypto::text::hex;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::CORE;

use super::wire::Call;
use crate::harness::probe::Probe;

/// A request to each endpoint of a core node that the target offers and `is_wanted` selects. What its path names does not
/// exist, and its body, if it has one, is an empty object. All checks send the same requests.
pub(super) fn every(
    probe: &Probe<'_>,
    is_wanted: impl Fn(&Endpoint) -> bool,
) -> Vec<(&'static Endpoint, Call)> {
    let name = hex(&probe.draw_for_all("every-endpoint"));
    let offered = CORE.iter().filter(|endpoint| probe.settings.network().offers(endpoint));
    let call = |endpoint: &'static Endpoint| {
        let call = Call::bare(endpoint, endpoint.method, &filled(endpoint.path, &name));
        if endpoint.method == "GET" { call } else { call.json("{}") }
    };
    offered.filter(|endpoint| is_wanted(endpoint)).map(|endpoint| (*endpoint, call(endpoint))).collect()
}

/// A path with `name` in place of each parameter.
fn filled(template: &str, name: &str) -> String {
    let mut parts = template.split('{');
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        path.push_str(name);
        path.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn parameters_are_filled_in() {
        assert_eq!(filled("/a", "x"), "/a");
        assert_eq!(filled("/a/{b}.json", "x"), "/a/x.json");
        assert_eq!(filled("/a/{b}/{c}/d", "x"), "/a/x/x/d");
    }
}
