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
  "{calls,damaged-database,database-file,first-start,flight-recorder,hijack,journal,line-ends,records," +
  "registry-hosts,replies,requests,start,traps}";

/**
 * Of `runtime-linux/`, what leaves its process as it was: it reads, computes, handles files below a directory of its own,
 * starts containers, or enters a namespace only during a call. The others stay in namespaces of their own, replace
 * timers or functions, or look at what their process has opened and used.
 */
const PASSING =
  "{cgroups/{cgroups,limits,memory-kills}," +
  "content/{archives,commit,copied-layers,copy,escapes,git,kept-log,layers,lost-writes,pull,replaced-layers,tars,threads," +
  "unflushed-layers,vanishing},embedded-image,ends/{exits,living},host,kernel/{kernel,packet-filter}," +
  "launch/{bundle,runtimes,sealed-program,spec-text,supervisor-control},machine/machine,mounts/volume-mounts," +
  "names/{burst,messages,redirect,remembered,shares,table,turns}," +
  "networks/{kept,forward/way,netlink/netlink,parents/{parent-places,parents},ports/{held-ports,published},resolv-conf}," +
  "processes/{processes,variables},ps,sample/sample,seccomp/*,stdio/{log-bursts,log-ends,logs},under-way,volumes}";

/** Of `embedding/`, what needs neither the package, nor a machine, nor connections that stay open. */
const EMBEDDED = "{connect,life,simulated,examples/jobs}";

/** Of `simulator/`, what starts no simulator. */
const COMPUTING = "{clients/refused-connects,commands,invariants/pushes,resizes,visits/{gate,visits}}";

export const SHARED: readonly string[] = [
  // The other three change AssemblyScript's library for their process.
  "core/bindgen/!(bindgen|collector|snapshot).test.ts",
  `tests/{${FOLDERS}}/**/!(${ALONE.join("|")}).test.ts`,
  "tests/{engine,registry}/!(answers).test.ts",
  "tests/{pages,proofs,recipes,reference-differences,secret-search}.test.ts",
  `tests/embedding/${EMBEDDED}.test.ts`,
  `tests/node/${OF_NODE}.test.ts`,
  `tests/runtime-linux/${PASSING}.test.ts`,
  `tests/simulator/${COMPUTING}.test.ts`,
  "tests/mutants/*.test.ts",
];
