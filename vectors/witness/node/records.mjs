// Amend chains, claims, authority and single records. No library implements these rules, so they are written once more
// from the document, over parsed JSON. Signatures and addresses are by ethers.

import { computeAddress } from "ethers";

import { network } from "./network.mjs";
import { Refused, attempt, require } from "./refusal.mjs";

export const CHANNEL = "SVC_CHANNEL_V1";
export const DEPLOYMENT = "svc-cloud-deployment";
const CLAIM = "svc-vm-pubkey";

// --- parts

export const isText = (value) => typeof value === "string";
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isAddress = (value) => isText(value) && /^0x[0-9a-fA-F]{40}$/.test(value);
export const same = (one, other) => one.toLowerCase() === other.toLowerCase();
export const holds = (work) => {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
};

export const checkForm = ({ item_hash: hash, type, channel, signature, sender, content }) => {
  require([hash, type, channel, signature].every(isText) && isAddress(sender), "members");
  require(isObject(content) && isAddress(content.address), "content");
  require(Number.isInteger(content.time) && content.time >= 0, "time");
  require([content.key, content.type, content.ref].every((each) => each === undefined || isText(each)), "strings");
};

export const isSigned = (record) => {
  const { signature, sender } = record;
  return holds(() => network["record.verify"]({ message_json: JSON.stringify(record), signature, sender }));
};

/** The content of a creation or an amend. Records before schema 4 may lack most of it. */
export const stateOf = (body) => {
  require(isObject(body), "not an object");
  const { schemaVersion: schema, public: open } = body;
  require(schema === undefined || (Number.isInteger(schema) && schema >= 1 && schema <= 4), "schema");
  const legacy = schema === undefined || schema < 4;
  require(isText(body.deploymentId) && /^deploy_[\w-]{12}$/.test(body.deploymentId), "deployment");
  require(isText(body.projectId) && /^proj_[\w-]{12}$/.test(body.projectId), "project");
  require(isObject(open) && ["queued", "live", "failed"].includes(open.status), "status");
  require(legacy || open.storeRef !== undefined, "no reference");
  const reference = open.storeRef ?? null;
  require(reference === null || isText(reference), "reference");
  const cid = legacy && reference === null ? (open.cid ?? null) : null;
  return { status: open.status, store_ref: reference, cid, warnings: legacy ? ["LEGACY_SCHEMA"] : [] };
};

// --- operations

export const resolve = ({ creation, messages, authorized }) => {
  messages.forEach(checkForm);
  const counts = (record) =>
    record.channel === CHANNEL &&
    (authorized == null || (authorized.some((one) => same(one, record.sender)) && isSigned(record)));
  const counted = messages.filter(counts);
  let leaf = counted.find(({ item_hash: hash, content }) => hash === creation && content.type === DEPLOYMENT);
  require(leaf, "no creation");
  /** The winning amend of each message. */
  const winners = new Map();
  for (const each of counted) {
    if (each.content.type !== "amend" || !holds(() => stateOf(each.content.content))) continue;
    const best = winners.get(each.content.ref);
    const later = best === undefined || each.content.time > best.content.time;
    const tie = best !== undefined && each.content.time === best.content.time && each.item_hash < best.item_hash;
    if (later || tie) winners.set(each.content.ref, each);
  }
  const seen = new Set([creation]);
  for (let next = winners.get(creation); next && !seen.has(next.item_hash); next = winners.get(next.item_hash)) {
    seen.add(next.item_hash);
    leaf = next;
  }
  const { cid: _, ...state } = stateOf(leaf.content.content);
  return { leaf: leaf.item_hash, ...state };
};

const checkClaim = (record) => {
  checkForm(record);
  const { type, sender, content } = record;
  require(type === "POST" && content.type === CLAIM && isObject(content.content), "not a claim");
  const { v, instanceHash, pubkey, registeredAt } = content.content;
  require(v === 1 && isText(instanceHash) && instanceHash !== "" && isText(pubkey), "members");
  require(isText(registeredAt) && /^\d{4}-\d\d-\d\dT/.test(registeredAt) && !Number.isNaN(Date.parse(registeredAt)), "time");
  const { address } = network["address.from_public_key"]({ public_key: pubkey });
  require(same(address, content.address) && same(sender, content.address), "a different address");
  require(isSigned(record), "signature");
};

