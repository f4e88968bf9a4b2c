// Records of earlier versions are converted, those of later ones are refused, and damaged ones are set aside: whatever
// a record contains, the rest opens. RECORDS_EVERY=1 cuts and flips at every byte.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { engine } from "../../../hosts/shared/host.js";
import type { HostEffect } from "../../../hosts/shared/outputs.js";
import { randomFrom } from "../support/door.js";
import { Opened, refusal, type Records } from "./opened.js";

/** Records from before they had a version: containers in most statuses, images, volumes. */
const VERSION_0: ReadonlyMap<string, string> = new Map(
  JSON.parse(readFileSync(new URL("version-0.json", import.meta.url), "utf8")) as [string, string][],
);

const restOf = (records: Records, prefix: string): string[] =>
  [...records.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));

/** The host's inventory if nothing is lost. */
function whole(records: Records): Partial<engine.Inventory> {
  return {
    containers: restOf(records, "container/"),
    networks: restOf(records, "network/").slice(0, 1),
    volumes: restOf(records, "volume/"),
    chains: restOf(records, "layer/"),
  };
}

/** The same in the current format. */
const TODAY: ReadonlyMap<string, string> = new Opened(VERSION_0, whole(VERSION_0)).records;

const idOf = (name: string): string => {
  const found = [...VERSION_0].find(
    ([key, value]) => key.startsWith("container/") && value.includes(`"name":"${name}"`),
  );
  if (found === undefined) throw new Error(`no container is called ${name}`);
  return found[0].slice("container/".length);
};

const namesIn = (opened: Opened): string[] =>
  opened
    .json<{ Names: string[] }[]>("/containers/json?all=1")
    .map(({ Names }) => Names.find((name) => !name.includes("/", 1))!.slice(1));

const NAMES = ["created", "exited", "failing", "host", "linked", "paused", "restarting", "running"];

const wantedOf = (opened: Opened): string[] =>
  opened.json<{ Warnings: string[] | null }>("/info").Warnings?.filter((line) => line.includes("damaged")) ?? [];

