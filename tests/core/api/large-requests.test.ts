// One request must not delay all others: whatever its content, no step does too much work or runs out of memory. The
// limits only detect quadratic work; they are not measurements.

import { describe, expect, test } from "vitest";
import { Count, countedCore } from "../support/counting.js";
import { EagerEngine } from "../support/eager-engine.js";

/** Functions entered and loop iterations begun. Quadratic work would be ten times as much here. */
const LONGEST_STEP = 1_000_000_000;
const MOST_BYTES = 512 * 1024 * 1024;

const list = <T>(length: number, of: (at: number) => T): T[] => Array.from({ length }, (_, at) => of(at));
const map = <T>(length: number, of: (at: number) => [string, T]) => Object.fromEntries(list(length, of));

interface Config {
  readonly HostConfig?: object;
  readonly [name: string]: unknown;
}

/** Ports of the machine, each different. */
const onLoopback = (at: number) => ({ HostIp: `127.1.${at >> 8}.${at & 255}`, HostPort: "8080" });

const count = new Count();
const core = await countedCore(count);
const counting = (): EagerEngine => new EagerEngine([], {}, { core, count });

function expectQuick(engine: EagerEngine): void {
  expect(engine.longest).toBeLessThan(LONGEST_STEP);
  expect(engine.greediest).toBeLessThan(MOST_BYTES);
}

