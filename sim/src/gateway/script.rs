//! Models of a world's own, with the answers that were written for them. A written answer takes the place of what the model would
//! say; the rest of the request and of its reply is as for any model.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::OrdMap;
use serde_json::{Map, Value, json};

use super::model::{Call, Choose, Prompt, Traits, Turn, Usage, Writes, is_replied_to, said};
use super::pool::{MODELS, Model, site_names};
use super::{SERVERS, State};
use crate::shape::{Millis, Name, Names, Shape, record};

/// The longest id of a model, in characters.
const ID_CHARACTERS: usize = 200;
/// The most tokens that a usage can state.
const TOKENS: u64 = 1_000_000_000;

record! {
    /// The models of the world's own.
    pub(super) struct Own {
        /// The models; they take the place of those that were set before. None removes them.
        models: Vec<OwnModel>,
    }
}

record! {
    struct OwnModel {
        /// Its id. A model with the id of a listed one takes its place; others are added.
        id: Id,
        /// Its answers: the first that fits is given. If none fits, the simulator writes one.
        answers: Vec<Written> = Vec::new(),
        /// The servers that run it; without it, `server-a`, `server-b` and `server-c`.
        servers: Option<Vec<Name<ServerName>>>,
    }
}

record! {
    struct Written {
        /// It fits if the last user message is this.
        prompt: Option<String>,
        /// It fits if the last user message contains this.
        contains: Option<String>,
        /// It fits if a tool has replied since the last user message, or if none has; without it, calls fit before a reply.
        replied: Option<bool>,
        /// What the model says. Stop strings and the maximum number of tokens shorten it.
        text: Option<String>,
        /// Tool calls, instead of text. They fit if the request declares the tools and lets them be called.
        calls: Vec<WrittenCall> = Vec::new(),
        /// How long it takes until the first byte.
        delay: Millis = Millis(0),
        /// The tokens that the reply states; without it, they are counted.
        usage: Option<WrittenUsage>,
        /// How often it is given; then the next one that fits is.
        times: Option<u64>,
    }
}

record! {
    struct WrittenCall {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: BTreeMap<String, Value> = BTreeMap::new(),
    }
}

record! {
    struct WrittenUsage {
        /// The tokens of the request.
        prompt: Tokens,
        /// The tokens of the answer.
        completion: Tokens,
    }
}

type Tokens = crate::shape::Whole<0, TOKENS>;

/// The id of a model.
struct Id(Arc<str>);

impl Shape for Id {
    fn schema() -> Value {
        json!({ "type": "string", "minLength": 1, "maxLength": ID_CHARACTERS, "pattern": "^[!-~]+$" })
    }

    fn read(value: &Value, at: &str) -> Result<Self, String> {
        let id = String::read(value, at)?;
        if id.is_empty() || id.len() > ID_CHARACTERS || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "{at}: an id has 1 to {ID_CHARACTERS} characters of ASCII, none of them a space"
            ));
        }
        Ok(Id(id.into()))
    }
}

/// The backing servers.
pub(super) struct ServerName;

impl Names for ServerName {
    const WHAT: &'static str = "server";

    fn known() -> Vec<&'static str> {
        site_names()
    }
}

/// An answer that was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scripted {
    prompt: Option<String>,
    contains: Option<String>,
    replied: Option<bool>,
    says: Says,
    delay_ms: i64,
    usage: Option<Usage>,
    times: u64,
}

/// What an answer consists of.
#[derive(Clone, Debug, PartialEq)]
enum Says {
    Text(String),
    Calls(Vec<Call>),
}

impl Written {
    fn check(self, at: &str) -> Result<Scripted, String> {
        let says = match (self.text, self.calls) {
            (Some(text), calls) if calls.is_empty() => Says::Text(text),
            (None, calls) if !calls.is_empty() => {
                let call = |WrittenCall { name, arguments }| {
                    let arguments = Value::Object(arguments.into_iter().collect::<Map<_, _>>());
                    Call { name, arguments }
                };
                Says::Calls(calls.into_iter().map(call).collect())
            }
            (None, _) => return Err(format!("{at}: it says nothing; write text or calls")),
            (Some(_), _) => return Err(format!("{at}: it has both text and calls; write one of them")),
        };
        let usage = self
            .usage
            .map(|WrittenUsage { prompt, completion }| Usage { prompt: prompt.0, completion: completion.0 });
        Ok(Scripted {
            prompt: self.prompt,
            contains: self.contains,
            replied: self.replied,
            says,
            delay_ms: self.delay.0,
            usage,
            times: self.times.unwrap_or(u64::MAX),
        })
    }
}

impl Scripted {
    /// Whether it answers this conversation.
    fn fits(&self, prompt: &Prompt, turns: &[Turn]) -> bool {
        let said = said(turns);
        let replied = is_replied_to(turns);
        let before = match &self.says {
            Says::Text(_) => true,
            Says::Calls(_) => !replied,
        };
        self.prompt.as_ref().is_none_or(|wanted| *wanted == said)
            && self.contains.as_ref().is_none_or(|wanted| said.contains(wanted.as_str()))
            && self.replied.map_or(before, |wanted| wanted == replied)
            && self.is_allowed(prompt)
    }

