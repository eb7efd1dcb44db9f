//! The page of the control API is what the code declares.

use std::path::Path;

use assay_sim::clock::EPOCH;
use assay_sim::control::{PREFIX, openapi, paths};
use assay_sim::shape::{Field, Record, form};
use assay_sim::{World, fault, world};
use assay_spec::{Dialect, Service, duration};
use serde_json::Value;

const BEGINNING: &str = "# The control API

This page lists what the control API of the simulator takes and returns: its paths, faults, actions, limits and variations. It is made from the
declarations in the code. [simulator.md](simulator.md#the-control-api) shows how to use them. `GET /_sim/v1/openapi.json` returns the same as an OpenAPI
3.1 document, from which client libraries can be made.

- Every path begins with `/_sim/v1/`. Those of *each world* are also under `worlds/{world}/`, for the world that `fork` has made.
- A body needs `Content-Type: application/json`. An unknown member, parameter or name is an error.
- An error is `{\"error\": string}`. It begins with the place: `faults[1].where.modle: unknown key of fault gateway.server-down; did you mean model?`
- A *duration* is a number of milliseconds, or a string such as `\"250ms\"`, `\"90s\"`, `\"1h30m\"` or `\"2d\"`. The units are `d`, `h`, `m`, `s` and `ms`, in this
  order, each at most once.
- A name with `?` may be absent.
";

const ENDING: &str = "
## Where to go on

- Use them: [simulator.md](simulator.md#the-control-api).
- Test a client against a simulator that deviates: [testing-clients.md](testing-clients.md).
- Offer a control API of your own: [testing-a-server.md](testing-a-server.md#without-a-control-api).
";

/// A row of a table. No cell may end the row.
fn row<const N: usize>(cells: [&str; N]) -> String {
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | ")).replace("|  |", "| |")
}

fn head<const N: usize>(names: [&str; N]) -> String {
    format!("\n{}|{}\n", row(names), "---|".repeat(N))
}

fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// What a value may be.
fn kind(schema: &Value) -> String {
    let forms = schema["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    if forms.iter().any(|form| form["pattern"] == duration::PATTERN) {
        let most = forms[0]["maximum"].as_u64().unwrap_or(u64::MAX);
        return match forms[0]["minimum"].as_i64() {
            Some(0) => format!("duration, at most {}", duration::write(most)),
            _ => "time in milliseconds since 1970, or duration from now".to_owned(),
        };
    }
    if let [one, null] = forms
        && null["type"] == "null"
    {
        return kind(one);
    }
    if let Some(words) = schema["enum"].as_array() {
        return self::words(words.iter().filter_map(Value::as_str));
    }
    match schema["type"].as_str() {
        Some("integer") => match (schema["minimum"].as_i64(), schema["maximum"].as_u64()) {
            (Some(least), Some(most)) if most < u64::from(u32::MAX) => format!("number, {least} to {most}"),
            (Some(least), _) if least >= 0 => format!("number, at least {least}"),
            _ => "time in milliseconds since 1970".to_owned(),
        },
        Some("boolean") => "true or false".to_owned(),
        Some("array") => format!("list of {}", kind(&schema["items"])),
        _ if schema == &serde_json::json!({}) => "any value".to_owned(),
        _ => format!("`{}`", form(schema)).replace("`string`", "string").replace("`object`", "object"),
    }
}

fn field(field: &Field) -> String {
    format!("`{}{}`", field.name, if field.is_needed { "" } else { "?" })
}

fn the_paths() -> String {
    let mut text = "\n## Paths\n".to_owned();
    text += &head(["method", "path", "of", "what it does", "body", "response"]);
    for endpoint in paths::all() {
        let query = endpoint.query.iter().map(|field| field.name).collect::<Vec<_>>().join("=&");
        let query = if query.is_empty() { query } else { format!("?{query}=") };
        let of = if endpoint.is_of_world { "each world" } else { "" };
        let body = endpoint.body.map(|body| format!("`{}`", form(&(body.schema)()))).unwrap_or_default();
        let (media_type, schema) = endpoint.answer;
        let answer = if media_type == "application/json" { form(&schema()) } else { media_type.to_owned() };
        let path = format!("`{}{query}`", endpoint.path);
        text += &row([endpoint.method, &path, of, endpoint.about, &body, &format!("`{answer}`")]);
    }
    text += &head(["parameter or member", "of", "what it may be", "what it is"]);
    for endpoint in paths::all() {
        for one in endpoint.query {
            text += &row([&field(one), &format!("`{}`", endpoint.path), &kind(&(one.schema)()), one.about()]);
        }
        // Faults, limits and actions have tables of their own.
        let Some(schema) = endpoint.body.map(|body| (body.schema)()) else { continue };
        for (name, one) in schema["properties"].as_object().into_iter().flatten() {
            let about = one["description"].as_str().unwrap_or_default();
            if !about.is_empty() {
                let of = format!("`{}`", endpoint.path);
                let needed =
                    schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
                text += &row([&format!("`{name}{}`", if needed { "" } else { "?" }), &of, &kind(one), about]);
            }
        }
    }
    let mut statuses: Vec<u16> = paths::all().iter().flat_map(|one| one.statuses(true)).collect();
    statuses.sort_unstable();
    statuses.dedup();
    text += &head(["status of an error", "meaning"]);
    for status in statuses {
        text += &row([&status.to_string(), openapi::meaning(status)]);
    }
    text
}

fn the_faults() -> String {
    let mut text = "\n## Faults\n\nA fault is an object in the list that `PUT faults` takes.\n".to_owned();
    text += &head(["member", "what it may be", "what it is"]);
    for one in fault::Fault::FIELDS {
        let kind = match one.name {
            "fault" => "name of a fault".to_owned(),
            "where" => "object of strings".to_owned(),
            _ => kind(&(one.schema)()),
        };
        text += &row([&field(one), &kind, one.about()]);
    }
    text += &head(["fault", "what happens", "`where`"]);
    for kind in world::faults() {
        let place = |key: &fault::Key| match (key.values)().as_slice() {
            [] => format!("`{}`", key.name),
            // The endpoints of a node have a list of their own.
            values if values.len() > 12 => format!("`{}`: one of those below", key.name),
            values => {
                let more = if key.has_more { ", or one of the world's own" } else { "" };
                format!("`{}`: {}{more}", key.name, words(values.iter().copied()))
            }
        };
        let places = kind.keys.iter().map(place).collect::<Vec<_>>().join("; ");
        text += &row([&format!("`{}`", kind.name), kind.about, &places]);
    }
    for kind in world::faults() {
        for key in kind.keys.iter().filter(|key| (key.values)().len() > 12) {
            text += &format!("\n`{}` of `{}`: {}.\n", key.name, kind.name, words((key.values)()));
        }
    }
    text
}

/// The rows of what is in an argument, as far as it is declared: `models[].id`.
fn members(schema: &Value, at: &str) -> String {
    if let Some([one, null]) = schema["anyOf"].as_array().map(Vec::as_slice)
        && null["type"] == "null"
    {
        return members(one, at);
    }
    if schema["type"] == "array" {
        return members(&schema["items"], &format!("{at}[]"));
    }
    let mut text = String::new();
    for (name, one) in schema["properties"].as_object().into_iter().flatten() {
        let needed = schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let at = format!("{at}.{name}");
        let about = one["description"].as_str().unwrap_or_default();
        text += &row(["", &format!("`{at}{}`", if needed { "" } else { "?" }), &kind(one), about]);
        text += &members(one, &at);
    }
    text
}

fn the_actions() -> String {
    let mut text = "\n## Actions\n\n`POST actions` takes `{action, arguments?, at?}`. `at` is a time in milliseconds since 1970, or a duration from now; the \
         action is performed then.\nThe response is its number and its time, and `GET actions` tells what has become of it.\n"
        .to_owned();
    for service in Service::ALL {
        let prefix = format!("{service}.");
        let actions = world::actions().into_iter().filter(|(name, _)| name.starts_with(&prefix));
        let actions: Vec<_> = actions.collect();
        if actions.is_empty() {
            continue;
        }
        text += &format!("\n### `{service}`\n");
        text += &head(["action", "argument", "what it may be", "what it does or is"]);
        for (name, action) in actions {
            text += &row([&format!("`{name}`"), "", "", action.about]);
            for one in action.arguments {
                text += &row(["", &field(one), &kind(&(one.schema)()), one.about()]);
                text += &members(&(one.schema)(), one.name);
            }
        }
    }
    text
}

fn the_limits() -> String {
    let beginning = World::new(0, EPOCH, Dialect::default());
    let mut text = "\n## Limits\n\n`PUT limits` takes `{service: {name: number}}`. Those whose names end in `_ms` are durations.\n".to_owned();
    for (service, limits) in world::limits().into_iter().filter(|(_, limits)| !limits.is_empty()) {
        let values = beginning.limits(service);
        text += &format!("\n### Limits of `{service}`\n");
        text += &head(["limit", "default", "what it is"]);
        for limit in limits {
            let value = values[limit.name].as_u64().expect("a number");
            let is_duration = limit.name.ends_with("_ms");
            let value = if is_duration { format!("`{}`", duration::write(value)) } else { value.to_string() };
            text += &row([&format!("`{}`", limit.name), &value, limit.about()]);
        }
    }
    text
}

fn the_variations() -> String {
    let mut text = "\n## Variations\n".to_owned();
    let services =
        Service::ALL.iter().map(|service| (service.name(), format!("### Variations of `{service}`")));
    let all = [("wire", "### Variations of every service".to_owned())];
    for (prefix, title) in all.into_iter().chain(services) {
        let of = |name: &str| name.split('.').next() == Some(prefix);
        let variations: Vec<_> = world::variations().into_iter().filter(|one| of(one.name)).collect();
        if variations.is_empty() {
            continue;
        }
        text += &format!("\n{title}\n");
        text += &head(["variation", "what is done differently"]);
        for one in variations {
            text += &row([&format!("`{}`", one.name), one.about]);
        }
    }
    text
}

fn page() -> String {
    let parts = [the_paths(), the_faults(), the_actions(), the_limits(), the_variations()];
    format!("{BEGINNING}{}{ENDING}", parts.concat())
}

/// Otherwise the right page is written to the target folder.
#[test]
fn the_page_of_the_control_api_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let written = std::fs::read_to_string(root.join("docs/control-api.md")).unwrap_or_default();
    if written != page() {
        let right = root.join("target/control-api.md");
        std::fs::write(&right, page()).expect("the target folder can be written");
        panic!("docs/control-api.md is not current; {} is", right.display());
    }
}

/// The page names everything that the control API knows, and every variation of some service or of all.
#[test]
fn the_page_of_the_control_api_names_everything() {
    let page = page();
    let faults = world::faults().into_iter().map(|kind| kind.name.to_owned());
    let actions = world::actions().into_iter().map(|(name, _)| name);
    let limits = world::limits().into_iter().flat_map(|(_, all)| all.iter().map(|one| one.name.to_owned()));
    let variations = world::variations().into_iter().map(|one| one.name.to_owned());
    for name in faults.chain(actions).chain(limits).chain(variations) {
        assert!(page.contains(&format!("\n| `{name}` |")), "{name}");
    }
    for endpoint in paths::all() {
        assert!(page.contains(&format!("\n| {} | `{}", endpoint.method, endpoint.path)), "{}", endpoint.path);
    }
    assert!(page.contains(PREFIX));
}
