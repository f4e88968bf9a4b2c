// Where hosts may say what the core says as well, and why.

export interface Exception {
  /** Files, or folders, by the beginning of their paths. */
  where: string[];
  /** What may be said there. */
  says: "all" | string[];
  why: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    where: ["hosts/browser/session/explain/"],
    says: "all",
    why: "the page knows by the core's sentences what would help",
  },
  {
    where: ["hosts/browser/session/view/views.ts"],
    says: ["Pulling from", "Already exists", "Pull complete", "Download complete"],
    why: "the page draws the progress of a pull by what the core says of it",
  },
  {
    where: ["hosts/browser/lessons/images.ts"],
    says: ["Image is up to date"],
    why: "a lesson has been done when the core says so",
  },
  {
    where: ["hosts/browser/notation/shell/output.ts"],
    says: ["Error response"],
    why: "the page's docker command shows an error as Docker's command does",
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
    why: "the page speaks to its reader in plain words, which are others' as well",
  },
  {
    where: ["hosts/timeline/"],
    says: ["the engine is gone", "out of memory", "on network"],
    why: "a timeline tells what happened in plain words",
  },
  {
    where: ["hosts/driver/succession.ts", "hosts/engine/assembled-engine.ts"],
    says: ["go on", "the engine is gone"],
    why: "there is no core to say it: it has trapped, or could not keep its records",
  },
  {
    where: ["hosts/node/database/records.ts", "hosts/simulated/records.ts"],
    says: ["no space left on device"],
    why: "why records are not kept goes to the log: the core's instance that had them is gone",
  },
  {
    where: ["hosts/node/http/"],
    says: ["Bad Request", "Internal Server Error"],
    why: "statuses of HTTP for bytes that do not become a request, which the core never sees",
  },
  {
    where: ["hosts/engine/fetch/local-requests.ts"],
    says: ["Connection: Upgrade"],
    why: "a header that is left out of a reply within one process",
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
    why: "the command line of the daemon speaks before there is an engine, and to no client",
  },
  {
    where: ["hosts/trace/chain.ts"],
    says: ["is missing"],
    why: "who reads a trace is told that it is not whole",
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
      "is not a directory",
      "not a directory",
      "is a directory",
      "invalid mode",
      "invalid option",
      "invalid format",
      "invalid argument",
      "invalid signal",
      "permission denied",
    ],
    why: "programs of the simulated world speak as BusyBox and its C library do",
  },
  {
    where: ["hosts/simulated/processes/open.ts", "hosts/simulated/processes/pid-namespace.ts"],
    says: ["No such ", "out of memory"],
    why: "a shell's word for a program that is not there, and JavaScript's own for memory that ran out",
  },
  {
    where: ["hosts/simulated/processes/signals.ts"],
    says: [
      "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU",
    ],
    why: "names of signals (signal(7))",
  },
  {
    where: ["hosts/simulated/registry/server.ts"],
    says: ["page not found", "not found", "manifest unknown", "authentication required"],
    why: "a registry's own words (OCI distribution spec), which the core is told of as data",
  },
  {
    where: ["runtime-linux/ends/", "runtime-linux/networks/places.ts"],
    says: ["of container", "on network"],
    why: "what was swept up at the start is told to the log",
  },
];