describe("a body of megabytes", () => {
  const ports = (of: (port: number) => object) => ({
    NetworkMode: "bridge",
    PortBindings: map(60_000, (at) => [`${at + 1}/tcp`, [of(at + 1)]]),
  });
  const of = (HostConfig: object): Config => ({ HostConfig });
  // Made in its test: all of them together would be a million objects to be marked again and again.
  test.each<[string, () => Config]>([
    ["Labels", () => ({ Labels: map(150_000, (at) => [`label${at}`, "x"]) })],
    ["Env", () => ({ Env: list(150_000, (at) => `NAME${at}=value`) })],
    ["ExposedPorts", () => ({ ExposedPorts: map(65_535, (at) => [`${at + 1}/tcp`, {}]) })],
    [
      "PublishAllPorts",
      () => ({
        ExposedPorts: map(28_000, (at) => [`${at + 1}/tcp`, {}]),
        HostConfig: { NetworkMode: "bridge", PublishAllPorts: true },
      }),
    ],
    ["ranges in ExposedPorts", () => ({ ExposedPorts: { "1-65535/tcp": {}, "1-65535/udp": {}, "1-65535/sctp": {} } })],
    [
      "PortBindings of one port",
      () => of({ NetworkMode: "bridge", PortBindings: { "80/tcp": list(50_000, onLoopback) } }),
    ],
    ["PortBindings", () => of(ports((port) => ({ HostPort: `${port}` })))],
    ["PortBindings of an address", () => of(ports((port) => ({ HostIp: "127.0.0.1", HostPort: `${port}` })))],
    ["Binds", () => of({ Binds: list(60_000, (at) => `/source${at}:/target${at}`) })],
    ["CapAdd", () => of({ CapAdd: list(150_000, () => "NET_ADMIN") })],
    ["ExtraHosts", () => of({ ExtraHosts: list(60_000, (at) => `host${at}:10.0.0.1`) })],
    ["Tmpfs", () => of({ Tmpfs: map(60_000, (at) => [`/tmpfs${at}`, "size=1m"]) })],
    ["SecurityOpt", () => of({ SecurityOpt: list(60_000, () => "no-new-privileges") })],
    ["Sysctls", () => of({ Sysctls: map(10_000, (at) => [`net.a${at}`, "1"]) })],
    ["Volumes", () => ({ Volumes: map(1_000, (at) => [`/volume${at}`, {}]) })],
  ])("of %s", { timeout: 60_000 }, (_name, config) => {
    const engine = counting();
    const { HostConfig, ...others } = config();
    const body = { Image: "busybox", ...others, HostConfig: { NetworkMode: "none", ...HostConfig } };
    expect(engine.request("POST", "/v1.55/containers/create?name=big", body).status).toBe(201);
    expect(engine.request("POST", "/v1.55/containers/big/start").status).toBe(204);
    expect(engine.request("GET", "/v1.55/containers/big/json").status).toBe(200);
    expect(engine.request("GET", "/v1.55/containers/json").status).toBe(200);
    expectQuick(engine);
  });

  const refused = { status: 403, body: expect.stringContaining("Pool overlaps with other one") as string };
  test("of subnets, which overlap no others, nor each other", { timeout: 60_000 }, () => {
    const engine = counting();
    /** `10.0.0.0/30`, and those that follow. */
    const subnet = (at: number): string => `10.${at >> 14}.${(at >> 6) & 255}.${(at & 63) * 4}/30`;
    const make = (...subnets: string[]) => {
      const body = { Name: subnets.at(-1), Driver: "macvlan", IPAM: { Config: subnets.map((Subnet) => ({ Subnet })) } };
      return engine.request("POST", "/v1.55/networks/create", body);
    };
    expect(make(...list(60_000, subnet), subnet(7))).toEqual(refused);
    expect(make(...list(60_000, subnet)).status).toBe(201);
    expect([make("10.0.0.0/8"), make(subnet(59_999).replace("/30", "/32"))]).toEqual([refused, refused]);
    expect(make(subnet(60_000)).status).toBe(201);
    // Of the engine's choice: beside thousands that are taken already.
    const pool = list(4_000, (at) => `fd00:${(at + 1).toString(16)}::/64`);
    expect(make(...pool).status).toBe(201);
    expect(engine.request("POST", "/v1.55/networks/create", { Name: "chosen", EnableIPv6: true }).status).toBe(201);
    expectQuick(engine);
  });

  test("of aliases, and of auxiliary addresses", { timeout: 60_000 }, () => {
    const engine = counting();
    const AuxiliaryAddresses = map(30_000, (at) => [`host${at}`, `10.9.${(at >> 8) + 1}.${at & 255}`]);
    const IPAM = { Config: [{ Subnet: "10.9.0.0/16", AuxiliaryAddresses }] };
    expect(engine.request("POST", "/v1.55/networks/create", { Name: "own", IPAM }).status).toBe(201);
    const EndpointsConfig = { own: { Aliases: list(50_000, (at) => `alias-${at}`) } };
    for (const name of ["one", "two"]) {
      const body = { Image: "busybox", HostConfig: { NetworkMode: "own" }, NetworkingConfig: { EndpointsConfig } };
      expect(engine.request("POST", `/v1.55/containers/create?name=${name}`, body).status).toBe(201);
      expect(engine.request("POST", `/v1.55/containers/${name}/start`).status).toBe(204);
      expect(engine.request("GET", `/v1.55/containers/${name}/json`).status).toBe(200);
    }
    expect(engine.request("GET", "/v1.55/networks/own").status).toBe(200);
    expect(engine.request("POST", "/v1.55/containers/one/rename?name=three").status).toBe(204);
    expectQuick(engine);
  });

  test("is forgotten with its container, also by the events", () => {
    const engine = counting();
    const body = { Image: "busybox", Labels: map(50_000, (at) => [`held-in-mind-${at}`, "value"]) };
    expect(engine.request("POST", "/v1.55/containers/create?name=big", body).status).toBe(201);
    expect(engine.knows("held-in-mind-")).toBe(true);
    expect(engine.request("DELETE", "/v1.55/containers/big").status).toBe(204);
    expect(engine.knows("held-in-mind-")).toBe(false);
  });

  test("more anonymous volumes and ports than a machine could want", () => {
    const engine = counting();
    const create = (body: object) => engine.request("POST", "/v1.55/containers/create", { Image: "busybox", ...body });
    expect(create({ Volumes: map(20_000, (at) => [`/volume${at}`, {}]) })).toEqual({
      status: 400,
      body: '{"message":"Volumes: 20000 volumes are too many: at most 1000"}\n',
    });
    expect(create({ ExposedPorts: map(200, (at) => [`${at + 1}-65000/tcp`, {}]) })).toEqual({
      status: 400,
      body: '{"message":"Config.ExposedPorts: more than 196608 ports"}\n',
    });
    const everything = { PortBindings: { "80/tcp": list(4, () => ({ HostPort: "1-65535" })) } };
    expect(create({ HostConfig: everything })).toEqual({
      status: 400,
      body: '{"message":"HostConfig.PortBindings: more than 196608 ports of the host"}\n',
    });
    expectQuick(engine);
  });
});

test.each<[string, string]>([
  ["without values", "&".repeat(400_000)],
  ["with only names", "a&".repeat(200_000)],
  ["that sound secret, among others", "a=b&token=c&".repeat(80_000)],
])("parameters %s", (_name, query) => {
  const engine = counting();
  expect(engine.request("GET", `/v1.55/_ping?${query}`).status).toBe(200);
  expectQuick(engine);
});

test("parameters with only names, around an address that is erased", () => {
  const engine = counting();
  const target = `/v1.55/images/create?fromSrc=ftp://web.example/&${"a&".repeat(200_000)}`;
  expect(engine.request("POST", target).status).toBe(500);
  expectQuick(engine);
});

