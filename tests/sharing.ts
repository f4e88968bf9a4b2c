// Selects the test files that share processes and run one after the other. Starting a process and loading the common
// modules takes a quarter of a second per file. These files use memory, other processes, and connections that they
// close. A file that changes its own process, or inspects it (its environment or its open files, for example), runs in
// a process of its own.

export const ALL: readonly string[] = ["tests/**/*.test.ts", "core/bindgen/*.test.ts"];

const FOLDERS = "browser,buildkit,clients,core,driver,dry-run,http,linux,simulated,streams,trace";

/**
 * Files of these folders that do not share a process: they replace globals or timers, or connect with clients that keep
 * connections open, which would outlive the file when a later one may use the same port.
 */
const ALONE: readonly string[] = ["base64", "docker-run", "healing", "serve", "testcontainers", "under-way"];

/** Of `node/`, what changes nothing of its process. */
const OF_NODE =
  "{calls,damaged-database,database-file,first-start,flight-recorder,hijack,journal,line-ends,records,replies,requests," +
  "start,traps}";

/**
 * Of `runtime-linux/`, what reads, computes, or handles files below a directory of its own: the others enter namespaces,
 * or look at the processes and files that they open.
 */
const READING =
  "{cgroups/limits,content/{archives,commit,copy,escapes,kept-log,pull,tars,vanishing},embedded-image,ends/living," +
  "kernel/{kernel,packet-filter}," +
  "launch/{bundle,runtimes,spec-text,supervisor-control},names/{messages,remembered,shares,table,turns}," +
  "networks/{kept,forward/way,parents/{parent-places,parents},ports/held-ports,resolv-conf},ps,sample/sample,seccomp/*," +
  "stdio/{log-bursts,log-ends,logs},under-way,volumes}";

/** Of `simulator/`, what starts no simulator. */
const COMPUTING = "{clients/refused-connects,commands,invariants/pushes,resizes,visits/{gate,visits}}";

export const SHARED: readonly string[] = [
  // The other three change AssemblyScript's library for their process.
  "core/bindgen/!(bindgen|collector|snapshot).test.ts",
  `tests/{${FOLDERS}}/**/!(${ALONE.join("|")}).test.ts`,
  "tests/{engine,registry}/!(answers).test.ts",
  `tests/node/${OF_NODE}.test.ts`,
  `tests/runtime-linux/${READING}.test.ts`,
  `tests/simulator/${COMPUTING}.test.ts`,
  "tests/mutants/*.test.ts",
];
