// The build runs this in a process of its own. It starts a simulated daemon from the bundle, sends it a ping, and saves
// the code that V8 has compiled by then. Bundles are loaded together with that code (bundle.cjs).

const { mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { request } = require("node:http");
const { tmpdir } = require("node:os");
const { basename, dirname, join } = require("node:path");
const { codePath, loadBundle } = require("../bundle.cjs");

const [, , bundle] = process.argv;
const loaded = loadBundle(bundle);
const directory = mkdtempSync(join(tmpdir(), "coracle-code-"));
const socketPath = join(directory, "s");
const places = ["--data-root", join(directory, "d"), "--exec-root", join(directory, "e"), "-p", join(directory, "p")];

process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
void loaded.exports.main(["daemon", "--simulated", "-l", "error", "-H", `unix://${socketPath}`, ...places]);
ping();

/** Tries again until the daemon listens. */
function ping() {
  const asked = request({ socketPath, path: "/_ping" }, (answer) => answer.resume().once("end", keep));
  asked.once("error", () => setTimeout(ping, 10)).end();
}

function keep() {
  const file = codePath(bundle, readFileSync(bundle, "utf8"));
  writeFileSync(`${file}.part`, loaded.script.createCachedData());
  renameSync(`${file}.part`, file);
  for (const name of readdirSync(dirname(file))) if (isOlder(name, file)) rmSync(join(dirname(file), name));
  process.exit();
}

/** Belongs to an earlier build. */
function isOlder(name, file) {
  return /^coracle-[0-9a-f]+\.code$/.test(name) && name !== basename(file);
}