describe("versions", () => {
  test("records without one are migrated in the step that opens them, and keep their content", () => {
    const opened = new Opened(VERSION_0, whole(VERSION_0));
    expect(opened.puts).toContain("engine/version");
    expect(opened.puts).toEqual(
      expect.arrayContaining([...VERSION_0.keys()].filter((key) => key.startsWith("container/"))),
    );
    expect(opened.told).toContain("migrated 14 records: from version 0 to 4");
    expect(opened.setAside).toEqual([]);
    expect(namesIn(opened).sort()).toEqual(NAMES);
    const inspect = (name: string) => opened.json<Record<string, Record<string, unknown>>>(`/containers/${name}/json`);
    expect(inspect("exited")["State"]).toMatchObject({ Status: "exited", ExitCode: 3 });
    expect(inspect("failing")["State"]).toMatchObject({ Status: "created", ExitCode: 127 });
    expect(inspect("running")["HostConfig"]).toMatchObject({ Binds: ["named:/named:ro", "/tmp:/mnt"] });
    expect(inspect("running")["Mounts"]).toHaveLength(2);
    expect(inspect("linked")["HostConfig"]).toMatchObject({ Links: ["/running:/linked/other"] });
    expect(inspect("created")["Config"]).toMatchObject({ Labels: { tier: "back" } });
    expect(opened.json<unknown[]>("/images/json")).toHaveLength(2);
    expect(opened.json<{ Volumes: unknown[] }>("/volumes").Volumes).toHaveLength(3);
    expect([...opened.records.values()].filter((value) => value.includes('"format"'))).toEqual([]);
  });

  test("the next start has nothing to migrate", () => {
    const opened = new Opened(TODAY, whole(TODAY));
    expect(opened.told.filter((line) => line.startsWith("migrated"))).toEqual([]);
    expect(opened.puts).not.toContain("engine/version");
  });

  test("a container of the first format keeps its volumes and binds", () => {
    const record = JSON.parse(VERSION_0.get(`container/${idOf("exited")}`)!) as Record<string, unknown>;
    const [volume] = record["mounts"] as { name: string }[];
    const { mounts: _, uncleanRun, restartDelay, manuallyStopped, disarmed, ...rest } = record;
    expect([uncleanRun, restartDelay, manuallyStopped, disarmed]).not.toContain(undefined);
    const first = {
      ...rest,
      format: 1,
      hostConfig: { ...(rest["hostConfig"] as object), Binds: ["/srv:/data2:ro"] },
      volumes: [{ destination: "/data", name: volume!.name, populated: true }],
    };
    // The only number that JSON.parse does not preserve: no timeout.
    const text = JSON.stringify(first).replace(/"stopTimeout":[-\d]+/, `"stopTimeout":${-(2n ** 63n)}`);
    const records = new Map(VERSION_0).set(`container/${idOf("exited")}`, text);
    const opened = new Opened(records, whole(records));
    expect(opened.setAside).toEqual([]);
    const { Mounts } = opened.json<{ Mounts: object[] }>("/containers/exited/json");
    expect(Mounts).toEqual([
      expect.objectContaining({ Type: "bind", Source: "/srv", Destination: "/data2", RW: false }),
      expect.objectContaining({ Type: "volume", Name: volume!.name, Destination: "/data" }),
    ]);
  });

  test("a volume stays with a second container, even if the creation of the first one fails", () => {
    const image = VERSION_0.get(`container/${idOf("created")}`)!.match(/"image":"([^"]*)"/)![1];
    const body = { Image: image, HostConfig: { NetworkMode: "none", Binds: ["shared:/data"] } };
    const before = new Opened(TODAY, whole(TODAY));
    before.send("POST", "/containers/create?name=first", body);
    const [first, halfMade] = [...before.records].find(([, value]) => value.includes('"added":true'))!;
    expect(before.call("POST", "/containers/create?name=second", body).status).toBe(201);
    // An earlier engine left the mark until the first one was made.
    const records = new Map(before.records).set(first, halfMade);
    const isMaking = ({ to, command }: HostEffect): boolean => to === "volumes" && command.tag === "make";
    const opened = new Opened(records, whole(records), (effect) => (isMaking(effect) ? "it is full" : undefined));
    opened.settle();
    expect(opened.records.has(first)).toBe(false);
    expect(opened.records.has("volume/shared")).toBe(true);
    expect(opened.asked.filter(({ to, command }) => to === "volumes" && command.tag === "drop")).toEqual([]);
  });

  test("records of a later version are refused", () => {
    const newer = new Map(TODAY).set("engine/version", "9");
    expect(refusal(newer)).toBe("records of version 9: this engine reads up to 4");
    expect(() => new Opened(newer, whole(newer))).toThrow("records of version 9: this engine reads up to 4");
    expect(refusal(TODAY)).toBeUndefined();
    expect(refusal(VERSION_0)).toBeUndefined();
    expect(refusal(new Map())).toBeUndefined();
  });

  test("an invalid number does not prevent reading", () => {
    for (const damaged of ["", "1x", "-1", "99999999999999", "\u0000"]) {
      const opened = new Opened(new Map(TODAY).set("engine/version", damaged), whole(TODAY));
      expect([damaged, opened.setAside]).toEqual([damaged, ["engine/version"]]);
      expect(opened.records.get("engine/version")).toBe("4");
      expect(namesIn(opened).sort()).toEqual(NAMES);
      expect(new Opened(opened.records, whole(TODAY)).setAside).toEqual([]);
    }
  });
});

