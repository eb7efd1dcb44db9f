//! The model's replies and the arguments of its calls, checked with a third-party JSON Schema validator.

use boon::{Compiler, SchemaIndex, Schemas};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::rng::Rng;

const ABLE: Traits = Traits { tools: true, vision: true, image: false };

fn user(text: &str) -> Turn {
    Turn { role: Role::User, text: text.to_owned(), images: Vec::new() }
}

fn tool(name: &str, schema: Value) -> Tool {
    Tool { name: name.to_owned(), about: format!("Tells the {name}"), schema }
}

fn asked(turns: Vec<Turn>) -> Prompt {
    Prompt { key: [7; 32], conversations: vec![turns], n: 1, parallel: true, ..Prompt::default() }
}

fn answered(prompt: &Prompt) -> Choice {
    run(Rng::new(1), "m", ABLE, prompt, &[]).choices.remove(0)
}

#[test]
fn same_request_gets_the_same_answer_in_the_same_world() {
    let prompt = asked(vec![user("What do whales and mountains have in common?")]);
    let said = |seed, model: &str, key| {
        let prompt = Prompt { key: [key; 32], ..prompt.clone() };
        run(Rng::new(seed), model, ABLE, &prompt, &[]).choices[0].text()
    };
    assert_eq!(said(1, "m", 7), said(1, "m", 7));
    let others: std::collections::BTreeSet<String> = (0..9)
        .map(|n| said(1 + n % 3, ["m", "k", "l"][n as usize / 3], 7))
        .chain([said(1, "m", 8)])
        .collect();
    assert!(others.len() > 4, "{others:?}");
}

#[test]
fn answer_mentions_the_question() {
    let text = answered(&asked(vec![user("Tell me about lighthouses, please")])).text();
    assert!(text.contains("lighthouses"), "{text}");
    for text in ["", "?", "a", "…", "日本語"] {
        assert!(!answered(&asked(vec![user(text)])).text().is_empty());
    }
    assert!(!answered(&asked(Vec::new())).text().is_empty());
}

#[test]
fn tool_is_called_until_it_has_answered() {
    let weather = tool(
        "weather",
        json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] }),
    );
    let mut prompt = asked(vec![user("How is the weather in Lisbon?")]);
    prompt.tools = vec![tool("clock", json!({})), weather];
    let called = answered(&prompt);
    assert_eq!((called.calls.len(), called.calls[0].name.as_str()), (1, "weather"));
    assert_eq!(called.calls[0].arguments, json!({ "city": "Lisbon" }));
    assert_eq!((called.finish, called.pieces.len()), (Finish::Calls, 0));

    let none = Prompt { choose: Choose::Nothing, ..prompt.clone() };
    assert_eq!(answered(&none).finish, Finish::Stop);
    let named = Prompt { choose: Choose::Named("clock".to_owned()), ..prompt.clone() };
    assert_eq!(answered(&named).calls[0].name, "clock");
    let both = Prompt { conversations: vec![vec![user("call weather and clock")]], ..prompt.clone() };
    assert_eq!(answered(&both).calls.len(), 2);
    assert_eq!(answered(&Prompt { parallel: false, ..both }).calls.len(), 1);
    let unable = Traits { tools: false, ..ABLE };
    assert_eq!(run(Rng::new(1), "m", unable, &prompt, &[]).choices[0].calls.len(), 0);

    let result = Turn { role: Role::Tool, text: "18 degrees and clear".to_owned(), images: Vec::new() };
    prompt.conversations[0].push(result);
    let answer = answered(&prompt);
    assert!(answer.calls.is_empty() && answer.text().contains("18 degrees and clear"), "{}", answer.text());
    // A new question can be answered with a call again; a forced choice always gets a call.
    let insisting = Prompt { choose: Choose::Something, ..prompt.clone() };
    assert_eq!(answered(&insisting).calls.len(), 1);
    prompt.conversations[0].push(user("And the weather in Porto?"));
    assert_eq!(answered(&prompt).calls.len(), 1);
}

