// Loads the daemon's bundle together with the code that V8 made of it when it was built. Without that V8 would parse and
// compile 2.3 MB again for each process: a quarter of the processor time of a start.

const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const BUNDLE = join(__dirname, "../../build/coracle.cjs");
/** The last line of the bundle names the build: `//# build=` and a hash. */
const BUILD = /\/\/# build=([0-9a-f]+)\s*$/;
const PARAMETERS = "exports, require, module, __filename, __dirname";

/**
 * The bundle's exports, and the script they are from. Code of another build has another name. V8 refuses code that another
 * version of it made, or that was made under other flags; then it compiles the source. Throws `ENOENT` if there is no bundle.
 */
function loadBundle(bundle = BUNDLE) {
  const source = readFileSync(bundle, "utf8");
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
    return undefined; // Nothing is lost but time.
  }
}

/** Where the code of this bundle stands. */
function codePath(bundle, source) {
  const build = BUILD.exec(source.slice(-100))?.[1] ?? "unknown";
  return join(dirname(bundle), `coracle-${build}.code`);
}

module.exports = { BUNDLE, codePath, loadBundle };
