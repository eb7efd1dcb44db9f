// Validates SARIF logs against the SARIF 2.1.0 schema in Microsoft's jest-sarif package.
// node sarif.mjs FILE…; exits with 1 if one is invalid.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";

const require = createRequire(import.meta.url);
const schema = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const ajv = new Ajv({ schemaId: "auto", allErrors: true, unknownFormats: "ignore" });
if (/draft-04/.test(schema.$schema)) ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json"));
const fits = ajv.compile(schema);
for (const path of process.argv.slice(2)) {
  const log = JSON.parse(readFileSync(path, "utf8"));
  if (!fits(log)) {
    for (const error of fits.errors.slice(0, 20)) console.error(`${path}: ${error.dataPath} ${error.message}`);
    process.exitCode = 1;
  } else console.log(`${path.split("/").pop()}: ${log.runs[0].tool.driver.rules.length} rules and ${log.runs[0].results.length} results are valid SARIF 2.1.0`);
}
