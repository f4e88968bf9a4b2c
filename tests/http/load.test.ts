// Many containers and many readers: all are answered, each gets everything, and nothing is left. CI and
// `CORACLE_TEST_LOAD=1` use the full sizes.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { atOnce } from "../support/at-once.js";
import type { RunningEngine } from "../support/engines.js";
import { Footprint } from "../support/measured/footprint.js";
import { splitFrames } from "../support/frames.js";
import { FULL } from "../support/measured/full-sizes.js";
import { expectNothingOf, heldWhenCalm } from "../support/measured/held.js";
import { onOwnEngines } from "../support/on-engines.js";
import { promptly } from "../support/measured/prompt.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const CONTAINERS = FULL ? 200 : 80;
const AT_ONCE = 16;
const FOLLOWERS = 100;
const LINES = FULL ? 50_000 : 10_000;
const LISTED = 1000;
/** How far heaps grow with this much work for each line and each follower. */
const MEBIBYTES_MAX = 150;

onOwnEngines("load", (engine, kind) => {
  if (kind === "reference") return test("many containers", ({ skip }) => skip(REFERENCE.load));

  test(`${CONTAINERS} containers, ${AT_ONCE} at a time`, { timeout: 300_000 }, async () => {
    // Things that appear with the first container and stay.
    await engine().run({ Cmd: ["true"] });
    const before = await heldWhenCalm(engine());
    const footprint = await Footprint.of(engine().daemon);
    const ids = await promptly(engine(), `${CONTAINERS} containers`, () =>
      atOnce(CONTAINERS, AT_ONCE, async (index) => {
        const { id, code, stdout } = await engine().run(configOf(index));
        expect([code, stdout]).toEqual([index % 100, `${index}\n`]);
        return id;
      }),
    );
    expect(await engine().read("/containers/json?all=1")).toEqual([]);
    await expectNothingOf(ids, engine(), before);
    await footprint.expectFilesClosed();
  });

  test(`${FOLLOWERS} followers get every line of a chatty container once`, { timeout: 300_000 }, async () => {
    const Cmd = ["sh", "-c", `read go; seq 1 ${LINES}`];
    const id = await engine().running({ Cmd, OpenStdin: true });
    const footprint = await Footprint.of(engine().daemon);
    const expected = digest(Array.from({ length: LINES }, (_, at) => `${at + 1}\n`).join(""));
    const digests = await promptly(engine(), `${FOLLOWERS} followers`, () => {
      const followers = Array.from({ length: FOLLOWERS }, () => followed(engine(), id));
      return footprint.during(async () => {
        await type(engine(), id, "go\n");
        return Promise.all(followers);
      });
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
    const ids = await promptly(engine(), `${LISTED} created, listed and removed`, async () => {
      const made = await atOnce(LISTED, AT_ONCE, () => engine().create({ Cmd: ["true"] }));
      const list = await engine().read<{ Id: string; State: string }[]>("/containers/json?all=1");
      expect(new Set(list.map(({ Id }) => Id))).toEqual(new Set(made));
      await atOnce(LISTED, AT_ONCE, (index) => engine().remove(made[index] ?? ""));
      return made;
    });
    await expectNothingOf(ids, engine(), before);
    await footprint.expectFilesClosed();
  });
});

/** Each has its own output and exit code; some have a network, a port or a volume. */
function configOf(index: number): Record<string, unknown> {
  const Cmd = ["sh", "-c", `echo ${index}; exit ${index % 100}`];
  if (index % 4 === 1) return { Cmd, HostConfig: { NetworkMode: "none" } };
  if (index % 4 === 2) return { Cmd, Volumes: { "/data": {} } };
  if (index % 4 === 3) return { Cmd, ExposedPorts: { "80/tcp": {} }, HostConfig: { PublishAllPorts: true } };
  return { Cmd };
}

/** Writes to the standard input of a container. */
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