    /// Whether the request lets it be said: what it demands of tools holds for every answer.
    fn is_allowed(&self, prompt: &Prompt) -> bool {
        let demanded = match &prompt.choose {
            Choose::Freely | Choose::Nothing => None,
            Choose::Something => Some(None),
            Choose::Named(name) => Some(Some(name)),
        };
        match &self.says {
            Says::Text(_) => demanded.is_none() || prompt.tools.is_empty(),
            Says::Calls(calls) => {
                let is_declared = |call: &Call| prompt.tools.iter().any(|tool| tool.name == call.name);
                let is_demanded = |call: &Call| demanded.flatten().is_none_or(|name| *name == call.name);
                prompt.choose != Choose::Nothing
                    && (prompt.parallel || calls.len() == 1)
                    && calls.iter().all(|call| is_declared(call) && is_demanded(call))
                    && Writes::fits(self, prompt)
            }
        }
    }
}

/// What the model says in its place.
impl Writes for Scripted {
    fn text(&self) -> &str {
        match &self.says {
            Says::Text(text) => text,
            Says::Calls(_) => "",
        }
    }

    fn calls(&self) -> &[Call] {
        match &self.says {
            Says::Text(_) => &[],
            Says::Calls(calls) => calls,
        }
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }
}

/// The answers that a request gets: for each conversation the number of one, or none.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    numbers: Vec<Option<usize>>,
    delay_ms: i64,
}

impl Given {
    /// How much later the first byte comes.
    pub(super) fn delay_ms(&self) -> i64 {
        self.delay_ms
    }

    /// The answers, of a model's.
    pub(super) fn answers<'m>(&self, model: &'m Model) -> impl Iterator<Item = Option<&'m dyn Writes>> {
        let answer = |number: &Option<usize>| Some(model.answers.get((*number)?)? as &dyn Writes);
        self.numbers.iter().map(answer)
    }
}

/// The models of a world, and how often the answers of its own were given. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Script {
    models: Arc<Vec<Arc<Model>>>,
    given: OrdMap<(Arc<str>, usize), u64>,
}

impl Default for Script {
    fn default() -> Script {
        Script { models: Arc::new(MODELS.to_vec()), given: OrdMap::new() }
    }
}

impl Script {
    /// The models, those of every world first.
    pub(super) fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// What a model's answers are and how often each was given; nothing for a model of every world.
    pub(super) fn view(&self, model: &Model) -> Option<Value> {
        let given = |number| self.given(model, number);
        let is_own = !MODELS.iter().any(|known| **known == *model);
        is_own.then(|| (0..model.answers.len()).map(|number| json!({ "given": given(number) })).collect())
    }

    fn given(&self, model: &Model, number: usize) -> u64 {
        self.given.get(&(model.id.clone(), number)).copied().unwrap_or_default()
    }

    /// The answers that fit a request. They are not given yet.
    pub(super) fn pick(&self, model: &Model, prompt: &Prompt) -> Given {
        if model.answers.is_empty() {
            return Given::default();
        }
        let mut picked = vec![0; model.answers.len()];
        let mut given = Given::default();
        for turns in &prompt.conversations {
            let fitting = model.answers.iter().enumerate().find(|(number, answer)| {
                self.given(model, *number) + picked[*number] < answer.times && answer.fits(prompt, turns)
            });
            given.numbers.push(fitting.map(|(number, _)| number));
            if let Some((number, answer)) = fitting {
                picked[number] += 1;
                given.delay_ms = given.delay_ms.max(answer.delay_ms);
            }
        }
        given
    }

    /// Counts answers as given.
    pub(super) fn give(&mut self, model: &Model, given: &Given) {
        for number in given.numbers.iter().flatten() {
            *self.given.entry((model.id.clone(), *number)).or_default() += 1;
        }
    }
}

/// Sets the models of the world's own. If any part of it is wrong, nothing changes.
pub(super) fn set(state: &mut State, own: Own) -> Result<Value, String> {
    let mut models = MODELS.to_vec();
    let mut named: Vec<Arc<str>> = Vec::new();
    for (n, OwnModel { id: Id(id), answers, servers }) in own.models.into_iter().enumerate() {
        let at = format!("arguments.models[{n}]");
        if named.contains(&id) {
            return Err(format!("{at}.id: {id:?} is the id of another model of the list; name each once"));
        }
        let number =
            |name: &Name<ServerName>| state.pool.named(name.0).expect("each of these sites has a server");
        let mut servers: Vec<usize> = match &servers {
            Some(named) => named.iter().map(number).collect(),
            None => (0..SERVERS.len()).collect(),
        };
        servers.sort_unstable();
        servers.dedup();
        if servers.is_empty() {
            return Err(format!("{at}.servers: name at least one server"));
        }
        let answers = answers.into_iter().enumerate();
        let answers = answers.map(|(m, answer)| answer.check(&format!("{at}.answers[{m}]")));
        let answers = answers.collect::<Result<Vec<Scripted>, _>>()?;
        let traits = Traits { tools: true, vision: true, image: false };
        let model = Arc::new(Model { id: id.clone(), traits, servers, answers });
        match models.iter_mut().find(|known| known.id == id) {
            Some(known) => *known = model,
            None => models.push(model),
        }
        named.push(id);
    }
    let ids: Vec<&str> = models.iter().map(|model| &*model.id).collect();
    let answer = json!({ "models": ids });
    state.script = Script { models: Arc::new(models), given: OrdMap::new() };
    Ok(answer)
}
