// Loads the daemon's bundle together with the code that V8 compiled for it during the build. Otherwise V8 would parse
// and compile 2.3 MB again in each process: a quarter of the processor time of a start.

const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const BUNDLE = join(__dirname, "../../build/coracle.cjs");
/** The last line of the bundle names the build: `//# build=` and a hash. */
const BUILD = /\/\/# build=([0-9a-f]+)\s*$/;
const PARAMETERS = "exports, require, module, __filename, __dirname";

/**
 * The bundle's exports, and their script. The code of another build has another file name. V8 refuses code from another
 * version or with other flags, and then compiles the source. Throws `ENOENT` if there is no bundle.
 */
function loadBundle(bundle = BUNDLE) {
  // It is ASCII (setup/build.mjs).
  const source = readFileSync(bundle, "latin1");
  const cachedData = codeOf(bundle, source);
  const script = new Script(`(function (${PARAMETERS}) {${source}\n})`, { filename: bundle, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
  return { exports: module.exports, script };
}

function codeOf(bundle, source) {
  try {
    return readFileSync(codePath(bundle, source));
  } catch {
    return undefined; // Costs only time.
  }
}

/** Path of the compiled code for this bundle. */
function codePath(bundle, source) {
  const build = BUILD.exec(source.slice(-100))?.[1] ?? "unknown";
  return join(dirname(bundle), `coracle-${build}.code`);
}

module.exports = { BUNDLE, codePath, loadBundle };