const select = ({ instance_hash: instance, claims }) => {
  const valid = claims.filter((claim) => holds(() => checkClaim(claim)));
  const own = valid.filter(({ content }) => content.content.instanceHash === instance);
  require(own.length > 0, "not a claim");
  const before = (a, b) => a.content.time - b.content.time || (a.item_hash < b.item_hash ? -1 : 1);
  const [first] = own.sort(before);
  return { item_hash: first.item_hash, pubkey: first.content.content.pubkey };
};

const checkEntry = (entry) => {
  for (const name of ["types", "channels", "aggregate_keys", "post_types"]) {
    const list = entry[name] ?? [];
    require(Array.isArray(list) && list.every(isText), name);
  }
};

export const judge = ({ owner, security, act }) => {
  security.authorizations.forEach(checkEntry);
  const { signer, address, type, channel, key, post_type: post } = act;
  if (type === "POST" && post === CLAIM) {
    require(same(signer, address), "a claim for another");
    return { standing: "itself" };
  }
  require(same(address, owner) || (type === "POST" && same(address, signer)), "a different owner");
  if (same(signer, owner)) return { standing: "owner" };
  require(type !== "AGGREGATE" || key !== "security", "security");
  require(!same(signer, attempt(() => computeAddress(security.encryptionKey.pubkey))), "the encryption key");
  const among = (list, ...wanted) => !list?.length || wanted.some((each) => list.includes(each));
  for (const entry of security.authorizations.filter((each) => same(each.address, signer))) {
    const { types = [] } = entry;
    const session = Boolean(entry.pubkey) || (types.includes("AGGREGATE") && !types.includes("FORGET"));
    const allowed =
      !(session && type === "FORGET") &&
      among(types, type) &&
      among(entry.channels, channel) &&
      (type !== "AGGREGATE" || among(entry.aggregate_keys, key)) &&
      (type !== "POST" || among(entry.post_types, post, post === "amend" ? DEPLOYMENT : post));
    if (allowed) return { standing: session ? "session-key" : "delegate" };
  }
  throw new Refused("no authorization");
};

export const project = ({ id, value }) => {
  require(/^proj_[\w-]{12}$/.test(id), "identifier");
  if (value.public?.deleted === true) return { deleted: true, schema_version: null };
  require([1, 2].includes(value.schemaVersion) && value.id === id && isObject(value.encrypted), "members");
  return { deleted: false, schema_version: value.schemaVersion };
};

export const isNullOr = (kind) => (value) => value === null || kind(value);

/** Checks the type of all members that the document lists. Other members are kept. */
export const projectText = (text) => {
  const plaintext = attempt(() => JSON.parse(text));
  require(isObject(plaintext), "not an object");
  const { name, source, repo, branch, installationId, buildCommand, outputDir } = plaintext;
  require([name, buildCommand, outputDir].every(isText) && ["codehost", "upload"].includes(source), "strings");
  require([repo, branch].every(isNullOr(isText)) && (repo === null || /^[^/]+\/./.test(repo)), "repository");
  require(isNullOr(Number.isFinite)(installationId), "installation");
  return plaintext;
};

const written = (kind, { type, content }) => {
  if (kind === "security") {
    require(type === "AGGREGATE" && content.key === "security" && isObject(content.content), "not a security record");
    return { members: Object.keys(content.content) };
  }
  const { hashes } = content;
  require(type === "FORGET" && Array.isArray(hashes) && hashes.length > 0 && hashes.every(isText), "no list of hashes");
  return { hashes };
};

const readRecord = (i) => {
  if (i.kind === "project") return project(i);
  if (i.kind === "plaintext") return { plaintext: projectText(i.value) };
  if (i.kind === "bundle") {
    const { store_ref: reference } = stateOf(i.value);
    require(isText(reference) && reference !== "", "no bundle");
    return { store_ref: reference, bundle_hash: i.value.public.bundleHash ?? null };
  }
  if (i.kind === "deployment") return stateOf(i.value);
  if (i.kind === "security" || i.kind === "forget") {
    checkForm(i.value);
    return written(i.kind, i.value);
  }
  require(/^drop_[\w-]{22}$/.test(i.value), "identifier");
  return {};
};

export const records = {
  "amends.resolve": resolve,
  "vm_claim.select": select,
  "hosting.authority": judge,
  "hosting.record": readRecord,
};