test("an import whose config no image can have is refused before its tar is read", () => {
  const engine = counting();
  const query = new URLSearchParams([
    ["fromSrc", "-"],
    ["changes", "EXPOSE 1-65535/tcp 1-65535/udp 1-65535/sctp"],
    ...list(45, (line): [string, string] => [
      "changes",
      `LABEL ${list(7_000, (at) => `${line * 7_000 + at}=`).join(" ")}`,
    ]),
  ]);
  const answer = engine.request("POST", `/v1.55/images/create?${query}`);
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining("values")]);
  expect(engine.asked.map(({ command }) => command.tag)).not.toContain("receive");
});

describe("changes of a commit", () => {
  const TOO_LONG = "the values of variables are longer than 4194304 characters together";
  const commit = (engine: EagerEngine, changes: string[]) => {
    engine.request("POST", "/v1.55/containers/create?name=web", { Image: "busybox" });
    const query = changes.map((change) => `&changes=${encodeURIComponent(change)}`).join("");
    return engine.request("POST", `/v1.55/commit?container=web&repo=made${query}`);
  };

  test.each<[string, () => string[], number, string]>([
    ["ENV", () => list(40_000, (at) => `ENV a${at}=b`), 201, "sha256:"],
    ["LABEL", () => list(40_000, (at) => `LABEL a${at}=b`), 201, "sha256:"],
    ["VOLUME", () => list(40_000, (at) => `VOLUME /a${at}`), 201, "sha256:"],
    ["ONBUILD", () => list(40_000, (at) => `ONBUILD RUN ${at}`), 201, "sha256:"],
    ["WORKDIR", () => list(40_000, () => "WORKDIR a"), 201, "sha256:"],
    ["continued lines", () => [`ENV a=${"\\\n".repeat(100_000)}b`], 201, "sha256:"],
    ["open braces", () => [`ENV a=${"${".repeat(30_000)}`], 400, "unsupported modifier ({) in substitution"],
    [
      "defaults in defaults",
      () => [`ENV a=${"${a:-".repeat(10_000)}`],
      400,
      "substitutions are nested more than 64 deep",
    ],
    [
      "a long line",
      () => [`ENV a=${"x".repeat(65_530)}`],
      400,
      "dockerfile line greater than max allowed size of 65535",
    ],
    ["all ports", () => ["EXPOSE 1-65535/tcp 1-65535/udp 1-65535/sctp"], 201, "sha256:"],
    ["too many ports", () => [`EXPOSE ${"1-65535 ".repeat(600)}`], 400, "EXPOSE of more than 196608 ports: 1-65535"],
    ["a variable that doubles", () => ["ENV a=12345678", ...list(24, () => "ENV a=$a$a")], 400, TOO_LONG],
    ["a long variable", () => [`ENV a=${"x".repeat(60_000)}`, `LABEL b=${"$a".repeat(30_000)}`], 400, TOO_LONG],
  ])("%s", { timeout: 60_000 }, (_name, changes, status, says) => {
    const engine = counting();
    const answer = commit(engine, changes());
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(says);
    expectQuick(engine);
  });

  test("one of each sort, several times over", () => {
    const engine = counting();
    const environment = ["ENV A=1 B=2", "ENV A=$A$B", "LABEL a=$A", "LABEL a=${A}x b=2"];
    const places = ["WORKDIR a/./b", "WORKDIR ../c", "VOLUME /v /v", "EXPOSE 80-81", "EXPOSE 80/tcp", "ONBUILD RUN x"];
    expect(commit(engine, [...environment, ...places]).status).toBe(201);
    expect(JSON.parse(engine.request("GET", "/v1.51/images/made/json").body).Config).toMatchObject({
      Env: ["PATH=/bin", "A=12", "B=2"],
      Labels: { a: "12x", b: "2" },
      WorkingDir: "/a/c",
      Volumes: { "/v": {} },
      ExposedPorts: { "80/tcp": {}, "81/tcp": {} },
      OnBuild: ["RUN x"],
    });
  });
});

describe("filters", () => {
  test.each<[string, string[]]>([
    ["nothing, repeated", ["((((){1000}){1000}){100})"]],
    ["nothing or nothing, repeated", ["(((|){1000}){1000}){1000}"]],
    ["many patterns that are too large", list(900, (at) => `((){1000}){1000}${at}`)],
    ["many large patterns", list(900, (at) => `(a{10}){100}{4}${at}`)],
    ["many names", list(900, (at) => `^name${at}$`)],
  ])("%s", { timeout: 60_000 }, (_name, values) => {
    const engine = counting();
    for (let at = 0; at < 300; at++) {
      engine.request("POST", `/v1.55/containers/create?name=${"a".repeat(30)}${at}`, { Image: "busybox" });
    }
    const filters = encodeURIComponent(JSON.stringify({ name: values }));
    expect(engine.request("GET", `/v1.55/containers/json?all=1&filters=${filters}`)).toMatchObject({ status: 200 });
    expectQuick(engine);
  });
});