#[test]
fn only_vision_models_see_images() {
    let mut shown = user("What is this?");
    shown.images.push("data:image/png;base64,AAAA".to_owned());
    let prompt = asked(vec![shown]);
    assert!(answered(&prompt).text().contains("image/png, 3 bytes"));
    let blind = Traits { vision: false, ..ABLE };
    assert!(run(Rng::new(1), "m", blind, &prompt, &[]).choices[0].text().contains("cannot see"));
}

#[test]
fn no_answer_is_longer_than_max_tokens() {
    let mut prompt = asked(vec![user("Tell me about lighthouses and the sea")]);
    let whole = answered(&prompt);
    assert_eq!(whole.finish, Finish::Stop);
    for allowed in [0, 1, 5, whole.pieces.len() - 1] {
        prompt.max_tokens = Some(allowed as u64);
        let cut = answered(&prompt);
        assert_eq!((cut.pieces.as_slice(), cut.finish), (&whole.pieces[..allowed], Finish::Length));
    }
    prompt.max_tokens = Some(whole.pieces.len() as u64);
    assert_eq!(answered(&prompt).finish, Finish::Stop);
}

#[test]
fn answer_ends_before_a_stop_string() {
    let mut prompt = asked(vec![user("Tell me about lighthouses")]);
    prompt.stops = vec![String::new(), "zzz".to_owned(), "light".to_owned()];
    let cut = answered(&prompt);
    assert_eq!(cut.finish, Finish::StopText("light".to_owned()));
    assert!(!cut.text().contains("light"));
}

#[test]
fn usage_counts_tokens_read_and_written() {
    let mut prompt = asked(vec![user("Tell me, please")]);
    prompt.n = 3;
    let answer = run(Rng::new(1), "m", ABLE, &prompt, &[]);
    assert_eq!(answer.choices.len(), 3);
    // Four tokens of text, four for the turn.
    assert_eq!(answer.usage.prompt, 8);
    let written = answer.choices.iter().map(|choice| choice.pieces.len() as u64).sum::<u64>();
    assert_eq!(answer.usage.completion, written);
    prompt.n = usize::MAX;
    prompt.conversations = vec![Vec::new(); 1_000];
    assert_eq!(run(Rng::new(1), "m", ABLE, &prompt, &[]).choices.len(), CHOICES);
}

/// A value made for a schema, for each of several seeds.
fn made(schema: &Value, seeds: u64) -> Vec<Value> {
    let value = |seed| {
        let mut dice = Dice::new(Rng::new(seed), "m", &[0; 32], 0);
        fit::value(&mut dice, schema, "Please find 3 cheap flights from Lisbon to New York in May")
    };
    (0..seeds).map(value).collect()
}

/// A schema, compiled.
struct Judge(Schemas, SchemaIndex);

impl Judge {
    fn is_valid(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }
}

fn judge(schema: &Value) -> Judge {
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    compiler.enable_format_assertions();
    compiler.add_resource("schema.json", schema.clone()).expect("a resource");
    let index = compiler.compile("schema.json", &mut schemas).expect("a schema");
    Judge(schemas, index)
}

