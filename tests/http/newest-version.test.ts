// `--max-api-version`, and the same for one socket: clients that take the newest version are served an older one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, messageOf } from "../support/engine-client.js";
import { CORACLE, engines } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

for (const engine of engines().filter(({ kind }) => kind !== "reference")) {
  describeUnless(engine.missing, `newest version on ${engine.kind}`, () => {
    let directory: string;
    let daemon: DaemonProcess;
    let usual: EngineClient;
    let older: EngineClient;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "coracle-newest-"));
      const socket = join(directory, "older.sock");
      daemon = await engine.start(["--max-api-version", "1.41", "-H", `unix://${socket}?max-api-version=1.30`]);
      [usual, older] = [new EngineClient(daemon.socketPath), new EngineClient(socket)];
    });
    afterAll(async () => {
      await daemon?.close();
      await rm(directory, { recursive: true });
    });

    test("every answer tells the one that is served, to the clients of each socket", async () => {
      for (const [client, newest] of [
        [usual, "1.41"],
        [older, "1.30"],
      ] as const) {
        for (const [method, path, status] of [
          ["HEAD", "/_ping", 200],
          ["GET", "/containers/none/json", 404],
          ["GET", "/events?until=1", 200],
        ] as const) {
          const answer = await client.call(method, path, undefined, { version: null });
          expect([path, answer.status, answer.header("api-version")]).toEqual([path, status, newest]);
        }
        const told = await client.read<Told>("/version", { version: null });
        expect([told.ApiVersion, told.MinAPIVersion]).toEqual([newest, "1.24"]);
        expect(told.Components[0]?.Details).toMatchObject({ ApiVersion: newest, MinAPIVersion: "1.24" });
      }
    });

    test("newer ones are refused as unknown ones are", async () => {
      for (const [client, newest, next] of [
        [usual, "1.41", "1.42"],
        [older, "1.30", "1.31"],
      ] as const) {
        expect((await client.call("GET", "/info", undefined, { version: newest })).status).toBe(200);
        const answer = await client.call("GET", "/info", undefined, { version: next });
        expect([answer.status, messageOf(answer)]).toEqual([
          400,
          `client version ${next} is too new. Maximum supported API version is ${newest}`,
        ]);
        expect(answer.header("api-version")).toBe(newest);
      }
    });

    test("a path without a version means the newest that is served", async () => {
      for (const [client, newest] of [
        [usual, "1.41"],
        [older, "1.30"],
      ] as const) {
        const [bare, told] = await Promise.all(
          [null, newest].map(async (version) => client.read<object>("/networks/bridge", { version })),
        );
        expect(bare).toEqual(told);
        expect(bare).not.toHaveProperty("EnableIPv4");
      }
      // An endpoint of a later version.
      const answer = await older.call("POST", "/build/prune", undefined, { version: null });
      expect([answer.status, messageOf(answer)]).toEqual([400, "POST /build/prune requires minimum API version 1.31"]);
    });
  });
}

test.each(["1.23", "1.56", "2.0", "1.041", "1", "newest", ""])(
  "the version %j cannot be the newest",
  async (version) => {
    const directory = await mkdtemp(join(tmpdir(), "coracle-newest-"));
    const socket = join(directory, "x.sock");
    const daemon = [...CORACLE, "daemon", "--simulated"];
    const why = `coracle: invalid API version ${JSON.stringify(version)}: it must be from 1.24 to 1.55\n`;
    for (const flags of [
      ["-H", `unix://${socket}?max-api-version=${version}`],
      ...(version === "" ? [] : [["-H", `unix://${socket}`, "--max-api-version", version]]),
    ]) {
      const { code, stderr } = await run([...daemon, ...flags]);
      expect([code, stderr]).toEqual([1, why]);
    }
    await rm(directory, { recursive: true });
  },
);

interface Told {
  ApiVersion: string;
  MinAPIVersion: string;
  Components: { Details: object }[];
}
