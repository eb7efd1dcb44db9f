#!/usr/bin/env node
// Starts the program of the package for this platform. Input, output and errors are the program's own.
"use strict";

const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { constants } = require("node:os");
const { failure, find } = require("../lib/program.js");

// The exit code of `assay` for a harness that failed. With 1 a pipeline would read that the server does not conform.
const FAILED = 4;

function fail(why) {
  process.stderr.write(`assay: ${why}\n`);
  process.exit(FAILED);
}

// Whether this process is in the group that a terminal sends Ctrl-C to. The program is in the same group, and has the signal
// already. A second one would end its run at once.
function isInForeground() {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    // After the name, which may hold any character: state, parent, group, session, terminal, the terminal's group.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[2] === fields[5];
  } catch {
    return false;
  }
}

const FROM_TERMINAL = ["SIGINT", "SIGQUIT"];
const FORWARDED = [...FROM_TERMINAL, "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"];

let program;
try {
  program = find();
} catch (error) {
  fail(error.message);
}
// The handlers come first: a signal must not end this process while the program starts. They run once it has started.
for (const signal of FORWARDED) {
  process.on(signal, () => {
    if (!FROM_TERMINAL.includes(signal) || !isInForeground()) child.kill(signal);
  });
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(failure(program, error)));
child.on("exit", (code, signal) => {
  // As a shell reports it.
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
