// Many containers and many readers: all are answered, each gets all, and nothing is left.
// `CORACLE_TEST_LOAD=1` takes the full sizes.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { atOnce } from "../support/at-once.js";
import { recordsOf, takeCensus } from "../support/census.js";
import { pause, until } from "../support/commands.js";
import type { EngineKind, RunningEngine } from "../support/engines.js";
import { Footprint } from "../support/footprint.js";
import { splitFrames } from "../support/frames.js";
import { onEngines } from "../support/on-engines.js";
import { probePings, type Pings } from "../support/ping-probe.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const FULL = process.env["CORACLE_TEST_LOAD"] === "1";
const CONTAINERS = FULL ? 200 : 80;
const AT_ONCE = 16;
const FOLLOWERS = 100;
const LINES = FULL ? 50_000 : 10_000;
const LISTED = 1000;
/** What follows from each line for each of the followers, and what heaps grow to at such work. */
const MEBIBYTES_MAX = 150;

onEngines("load", (engine, kind) => {
  if (kind === "reference") return test("many containers", ({ skip }) => skip(REFERENCE.load));

  test(`${CONTAINERS} containers, ${AT_ONCE} at a time`, { timeout: 300_000 }, async () => {
    // What comes with the first container and stays.
    await engine().run({ Cmd: ["true"] });
    const before = await heldWhenCalm(engine());
    const footprint = await Footprint.of(engine().daemon);
    const pings = probePings(engine().daemon);
    const ids = await atOnce(CONTAINERS, AT_ONCE, async (index) => {
      const { id, code, stdout } = await engine().run(configOf(index));
      expect([code, stdout]).toEqual([index % 100, `${index}\n`]);
      return id;
    });
    expectPrompt(await pings.end(), `${CONTAINERS} containers`, kind);
    expect(await engine().read("/containers/json?all=1")).toEqual([]);
    await expectNothingOf(ids, engine(), before);
    await footprint.expectFilesClosed();
  });

  test(`${FOLLOWERS} followers get every line of a chatty container once`, { timeout: 300_000 }, async () => {
    const Cmd = ["sh", "-c", `read go; seq 1 ${LINES}`];
    const id = await engine().running({ Cmd, OpenStdin: true });
    const footprint = await Footprint.of(engine().daemon);
    const expected = digest(Array.from({ length: LINES }, (_, at) => `${at + 1}\n`).join(""));
    const followers = Array.from({ length: FOLLOWERS }, () => followed(engine(), id));
    const digests = await footprint.during(async () => {
      await type(engine(), id, "go\n");
      return Promise.all(followers);
    });
    expect(new Set(digests)).toEqual(new Set([expected]));
    console.log(`${FOLLOWERS} followers on ${kind}: ${footprint.most.toFixed(0)} MiB at most`);
    expect(footprint.most).toBeLessThan(MEBIBYTES_MAX);
    await footprint.expectFilesClosed();
    await engine().remove(id);
  });

  test(`${LISTED} created containers are listed`, { timeout: 300_000 }, async () => {
    const before = await heldWhenCalm(engine());
    const footprint = await Footprint.of(engine().daemon);
    const ids = await atOnce(LISTED, AT_ONCE, () => engine().create({ Cmd: ["true"] }));
    const pings = probePings(engine().daemon);
    const list = await engine().read<{ Id: string; State: string }[]>("/containers/json?all=1");
    expect(new Set(list.map(({ Id }) => Id))).toEqual(new Set(ids));
    await atOnce(LISTED, AT_ONCE, (index) => engine().remove(ids[index] ?? ""));
    expectPrompt(await pings.end(), `${LISTED} listed and removed`, kind);
    await expectNothingOf(ids, engine(), before);
    await footprint.expectFilesClosed();
  });
});

/**
 * Under 50 ms: half of all as a client sees them, though others keep processors and disks busy (a daemon that runs for
 * real comes before most of them); all but one in a hundred (each that a collection of garbage falls upon) as far as that
 * is the engine's own work.
 */
function expectPrompt({ failed, ...figures }: Pings, what: string, kind: EngineKind): void {
  console.log(`${what} on ${kind}: ${JSON.stringify(figures)}`);
  expect(failed).toBe(0);
  if (kind === "linux") expect(figures.median).toBeLessThan(50);
  expect(figures.slow).toBeLessThanOrEqual(Math.ceil(figures.count / 100));
}

/** Each its own words and code; some with a network, a port, a volume. */
function configOf(index: number): Record<string, unknown> {
  const Cmd = ["sh", "-c", `echo ${index}; exit ${index % 100}`];
  if (index % 4 === 1) return { Cmd, HostConfig: { NetworkMode: "none" } };
  if (index % 4 === 2) return { Cmd, Volumes: { "/data": {} } };
  if (index % 4 === 3) return { Cmd, ExposedPorts: { "80/tcp": {} }, HostConfig: { PublishAllPorts: true } };
  return { Cmd };
}

/** Into the standard input of a container. */
async function type(engine: RunningEngine, id: string, text: string): Promise<void> {
  const connection = await RawConnection.open(engine.socketPath);
  connection.send(encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/attach?stream=1&stdin=1` }));
  expect((await connection.head()).status).toBe(200);
  connection.send(text);
  connection.end();
  await connection.rest();
  connection.close();
}

async function followed(engine: RunningEngine, id: string): Promise<string> {
  const path = `/containers/${id}/logs?stdout=1&follow=1`;
  const { body } = await engine.must(200, "GET", path, undefined, { timeoutMs: 240_000 });
  return digest(Buffer.concat(splitFrames(body).map((frame) => frame.payload)));
}

function digest(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What a daemon that runs for real holds of its machine beside open files; null for one that pretends. */
async function heldBy(engine: RunningEngine, ids: readonly string[]): Promise<object | null> {
  if (engine.kind === "simulated") return null;
  const { openFiles: _, ...census } = await takeCensus(engine.daemon, ids);
  return { ...census, records: recordsOf(engine.daemon) };
}

/** What stays: it is the same for longer than anything that is taken down behind an answer takes. */
async function heldWhenCalm(engine: RunningEngine): Promise<object | null> {
  let last = await heldBy(engine, []);
  await until("what is held stays the same", async () => {
    await pause(500);
    const before = JSON.stringify(last);
    last = await heldBy(engine, []);
    return JSON.stringify(last) === before;
  });
  return last;
}

/** Nothing of containers that are gone: what is taken down behind an answer may take a moment. */
async function expectNothingOf(ids: readonly string[], engine: RunningEngine, before: object | null): Promise<void> {
  let now = await heldBy(engine, ids);
  const isCalm = async (): Promise<boolean> => {
    now = await heldBy(engine, ids);
    return JSON.stringify(now) === JSON.stringify(before);
  };
  await until("calm", isCalm).catch(() => {});
  expect(now).toEqual(before);
}