describe("damage", () => {
  const exited = `container/${idOf("exited")}`;
  /** As text, because 64-bit numbers would not survive JSON.parse. */
  const change = (key: string, from: string | RegExp, to: string): string => {
    const changed = TODAY.get(key)!.replace(from, to);
    if (changed === TODAY.get(key)) throw new Error(`nothing of ${key} was changed`);
    return changed;
  };
  const [volume] = restOf(TODAY, "volume/");
  const [child] = restOf(TODAY, "image/").filter((id) => TODAY.get(`image/${id}`)!.includes("parent"));
  const bridge = restOf(TODAY, "network/").find((id) => TODAY.get(`network/${id}`)!.includes("coracle0"))!;
  const base = restOf(TODAY, "layer/").find((chain) => !TODAY.get(`layer/${chain}`)!.includes("parent"))!;
  const images = ["config", "image"].flatMap((kind) => restOf(TODAY, `${kind}/`).map((id) => `${kind}/${id}`));
  const EXEC = `exec/${"e".repeat(64)}`;
  const references = restOf(TODAY, "reference/").map((name) => `reference/${name}`);

  const CASES: [what: string, key: string, value: string, setAside: string[], why: string][] = [
    ["a cut", exited, TODAY.get(exited)!.slice(0, 300), [exited], "unexpected EOF"],
    ["no JSON", exited, "\u0000\u0001", [exited], "invalid character"],
    ["no object", exited, "[]", [exited], "it is not an object"],
    ["a type", exited, change(exited, '"run":1', '"run":"1"'), [exited], "run: it is not an integer"],
    ["a range", exited, change(exited, /"status":\d+/, '"status":77'), [exited], "status: 77 is out of range"],
    ["a part", exited, change(exited, '"destination"', '"place"'), [exited], "mounts: destination is missing"],
    ["a missing member", exited, change(exited, '"hostConfig"', '"other"'), [exited], "hostConfig is missing"],
    [
      "another's id",
      exited,
      change(exited, `"id":"${idOf("exited")}`, `"id":"${idOf("created")}`),
      [exited],
      "it is another container's",
    ],
    [
      "another's name",
      exited,
      change(exited, '"name":"exited"', '"name":"created"'),
      [exited],
      `container ${idOf("created")} has its name`,
    ],
    [
      "a status without a run",
      exited,
      change(exited, '"everRan":true', '"everRan":false'),
      [exited],
      "its status needs a run",
    ],
    ["a volume", `volume/${volume}`, "{}", [`volume/${volume}`], "name is missing"],
    ["a network", `network/${bridge}`, '{"name', [`network/${bridge}`], "unexpected EOF"],
    [
      "an image",
      `image/${child}`,
      '{"parent":1}',
      [`image/${child}`, `config/${child}`, references[1]!],
      "parent: it is not a string",
    ],
    [
      "a config",
      `config/${child}`,
      "{}",
      [`config/${child}`, `image/${child}`, references[1]!],
      "invalid rootfs in image configuration",
    ],
    [
      "a layer",
      `layer/${base}`,
      "{}",
      [...restOf(TODAY, "layer/").map((chain) => `layer/${chain}`), ...images, ...references],
      "diffId is missing",
    ],
    ["a reference", references[1]!, "sha256:0", [references[1]!], "there is no image sha256:0"],
    ["the identity", "engine/id", "x", ["engine/id"], "it is not an id"],
    ["what nobody knows", "other/thing", "x", ["other/thing"], "its kind is unknown"],
    [
      "what a commit holds still",
      `commit/${idOf("paused")}`,
      "x",
      [`commit/${idOf("paused")}`],
      "it is not the number of a run",
    ],
    ["what says that an exec has begun", EXEC, `${idOf("running")} x`, [EXEC], "it does not name an exec of a run"],
  ];

  test.each(CASES)(
    "%s: the record is set aside unchanged and reported, its objects are not removed, and the rest opens",
    (_, key, value, keys, why) => {
      const damaged = new Map(TODAY).set(key, value);
      const opened = new Opened(damaged, whole(TODAY)).settle();
      expect(opened.setAside.sort()).toEqual([...keys].sort());
      expect(opened.records.get(`damaged/${key}`)).toBe(value);
      expect(opened.told.find((line) => line.startsWith(`set-aside record ${key}: `))).toContain(why);
      expect(opened.told.filter((line) => line.startsWith("swept"))).toEqual([]);
      expect(wantedOf(opened)).toHaveLength(keys.length);
      const lost = keys.flatMap((one) => (one.startsWith("container/") ? ["exited"] : []));
      expect(namesIn(opened).sort()).toEqual(NAMES.filter((name) => !lost.includes(name)));
      const drops = opened.asked.map(({ to, command }) => `${to} ${command.tag}`).filter((one) => one.includes("drop"));
      expect(drops).toEqual([]);
      // It stays so over restarts, until it exists again, belonged to a run that has continued, or is of an unknown
      // kind.
      const over = keys.filter((one) => opened.records.has(one) || /^(?:commit|exec|other)\//.test(one));
      const again = new Opened(opened.records, whole(TODAY)).settle();
      expect(again.setAside.sort()).toEqual(keys.filter((one) => !over.includes(one)).sort());
      expect(again.asked.filter(({ command }) => command.tag.startsWith("drop"))).toEqual([]);
    },
  );

  test("in a record of an unknown kind is reported once, and the record goes at the next start", () => {
    const opened = new Opened(new Map(TODAY).set("other/thing", "x"), whole(TODAY)).settle();
    expect(wantedOf(opened)).toEqual([
      "WARNING: the record other/thing is damaged and was set aside until the next start",
    ]);
    const again = new Opened(opened.records, whole(TODAY)).settle();
    expect(again.told).toContain(
      "swept record other/thing: its kind is unknown, and it was reported at an earlier start",
    );
    expect([again.setAside, wantedOf(again), again.records.has("damaged/other/thing")]).toEqual([[], [], false]);
  });

  test("the default bridge is made again if containers run on it", () => {
    const key = `container/${idOf("running")}`;
    // Without its process it was disconnected from the network, as found.
    const { endpoint } = JSON.parse(VERSION_0.get(key)!) as { endpoint: Record<string, unknown> };
    const { networkId, endpointId, gateway, address, prefixLength, mac } = endpoint;
    const place = { endpointId, gateway, address, prefixLength, mac };
    const placed = JSON.stringify({ networkId, place: { ...place, interfaceName: "eth0" } }).slice(1, -1);
    const connected = TODAY.get(key)!.replace(/(?<="network":"bridge",)"networkId":"[^"]*"/, placed);
    expect(connected).not.toBe(TODAY.get(key));
    const records = new Map(TODAY).set(key, connected);
    const before = JSON.parse(TODAY.get(`network/${bridge}`)!) as object;
    const opened = new Opened(records.set(`network/${bridge}`, ""), whole(TODAY));
    expect(opened.setAside).toEqual([`network/${bridge}`]);
    const { created: _, ...kept } = before as { created: number };
    expect(JSON.parse(opened.records.get(`network/${bridge}`)!)).toMatchObject(kept);
  });

  test("a network keeps its id, and a volume its files: they get a new record at once", () => {
    const anonymous = isId(volume!);
    for (const key of [...restOf(TODAY, "network/").map((id) => `network/${id}`), `volume/${volume}`]) {
      const opened = new Opened(new Map(TODAY).set(key, "{"), whole(TODAY)).settle();
      expect([key, opened.setAside, wantedOf(opened).length]).toEqual([key, [key], 1]);
      expect(opened.json(`/${key.replace("/", "s/")}`)).toMatchObject(
        key.startsWith("network/")
          ? { Id: key.slice("network/".length), Name: nameIn(TODAY.get(key)!) }
          : { Name: volume, Labels: anonymous ? { "com.docker.volume.anonymous": "" } : null },
      );
      const again = new Opened(opened.records, whole(TODAY)).settle();
      expect([key, again.setAside, wantedOf(again)]).toEqual([key, [], []]);
    }
  });

  test("a volume with a damaged record is never removed automatically", () => {
    const records = new Map(TODAY).set("volume/mine", "{");
    const opened = new Opened(records, { ...whole(TODAY), volumes: [...restOf(TODAY, "volume/"), "mine"] }).settle();
    expect(opened.told).toContain("adopted volume mine: its record is damaged");
    expect(opened.json("/volumes/mine")).toMatchObject({ Name: "mine", Labels: null });
    expect(opened.asked.filter(({ command }) => command.tag === "drop")).toEqual([]);
  });

  test("while a container's record is damaged, it is unknown which volumes it has: a prune removes none", () => {
    const records = new Map(TODAY).set("volume/mine", '{"name":"mine","created":1,"named":true,"labels":{}}');
    const found = { ...whole(TODAY), volumes: [...restOf(TODAY, "volume/"), "mine"] };
    const prune = (opened: Opened) => JSON.parse(opened.call("POST", "/v1.41/volumes/prune").text) as object;
    const damaged = new Opened(new Map(records).set(`container/${idOf("exited")}`, "{"), found).settle();
    expect(prune(damaged)).toMatchObject({ VolumesDeleted: [] });
    expect(prune(new Opened(records, found).settle())).toMatchObject({ VolumesDeleted: ["mine"] });
  });

  test("a container can be removed with force, with all of its host's objects", () => {
    const id = idOf("running");
    const found: Partial<engine.Inventory> = {
      ...whole(TODAY),
      processes: [{ container: id, run: 1, state: { tag: "running", val: { pid: 9, at: 1n } }, memoryKills: 0 }],
      mounts: [id],
      joins: [{ container: id, network: bridge, address: "172.17.0.2", ipv6Address: "" }],
    };
    const opened = new Opened(new Map(TODAY).set(`container/${id}`, "{"), found).settle();
    const askedOfIt = () =>
      opened.asked.flatMap(({ to, command }) => (shown(command).includes(id) ? [`${to} ${command.tag}`] : []));
    expect(askedOfIt()).toEqual([]);
    expect(opened.call("DELETE", `/containers/${id}`).status).toBe(409);
    expect(opened.call("DELETE", `/containers/${id.slice(0, 12)}?force=1`)).toEqual({ status: 204, text: "" });
    expect(askedOfIt()).toEqual(["processes reap", "networks leave-all", "content unmount", "content drop-container"]);
    expect([opened.setAside, wantedOf(opened)]).toEqual([[], []]);
    expect(opened.call("DELETE", `/containers/${id}?force=1`).status).toBe(404);
  });

  test("in a record of an earlier version stays unchanged", () => {
    const found = VERSION_0.get(exited)!.replace('"run":1', '"run":"1"');
    expect(found).not.toBe(VERSION_0.get(exited));
    const opened = new Opened(new Map(VERSION_0).set(exited, found), whole(VERSION_0));
    expect(opened.setAside).toEqual([exited]);
    expect(opened.records.get(`damaged/${exited}`)).toBe(found);
    expect(opened.records.has(exited)).toBe(false);
    expect(namesIn(opened).sort()).toEqual(NAMES.filter((name) => name !== "exited"));
  });

  test.each(["exited", "created"])(
    "a layer without an image is kept by its containers, last %s, and goes with the last of them",
    (last) => {
      const kinds = ["config/", "image/", "reference/"];
      const records = new Map([...TODAY].filter(([key]) => !kinds.some((kind) => key.startsWith(kind))));
      for (const name of NAMES) if (name !== "exited" && name !== "created") records.delete(`container/${idOf(name)}`);
      records.set(exited, "{").set(`layer/${base}`, "{}");
      const chains = restOf(TODAY, "layer/");
      let opened = new Opened(records, { ...whole(records), chains }).settle();
      const lost = chains.map((chain) => `layer/${chain}`);
      expect(opened.setAside.sort()).toEqual([exited, ...lost].sort());
      const first = last === "exited" ? "created" : "exited";
      expect(opened.call("DELETE", `/containers/${idOf(first)}?force=1`).status).toBe(204);
      expect(opened.setAside.sort()).toEqual([...(last === "exited" ? [exited] : []), ...lost].sort());
      expect(opened.call("DELETE", `/containers/${idOf(last)}?force=1`).status).toBe(204);
      expect([opened.setAside, wantedOf(opened)]).toEqual([[], []]);
      opened = new Opened(opened.records, { ...whole(opened.records), chains }).settle();
      const dropped = opened.asked.flatMap(({ command }) => (command.tag === "drop-chain" ? [command.val] : []));
      expect(dropped.sort()).toEqual(chains.sort());
    },
  );

  test("an image can be removed with force, with its names; its layers stay for the containers that need them", () => {
    const opened = new Opened(new Map(TODAY).set(`layer/${base}`, "{}"), whole(TODAY)).settle();
    const containers = restOf(TODAY, "container/");
    expect(opened.call("DELETE", `/images/${child}`).status).toBe(409);
    const untagged = opened.call("DELETE", "/images/kept:1?force=1");
    expect(untagged).toEqual({ status: 200, text: '[{"Untagged":"kept:1"}]\n' });
    expect(opened.call("DELETE", "/images/busybox?force=1").status).toBe(200);
    for (const id of restOf(TODAY, "image/")) expect(opened.call("DELETE", `/images/${id}?force=1`).status).toBe(200);
    const lost = restOf(TODAY, "layer/").map((chain) => `layer/${chain}`);
    expect(opened.setAside.sort()).toEqual(lost.sort());
    expect(opened.call("DELETE", `/images/${child}?force=1`).status).toBe(404);
    const again = new Opened(opened.records, { ...whole(TODAY), containers }).settle();
    expect(again.told.filter((line) => line.startsWith("swept layer"))).toEqual([]);
    expect(again.asked.filter(({ command }) => command.tag === "drop-chain")).toEqual([]);
  });

  test("a failed removal keeps the record set aside, and can be retried", () => {
    const id = idOf("exited");
    let full = true;
    const fails = ({ command }: { command: { tag: string } }) =>
      full && command.tag === "drop-container" ? "it is busy" : undefined;
    const opened = new Opened(new Map(TODAY).set(`container/${id}`, "{"), whole(TODAY), fails);
    const { status, text } = opened.call("DELETE", `/containers/${id}?force=1`);
    expect([status, text]).toEqual([500, `{"message":"cannot remove container \\"${id}\\": it is busy"}\n`]);
    expect(opened.setAside).toEqual([`container/${id}`]);
    full = false;
    expect(opened.call("DELETE", `/containers/${id}?force=1`).status).toBe(204);
  });

  test("addresses of running containers are not given to others", () => {
    const id = idOf("running");
    const joins = [{ container: id, network: bridge, address: "172.17.0.2", ipv6Address: "" }];
    const opened = new Opened(new Map(TODAY).set(`container/${id}`, "{"), { ...whole(TODAY), joins }).settle();
    expect(opened.call("POST", "/containers/created/start").status).toBe(204);
    const { NetworkSettings } = opened.json<{ NetworkSettings: { IPAddress: string } }>("/containers/created/json");
    expect(NetworkSettings.IPAddress).not.toBe("172.17.0.2");
  });
});

describe("a container's documents", () => {
  const key = `container/${idOf("created")}`;
  const usual = TODAY.get(key)!;
  /** The record that a container has after a change, if it had this one before. */
  const changed = (record: string): string | undefined => {
    const opened = new Opened(new Map([...TODAY, [key, record]]), whole(TODAY));
    expect(opened.setAside).toEqual([]);
    expect(opened.call("POST", "/containers/created/rename?name=changed").status).toBe(204);
    return opened.records.get(key);
  };

  test.each(["config", "hostConfig"])("%s is written as usual again, in whatever way JSON had it", (name) => {
    const [document, first] = new RegExp(`"${name}":\\{"(.)`).exec(usual)!;
    const code = first!.charCodeAt(0).toString(16).padStart(4, "0");
    const others = [
      document.replace(":{", " : {\n "),
      document.replace("{", "{ "),
      document.replace(`{"${first}`, `{"\\u${code}`),
    ];
    const wanted = changed(usual);
    expect(wanted).toContain(document);
    for (const other of others) expect(changed(usual.replace(document, other))).toBe(wanted);
  });

  test("are kept with all characters and with what restarts need", () => {
    const before = new Opened(TODAY, whole(TODAY));
    const Cmd = ["printf", 'quoted " and \\ and \n', "grün \u2028 \u{1f642}"];
    for (const [name, MaximumRetryCount] of [
      ["plain", 3],
      ["odd", 4],
    ] as const) {
      const HostConfig = { RestartPolicy: { Name: "on-failure", MaximumRetryCount }, Annotations: { a: name } };
      const body = { Image: "busybox", HostConfig, ...(name === "odd" && { Cmd }) };
      expect(before.call("POST", `/containers/create?name=${name}`, body).status).toBe(201);
    }
    const after = new Opened(before.records, whole(before.records));
    for (const name of ["plain", "odd"]) {
      for (const target of [`/containers/${name}/json`, `/containers/json?all=1&filters={"name":["${name}"]}`]) {
        expect(after.json(target)).toEqual(before.json(target));
      }
    }
    expect(after.json("/containers/odd/json")).toMatchObject({ Config: { Cmd } });
  });
});

const isId = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

const nameIn = (record: string): string => (JSON.parse(record) as { name: string }).name;

function shown(command: unknown): string {
  return JSON.stringify(command, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
}

/** As few as possible, one of each kind. */
const FEW: ReadonlyMap<string, string> = (() => {
  const names = ["running", "created"].map((name) => `container/${idOf(name)}`);
  const kept = [...TODAY].filter(([key]) => !key.startsWith("container/") || names.includes(key));
  return new Map(kept).set(`commit/${idOf("running")}`, "1");
})();

describe("with any corruption of a record's bytes, the others open", () => {
  const every = process.env["RECORDS_EVERY"] === "1";
  const random = randomFrom(20261122);

  const attempts = (bytes: Uint8Array): [what: string, bytes: Uint8Array][] => {
    const step = every ? 1 : Math.max(1, Math.ceil(bytes.length / 100));
    const all: [string, Uint8Array][] = [];
    for (let at = every ? 0 : random(step); at < bytes.length; at += step) {
      all.push([`cut at ${at}`, bytes.slice(0, at)]);
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << random(8);
      all.push([`a bit of byte ${at} flipped: ${String.fromCharCode(flipped[at]!)}`, flipped]);
    }
    return all;
  };

  test.each([...FEW.keys()])(
    "%s",
    (key) => {
      const bytes = new TextEncoder().encode(FEW.get(key)!);
      for (const [what, damaged] of attempts(bytes)) {
        const records = new Map<string, string | Uint8Array>(FEW).set(key, damaged);
        if (refusal(records) !== undefined) continue;
        try {
          exercise(records);
        } catch (error) {
          expect.fail(`${what}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    },
    every ? 3_600_000 : 300_000,
  );

  /** Requests that a client may send next. Traps throw. */
  function exercise(records: Map<string, string | Uint8Array>): void {
    const opened = new Opened(records, whole(FEW)).settle(1);
    const names = namesIn(opened);
    for (const id of restOf(FEW, "container/")) {
      if (opened.setAside.includes(`container/${id}`)) continue;
      expect(opened.records.has(`container/${id}`)).toBe(true);
    }
    opened.json("/info");
    for (const name of names) {
      opened.json(`/containers/${name}/json`);
      opened.call("POST", `/containers/${name}/start`);
      opened.call("DELETE", `/containers/${name}?force=1&v=1`);
    }
    opened.call("POST", "/containers/create", { Image: "busybox" });
    expect(opened.records.has("engine/id")).toBe(true);
    opened.close();
  }
});
