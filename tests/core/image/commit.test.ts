// POST /commit, as seen by the core.

import { beforeEach, describe, expect, test } from "vitest";
import { BUSYBOX_CHAIN } from "../support/fixtures.js";
import { ImageWorld, digestOf, encode, makeImage } from "../support/image-world.js";
import type { Json } from "../support/image-world.js";
import { commit, load, run } from "./begun.js";
import { FULL_DISK } from "../../support/registry/registry-failures.js";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

describe("commit", () => {
  const image = makeImage(["base"], { config: { Cmd: ["sh"], Env: ["PATH=/bin"], Labels: { of: "image" } } });
  beforeEach(() => load(world, image, ["base:1"]));

  test("a running container is paused for the commit; its changes become the top layer", () => {
    const container = run(world, "base:1", "made");
    const id = world.ask("POST", "/commit?container=made&repo=new&tag=2&comment=why&author=me");
    world.done(world.takeProcess("pause"));
    expect(world.call("GET", "/containers/made/json").json).toMatchObject({ State: { Paused: true } });
    const { op, val } = world.take("commit");
    expect(val.container).toBe(container);
    const diffId = digestOf(encode("changes"));
    world.succeed(op, { tag: "committed", val: { diffId, size: 3n, empty: false } });
    const layer = world.take("layer");
    const chain = digestOf(encode(`${image.chains[0]} ${diffId}`));
    expect(layer.val).toEqual({
      chain,
      parent: image.chains[0],
      diffId,
      source: { tag: "archived", val: { archive: val.archive, path: "layer.tar" } },
      limits: { unpacked: 1n << 38n, holes: 1n << 40n },
      anew: false,
      unflushed: false,
    });
    world.succeed(layer.op, { tag: "size", val: 3n });
    expect(world.take("drop-archive").val).toBe(val.archive);
    expect(world.answer(id).over).toBe(false);
    world.done(world.takeProcess("resume"));
    const { Id } = JSON.parse(world.answer(id).text) as { Id: string };
    expect(world.answer(id).status).toBe(201);
    expect(world.call("GET", "/v1.41/images/new:2/json").json).toMatchObject({
      Id,
      Parent: image.id,
      Comment: "why",
      Author: "me",
      Container: container,
      DockerVersion: "0.1.0",
      Config: { Cmd: ["x"], Env: ["PATH=/bin"], Labels: { of: "image" }, Image: "base:1" },
      ContainerConfig: { Cmd: ["x"] },
      RootFS: { Layers: [image.diffIds[0], diffId] },
      Size: 10,
    });
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { history: Json[] };
    expect(config.history.slice(1)).toEqual([
      { created: expect.any(String), author: "me", created_by: "x", comment: "why" },
    ]);
    expect(world.call("GET", "/containers/made/json").json).toMatchObject({ State: { Paused: false, Running: true } });
    const layers = new ImageWorld({
      records: world.records,
      chains: [BUSYBOX_CHAIN, image.chains[0] as string, chain],
    });
    expect(layers.dropped()).toEqual([]);
    expect(layers.call("GET", "/images/new:2/json").status).toBe(200);
  });

  test("events: pause, tag, commit, unpause", () => {
    run(world, "base:1", "made");
    const reader = world.ask("GET", "/v1.41/events");
    commit(world, "container=made&repo=new&comment=why");
    const events = world
      .answer(reader)
      .text.trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as { Action: string; Actor: { Attributes: Json } });
    expect(events.map((event) => event.Action)).toEqual(["pause", "tag", "commit", "unpause"]);
    expect(events[2]?.Actor.Attributes).toMatchObject({ comment: "why", imageRef: "new:latest" });
  });

  test("without a pause, without changes: no new layer", () => {
    run(world, "base:1", "made");
    const id = world.ask("POST", "/commit?container=made&pause=0");
    const { op } = world.take("commit");
    world.succeed(op, { tag: "committed", val: { diffId: `sha256:${"0".repeat(64)}`, size: 0n, empty: true } });
    const { Id } = JSON.parse(world.answer(id).text) as { Id: string };
    expect(world.call("GET", `/images/${Id}/json`).json).toMatchObject({ RootFS: { Layers: image.diffIds } });
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { history: Json[] };
    expect(config.history[1]).toMatchObject({ empty_layer: true });
  });

  test("the body wins, the container fills gaps, and changes are applied on top", () => {
    run(world, "base:1", "made");
    const changes = [
      'CMD ["cat", "/x"]',
      'ENV A=1 B="two words" C=$A\nENV OLD old way',
      "LABEL x='y z' \\\n  w=v",
      "EXPOSE 80 53/udp 100-102",
      "VOLUME /data /more",
      "WORKDIR sub/../dir",
      "USER someone",
      "STOPSIGNAL SIGINT",
      "HEALTHCHECK --interval=5s --retries=2 CMD curl -f http://localhost",
      "ONBUILD RUN make",
    ];
    const query = changes.map((change) => `changes=${encodeURIComponent(change)}`).join("&");
    const Id = commit(world, `container=made&${query}`, { Env: ["FROM=body"], Labels: { x: "body" } });
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { config: Json };
    expect(config.config).toMatchObject({
      Cmd: ["cat", "/x"],
      Env: ["FROM=body", "A=1", "B=two words", "C=", "OLD=old way", "PATH=/bin"],
      Labels: { x: "y z", w: "v", of: "image" },
      ExposedPorts: { "80/tcp": {}, "53/udp": {}, "100/tcp": {}, "101/tcp": {}, "102/tcp": {} },
      Volumes: { "/data": {}, "/more": {} },
      WorkingDir: "/dir",
      User: "someone",
      StopSignal: "SIGINT",
      Healthcheck: { Test: ["CMD-SHELL", "curl -f http://localhost"], Interval: 5_000_000_000, Retries: 2 },
      OnBuild: ["RUN make"],
      Hostname: "",
    });
  });

  test.each<[Json | undefined, Json]>([
    [undefined, { Image: "base:1", Env: ["PATH=/bin", "A=b"] }],
    [{}, { Image: "base:1", Env: ["PATH=/bin", "A=b"] }],
    [
      { Foo: 1, HostConfig: {} },
      { Image: "base:1", Env: ["PATH=/bin", "A=b"] },
    ],
    [{ tty: null }, { Image: "", Env: ["A=b", "PATH=/bin"] }],
  ])("a body without a field of the config counts as empty: %j", (body, expected) => {
    run(world, "base:1", "made");
    const Id = commit(world, "container=made&changes=ENV%20A%3Db", body);
    const { config } = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { config: Json };
    expect(config).toMatchObject(expected);
  });

  test("a new entrypoint removes the command of the old one", () => {
    run(world, "base:1", "made");
    const Id = commit(world, `container=made&changes=${encodeURIComponent("ENTRYPOINT top -b")}`);
    const config = JSON.parse(new TextDecoder().decode(world.records.get(`config/${Id}`))) as { config: Json };
    expect(config.config).toMatchObject({ Entrypoint: ["/bin/sh", "-c", "top -b"], Cmd: null });
  });

  test("a failed commit is undone, and the container continues", () => {
    run(world, "base:1", "made");
    const id = world.ask("POST", "/commit?container=made");
    world.done(world.takeProcess("pause"));
    world.failAs(world.take("commit").op, FULL_DISK);
    world.take("drop-archive");
    world.done(world.takeProcess("resume"));
    expect(world.answer(id)).toMatchObject({ status: 500, over: true });
    expect(world.call("GET", "/containers/made/json").json).toMatchObject({ State: { Status: "running" } });
  });

  test("after a crash during the pause, the container continues", () => {
    const container = run(world, "base:1", "made");
    world.ask("POST", "/commit?container=made");
    const chains = [BUSYBOX_CHAIN, image.chains[0] as string];
    const running = [container];
    // Before the completion of the pause, and after.
    for (const heard of [false, true]) {
      if (heard) world.done(world.takeProcess("pause"));
      const again = new ImageWorld({ records: world.records, chains, running });
      again.done(again.takeProcess("resume"));
      expect(again.call("GET", "/containers/made/json").json).toMatchObject({ State: { Status: "running" } });
      expect([...again.records.keys()].filter((key) => key.startsWith("commit/"))).toEqual([]);
    }
  });

  test("a container that ends during its commit", () => {
    const container = run(world, "base:1", "made");
    const id = world.ask("POST", "/commit?container=made");
    world.done(world.takeProcess("pause"));
    world.exited(container, 1);
    world.succeed(world.take("commit").op, {
      tag: "committed",
      val: { diffId: `sha256:${"0".repeat(64)}`, size: 0n, empty: true },
    });
    expect(world.answer(id).status).toBe(201);
  });

  test("a commit that outlasts the paused run does not pause the next one", () => {
    const container = run(world, "base:1", "made");
    const held = (): string[] => [...world.records.keys()].filter((key) => key.startsWith("commit/"));
    const id = world.ask("POST", "/commit?container=made");
    world.done(world.takeProcess("pause"));
    const { op } = world.take("commit");
    expect(held()).toEqual([`commit/${container}`]);
    world.exited(container, 1);
    expect(held()).toEqual([]);
    world.done(world.takeProcess("reap"));
    world.done(world.take("unmount").op);
    world.ask("POST", "/containers/made/start");
    world.done(world.take("mount").op);
    world.succeed(world.takeProcess("launch"), { tag: "launched", val: { pid: 8, at: world.now() } });
    const pause = world.ask("POST", "/containers/made/pause");
    world.done(world.takeProcess("pause"));
    expect(world.answer(pause).status).toBe(204);
    const diffId = `sha256:${"0".repeat(64)}`;
    world.succeed(op, { tag: "committed", val: { diffId, size: 0n, empty: true } });
    expect(world.answer(id).status).toBe(201);
    expect(world.call("GET", "/containers/made/json").json).toMatchObject({ State: { Status: "paused" } });
    expect(held()).toEqual([]);
  });

  test.each([
    ["repo=x", 400, 'invalid name or ID supplied: ""'],
    ["container=nope", 404, "No such container: nope"],
    ["container=made&repo=UPPER", 400, /must be lowercase/],
    ["container=made&changes=RUN+true", 400, "run is not a valid change command"],
    ["container=made&changes=EXPOSE+http", 400, "invalid containerPort: http"],
    ["container=made&changes=ENV+A", 400, "ENV must have two arguments"],
  ])("%s is refused", (query, status, message) => {
    run(world, "base:1", "made");
    expect(world.call("POST", `/commit?${query}`, {})).toEqual({
      status,
      json: { message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
  });
});
