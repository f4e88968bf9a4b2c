// What makes a bundle for Node load in less time.

import { readFileSync } from "node:fs";

/**
 * Modules that take long to load and that few daemons need, or none while it starts: fflate fills tables, HTTP/2 carries
 * only the calls of BuildKit's clients, and TLS leads to registries. In a bundle each is loaded when something of it is
 * used for the first time.
 */
const LATE = ["fflate", "node:http2", "(?:node:)?https", "(?:node:)?tls", "node:dns/promises"];

/** Replaces each of these modules by an object whose properties load it. */
export function loadedLate(root) {
  const namespace = "late";
  return {
    name: "loaded late",
    setup: ({ onResolve, onLoad }) => {
      const filter = new RegExp(`^(${LATE.join("|")})$`);
      onResolve({ filter }, (asked) => (asked.namespace === namespace ? undefined : { path: asked.path, namespace }));
      onLoad({ filter: /.*/, namespace }, async ({ path }) => {
        const names = Object.keys(await import(path)).filter((name) => name !== "default");
        const properties = names.map((name) => `get ${name}() { return require("${path}").${name}; }`);
        return { contents: `module.exports = { ${properties.join(",\n")} };`, resolveDir: root };
      });
    },
  };
}

/** The database is JavaScript around a native part. The bundle has the first, and so V8's code for it, too. */
const DATABASE = "lmdb";

/** Where a program loads the database when it opens its records. */
const OPENED = `createRequire(import.meta.url)("${DATABASE}")`;

/** The database's own encoder of values. Ours are bytes (hosts/node/database). */
export const ENCODER = /^msgpackr$/;

/** Puts the database into a bundle. It looks for its native part from where its own file is. */
export function withDatabase() {
  const file = `require("node:module").createRequire(bundleUrl).resolve("${DATABASE}")`;
  return {
    name: "with database",
    setup: ({ onLoad }) => {
      onLoad({ filter: /node_modules\/lmdb\/dist\/index\.cjs$/ }, ({ path }) => ({
        contents: `const __filename = ${file};\n${readFileSync(path, "utf8")}`,
        loader: "js",
      }));
    },
  };
}

const WHOLE = /^import \* as (\w+) from ("node:\w+");$/gm;

/**
 * Lets `import * as` of Node's modules take the module itself. As the standard has it, esbuild makes an object of its own
 * in each file, with a property for each of a hundred names.
 */
export function takenWhole() {
  return {
    name: "taken whole",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, "utf8")
          .replaceAll(WHOLE, "import $1 = require($2);")
          .replaceAll(OPENED, `require("${DATABASE}")`),
        loader: "ts",
      }));
    },
  };
}
