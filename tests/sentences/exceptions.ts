// Places in hosts that may use phrases of the core, with the reason.

export interface Exception {
  /** Files or folders: paths begin with one of these. */
  where: string[];
  /** The phrases allowed there. */
  says: "all" | string[];
  why: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    where: ["hosts/simulated/programs/machine/environment.ts"],
    says: ["with status"],
    why: "the simulated xargs says it, as busybox's does",
  },
  {
    where: ["hosts/browser/session/explain/"],
    says: "all",
    why: "the page recognizes the core's sentences to suggest a remedy",
  },
  {
    where: ["hosts/browser/session/view/views.ts"],
    says: ["Pulling from", "Already exists", "Pull complete", "Download complete"],
    why: "the page reads the progress of a pull from the core's messages",
  },
  {
    where: ["hosts/browser/lessons/images.ts"],
    says: ["Image is up to date"],
    why: "a lesson ends with this message of the core",
  },
  {
    where: ["hosts/browser/lessons/build.ts"],
    says: ["Successfully built", "---> Using cache"],
    why: "a lesson reads from the core's messages which steps of a build came from the cache",
  },
  {
    where: ["hosts/browser/notation/shell/output.ts"],
    says: ["Error response"],
    why: "the page's docker command shows an error as Docker's command does",
  },
  {
    where: ["hosts/simulated/shell/parameters.ts"],
    says: ["syntax error: bad substitution"],
    why: "a shell in a simulated container words its errors as busybox does, and Docker's variables as shells do",
  },
  {
    where: ["hosts/browser/notation/plan.ts"],
    says: ["is not running"],
    why: "the page's docker command looks at a container before it attaches to it, as Docker's command does",
  },
  {
    where: ["hosts/browser/page/words.ts"],
    says: [
      "Bad Request",
      "Not Found",
      "Method Not Allowed",
      "Too Many Requests",
      "Internal Server Error",
      "Not Found",
      "Not Implemented",
      "Service Unavailable",
    ],
    why: "the page names statuses of HTTP (RFC 9110)",
  },
  {
    where: [
      "hosts/browser/lessons/",
      "hosts/browser/notation/shell/feed.ts",
      "hosts/browser/page/",
      "hosts/browser/starting.ts",
    ],
    says: [
      "stopped container",
      "is missing",
      "OCI runtime",
      "does not match",
      "out of memory",
      "the container is",
      "does not exist",
      "is larger than",
      "try again",
    ],
    why: "the page explains things in plain words, some of which the core uses too",
  },
  {
    where: ["hosts/timeline/"],
    says: ["the engine is gone", "out of memory", "on network"],
    why: "a timeline describes events in plain words",
  },
  {
    where: ["hosts/driver/succession.ts", "hosts/engine/assembled-engine.ts"],
    says: ["go on", "the engine is gone"],
    why: "no core is running: it has trapped, or could not store its records",
  },
  {
    where: ["hosts/shared/unwritten.ts"],
    says: ["no space left on device"],
    why: "the instance of the core that wrote the records is gone, so the host tells the log and the clients why",
  },
  {
    where: ["hosts/node/http/"],
    says: ["Bad Request", "Internal Server Error"],
    why: "HTTP statuses for bytes that are no request and never reach the core",
  },
  {
    where: ["hosts/engine/fetch/local-requests.ts"],
    says: ["Connection: Upgrade"],
    why: "a header that replies within one process leave out",
  },
  {
    where: [
      "hosts/node/config/",
      "hosts/node/database/database-file.ts",
      "hosts/node/http/socket.ts",
      "hosts/node/pid-file.ts",
      "hosts/node/trace/",
    ],
    says: [
      "log driver",
      "does not exist",
      "invalid argument",
      "unknown flag: --",
      "OCI runtime",
      "is missing",
      "not found",
      "is not running",
    ],
    why: "messages of the command line, before there is an engine; no client sees them",
  },
  {
    where: ["hosts/trace/chain.ts"],
    says: ["is missing"],
    why: "tells the reader of a trace that it is incomplete",
  },
  {
    where: [
      "hosts/simulated/program",
      "hosts/simulated/programs/",
      "hosts/simulated/shell/",
      "hosts/simulated/files/file-system.ts",
    ],
    says: [
      "No such ",
      "not found",
      ": not found",
      "is not a directory",
      "not a directory",
      "is a directory",
      "invalid mode",
      "invalid option",
      "invalid format",
      "invalid argument",
      "invalid signal",
      "permission denied",
      "Bad Request",
      "Not Found",
      "Not Implemented",
      "connection timed out",
      "file exists",
    ],
    why: "simulated programs print what BusyBox and its C library print",
  },
  {
    where: ["hosts/simulated/processes/open.ts", "hosts/simulated/processes/pid-namespace.ts"],
    says: ["No such ", "out of memory"],
    why: "a shell's message for a missing program, and JavaScript's for exhausted memory",
  },
  {
    where: ["hosts/simulated/traffic/errors.ts"],
    says: ["Address already in use", "already in use"],
    why: "the C library's words for errors of sockets, which simulated programs print",
  },
  {
    where: ["hosts/simulated/processes/signals.ts"],
    says: [
      "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU",
    ],
    why: "signal names (signal(7))",
  },
  {
    where: ["hosts/simulated/registry/server.ts"],
    says: ["page not found", "not found", "manifest unknown", "authentication required"],
    why: "a registry's own words (OCI distribution spec); the core receives them as data",
  },
  {
    where: [
      "runtime-linux/ends/",
      "runtime-linux/networks/bridges/places.ts",
      "runtime-linux/networks/parents/parent-places.ts",
    ],
    says: ["of container", "on network"],
    why: "the log lists what was removed at the start",
  },
];
