// Events: what each operation reports, in which order, and to whom.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { dockerArchive, tarOf } from "../support/archives/images.js";
import { MEMORY_EATER } from "../support/measured/memory-eater.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";
import { messageOf } from "../support/engine-client.js";
import { until } from "../support/commands.js";
import { goOn, WAITS } from "../support/gate.js";
import { type Event, past, pastOf, short, stamp } from "../support/past-events.js";

onEngines("events", (engine, kind) => {
  test("the life of a container, in order", async () => {
    const { id, events } = await heard(6, async (name, since) => {
      const container = await engine().create({ Cmd: ["sh", "-c", "exit 3"], Labels: { of: "test" } }, `?name=${name}`);
      await engine().start(container);
      await engine().wait(container);
      await until("its leave", async () => (await past(engine(), since, LEFT)).length > 0);
      await engine().must(204, "DELETE", `/containers/${container}`);
      return container;
    });
    expect(events.map(short)).toEqual([
      "container create",
      "network connect",
      "container start",
      "container die",
      "network disconnect",
      "container destroy",
    ]);
    for (const event of events) expect(event.scope).toBe("local");
    const create = events[0];
    expect(create?.Actor).toEqual({ ID: id, Attributes: { image: "busybox", name: "story", of: "test" } });
    expect([create?.status, create?.id, create?.from]).toEqual(["create", id, "busybox"]);
    expect(Math.floor((create?.timeNano ?? 0) / 1e9)).toBe(create?.time);
    expect(events[1]?.Actor.Attributes).toMatchObject({ container: id, name: "bridge", type: "bridge" });
    const die = events[3]?.Actor.Attributes ?? {};
    expect(die["exitCode"]).toBe("3");
    expect("execDuration" in die).toBe(engine().expected("die-duration", true, false));
  });

  test("labels cannot replace an event's own attributes of the same name", async () => {
    const others = { ä: "€", "😀": "\ud83d\ude00 and ü", zuletzt: "" };
    const { id, events } = await heard(2, async (name) => {
      const labels = { image: "mine", name: "mine", ...others };
      const container = await engine().create({ Cmd: ["true"], Labels: labels }, `?name=${name}`);
      await engine().must(204, "DELETE", `/containers/${container}`);
      return container;
    });
    expect(events.map(short)).toEqual(["container create", "container destroy"]);
    for (const { Actor, from } of events) {
      expect(Actor).toEqual({ ID: id, Attributes: { image: "busybox", name: "story", ...others } });
      expect(from).toBe("busybox");
    }
  });

  test("volumes, and the network none", async () => {
    const { id, events } = await heard(8, async (name, since) => {
      const body = { Cmd: ["true"], Volumes: { "/data": {} }, HostConfig: { NetworkMode: "none" } };
      const container = await engine().create(body, `?name=${name}`);
      await engine().start(container);
      await engine().wait(container);
      await until("its leave", async () => (await past(engine(), since, { event: ["unmount"] })).length > 0);
      await engine().must(204, "DELETE", `/containers/${container}?v=1`);
      return container;
    });
    expect(events.map(short)).toEqual([
      "container create",
      "network connect",
      "volume mount",
      "container start",
      "container die",
      "network disconnect",
      "volume unmount",
      "container destroy",
    ]);
    const [, connect, mount] = events.map(({ Actor }) => Actor.Attributes);
    expect(connect).toEqual({ container: id, name: "none", type: "null" });
    const rest = { destination: "/data", driver: "local", propagation: "", "read/write": "true" };
    expect(mount).toEqual({ container: id, ...rest });
    expect(events[6]?.Actor.Attributes).toEqual({ container: id, driver: "local" });
  });

  test("stop, kill and forced removal", async () => {
    const stopped = await heard(0, async (name) => {
      const id = await engine().running({ Cmd: ["sleep", "1000"], StopSignal: "SIGTERM" }, `?name=${name}`);
      await engine().must(204, "POST", `/containers/${id}/stop?t=0`);
      await engine().start(id);
      // The first process of its namespace ignores it.
      await engine().must(204, "POST", `/containers/${id}/kill?signal=USR1`);
      await engine().remove(id);
      return id;
    });
    const words = stopped.events.filter((event) => event.Type === "container").map(short);
    expect(words.slice(0, 3)).toEqual(["container create", "container start", "container kill"]);
    expect(words.filter((word) => word === "container stop").length).toBe(1);
    expect(words.indexOf("container stop")).toBeGreaterThan(words.indexOf("container die"));
    const signals = stopped.events
      .filter((event) => event.Action === "kill")
      .map((event) => event.Actor.Attributes["signal"]);
    expect(signals.slice(0, 2)).toEqual(["15", "9"]);
    expect(signals).toContain("10");
    expect(words.at(-1)).toBe("container destroy");
  });

  test("a process killed for memory", async () => {
    const { id, events } = await heard(5, async (name, since) => {
      const Memory = 16 << 20;
      // The shell survives, so the watcher of OOM kills reports this one before the container's end.
      const script = `${MEMORY_EATER.join(" ")}; ${WAITS}; exit 3`;
      const HostConfig = { Memory, MemorySwap: Memory, NetworkMode: "none" };
      const id = await engine().create({ Cmd: ["sh", "-c", script], HostConfig }, `?name=${name}`);
      await engine().start(id);
      await until("the kill to be told", async () => (await past(engine(), since, { event: ["oom"] })).length > 0);
      await goOn(engine(), id);
      expect(await engine().wait(id)).toBe(3);
      await engine().remove(id);
      return id;
    });
    const ofContainer = events.filter((event) => event.Type === "container");
    const oom = ofContainer.find((event) => event.Action === "oom");
    expect(oom?.Actor).toEqual({ ID: id, Attributes: { image: "busybox", name: "story" } });
    // The reference reports it each time its watcher wakes, and at that time.
    if (kind === "reference") return;
    const actions = ofContainer.map(({ Action }) => Action).filter((action) => action !== LET_GO);
    expect(actions).toEqual(["create", "start", "oom", "die", "destroy"]);
  });

  test("attach and resize have events of their own", async () => {
    const { events } = await heard(5, async (name) => {
      const id = await engine().create({ Cmd: ["sleep", "1000"], Tty: true, StopSignal: "SIGKILL" }, `?name=${name}`);
      const connection = await RawConnection.open(engine().socketPath);
      connection.send(
        encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/attach?stream=1&stdout=1`, headers: UPGRADE }),
      );
      await connection.head();
      await engine().start(id);
      await engine().must(200, "POST", `/containers/${id}/resize?h=10&w=20`);
      await engine().remove(id);
      return id;
    });
    const words = events.filter((event) => event.Type === "container").map(short);
    expect(words.slice(0, 4)).toEqual(["container create", "container attach", "container start", "container resize"]);
    const resize = events.find((event) => event.Action === "resize");
    expect(resize?.Actor.Attributes).toMatchObject({ height: "10", width: "20" });
  });

  test("image tag, untag and commit", async () => {
    const since = await stamp(engine());
    await engine().must(201, "POST", "/images/busybox/tag?repo=events-tag&tag=1");
    await engine().must(200, "DELETE", "/images/events-tag:1");
    const id = await engine().create({}, "?name=committed");
    const made = (await engine().must(201, "POST", "/commit?container=committed&repo=made&tag=1", {})).json<{
      Id: string;
    }>();
    const events = await past(engine(), since);
    const image = events.filter((event) => event.Type === "image");
    const image41 = image.map(
      (event) => `${event.Action} ${event.Actor.Attributes["name"] ?? ""}`.split(" sha256:")[0],
    );
    expect(image41.slice(0, 2)).toEqual(["tag events-tag:1", "untag"]);
    expect(image41).toContain("tag made:1");
    const commit = events.find((event) => event.Action === "commit");
    expect(commit?.Actor.Attributes).toMatchObject({ imageID: made.Id });
    await engine().remove(id);
    await engine().must(200, "DELETE", "/images/made:1");
  });

  test("image load", async () => {
    const since = await stamp(engine());
    const spec = { reference: "events-load:1", config: {}, layers: [await tarOf([{ name: "a", body: "loaded" }])] };
    await engine().load(await dockerArchive([spec]));
    const { Id } = await engine().read<{ Id: string }>("/images/events-load:1/json");
    const events = await past(engine(), since, { type: ["image"], event: ["load"] });
    expect(events.map(({ Actor }) => Actor)).toEqual([{ ID: Id, Attributes: { name: Id } }]);
    expect([events[0]?.status, events[0]?.id]).toEqual(["load", Id]);
    await engine().must(200, "DELETE", "/images/events-load:1");
  });

  test("headers come at once, then events as they happen", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(encodeRequest({ target: "/v1.41/events" }));
    const head = await connection.head();
    expect([head.status, head.header("content-type")]).toEqual([200, "application/json"]);
    const id = await engine().create({}, "?name=live");
    await connection.untilText('"Action":"create"');
    await engine().remove(id);
    await connection.untilText('"Action":"destroy"');
    connection.close();
  });

  test("filters, time windows and invalid ones", async () => {
    const since = await stamp(engine());
    const a = await engine().create({ Labels: { kind: "a" } }, "?name=filter-a");
    const b = await engine().create({ Labels: { kind: "b" } }, "?name=filter-b");
    const cases = [
      [{ container: ["filter-a"] }, [a]],
      [{ container: [b] }, [b]],
      [{ container: ["filter-a", b] }, [a, b]],
      [{ label: ["kind=b"] }, [b]],
      [{ label: ["kind"] }, [a, b]],
      [{ type: ["container"], event: ["create"] }, [a, b]],
      [{ type: ["network"] }, []],
      [{ event: ["start"] }, []],
      [{ image: ["busybox"] }, [a, b]],
    ] as const;
    for (const [filters, wanted] of cases) {
      const found = await past(engine(), since, filters);
      expect([filters, found.map((event) => event.Actor.ID)]).toEqual([filters, wanted]);
    }
    const backwards = await engine().call("GET", "/events?since=200&until=100");
    expect(backwards.status).toBe(400);
    for (const time of ["yesterday", "30s", "2026-01-02", "2026-01-02T03:04:05Z", "1.x"]) {
      for (const name of ["since", "until"]) {
        const bad = await engine().call("GET", `/events?${name}=${time}`);
        expect([time, bad.status]).toEqual([time, engine().expected("bad-number", 400, 500)]);
        const ours = `invalid value for "${name}": ${time}`;
        expect(messageOf(bad)).toContain(engine().expected("bad-number", ours, "strconv.ParseInt: parsing "));
      }
    }
    for (const id of [a, b]) await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "from 1.52 the old fields are gone and the type is jsonl",
    async () => {
      const since = await stamp(engine());
      const id = await engine().create({}, "?name=jsonl");
      const path = `/events?since=${since}&until=${await stamp(engine())}`;
      const answer = await engine().call("GET", path, undefined, { version: "1.52" });
      expect(answer.header("content-type")).toBe("application/jsonl");
      const [event] = answer.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Event);
      expect([event?.status, event?.id, event?.from]).toEqual([undefined, undefined, undefined]);
      const headers = { Accept: "application/json-seq" };
      const sequence = await engine().call("GET", path, undefined, { version: "1.52", headers });
      expect(sequence.header("content-type")).toBe("application/json-seq");
      expect(sequence.body[0]).toBe(0x1e);
      await engine().remove(id);
    },
  );

  /** The events about a container named "story": this many, from before `doing` to its end. */
  async function heard(
    expected: number,
    doing: (name: string, since: string) => Promise<string>,
  ): Promise<{ id: string; events: Event[] }> {
    // A failed test may have left its own container.
    await engine()
      .remove("story")
      .catch(() => undefined);
    const since = await stamp(engine());
    const id = await doing("story", since);
    return { id, events: await pastOf(engine(), id, since, expected) };
  }
});

/** Removed by the test. */
const LET_GO = "extract-to-dir";
/** About a network. */
const LEFT = { event: ["disconnect"] };
const UPGRADE = { Connection: "Upgrade", Upgrade: "tcp" };