#[test]
fn values_fit_every_kind_of_schema() {
    let schemas = [
        json!(true),
        json!({}),
        json!({ "const": { "a": [1, null] } }),
        json!({ "enum": [1, "a", null] }),
        json!({ "type": "string", "enum": [1, "a"] }),
        json!({ "type": ["string", "null"], "minLength": 40 }),
        json!({ "type": "string", "maxLength": 3, "minLength": 2 }),
        json!({ "type": "string", "pattern": "^[A-Z]{3}-\\d{4,6}(x|y)?$" }),
        json!({ "type": "integer", "minimum": 3, "maximum": 3 }),
        json!({ "type": "integer", "exclusiveMinimum": -4, "exclusiveMaximum": -2 }),
        json!({ "type": "integer", "multipleOf": 2.5, "minimum": 1 }),
        json!({ "type": "number", "minimum": 0.1, "maximum": 0.2 }),
        json!({ "type": "number", "maximum": -1e300 }),
        json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 2, "maxItems": 2, "uniqueItems": true }),
        json!({ "type": "array", "prefixItems": [{ "type": "null" }], "items": false, "minItems": 1 }),
        json!({ "type": "array", "items": { "type": "integer" }, "contains": { "minimum": 50 } }),
        json!({ "type": "object", "required": ["x"], "additionalProperties": { "type": "null" } }),
        json!({ "type": "object", "minProperties": 3, "maxProperties": 3 }),
        json!({ "properties": { "a": { "type": "string" } }, "additionalProperties": false, "required": ["a"] }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }], "minimum": 7, "minLength": 7 }),
        json!({ "oneOf": [{ "type": "integer", "minimum": 3 }, { "type": "integer", "multipleOf": 2 }] }),
        json!({ "oneOf": [false, { "type": "boolean" }, { "const": true }] }),
        json!({ "allOf": [{ "required": ["a"] }, { "properties": { "a": { "type": "integer" } } }], "type": "object" }),
        json!({ "allOf": [{ "anyOf": [{ "minimum": 1 }] }, { "anyOf": [{ "maximum": 2 }] }], "type": "number" }),
        json!({ "type": "integer", "minimum": 0, "not": { "multipleOf": 2 } }),
        json!({ "$ref": "#/$defs/a%20b", "$defs": { "a b": { "type": "null" } } }),
        json!({
            "$ref": "#/$defs/tree",
            "$defs": { "tree": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": { "type": "string" },
                    "next": { "anyOf": [{ "$ref": "#/$defs/tree" }, { "type": "null" }] },
                    "all": { "type": "array", "items": { "$ref": "#/$defs/tree" } },
                },
            } },
        }),
        json!({ "anyOf": [{ "type": "object", "properties": { "self": { "$ref": "#" } }, "required": ["self"] }, { "type": "null" }] }),
        json!({ "type": "string", "default": 5, "examples": ["as shown"] }),
    ];
    for schema in &schemas {
        let judge = judge(schema);
        for value in made(schema, 20) {
            assert!(judge.is_valid(&value), "{value} does not fit {schema}");
        }
    }
    for format in
        ["date", "time", "date-time", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]
    {
        let schema = json!({ "type": "string", "format": format });
        let judge = judge(&schema);
        for value in made(&schema, 20) {
            assert!(judge.is_valid(&value), "{value} is not a valid {format}");
        }
    }
}

#[test]
fn arguments_are_an_object_whatever_the_schema() {
    let deep =
        (0..100).fold(json!({}), |inner, _| json!({ "properties": { "a": inner }, "required": ["a"] }));
    let loops = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }] } } });
    let wide: Map = (0..30_000).map(|n| (format!("p{n}"), json!({ "type": "integer" }))).collect();
    let schemas = [
        json!(null),
        json!("object"),
        json!(false),
        json!({ "type": "string" }),
        json!({ "$ref": "#" }),
        json!({ "$ref": "https://a.example/schema" }),
        json!({ "properties": { "a": { "$ref": "#" } }, "required": ["a"] }),
        json!({ "required": ["a"], "properties": { "a": { "minLength": 1_000_000_000 } } }),
        json!({ "required": ["a"], "properties": { "a": { "type": "array", "minItems": 1e18 } } }),
        json!({ "required": ["a"], "properties": { "a": { "type": "string", "pattern": "((a{900}){900}){900}" } } }),
        json!({ "required": ["a"], "properties": { "a": { "type": "string", "pattern": "(" } } }),
        json!({ "required": ["a"], "properties": { "a": { "type": "string", "pattern": "(^|$){4000000000}" } } }),
        json!({ "minProperties": 1e300, "type": "object", "enum": [] }),
        json!({ "allOf": [{ "type": "object" }, { "type": "array" }], "multipleOf": 0, "type": 5 }),
        json!({ "properties": wide, "type": "object" }),
        deep,
        loops,
    ];
    for schema in &schemas {
        let mut dice = Dice::new(Rng::new(1), "m", &[0; 32], 0);
        assert!(fit::arguments(&mut dice, schema, "anything at all").is_object());
    }
}

