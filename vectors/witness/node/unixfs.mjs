// Two libraries that build UnixFS, set to the document's parameters.

import * as UnixFS from "@ipld/unixfs";
import { withMaxChunkSize } from "@ipld/unixfs/file/chunker/fixed";
import { withWidth } from "@ipld/unixfs/file/layout/balanced";
import { importer } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { balanced } from "ipfs-unixfs-importer/layout";

const [CHUNK, WIDTH, FLAT] = [262_144, 174, 262_144];

/** ipfs-unixfs-importer supports both ways of estimating the size of a folder's node. */
export const byImporter = {
  file: (bytes) => imported([{ content: bytes }], "links"),
  // An empty folder is a folder, and there is no wrapping folder.
  folder: (files, estimate) =>
    imported(
      files.length ? files.map(({ path, bytes }) => ({ path: `top/${path}`, content: bytes })) : [{ path: "top" }],
      estimate,
    ),
};

/** @ipld/unixfs builds both kinds of folder and leaves the choice to its caller. */
export const byIpld = {
  file: async (bytes) => String((await written(bytes, discard)).cid),
  folder: async (files, estimate) => String((await folder(tree(files), estimate)).cid),
};

const imported = async (candidates, estimate) => {
  const options = {
    cidVersion: 1,
    rawLeaves: true,
    chunker: fixedSize({ chunkSize: CHUNK }),
    layout: balanced({ maxChildrenPerNode: WIDTH }),
    shardSplitThresholdBytes: FLAT,
    shardSplitStrategy: estimate === "block" ? "block-bytes" : "links-bytes",
    wrapWithDirectory: false,
  };
  let last;
  for await (const entry of importer(candidates, { put: (cid) => cid }, options)) last = entry;
  return String(last.cid);
};

/** A leaf is a raw block. */
const raw = { code: 0x55, name: "raw", encode: (bytes) => bytes };
const settings = UnixFS.configure({
  chunker: withMaxChunkSize(CHUNK),
  fileLayout: withWidth(WIDTH),
  fileChunkEncoder: raw,
  smallFileEncoder: raw,
});
const discard = { desiredSize: 1, write() {} };

const written = async (bytes, writer) => {
  const view = UnixFS.createFileWriter({ writer, settings });
  for (let at = 0; at < bytes.length; at += CHUNK) await view.write(bytes.subarray(at, at + CHUNK));
  return view.close();
};

/** A map from names to bytes or nested maps. */
const tree = (files) => {
  const top = new Map();
  for (const { path, bytes } of files) {
    const names = path.split("/");
    let at = top;
    for (const name of names.slice(0, -1)) {
      if (!at.has(name)) at.set(name, new Map());
      at = at.get(name);
    }
    at.set(names.at(-1), bytes);
  }
  return top;
};

const folder = async (names, estimate) => {
  const links = [];
  for (const [name, inside] of names) {
    links.push([name, inside instanceof Map ? await folder(inside, estimate) : await written(inside, discard)]);
  }
  let block;
  const writer = { desiredSize: 1, write: ({ bytes }) => (block = bytes.length) };
  const close = (view) => {
    for (const [name, link] of links) view.set(name, link);
    return view.close();
  };
  const flat = await close(UnixFS.createDirectoryWriter({ writer, settings }));
  const sum = links.reduce((sum, [name, { cid }]) => sum + Buffer.byteLength(name) + cid.bytes.length, 0);
  if ((estimate === "block" ? block : sum) <= FLAT) return flat;
  return close(UnixFS.createShardedDirectoryWriter({ writer: discard, settings }));
};
