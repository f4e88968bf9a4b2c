// Runs vitest for `npm test`, as its own command does. Under CI a file that failed runs once more when all others have
// ended, alone: a machine that is slow for minutes fails a test together with the second try right behind it. Whoever
// passes only then is named (reporter.ts). Plain JavaScript, since nothing compiles it.
//   node tests/run.mjs [OPTION…] [FILTER…]

import { createVitest, parseCLI, TestsNotFoundError } from "vitest/node";

/** More failures than these are no matter of load: to try all of them again would only take time. */
const MOST_FILES = 12;

// The reference, runc and clients are Go programs, started thousands of times: a fifth of what they take of the processors
// goes into collecting garbage while they begin, and into waiting for one another on many threads.
process.env["GOGC"] ??= "400";
process.env["GOMAXPROCS"] ??= "1";

// Node gives V8 four threads in each process, for the collector and the compilers. Where all processors are busy, they mostly
// wait for one another: with one thread, six files with daemons took 50 s of processors instead of 59.
process.env["NODE_OPTIONS"] = `--v8-pool-size=1 ${process.env["NODE_OPTIONS"] ?? ""}`.trim();

// docker-compose imports distutils. In its place setuptools puts a copy of its own, and loads itself for that: 220 of the
// 490 ms that each start takes of a processor.
process.env["SETUPTOOLS_USE_DISTUTILS"] ??= "stdlib";

// Node 20 reads these certificates, and those of its own, each time it starts: 35 ms of processor time out of 55, in more
// than a thousand processes. Only npm, in embedding/oldest-node.test.ts, connects to a server that may need them.
const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
if (certificates !== undefined) {
  delete process.env["NODE_EXTRA_CA_CERTS"];
  process.env["CORACLE_TEST_NPM_CERTS"] = certificates;
}

const { filter, options } = parseCLI(["vitest", "run", ...process.argv.slice(2)]);
const vitest = await createVitest("test", { ...options, watch: false });
// Told to end, the run breaks off, and ends the engines that it has lent: they may live in memory, which nobody else would
// give back. Told once more, it ends at once. vitest by itself would do that the first time.
let isEnding = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.removeAllListeners(signal);
  process.once(signal, () => {
    isEnding = true;
    process.exitCode = 1;
    void vitest.cancelCurrentRun("keyboard-input");
  });
}
try {
  const { testModules, unhandledErrors } = await vitest.start(filter);
  const failed = testModules.filter((module) => !module.ok());
  const hasCause = failed.length > 0 && unhandledErrors.length === 0 && !isEnding;
  if (process.env["CI"] === "true" && hasCause && failed.length <= MOST_FILES) await runAgain(failed);
} catch (error) {
  process.exitCode = 1;
  // vitest has told of it.
  if (!(error instanceof TestsNotFoundError)) console.error(error);
}
await vitest.exit();

/** Each by itself: what failed beside others is not run beside others. A failure sets the exit code, as at first. */
async function runAgain(failed) {
  process.exitCode = 0;
  for (const module of failed) await vitest.runTestSpecifications([module.toTestSpecification()]);
}