type Map = serde_json::Map<String, Value>;

/// Satisfiable schemas, each made with one value that fits.
fn satisfiable() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": "null" })),
        (-50i64..50, 0i64..40).prop_map(
            |(least, span)| json!({ "type": "integer", "minimum": least, "maximum": least + span })
        ),
        (-50i64..50, 1i64..9).prop_map(
            |(least, step)| json!({ "type": "integer", "exclusiveMinimum": least, "multipleOf": step })
        ),
        (-5.0f64..5.0, 0.001f64..9.0)
            .prop_map(|(least, span)| json!({ "type": "number", "minimum": least, "maximum": least + span })),
        (0usize..30, 0usize..30).prop_map(
            |(least, span)| json!({ "type": "string", "minLength": least, "maxLength": least + span })
        ),
        prop::collection::vec(any::<i8>(), 1..4).prop_map(|values| json!({ "enum": values })),
        any::<i8>().prop_map(|value| json!({ "const": value })),
        Just(json!({ "type": ["integer", "string"] })),
        Just(json!({ "$ref": "#/$defs/shared" })),
    ];
    let schema = leaf.prop_recursive(4, 40, 5, |inner| {
        let named = prop::collection::vec((inner.clone(), any::<bool>(), 0usize..6), 0..5);
        prop_oneof![
            (named, any::<bool>()).prop_map(|(named, is_closed)| {
                let properties: Map =
                    named.iter().map(|(schema, _, n)| (format!("p{n}"), schema.clone())).collect();
                let required: std::collections::BTreeSet<String> =
                    named.iter().filter(|(_, needed, _)| *needed).map(|(_, _, n)| format!("p{n}")).collect();
                let mut schema = json!({ "type": "object", "properties": properties, "required": required });
                if is_closed {
                    schema["additionalProperties"] = false.into();
                }
                schema
            }),
            (inner.clone(), 0usize..4, 0usize..4).prop_map(|(items, least, span)| {
                json!({ "type": "array", "items": items, "minItems": least, "maxItems": least + span })
            }),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| json!({ "anyOf": branches })),
            // Each branch has its own mark, so that exactly one of them fits.
            prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| {
                let marked = |(n, schema): (usize, &Value)| {
                    let properties = json!({ "mark": { "const": n }, "value": schema });
                    json!({ "type": "object", "properties": properties, "required": ["mark", "value"] })
                };
                json!({ "oneOf": branches.iter().enumerate().map(marked).collect::<Vec<_>>() })
            }),
            inner.prop_map(|schema| json!({ "allOf": [schema, true] })),
        ]
    });
    schema.prop_map(|schema| {
        let shared = json!({ "type": "object", "properties": { "size": { "enum": ["s", "m"] } }, "required": ["size"] });
        json!({ "type": "object", "properties": { "it": schema }, "required": ["it"], "$defs": { "shared": shared } })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// A third-party validator, unknown to the maker, accepts the arguments.
    #[test]
    fn arguments_fit_their_schema(schema in satisfiable(), seed in any::<u64>(), said in ".{0,60}") {
        let mut dice = Dice::new(Rng::new(seed), "m", &[0; 32], 0);
        let arguments = fit::arguments(&mut dice, &schema, &said);
        prop_assert!(judge(&schema).is_valid(&arguments), "{arguments} does not fit {schema}");
    }

    #[test]
    fn tokens_concatenate_to_every_string(text in any::<String>()) {
        prop_assert_eq!(split(&text).collect::<String>(), text);
    }
}
