// Requests that nobody should send, to every route: each is answered, refusals have the format that clients expect,
// nothing breaks or leaks, and other clients do not wait. `CORACLE_TEST_FUZZ_SETS` sets how many sets each engine gets;
// `CORACLE_TEST_FUZZ_SEED` sets the first seed, which determines the requests.
import fc from "fast-check";
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import type { RunningEngine } from "../support/engines.js";
import { Footprint } from "../support/measured/footprint.js";
import { FULL } from "../support/measured/full-sizes.js";
import { fuzzRequests, type Description, type FuzzRequest } from "../support/fuzz/requests.js";
import { breaksHttp, send, type Outcome } from "../support/fuzz/sending.js";
import { FuzzWorld } from "../support/fuzz/world.js";
import { onOwnEngines } from "../support/on-engines.js";
import { probePings } from "../support/measured/ping-probe.js";
import { newestDescription } from "../support/fuzz/newest-description.js";

const SETS = Number(process.env["CORACLE_TEST_FUZZ_SETS"] ?? (FULL ? 160 : 60));
const SEED = Number(process.env["CORACLE_TEST_FUZZ_SEED"] ?? 1);
/** Requests sent at the same time. */
const AT_ONCE_MAX = 20;
/** Sets of requests from one seed. After a failure, the requests are reduced to those needed for it. */
const SETS_OF_A_SEED = 20;
/**
 * How far heaps and pools grow with very many different requests. The simulated world also keeps its journal in memory.
 */
const MEBIBYTES_MAX = { linux: 100, simulated: 100 + 64 };

/** The only internal errors of the engine that Docker's clients know: Docker gives the same answers. */
const FIVE_HUNDREDS: readonly RegExp[] = [
  /^Container \w+ is not paused$/,
  // It is killed meanwhile.
  /^cannot pause container \w+: no such process$/,
  /^container \w+ is dead or marked for removal$/,
  /^strconv\.Atoi: parsing /,
  /^Cannot restart container \S+: /,
  /^Cannot update container \S+: failed to write /,
  /^Cannot update container \S+: the (minimum|maximum) allowed cpu-shares is \d+$/,
  /^invalid signal: /,
  /^cannot kill container: \S+: the linux daemon does not support signal \d+$/,
  /^cannot resize a stopped container: unknown$/,
  /^ps: /,
  /^Error processing tar file\(exit status 1\): /,
  /^lstat .*: (not a directory|file name too long|invalid argument)$/,
  /^invalid filter: 'type'='/,
  // A build without a Dockerfile, or with one that is not in its context.
  /^Cannot locate specified Dockerfile: /,
  /^forbidden path outside the build context: /,
  /^remoteURL \(.*\) could not be recognized as URL$/,
  // No connection for calls (surface §1.8).
  /^no upgrade proto in request$/,
  /^no manifest found for full image ID$/,
  // A web server or a registry that cannot be reached.
  /^Get "https?:[^"]*": /,
];

const sets = fc.array(fuzzRequests(JSON.parse(await newestDescription()) as Description), {
  minLength: 1,
  maxLength: AT_ONCE_MAX,
  size: "max",
});

onOwnEngines("fuzzed requests", (engine, kind) => {
  test("are answered and do no harm", { timeout: 120_000 + SETS * 6000, retry: 0 }, async ({ skip }) => {
    if (kind === "reference") return skip(REFERENCE.nonsense);
    const world = new FuzzWorld(engine());
    const answered = new Map<number, number>();
    const askSets = (seed: number, numRuns: number): Promise<void> => {
      const property = fc.asyncProperty(sets, (requests) => round(engine(), world, requests, answered));
      return fc.assert(property, { seed, numRuns });
    };
    await askSets(SEED, SETS_OF_A_SEED);
    await world.clear();
    const footprint = await Footprint.of(engine().daemon);
    const pings = probePings(engine().daemon);
    for (let [seed, left] = [SEED + 1, SETS]; left > 0; seed += 1, left -= SETS_OF_A_SEED)
      await askSets(seed, Math.min(left, SETS_OF_A_SEED));
    const { failed, slow, ...seen } = await pings.end();
    const grown = footprint.grown();
    const figures = {
      SEED,
      answered: Object.fromEntries(answered),
      pings: seen,
      grown,
    };
    console.log(`fuzzed requests on ${kind}: ${JSON.stringify(figures)}`);
    expect(failed).toBe(0);
    // One in a thousand may coincide with a garbage collection on a busy machine. The simulated world runs in the
    // engine's own process, and computes hashes of pulled and saved data there.
    expect(slow).toBeLessThanOrEqual(Math.ceil(seen.count / (kind === "simulated" ? 100 : 1000)));
    expect(grown).toBeLessThan(MEBIBYTES_MAX[kind]);
    expect(engine().daemon.log()).not.toContain("an instance of the core was lost");
    await world.clear();
    await footprint.expectFilesClosed();
  });
});

/** Sends the requests at the same time. When all are answered, throws if an answer is wrong. */
async function round(
  engine: RunningEngine,
  world: FuzzWorld,
  requests: readonly FuzzRequest[],
  answered: Map<number, number>,
): Promise<void> {
  await world.restore();
  const asked = requests.map((request) => ask(engine, world.filled(request), answered));
  for (const result of await Promise.allSettled(asked)) if (result.status === "rejected") throw result.reason;
}

/** Sends a request, and starts the container that it made. */
async function ask(engine: RunningEngine, request: FuzzRequest, answered: Map<number, number>): Promise<void> {
  const outcome = await send(engine.socketPath, request);
  if (outcome === null) return;
  answered.set(outcome.status, (answered.get(outcome.status) ?? 0) + 1);
  expectFit(request, outcome);
  if (outcome.status !== 201 || !request.starts || !request.target.includes("/containers/create")) return;
  const { Id } = JSON.parse(outcome.text) as { Id: string };
  const target = `/v1.41/containers/${Id}/start`;
  await ask(engine, { ...request, target, headers: {}, body: null, wire: "whole" }, answered);
}

/**
 * Refusals are `{"message": …}`, except where Docker uses plain text: for invalid HTTP, and for attach (surface §2.6).
 */
function expectFit(request: FuzzRequest, { status, head, text, whole }: Outcome): void {
  if (status < 400 || request.method === "HEAD") return;
  const said = `${request.method} ${request.target.slice(0, 200)} (${request.wire}): ${status} ${text.slice(0, 500)}`;
  const type = head.header("content-type");
  if (type === "application/vnd.docker.raw-stream" && request.target.includes("/attach")) return;
  if (type === "text/plain; charset=utf-8") {
    const isOld = /^\/v1\.2[0-3]\//.test(request.target) || /^client version \S+ is too old/.test(text);
    return expect(breaksHttp(request) || status === 417 || isOld, said).toBe(true);
  }
  expect([type, whole], said).toEqual(["application/json", true]);
  const { message, ...more } = JSON.parse(text) as Record<string, unknown>;
  expect([typeof message, more], said).toEqual(["string", {}]);
  // A failed start has the OCI runtime's message, whatever it is.
  if (status < 500 || status === 501 || status === 503 || /\/containers\/[^/]+\/start(\?|$)/.test(request.target))
    return;
  expect([status, FIVE_HUNDREDS.some((known) => known.test(message as string))], said).toEqual([500, true]);
}
