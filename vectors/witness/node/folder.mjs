// Folders on disk: the operating system follows links and reports dangling ones.

import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { read, spellOut } from "./recipes.mjs";
import { attempt, require } from "./refusal.mjs";

/** The files of a folder: `{path, bytes}`. A folder with links is written to a temporary directory. */
export const filesOf = (entries) => {
  const all = spellOut(entries);
  if (all.some(({ link }) => link !== undefined)) return laidOut(all);
  return all.filter(({ content }) => content).map(({ path, content }) => ({ path, bytes: read(content) }));
};

const laidOut = (entries) => {
  const place = mkdtempSync(join(tmpdir(), "witness-"));
  try {
    for (const { path, content, link, directory } of entries) {
      const at = join(place, path ?? directory);
      mkdirSync(directory === undefined ? dirname(at) : at, { recursive: true });
      if (content) writeFileSync(at, read(content));
      if (link !== undefined) symlinkSync(link, at);
    }
    return walk(place, "", []);
  } finally {
    rmSync(place, { recursive: true });
  }
};

/** Every file below a folder. `open` contains its ancestors; a link must not lead back to one. */
const walk = (folder, prefix, open) => {
  const real = realpathSync.native(folder);
  require(!open.includes(real), "a link leads to an ancestor folder");
  return readdirSync(folder).flatMap((name) => {
    const [path, at] = [prefix + name, join(folder, name)];
    const isFolder = attempt(() => statSync(at)).isDirectory();
    return isFolder ? walk(at, `${path}/`, [...open, real]) : [{ path, bytes: readFileSync(at) }];
  });
};
