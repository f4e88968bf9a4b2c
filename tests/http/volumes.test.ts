// Volumes that clients create, show, remove and prune, without and with containers.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";

interface Volume {
  readonly Name: string;
  readonly Labels: Record<string, string> | null;
  readonly Options: Record<string, string> | null;
  readonly Mountpoint: string;
}

onEngines("volumes", (engine, kind) => {
  const create = async (body: Json): Promise<Volume> =>
    (await engine().must(201, "POST", "/volumes/create", body)).json<Volume>();
  const remove = (name: string) => engine().must(204, "DELETE", `/volumes/${name}`);
  const names = async (filters: Json = {}): Promise<string[]> => {
    const query = encodeURIComponent(JSON.stringify(filters));
    const { Volumes } = await engine().read<{ Volumes: Volume[] }>(`/volumes?filters=${query}`);
    return Volumes.map(({ Name }) => Name).sort();
  };
  const prune = async (
    filters: Json,
    version: string,
  ): Promise<{ VolumesDeleted: string[]; SpaceReclaimed: number }> => {
    const query = encodeURIComponent(JSON.stringify(filters));
    const answer = await engine().must(200, "POST", `/volumes/prune?filters=${query}`, undefined, { version });
    return answer.json();
  };
  const filling = (name: string, bytes: number) => ({
    Cmd: ["sh", "-c", `dd if=/dev/zero of=/data/file bs=1024 count=${bytes / 1024}`],
    HostConfig: { Binds: [`${name}:/data`] },
  });

  test("a created volume is described in the answer, in the list and by its name, and holds files", async () => {
    const made = await create({ Name: "made", Labels: { a: "b" } });
    expect(made).toMatchObject({ Name: "made", Driver: "local", Labels: { a: "b" }, Options: null, Scope: "local" });
    expect(await engine().read("/volumes/made")).toEqual(made);
    expect(await names({ name: ["made"] })).toEqual(["made"]);
    const bind = { HostConfig: { Binds: ["made:/data"] } };
    await engine().run({ Cmd: ["sh", "-c", "echo kept > /data/file"], ...bind });
    expect((await engine().run({ Cmd: ["cat", "/data/file"], ...bind })).stdout).toBe("kept\n");
    await remove("made");
    expect((await engine().call("GET", "/volumes/made")).status).toBe(404);
  });

  test("labels are null if none were given, and an empty object if one was given", async () => {
    expect((await create({ Name: "none" })).Labels).toBeNull();
    expect((await create({ Name: "empty", Labels: {} })).Labels).toEqual({});
    for (const name of ["none", "empty"]) await remove(name);
  });

  test("without a name it gets an id as its name", async () => {
    const { Name, Labels } = await create({});
    expect(Name).toMatch(/^[0-9a-f]{64}$/);
    const anonymous = { "com.docker.volume.anonymous": "" };
    expect(Labels).toEqual(engine().expected("anonymous-volumes", anonymous, null));
    await remove(Name);
  });

  test("to create one that exists changes nothing and succeeds, except with a driver that does not exist", async () => {
    const made = await create({ Name: "again", Labels: { a: "b" } });
    expect(await create({ Name: "again", Labels: { c: "d" } })).toEqual(made);
    expect(await create({ Name: "again", Driver: "local" })).toEqual(made);
    const other = await engine().call("POST", "/volumes/create", { Name: "again", Driver: "other" });
    expect([other.status, messageOf(other)]).toEqual([
      404,
      'create again: error looking up volume plugin other: plugin "other" not found',
    ]);
    await remove("again");
  });

  test("events: each creation, even of one that exists, and each removal", async () => {
    const since = await stamp(engine());
    await create({ Name: "told" });
    await create({ Name: "told" });
    await remove("told");
    const events = await past(engine(), since, { type: ["volume"] });
    expect(events.map(({ Action, Actor }) => [Action, Actor.ID, Actor.Attributes])).toEqual(
      ["create", "create", "destroy"].map((action) => [action, "told", { driver: "local" }]),
    );
  });

  test("a volume that a container uses stays until the container is gone", async () => {
    await create({ Name: "used" });
    const id = await engine().create({ Cmd: ["true"], HostConfig: { Binds: ["used:/data"] } });
    expect(await names({ dangling: ["false"] })).toContain("used");
    const answer = await engine().call("DELETE", "/volumes/used");
    expect([answer.status, messageOf(answer)]).toEqual([409, `remove used: volume is in use - [${id}]`]);
    await engine().remove(id);
    expect(await names({ dangling: ["true"] })).toContain("used");
    await remove("used");
  });

  test("clients that create, use and remove one volume at the same time leave it whole or gone", async () => {
    for (let round = 0; round < 5; round++) {
      const body = { Cmd: ["true"], Image: "busybox", HostConfig: { Binds: ["contested:/data"] } };
      const answers = await Promise.all([
        engine().call("POST", "/volumes/create", { Name: "contested" }),
        engine().call("DELETE", "/volumes/contested"),
        engine().call("POST", "/containers/create", body),
        engine().call("DELETE", "/volumes/contested"),
        engine().call("POST", "/volumes/create", { Name: "contested" }),
      ]);
      const [made, , container, , remade] = answers.map(({ status }) => status);
      expect([made, container, remade]).toEqual([201, 201, 201]);
      const { Id } = answers[2]!.json<{ Id: string }>();
      expect(await names({ name: ["contested"] })).toEqual(["contested"]);
      await engine().start(Id);
      expect(await engine().wait(Id)).toBe(0);
      await engine().remove(Id);
      await remove("contested");
    }
  });

  test("a prune removes unused volumes and tells their size; single removals have no event", async () => {
    const id = await engine().create(filling("full", 65_536));
    await engine().start(id);
    await engine().wait(id);
    const held = await engine().create({ Cmd: ["true"], HostConfig: { Binds: ["held:/data"] } });
    await engine().remove(id);
    await create({ Name: "labelled", Labels: { keep: "yes" } });
    const since = await stamp(engine());
    const { VolumesDeleted, SpaceReclaimed } = await prune({ "label!": ["keep"] }, "1.41");
    expect(VolumesDeleted).toEqual(["full"]);
    expect(SpaceReclaimed).toBeGreaterThanOrEqual(65_536);
    const events = await past(engine(), since, { type: ["volume"] });
    expect(events.map(({ Action, Actor }) => [Action, Actor])).toEqual([
      ["prune", { ID: "", Attributes: { reclaimed: String(SpaceReclaimed) } }],
    ]);
    expect(await names()).toEqual(["held", "labelled"]);
    await engine().remove(held);
    expect((await prune({ label: ["keep=yes"] }, "1.41")).VolumesDeleted).toEqual(["labelled"]);
    expect((await prune({}, "1.41")).VolumesDeleted).toEqual(["held"]);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "from 1.42 on a prune removes named volumes only if all are wanted",
    async () => {
      await create({ Name: "named" });
      const { Name } = await create({});
      expect((await prune({}, "1.42")).VolumesDeleted).toEqual([Name]);
      expect((await prune({ all: ["false"] }, "1.42")).VolumesDeleted).toEqual([]);
      expect((await prune({ all: ["true"] }, "1.42")).VolumesDeleted).toEqual(["named"]);
      const path = (all: string) => `/volumes/prune?filters=${encodeURIComponent(JSON.stringify({ all: [all] }))}`;
      expect((await engine().call("POST", path("true"), undefined, { version: "1.41" })).status).toBe(400);
      expect((await engine().call("POST", path("x"), undefined, { version: "1.42" })).status).toBe(400);
    },
  );
});
