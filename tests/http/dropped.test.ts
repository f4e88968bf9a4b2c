// Connections that clients open and drop at any moment of a request: they leave nothing behind. CI and
// `CORACLE_TEST_LOAD=1` use 10,000 connections.
import { connect } from "node:net";
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { atOnce } from "../support/at-once.js";
import { Footprint } from "../support/measured/footprint.js";
import { FULL } from "../support/measured/full-sizes.js";
import { onOwnEngines } from "../support/on-engines.js";
import { promptly } from "../support/measured/prompt.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

const CONNECTIONS = FULL ? 10_000 : 4000;
const AT_ONCE = 100;
/** A leftover of a few connections does not show in all of these parts; a leftover of every connection does. */
const PARTS = 10;
/** How far heaps grow with this much work. */
const MEBIBYTES_MAX = 80;
const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };

onOwnEngines("dropped connections", (engine, kind) => {
  test(`${CONNECTIONS} leave nothing`, { timeout: 300_000 }, async ({ skip }) => {
    if (kind === "reference") return skip(REFERENCE.unread);
    const id = await engine().running({ Cmd: ["cat"], OpenStdin: true });
    const moments = momentsOf(id);
    const part = (): Promise<unknown> =>
      atOnce(CONNECTIONS / PARTS, AT_ONCE, (at) => drop(engine().socketPath, moments[at % moments.length] ?? null));
    await part();
    const footprint = await Footprint.of(engine().daemon);
    const grown: string[] = [];
    await promptly(engine(), `${CONNECTIONS} dropped connections`, async () => {
      for (let at = 1; at < PARTS; at += 1) {
        await part();
        grown.push(footprint.grown().toFixed(0));
      }
    });
    await footprint.expectFilesClosed();
    console.log(`${CONNECTIONS} dropped connections on ${kind}: grown by ${grown.join(", ")} MiB`);
    expect(footprint.grown()).toBeLessThan(MEBIBYTES_MAX);
    const { State, ExecIDs } = await engine().inspect<{ State: { Status: string }; ExecIDs: unknown }>(id);
    expect([State.Status, ExecIDs]).toEqual(["running", null]);
    await engine().remove(id);
  });

  test("a client that left while it followed a quiet container is noticed", async ({ skip }) => {
    if (kind === "reference") return skip(REFERENCE.quiet);
    const id = await engine().running({ Cmd: ["cat"], OpenStdin: true });
    const target = `/v1.41/containers/${id}/attach?stream=1&stdout=1`;
    const bytes = encodeRequest({ method: "POST", target, headers: UPGRADE });
    const patient = await RawConnection.open(engine().socketPath);
    patient.send(bytes);
    await patient.head();
    // This only says that it sends nothing more.
    patient.end();
    const footprint = await Footprint.of(engine().daemon);
    await atOnce(20, 20, () => drop(engine().socketPath, { bytes, after: 20 }));
    await footprint.expectFilesClosed();
    const stdin = await RawConnection.open(engine().socketPath);
    stdin.send(encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/attach?stream=1&stdin=1` }));
    await stdin.head();
    stdin.send("still there?\n");
    await patient.untilText("still there?");
    for (const connection of [stdin, patient]) connection.close();
    await engine().remove(id);
  });
});

interface Moment {
  readonly bytes: Buffer;
  /** How many bytes of the answer have arrived at that moment. */
  readonly after: number;
}

/** How far each connection gets, in turn: null for one that sends nothing. */
function momentsOf(id: string): readonly (Moment | null)[] {
  const create = encodeRequest({ method: "POST", target: "/v1.41/containers/create", body: { Image: "busybox" } });
  const attach = `/v1.41/containers/${id}/attach?stream=1&stdin=1&stdout=1`;
  const upgraded = encodeRequest({ method: "POST", target: attach, headers: UPGRADE });
  const logs = encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1&follow=1` });
  const upload = "POST /v1.41/images/load HTTP/1.1\r\nHost: docker\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf";
  const sent = (bytes: Buffer | string, after = 0): Moment => ({ bytes: Buffer.from(bytes), after });
  return [
    null,
    sent("GET /v1.41/contai"),
    sent("GET /_ping HTTP/1.1\r\nHost: docker\r\nX-Half: "),
    sent(create.subarray(0, -5)),
    sent(upload),
    sent(encodeRequest({ target: "/v1.41/info" })),
    sent(encodeRequest({ target: "/v1.41/events" }), 20),
    sent(encodeRequest({ target: `/v1.41/containers/${id}/stats` }), 20),
    sent(encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/wait` }), 20),
    sent(logs, 20),
    sent(upgraded),
    sent(upgraded, 20),
    sent(encodeRequest({ method: "POST", target: attach }), 20),
    sent(encodeRequest({ target: "/_ping" }), 20),
  ];
}

function drop(socketPath: string, moment: Moment | null): Promise<void> {
  return new Promise((resolve) => {
    let come = 0;
    const socket = connect(socketPath, () => {
      if (moment !== null) socket.write(moment.bytes);
      if ((moment?.after ?? 0) === 0) setImmediate(() => socket.destroy());
    });
    socket.on("data", (bytes) => {
      come += bytes.length;
      if (moment !== null && moment.after > 0 && come >= moment.after) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}
