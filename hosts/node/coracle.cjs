#!/usr/bin/env node
// The command `coracle`, with the threads that a daemon needs.
require("./threads.cjs");
const { existsSync } = require("node:fs");
const { resolve } = require("node:path");
const { BUNDLE, loadBundle } = require("./bundle.cjs");

if (!existsSync(BUNDLE)) {
  console.error(`Coracle is not built: run "npm run build" in ${resolve(__dirname, "../..")}`);
  process.exit(1);
}
void loadBundle().exports.main(process.argv.slice(2));
