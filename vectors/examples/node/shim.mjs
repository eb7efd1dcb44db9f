// Runs the golden cases against your functions: replace `canonical` and `encode` with them.
//
//     assay vectors run -- node shim.mjs

import { createInterface } from "node:readline";

const require = (holds, rule) => {
  if (!holds) throw new Error(rule);
};

const canonical = ({ domain }) => {
  const label = "(?!-)[a-z0-9-]{1,63}(?<!-)";
  require(domain.length <= 253 && new RegExp(`^${label}(\\.${label})+$`).test(domain), "domain");
  return {};
};

const encode = ({ kind, fields }) => {
  const keys = { pub: ["d", "c", "v", "t"], transfer: ["d", "newVault", "t"], accept: ["d", "transfer", "t"] }[kind];
  require(keys && Object.keys(fields).sort().join() === [...keys].sort().join(), "keys");
  require(keys.every((key) => typeof fields[key] === "string" && fields[key] !== ""), "empty");
  require(fields.t.length === 24 && new Date(fields.t).toISOString() === fields.t, "time");
  canonical({ domain: fields.d });
  const body = JSON.stringify(Object.fromEntries(keys.map((key) => [key, fields[key]])));
  return { record: { hex: Buffer.from(`svc-vf:1:${kind}:${body}`).toString("hex") } };
};

const operations = { "domain.canonical": canonical, "publish.record.encode": encode };
const readings = ["A-082/raw", "A-108/grammar-only"];
const hello = { name: "example", version: "1", operations: Object.keys(operations), readings };

const answer = ({ op, in: input }) => {
  if (op === "hello") return { ok: hello };
  if (!Object.hasOwn(operations, op)) return { unsupported: true };
  try {
    return { ok: operations[op](input) };
  } catch (error) {
    return { reject: { rule: error.message, stage: "check" } };
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify({ id: request.id, ...answer(request) }));
}
