// `kill -9` of the daemon at any moment of a request: after the next start the list is correct, the request can be sent
// again, and nothing is left over.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pause, until } from "../support/commands.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";
import { describeUnless } from "../support/on-engines.js";
import { busyboxLayer, dockerArchive, tarOf } from "../support/archives/images.js";
import { dockerRegistryMissing, startDockerRegistry } from "../support/registry/docker-registry.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { rawTar } from "../support/archives/tar.js";
import { digestOf, packImage } from "../support/registry/push-image.js";
import { killedDaemon, missing } from "./killed-daemon.js";

/** How long after a request the daemon is killed. */
const DELAYS_MS = [0, 1, 3, 6, 10, 15, 25, 40, 60, 90, 150];

/** Progress messages of a push. */
const PUSH_LINES = ["The push refers to", "Preparing", "Pushing", "Pushed", "digest: sha256"];

/** Progress messages of a pull; null: half of a layer has arrived and no more comes. */
const PULL_LINES = [
  "Pulling from",
  "Pulling fs layer",
  null,
  "Download complete",
  "Extracting",
  "Pull complete",
] as const;

const DOCKERFILE =
  "FROM busybox\nENV KEPT=1\nRUN --mount=type=cache,target=/kept --mount=target=/in,rw --mount=from=busybox,target=/other " +
  "cp /in/Dockerfile /kept; echo made > /made; echo said; sleep 0.1\nCOPY Dockerfile /copied\n";

/** What its client has seen of a build. */
const BUILD_LINES = ["Step 1/4", "Using cache", "Running in", "said", "Step 4/4", "Successfully built"] as const;

