// The build runs this in a process of its own: `code.cjs BUNDLE [FLAG…]`. It starts a daemon from the bundle, with these
// flags besides its own, and once more on what the first has left, as most starts are. Each is asked for what clients ask
// first. Then it saves the code that V8 has compiled. Bundles are loaded together with that code (bundle.cjs).

const { mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { request } = require("node:http");
const { tmpdir } = require("node:os");
const { basename, dirname, join } = require("node:path");
const v8 = require("node:v8");
const { codePath, loadBundle } = require("../bundle.cjs");

const [, , bundle, ...flags] = process.argv;
// V8 takes code only if its flags are those with which the code was saved. The daemon sets flags of its own after loading.
v8.setFlagsFromString = () => {};
// An earlier code would be part of the new one.
rmSync(codePath(bundle, readFileSync(bundle, "latin1")), { force: true });
const loaded = loadBundle(bundle);
const directory = mkdtempSync(join(tmpdir(), "coracle-code-"));
const socketPath = join(directory, "s");
const places = ["--data-root", join(directory, "d"), "--exec-root", join(directory, "e"), "-p", join(directory, "p")];

process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
const exit = process.exit.bind(process);
void twice();

async function twice() {
  await run(() => {});
  await run(save);
  exit(0);
}

/** Runs a daemon until it has answered. Then it gives back what it has mounted. */
async function run(act) {
  let done = false;
  // A daemon ends its process. This one is not done yet, unless the daemon ends before it has answered.
  const ended = new Promise((resolve) => {
    process.exit = (code) => (done && code === 0 ? resolve() : exit(code || 1));
  });
  void loaded.exports.main(["daemon", "-l", "error", "-H", `unix://${socketPath}`, ...places, ...flags]);
  await ask();
  act();
  done = true;
  process.kill(process.pid, "SIGTERM");
  await ended;
}

async function ask() {
  while (!(await answers("GET", "/_ping"))) await new Promise((resolve) => setTimeout(resolve, 10));
  const config = { Image: "busybox", HostConfig: { NetworkMode: "none" } };
  await answers("POST", "/containers/create?name=code", config);
  for (const path of ["/version", "/info", "/containers/json?all=1", "/containers/code/json"])
    await answers("GET", path);
  await answers("DELETE", "/containers/code");
}

/** Whether the daemon answers at all: it may not listen yet. */
function answers(method, path, body) {
  return new Promise((resolve) => {
    const headers = { "Content-Type": "application/json" };
    const asked = request({ socketPath, method, path, headers, agent: false }, (answer) =>
      answer.resume().once("end", () => resolve(true)),
    );
    asked.once("error", () => resolve(false)).end(body && JSON.stringify(body));
  });
}

function save() {
  const file = codePath(bundle, readFileSync(bundle, "latin1"));
  writeFileSync(`${file}.part`, loaded.script.createCachedData());
  renameSync(`${file}.part`, file);
  for (const name of readdirSync(dirname(file))) if (isOlder(name, file)) rmSync(join(dirname(file), name));
}

/** Belongs to an earlier build. */
function isOlder(name, file) {
  return /^coracle-[0-9a-f]+\.code$/.test(name) && name !== basename(file);
}
