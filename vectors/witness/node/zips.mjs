// Two libraries that read zips, and the document's rules about what they read.

import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, configure } from "@zip.js/zip.js";
import { fromBufferPromise } from "yauzl";

import { attemptLater, require } from "./refusal.mjs";

// Uses the library's own inflate. The runtime's is zlib, as in Python.
configure({ useWebWorkers: false, useCompressionStream: false });

const [SIZE, EXTRACTED, FILES] = [10_000_000, 40_000_000, 1000];

/** The files of an accepted zip: `{path, bytes}`. */
export const inspected = async (zip, library) => {
  require(zip.length <= SIZE, "size of the zip");
  const entries = await library(zip);
  for (const { path } of entries) {
    require(!path.startsWith("/"), "absolute path");
    require(!path.split("/").includes(".."), "path with two dots");
  }
  const files = entries.filter(({ path }) => !path.endsWith("/"));
  require(files.some(({ path }) => path === "index.html"), "no index.html at the root");
  require(files.length <= FILES, "number of files");
  require(files.reduce((sum, { bytes }) => sum + bytes.length, 0) <= EXTRACTED, "extracted size");
  return files;
};

/** yauzl itself rejects paths that leave the folder, and sizes that differ from the headers. */
export const byYauzl = (zip) =>
  attemptLater(async () => {
    const [archive, entries] = [await fromBufferPromise(zip), []];
    let total = 0;
    for await (const entry of archive.eachEntry()) {
      const chunks = [];
      for await (const chunk of await archive.openReadStreamPromise(entry)) {
        chunks.push(chunk);
        total += chunk.length;
        require(total <= EXTRACTED, "extracted size");
      }
      entries.push({ path: entry.fileName, bytes: Buffer.concat(chunks) });
    }
    return entries;
  });

/** zip.js checks every CRC-32. */
export const byZipJs = (zip) =>
  attemptLater(async () => {
    const [reader, files] = [new ZipReader(new Uint8ArrayReader(zip), { checkSignature: true }), []];
    for (const entry of await reader.getEntries()) {
      const bytes = entry.directory ? Buffer.alloc(0) : Buffer.from(await entry.getData(new Uint8ArrayWriter()));
      files.push({ path: entry.filename, bytes });
    }
    return files;
  });
