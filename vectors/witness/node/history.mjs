// Recovers a whole history, written independently from the document: authorized records, chains, nodes' responses,
// envelopes.

import { network } from "./network.mjs";
import {
  CHANNEL,
  DEPLOYMENT,
  checkForm,
  holds,
  isNullOr,
  isObject,
  isSigned,
  isText,
  judge,
  project,
  projectText,
  resolve,
  same,
  stateOf,
} from "./records.mjs";
import { attempt, require } from "./refusal.mjs";
import { sealing } from "./sealed.mjs";

const deploymentText = (text) => {
  const plaintext = attempt(() => JSON.parse(text));
  require(isObject(plaintext), "not an object");
  const { commit, commitMessage, branch, actionsRunUrl, error } = plaintext;
  require([commit, commitMessage, branch, actionsRunUrl, error].every(isNullOr(isText)), "strings");
  return { commit, commitMessage, branch, actionsRunUrl, error };
};

const inOrder = (a, b) => a.content.time - b.content.time || (a.item_hash < b.item_hash ? -1 : 1);

/** Whether a record is signed, on the channel, and authorized. */
const counts = (record, owner, security) => {
  const { sender: signer, type, channel, content } = record;
  const act = { signer, address: content.address, type, channel, key: content.key, post_type: content.type };
  return holds(() => {
    checkForm(record);
    require(channel === CHANNEL && isSigned(record), "channel and signature");
    judge({ owner, security, act });
  });
};

/** The content of an envelope. `warn` is called for a skipped envelope. */
const privately = ({ role, wallet_key: user, encryption_key: encryption }, envelope, check, warn) => {
  if (!isObject(envelope?.deks)) return null;
  const held = Object.entries({ user, encryption });
  const [dek, key] = held.find(([name, own]) => own != null && name in envelope.deks) ?? [];
  if (dek === undefined && !(role === "backend" && envelope.v < 3)) return null;
  let text = null;
  holds(() => {
    const { plaintext, warnings } = sealing["envelope.open"]({ envelope, role, dek, private_key: key });
    warnings.forEach(warn);
    text = plaintext && check(Buffer.from(plaintext.hex, "hex").toString());
  });
  return text;
};

/** Queries one node after another until one has the message. Returns the final reading. */
const lookUp = ({ nodes, answers }, hash, ask) => {
  const readings = [];
  for (let node = 0; node < nodes; node += 1) {
    ask({ node, hash });
    const { status = 0, body } = answers.find((each) => each.node === node && each.hash === hash) ?? {};
    const reading = network["store.classify"]({ http_status: status, body });
    if (["live", "forgotten", "removed"].includes(reading.class)) return reading;
    readings.push(reading);
  }
  return readings.find((reading) => reading.class === "unknown") ?? readings[0];
};

const recover = (i) => {
  const { owner, messages } = i;
  const empty = { authorizations: [], encryptionKey: {} };
  const aggregates = (list, key) => list.filter(({ type, content }) => type === "AGGREGATE" && content.key === key);
  const secured = aggregates(messages, "security").filter((record) => same(record.sender, owner));
  const own = secured.filter((record) => counts(record, owner, empty)).sort(inOrder);
  const security = Object.assign({}, empty, ...own.map(({ content }) => content.content));
  const counted = messages.filter((record) => counts(record, owner, security));

  const warnings = new Map();
  const warner = (hash, subject) => (warning) =>
    warnings.set(`${hash} ${warning} ${subject}`, { item_hash: hash, warning, subject });
  const entries = new Map();
  for (const { item_hash: hash, content } of aggregates(counted, "projects").sort(inOrder)) {
    for (const [id, value] of Object.entries(content.content)) {
      if (holds(() => project({ id, value }))) entries.set(id, { id, value, hash });
    }
  }
  const projects = [...entries.values()].map(({ id, value, hash }) => {
    const deleted = value.public.deleted === true;
    const plaintext = deleted ? null : privately(i, value.encrypted, projectText, warner(hash, id));
    return { id, deleted, plaintext };
  });

  const asked = new Map();
  const ask = (step) => asked.set(`${step.node} ${step.hash}`, step);
  const posts = counted.filter(({ type }) => type === "POST");
  const isCreation = ({ content }) => content.type === DEPLOYMENT && holds(() => stateOf(content.content));
  const deployments = posts.filter(isCreation).sort(inOrder).map(({ item_hash: creation }) => {
    const { leaf } = resolve({ creation, messages: posts });
    const body = posts.find(({ item_hash: hash }) => hash === leaf).content.content;
    const state = stateOf(body);
    const warn = warner(leaf, body.deploymentId);
    state.warnings.forEach(warn);
    const plaintext = privately(i, body.encrypted, deploymentText, warn);
    const found = state.store_ref === null ? null : lookUp(i, state.store_ref, ask);
    if (found?.warning) warner(state.store_ref, body.deploymentId)(found.warning);
    return {
      deployment_id: body.deploymentId,
      leaf,
      status: state.status,
      store_ref: state.store_ref,
      cid: found === null ? state.cid : found.cid,
      store: found === null ? null : found.class,
      plaintext,
    };
  });
  const sorted = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  return { asked: sorted(asked), projects, deployments, warnings: sorted(warnings) };
};

export const history = { "hosting.recover": recover };
