// Validates HTTP archives against the HAR 1.2 schema in the har-schema package.
// node har.mjs FILE…; exits with 1 if one is invalid.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";

const require = createRequire(import.meta.url);
const ajv = new Ajv({ allErrors: true });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-06.json"));
ajv.addSchema(Object.values(require("har-schema")));
const fits = ajv.getSchema("har.json#");
for (const path of process.argv.slice(2)) {
  const archive = JSON.parse(readFileSync(path, "utf8"));
  if (!fits(archive)) {
    for (const error of fits.errors.slice(0, 20)) console.error(`${path}: ${error.dataPath} ${error.message}`);
    process.exitCode = 1;
  } else console.log(`${path.split("/").pop()}: ${archive.log.entries.length} entries are valid HAR 1.2`);
}
