// Finds the program of the package for this platform.
"use strict";

const own = require("../package.json");

// Returns its path. It throws an error that says what to do.
function find() {
  const platform = `${process.platform}-${process.arch}`;
  const name = `${own.name}-${platform}`;
  const known = Object.keys(own.optionalDependencies);
  if (!known.includes(name)) {
    const built = known.map((one) => one.slice(own.name.length + 1)).join(", ");
    throw new Error(
      `${own.name} ${own.version} has a program for ${built}, and not for ${platform}. ` +
        "Run the container image, or build the program: cargo install --locked --path command in a checkout",
    );
  }
  let about;
  try {
    about = require(`${name}/package.json`);
  } catch {
    throw new Error(`the package ${name} is missing. Install ${own.name} again, without --omit=optional and --no-optional`);
  }
  if (about.version !== own.version) {
    throw new Error(`${name} has version ${about.version}, and ${own.name} has ${own.version}. Install both with one version`);
  }
  return require.resolve(`${name}/bin/assay`);
}

// Why a program that is there does not start.
function failure(program, error) {
  const remedy =
    error.code === "ENOENT" || error.code === "ENOEXEC"
      ? "This Linux lacks the C library that it was built for: use the package with the static program"
      : "Install the package again";
  return `${program} does not start: ${error.message}. ${remedy}`;
}

module.exports = { find, failure };