describeUnless(missing, "kill -9 of the daemon during a request", () => {
  const killed = killedDaemon();
  const {
    created,
    started,
    execIn,
    codeOf,
    stateOf,
    listed,
    killAndRestart,
    killedDuring,
    expectTruth,
    removeAll,
    expectNothingLeft,
  } = killed;

  test.each(DELAYS_MS)("create, killed after %d ms", async (delayMs) => {
    const name = `half-${delayMs}`;
    await killedDuring(delayMs, () =>
      killed.engine.call("POST", `/containers/create?name=${name}`, { Image: "busybox", Cmd: ["true"] }),
    );
    await expectTruth();
    const list = await listed();
    expect(list.filter((one) => one.Names.includes(`/${name}`)).length).toBeLessThanOrEqual(1);
    await removeAll();
    killed.ids.push(await killed.engine.create({}, `?name=${name}`));
    await removeAll();
    await expectNothingLeft();
  });

  test.each(DELAYS_MS)("start, killed after %d ms", async (delayMs) => {
    const id = await created({ Cmd: ["sh", "-c", "echo on; sleep 1000"] });
    await killedDuring(delayMs, () => killed.engine.call("POST", `/containers/${id}/start`));
    await expectTruth();
    const { Status } = await stateOf(id);
    expect(["created", "running", "exited"]).toContain(Status);
    if (Status !== "running") await killed.engine.must(204, "POST", `/containers/${id}/start`);
    await until("its output", async () => (await killed.engine.logs(id)).stdout.startsWith("on\n"));
    await removeAll();
    // Setting up networks keeps files open for a while. This is waited for once.
    await expectNothingLeft({ besideOpenFiles: delayMs !== DELAYS_MS[0] });
  });

  test.each(DELAYS_MS)("stop, killed after %d ms", async (delayMs) => {
    const script = "trap 'sleep 0.05; exit 3' TERM; echo ready; while :; do sleep 0.01; done";
    const id = await started({ Cmd: ["sh", "-c", script] });
    await until("its trap", async () => (await killed.engine.logs(id)).stdout === "ready\n");
    await killedDuring(delayMs, () => killed.engine.call("POST", `/containers/${id}/stop?t=5`));
    await expectTruth();
    await killed.engine.call("POST", `/containers/${id}/stop?t=5`);
    expect(await stateOf(id)).toMatchObject({ Status: "exited", ExitCode: 3 });
    await removeAll();
    await expectNothingLeft();
  });

  test.each(DELAYS_MS)("remove, killed after %d ms", async (delayMs) => {
    const id = await started({ Cmd: ["sleep", "1000"] }, `?name=removed-${delayMs}`);
    await killedDuring(delayMs, () => killed.engine.call("DELETE", `/containers/${id}?force=1`));
    await expectTruth();
    await killed.engine.call("DELETE", `/containers/${id}?force=1`);
    await until("its removal", async () => (await killed.engine.call("GET", `/containers/${id}/json`)).status === 404);
    const again = await killed.engine.create({}, `?name=removed-${delayMs}`);
    await killed.engine.remove(again);
    await expectNothingLeft();
  });

  test("killed at any moment of an exec's start: the container keeps running and accepts another", async () => {
    for (const delay of DELAYS_MS.slice(0, 8)) {
      const id = await started({ Cmd: ["sleep", "1000"] });
      const exec = await execIn(id, { Cmd: ["sleep", "1000"] });
      void killed.engine.call("POST", `/exec/${exec}/start`, { Detach: true }).catch(() => null);
      await pause(delay);
      await killAndRestart();
      expect(await codeOf(id, ["sh", "-c", "exit 6"])).toBe(6);
      await killed.engine.remove(id);
    }
    await expectNothingLeft();
  });

  test("pull, killed at each of its steps: nothing incomplete, and the next pull succeeds", async () => {
    const registry = await startMemoryRegistry(killed.daemon.netns.hostAddress);
    try {
      for (const [at, line] of PULL_LINES.entries()) await pullKilled(registry, `killed${at}`, line);
    } finally {
      await registry.close();
    }
    await expectNothingLeft();
  });

  describeUnless(dockerRegistryMissing(), "with a registry", () => {
    test("push, killed at each of its steps: the next push is whole", async () => {
      const registry = await startDockerRegistry(killed.daemon.netns);
      try {
        const layers = [await busyboxLayer(), await tarOf([{ name: "a", body: Buffer.alloc(2 << 20, "pushed") }])];
        for (const [at, line] of PUSH_LINES.entries()) {
          const name = `${registry.host}/pushed${at}`;
          await killed.engine.load(await dockerArchive([{ reference: `${name}:1`, config: { Cmd: [line] }, layers }]));
          const { Id } = await killed.engine.read<{ Id: string }>(`/images/${name}:1/json`);
          const connection = await RawConnection.open(killed.engine.socketPath);
          const headers = { "X-Registry-Auth": "e30=" };
          connection.send(encodeRequest({ method: "POST", target: `/v1.41/images/${name}/push?tag=1`, headers }));
          await connection.untilText(line);
          await killed.daemon.end("SIGKILL");
          connection.close();
          await killed.daemon.start();
          await killed.engine.must(200, "POST", `/images/${name}/push?tag=1`, undefined, { headers });
          await killed.engine.must(200, "DELETE", `/images/${name}:1`);
          await killed.engine.must(200, "POST", `/images/create?fromImage=${name}&tag=1`);
          expect((await killed.engine.read<{ Id: string }>(`/images/${name}:1/json`)).Id).toBe(Id);
          await killed.engine.must(200, "DELETE", `/images/${name}:1`);
        }
      } finally {
        await registry.close();
      }
      await expectNothingLeft();
    });
  });

  test("import, killed before and after its last byte: a whole image or none, and the next import succeeds", async () => {
    const tar = await tarOf([{ name: "a", body: Buffer.alloc(2 << 20, "imported") }]);
    const target = "/images/create?fromSrc=-&repo=imported&tag=1";
    for (const part of [tar.length / 2, tar.length - 1, tar.length]) {
      for (const delay of [0, 5, 20, 50]) {
        const connection = await RawConnection.open(killed.engine.socketPath);
        const request = encodeRequest({ method: "POST", target, body: tar });
        connection.send(request.subarray(0, request.length - tar.length + part));
        await pause(delay);
        await killed.daemon.end("SIGKILL");
        connection.close();
        await killed.daemon.start();
        const found = await killed.engine.call("GET", "/images/imported:1/json");
        expect([part, found.status]).toEqual([part, part < tar.length ? 404 : found.status]);
        const archives = join(killed.daemon.directories.dataRoot, "archives");
        expect(existsSync(archives) ? readdirSync(archives) : []).toEqual([]);
      }
    }
    await killed.engine.must(200, "POST", target, tar);
    const { RootFS } = await killed.engine.read<{ RootFS: { Layers: string[] } }>("/images/imported:1/json");
    expect(RootFS.Layers).toEqual([digestOf(tar)]);
    await killed.engine.must(200, "DELETE", "/images/imported:1");
    await expectNothingLeft();
  });

  test("load, killed before and after its last byte: a whole image or none, and the next load succeeds", async () => {
    const layers = [await busyboxLayer(), await tarOf([{ name: "a", body: Buffer.alloc(2 << 20, "loaded") }])];
    const archive = await dockerArchive([{ reference: "loaded:1", config: { Cmd: ["head", "-c6", "/a"] }, layers }]);
    for (const part of [archive.length / 2, archive.length - 1600, archive.length]) {
      for (const delay of [0, 10, 30, 80]) {
        const connection = await RawConnection.open(killed.engine.socketPath);
        const request = encodeRequest({ method: "POST", target: "/images/load?quiet=1", body: archive });
        connection.send(request.subarray(0, Math.floor(request.length - archive.length + part)));
        await pause(delay);
        await killed.daemon.end("SIGKILL");
        connection.close();
        await killed.daemon.start();
        const found = await killed.engine.call("GET", "/images/loaded:1/json");
        expect([part, found.status]).toEqual([part, part < archive.length ? 404 : found.status]);
        expectNoHalves();
        if (found.status === 404) continue;
        expect((await killed.engine.run({ Image: "loaded:1" })).stdout).toBe("loaded");
        await killed.engine.must(200, "DELETE", "/images/loaded:1");
      }
    }
    await killed.engine.load(archive);
    expect((await killed.engine.run({ Image: "loaded:1" })).stdout).toBe("loaded");
    await killed.engine.must(200, "DELETE", "/images/loaded:1");
    await expectNothingLeft();
  });

  test("commit, killed at any moment: a whole image or none, and the next commit succeeds", async () => {
    const id = await created({ Cmd: ["sh", "-c", "head -c 3000000 /dev/zero > /a; echo kept > /b"] });
    await killed.engine.start(id);
    expect(await killed.engine.wait(id)).toBe(0);
    const target = `/commit?container=${id}&repo=committed&tag=1`;
    for (const delay of DELAYS_MS) {
      await killedDuring(delay, () => killed.engine.call("POST", target));
      await expectTruth();
      expectNoHalves();
      if ((await killed.engine.call("GET", "/images/committed:1/json")).status === 404) continue;
      expect((await killed.engine.run({ Image: "committed:1", Cmd: ["cat", "/b"] })).stdout).toBe("kept\n");
      await killed.engine.must(200, "DELETE", "/images/committed:1");
    }
    await killed.engine.must(201, "POST", target);
    expect((await killed.engine.run({ Image: "committed:1", Cmd: ["cat", "/b"] })).stdout).toBe("kept\n");
    await killed.engine.must(200, "DELETE", "/images/committed:1");
    await removeAll();
    await expectNothingLeft();
  });

  test("build, killed at each of its steps: its containers go, and the next build has the steps that were done", async () => {
    const target = "/build?t=killed-build&rm=1";
    const context = rawTar([{ name: "Dockerfile", body: DOCKERFILE }]);
    await killed.engine.must(
      200,
      "POST",
      "/build",
      rawTar([{ name: "Dockerfile", body: "FROM busybox\nENV KEPT=1\n" }]),
    );
    for (const line of BUILD_LINES) {
      const connection = await RawConnection.open(killed.engine.socketPath);
      connection.send(encodeRequest({ method: "POST", target, body: context }));
      await connection.untilText(line);
      await killed.daemon.end("SIGKILL");
      connection.close();
      await killed.daemon.start();
      await until(`no container after "${line}"`, async () => (await listed()).length === 0);
    }
    expect((await killed.engine.must(200, "POST", target, context)).text.match(/Using cache/g)).toHaveLength(3);
    expect((await killed.engine.run({ Image: "killed-build", Cmd: ["cat", "/made"] })).stdout).toBe("made\n");
    await killed.engine.must(200, "DELETE", "/images/killed-build");
    const { BuildCache } = await killed.engine.read<{ BuildCache: unknown[] }>("/system/df");
    expect(BuildCache).toHaveLength(1);
    await killed.engine.must(200, "POST", "/build/prune");
    await expectNothingLeft();
  });

  /** Neither archives nor layers that are half made stay. */
  function expectNoHalves(): void {
    for (const name of ["archives", "layers/tmp"]) {
      const directory = join(killed.daemon.directories.dataRoot, name);
      expect([name, existsSync(directory) ? readdirSync(directory) : []]).toEqual([name, []]);
    }
  }

  /** How many layers have arrived in part. */
  function arrived(): number {
    const directory = join(killed.daemon.directories.dataRoot, "layers/tmp");
    const names = readdirSync(directory).filter((name) => name.startsWith("rest-"));
    // One that is whole is renamed meanwhile.
    return names.filter((name) => (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0) > 0).length;
  }

  /** Killed once the client has received that line. */
  async function pullKilled(registry: MemoryRegistry, name: string, line: string | null): Promise<void> {
    const own = [
      await tarOf([{ name: "a", body: Buffer.alloc(2 << 20, name) }]),
      await tarOf([{ name: "b", body: name }]),
    ];
    const layers = [await busyboxLayer(), ...own];
    const image = packImage({ reference: null, config: { Cmd: ["cat", "/b"] }, layers });
    registry.put(name, ["1"], image);
    registry.fault((_, response, bytes) => {
      if (line !== null || bytes === null || bytes.length < 1000) return false;
      const half = bytes.subarray(0, bytes.length / 2);
      response.writeHead(200, { "Content-Length": bytes.length }).write(half);
      return true;
    });
    const connection = await RawConnection.open(killed.engine.socketPath);
    const target = `/v1.41/images/create?fromImage=${registry.host}/${name}&tag=1`;
    connection.send(encodeRequest({ method: "POST", target }));
    if (line === null) await until("halves of two layers", () => arrived() === 2);
    else await connection.untilText(`"status":"${line}`);
    await killed.daemon.end("SIGKILL");
    connection.close();
    await killed.daemon.start();
    const begun: (string | undefined)[] = [];
    registry.fault((request, _, bytes) => {
      if (bytes !== null && bytes.length >= 1000 && request.url?.includes("/blobs/")) begun.push(request.headers.range);
      return false;
    });
    const reference = `${registry.host}/${name}:1`;
    if ((await killed.engine.call("GET", `/images/${reference}/json`)).status === 404) {
      await killed.engine.must(200, "POST", `/images/create?fromImage=${registry.host}/${name}&tag=1`);
    }
    expect((await killed.engine.run({ Image: reference })).stdout).toBe(name);
    await killed.engine.must(200, "DELETE", `/images/${reference}`);
    registry.fault(null);
    // The bytes of the dead engine are not fetched again.
    if (line === null) for (const range of begun) expect(range).toMatch(/^bytes=[1-9]\d*-$/);
    if (line === null) expect(begun).toHaveLength(2);
  }
});
