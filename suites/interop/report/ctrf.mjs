// Validates CTRF reports with the reference implementation of the format.
// node ctrf.mjs FILE…; exits with 1 if one is invalid, or if its summary does not count its tests.
import { readFileSync } from "node:fs";
import { calculateSummary, validate } from "ctrf";

for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, "utf8"));
  const { summary, tests } = report.results;
  const errors = validate(report).errors.map(({ path, message }) => `${path} ${message}`);
  const counted = calculateSummary(tests);
  for (const count of ["tests", "passed", "failed", "skipped", "pending", "other"]) {
    if (summary[count] !== counted[count]) errors.push(`/results/summary/${count}: ${summary[count]}, counted ${counted[count]}`);
  }
  if (errors.length) {
    for (const error of errors.slice(0, 20)) console.error(`${path}: ${error}`);
    process.exitCode = 1;
  } else console.log(`${path.split("/").pop()}: ${tests.length} tests are valid CTRF`);
}
