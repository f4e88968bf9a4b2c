// The list of containers: its fields, its order, and its filters.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf, type Json } from "../support/engine-client.js";

onEngines("list", (engine, kind) => {
  test("an empty list is []", async () => {
    expect((await engine().call("GET", "/containers/json?all=1")).text).toBe("[]\n");
  });

  test("running ones only, unless all are asked for; newest first", async () => {
    const old = await engine().create({}, "?name=old");
    const running = await engine().running({}, "?name=running");
    const young = await engine().create({}, "?name=young");
    expect(await ids("")).toEqual([running]);
    expect(await ids("all=1")).toEqual([young, running, old]);
    expect(await ids("limit=2")).toEqual([young, running]);
    expect(await ids("all=0")).toEqual([running]);
    for (const all of ["true", "yes", "off", "TRUE"]) expect((await ids(`all=${all}`)).length).toBe(3);
    for (const all of ["", "0", "no", "false", "None"]) expect((await ids(`all=${all}`)).length).toBe(1);
    for (const id of [old, running, young]) await engine().remove(id);
  });

  test("one item in full", async () => {
    const id = await engine().running(
      { Cmd: ["sleep", "1000"], Labels: { a: "1" }, HostConfig: { Binds: ["/usr/share:/mnt/x:ro"] } },
      "?name=shown",
    );
    const [item] = await engine().read<Json[]>("/containers/json");
    const image = await engine().read<{ Id: string }>("/images/busybox/json");
    expect(item).toMatchObject({
      Id: id,
      Names: ["/shown"],
      Image: "busybox",
      ImageID: image.Id,
      Command: "sleep 1000",
      Ports: [],
      Labels: { a: "1" },
      State: "running",
      HostConfig: { NetworkMode: engine().expected("host-config-defaults", "bridge", "default") },
      Mounts: [
        { Type: "bind", Source: "/usr/share", Destination: "/mnt/x", Mode: "ro", RW: false, Propagation: "rprivate" },
      ],
    });
    expect(item?.["Status"]).toMatch(/^Up (Less than a second|\d+ seconds?)$/);
    expect(item?.["Created"]).toBeGreaterThan(Date.now() / 1000 - 60);
    expect(item).toHaveProperty("NetworkSettings.Networks.bridge");
    await engine().remove(id);
  });

  test("Status and Command in words", async () => {
    const exited = await engine().create({ Cmd: ["sh", "-c", "exit 3"] }, "?name=ended");
    await engine().start(exited);
    await engine().wait(exited);
    const created = await engine().create({ Cmd: ["a", "b c", "d"] }, "?name=fresh");
    const items =
      await engine().read<{ Names: string[]; Status: string; State: string; Command: string }[]>(
        "/containers/json?all=1",
      );
    const [fresh, ended] = items;
    expect([fresh?.Status, fresh?.State, fresh?.Command]).toEqual(["Created", "created", "a 'b c' d"]);
    expect(ended?.State).toBe("exited");
    expect(ended?.Status).toMatch(/^Exited \(3\) (Less than a second|\d+ seconds?) ago$/);
    expect(ended?.Command).toBe("sh -c 'exit 3'");
    for (const id of [exited, created]) await engine().remove(id);
  });

  test("filters", async () => {
    const web = await engine().running({ Labels: { tier: "front", app: "x" } }, "?name=web-1");
    const db = await engine().create({ Labels: { tier: "back", app: "x" } }, "?name=db-1");
    const done = await engine().create({ Cmd: ["sh", "-c", "exit 4"] }, "?name=done-2");
    await engine().start(done);
    await engine().wait(done);
    const image = (await engine().read<{ Id: string }>("/images/busybox/json")).Id;
    const cases: [Json, string[]][] = [
      [{ status: ["running"] }, [web]],
      [{ status: ["created", "exited"] }, [done, db]],
      [{ name: ["web"] }, [web]],
      [{ name: ["-1$"] }, [db, web]],
      [{ name: ["^/db-1$"] }, [db]],
      [{ name: ["^db-1$"] }, [db]],
      [{ name: ["nope"] }, []],
      [{ id: [db.slice(0, 12)] }, [db]],
      [{ id: [db] }, [db]],
      [{ label: ["tier"] }, [db, web]],
      [{ label: ["tier=front"] }, [web]],
      [{ label: ["tier", "app=x"] }, [db, web]],
      [{ label: ["tier=front", "app=y"] }, []],
      [{ ancestor: ["busybox"] }, [done, db, web]],
      [{ ancestor: [image] }, [done, db, web]],
      [{ ancestor: ["nothing"] }, []],
      [{ status: { running: true } }, [web]],
      [{ name: ["web", "db"], label: ["app"] }, [db, web]],
      [{}, [done, db, web]],
    ];
    for (const [filters, wanted] of cases) {
      expect([filters, await chosen(filters)]).toEqual([filters, wanted]);
    }
    expect(await ids(`limit=1&filters=${encodeURIComponent('{"label":["app"]}')}`)).toEqual([db]);
    for (const id of [web, db, done]) await engine().remove(id);
  });

  test("an id matches by its prefix; `exited` applies only to listed containers", async () => {
    const running = await engine().running();
    const done = await engine().create({ Cmd: ["sh", "-c", "exit 4"] });
    await engine().start(done);
    await engine().wait(done);
    expect(await chosen({ id: [done.slice(5, 20)] })).toEqual([]);
    expect(await chosen({ id: [`^${done}`] })).toEqual([]);
    expect(await chosen({ id: [""] })).toEqual([]);
    expect(await chosen({ id: [] })).toEqual([done, running]);
    expect(await chosen({ id: [done.slice(0, 20), ""] })).toEqual([done]);
    const listed = (filters: Json): Promise<string[]> => ids(`filters=${encodeURIComponent(JSON.stringify(filters))}`);
    expect(await listed({ exited: ["4"] })).toEqual([]);
    expect(await listed({ exited: [] })).toEqual([running]);
    expect(await listed({ status: [] })).toEqual([running]);
    expect(await chosen({ exited: ["4"] })).toEqual([done]);
    for (const id of [running, done]) await engine().remove(id);
  });

  test("an unknown status or health is refused", async () => {
    for (const key of ["status", "health"]) {
      const answer = await engine().call("GET", `/containers/json?filters=${encodeURIComponent(`{"${key}":[""]}`)}`);
      expect([key, answer.status]).toEqual([key, 400]);
    }
  });

  test("by volume: its name, or its mount point", async () => {
    const named = await engine().create({ HostConfig: { Binds: ["listed-here:/data"] } });
    const bound = await engine().create({ HostConfig: { Binds: ["/tmp:/from"] } });
    const tmpfs = await engine().create({ HostConfig: { Tmpfs: { "/data": "" } } });
    const none = await engine().create();
    const cases: [string[], string[]][] = [
      [["listed-here"], [named]],
      [["/data"], [named]],
      [["/from"], [bound]],
      [
        ["/from", "listed-here"],
        [bound, named],
      ],
      [["listed"], []],
      [["/nowhere"], []],
    ];
    for (const [volume, wanted] of cases) expect([volume, await chosen({ volume })]).toEqual([volume, wanted]);
    for (const id of [named, bound, tmpfs, none]) await engine().must(204, "DELETE", `/containers/${id}?v=1`);
  });

  test("is-task: no container is a task", async () => {
    const id = await engine().create();
    expect(await chosen({ "is-task": ["false"] })).toEqual([id]);
    expect(await chosen({ "is-task": ["true"] })).toEqual([]);
    const asked = (word: string) =>
      engine().call("GET", `/containers/json?filters=${encodeURIComponent(`{"is-task":["${word}"]}`)}`);
    expect((await asked("1")).status).toBe(engine().expected("is-task-numbers", 200, 400));
    const bad = await asked("maybe");
    expect([bad.status, messageOf(bad).toLowerCase()]).toEqual([400, "invalid filter 'is-task=[maybe]'"]);
    await engine().remove(id);
  });

  test("isolation has no effect: only Windows has more than one", async () => {
    const id = await engine().create();
    for (const word of ["default", "hyperv"]) expect([word, await chosen({ isolation: [word] })]).toEqual([word, [id]]);
    await engine().remove(id);
  });

  test("bad filters are refused", async () => {
    const unknown = await engine().call("GET", `/containers/json?filters=${encodeURIComponent('{"colour":["red"]}')}`);
    expect(unknown.status).toBe(400);
    expect(messageOf(unknown)).toBe(
      engine().expected("bad-filter", "invalid filter 'colour'", "Invalid filter 'colour'"),
    );
    const status = await engine().call("GET", `/containers/json?filters=${encodeURIComponent('{"status":["zzz"]}')}`);
    expect(status.status).toBe(400);
    for (const filters of ["{", "x", '"a"', "[]"]) {
      const answer = await engine().call("GET", `/containers/json?filters=${encodeURIComponent(filters)}`);
      expect([filters, answer.status]).toEqual([filters, engine().expected("bad-filter", 400, 500)]);
    }
    const limit = await engine().call("GET", "/containers/json?limit=x");
    expect(limit.status).toBe(engine().expected("bad-number", 400, 500));
  });

  test("size adds SizeRw and SizeRootFs", async () => {
    const id = await engine().create({ Cmd: ["dd", "if=/dev/zero", "of=/big", "bs=1024", "count=100"] });
    await engine().start(id);
    await engine().wait(id);
    const [plain] = await engine().read<Json[]>("/containers/json?all=1");
    expect([plain?.["SizeRw"], plain?.["SizeRootFs"]]).toEqual([undefined, undefined]);
    const [sized] = await engine().read<{ SizeRw: number; SizeRootFs: number }[]>("/containers/json?all=1&size=1");
    expect(sized?.SizeRw).toBeGreaterThanOrEqual(102400);
    expect(sized?.SizeRootFs).toBeGreaterThan(1_000_000);
    const inspected = await engine().read<{ SizeRw: number }>(`/containers/${id}/json?size=1`);
    expect(inspected.SizeRw).toBe(sized?.SizeRw);
    await engine().remove(id);
  });

  test("a list shows what has changed since the last one", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"], ExposedPorts: { "80/tcp": {} } }, "?name=before");
    const shown = async (): Promise<unknown[]> => {
      const [item] = await engine().read<Json[]>("/containers/json?all=1");
      const { Names, State, Status, Ports, NetworkSettings } = item as {
        Names: string[];
        State: string;
        Status: string;
        Ports: unknown[];
        NetworkSettings: { Networks: { bridge: { IPAddress: string } } };
      };
      const address = NetworkSettings.Networks.bridge.IPAddress !== "";
      return [Names[0], State, Status.replace(/ .*/, ""), Ports.length, address];
    };
    expect(await shown()).toEqual(["/before", "created", "Created", 0, false]);
    await engine().start(id);
    expect(await shown()).toEqual(["/before", "running", "Up", 1, true]);
    await engine().must(204, "POST", `/containers/${id}/rename?name=after`);
    expect(await shown()).toEqual(["/after", "running", "Up", 1, true]);
    await engine().must(204, "POST", `/containers/${id}/pause`);
    expect(await shown()).toEqual(["/after", "paused", "Up", 1, true]);
    await engine().must(204, "POST", `/containers/${id}/unpause`);
    expect(await shown()).toEqual(["/after", "running", "Up", 1, true]);
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await engine().wait(id);
    // A waiting client is told of the end before all of the run's resources are released.
    await expect.poll(shown).toEqual(["/after", "exited", "Exited", 0, false]);
    await engine().remove(id);
  });

  // The reference finds nothing by a published port, and by an exposed port it also finds stopped containers.
  testExcept(kind, { reference: REFERENCE.portFilters })(
    "publish and expose select running containers by their ports",
    async () => {
      const ExposedPorts = { "81/udp": {}, "90/tcp": {} };
      const PortBindings = { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "18163" }] };
      const open = await engine().running({ ExposedPorts, HostConfig: { PortBindings } });
      const closed = await engine().running();
      const stopped = await engine().create({ ExposedPorts });
      expect(await chosen({ publish: ["18163"] })).toEqual([open]);
      expect(await chosen({ publish: ["18160-18170/tcp"] })).toEqual([open]);
      for (const other of ["18163/udp", "80", "18164-18170"]) expect(await chosen({ publish: [other] })).toEqual([]);
      for (const port of ["90", "81/udp", "80", "70-85/tcp"]) expect(await chosen({ expose: [port] })).toEqual([open]);
      for (const other of ["81", "90/udp", "18163"]) expect(await chosen({ expose: [other] })).toEqual([]);
      expect(await chosen({ expose: ["90"], publish: ["1"] })).toEqual([open]);
      for (const bad of ["x", "90:91", "9-1", "70000"]) {
        const filters = encodeURIComponent(JSON.stringify({ publish: [bad] }));
        const refused = await engine().call("GET", `/containers/json?filters=${filters}`);
        expect([bad, refused.status]).toEqual([bad, 400]);
      }
      for (const id of [open, closed, stopped]) await engine().remove(id);
    },
  );

  test("the image is shown as given at create, as long as that name means the container's image", async () => {
    const { Id: busybox } = await engine().read<{ Id: string }>("/images/busybox/json");
    await engine().must(201, "POST", "/images/busybox/tag?repo=moving");
    const [named, byId] = [await engine().create({ Image: "moving" }), await engine().create({ Image: busybox })];
    const prefixed = await engine().create({ Image: busybox.slice(7, 19) });
    const shown = async (): Promise<string[]> => {
      const items = await engine().read<{ Id: string; Image: string; ImageID: string }[]>("/containers/json?all=1");
      for (const { ImageID } of items) expect(ImageID).toBe(busybox);
      return [named, byId, prefixed].map((id) => items.find(({ Id }) => Id === id)?.Image ?? "");
    };
    expect(await shown()).toEqual(["moving", busybox, busybox.slice(7, 19)]);
    await engine().must(201, "POST", `/commit?container=${named}&repo=moving`);
    expect(await shown()).toEqual([busybox, busybox, busybox.slice(7, 19)]);
    await engine().must(201, "POST", "/images/busybox/tag?repo=moving");
    expect((await shown())[0]).toBe("moving");
    await engine().must(200, "DELETE", "/images/moving?force=1");
    expect((await shown())[0]).toBe(busybox);
    for (const id of [named, byId, prefixed]) await engine().remove(id);
    await engine().must(200, "POST", "/images/prune");
  });

  test("before or since a missing container", async () => {
    for (const key of ["before", "since"]) {
      const nobody = await engine().call("GET", `/containers/json?filters={"${key}":["nobody"]}`);
      expect(nobody.status).toBe(engine().expected("filter-container", 404, 500));
    }
  });

  function chosen(filters: object): Promise<string[]> {
    return ids(`all=1&filters=${encodeURIComponent(JSON.stringify(filters))}`);
  }

  async function ids(query: string): Promise<string[]> {
    return (await engine().read<{ Id: string }[]>(`/containers/json?${query}`)).map((item) => item.Id);
  }
});
