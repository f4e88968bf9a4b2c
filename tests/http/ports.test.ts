// Published ports on both families: where they appear, which ports conflict, and that they are free again afterwards.
import { afterEach, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

interface Shown {
  IP?: string;
  PrivatePort: number;
  PublicPort?: number;
  Type: string;
}

type Ports = Record<string, { HostIp: string; HostPort: string }[] | null>;

/** An exposed port that no port of the machine leads to. */
const UNPUBLISHED = "undefined:undefined->80/sctp";

onEngines("ports", (engine, kind) => {
  const made: string[] = [];
  afterEach(async () => {
    for (const id of made.splice(0)) await engine().call("DELETE", `/containers/${id}?force=1`);
  });

  test("without an address: on both families", async () => {
    const id = await published({ "80/tcp": [on("", "18300")], "53/udp": [on("", "18300")] });
    const both = [on("0.0.0.0", "18300"), on("::", "18300")];
    expect(await portsOf(id)).toEqual({ "80/tcp": both, "53/udp": both });
    expect((await listed(id)).sort()).toEqual(
      ["0.0.0.0:18300->53/udp", "0.0.0.0:18300->80/tcp", ":::18300->53/udp", ":::18300->80/tcp"].sort(),
    );
  });

  test("a port chosen by the engine is the same on both families", async () => {
    const id = await published({ "80/tcp": [on("", "")], "81/tcp": [on("127.0.0.1", "0"), on("::1", "")] });
    const ports = await portsOf(id);
    expect(ports["80/tcp"]?.map(({ HostIp }) => HostIp)).toEqual(["0.0.0.0", "::"]);
    expect(ports["81/tcp"]?.map(({ HostIp }) => HostIp).sort()).toEqual(["127.0.0.1", "::1"]);
    for (const { HostPort } of Object.values(ports).flat() as { HostPort: string }[]) {
      expect(Number(HostPort)).toBeGreaterThanOrEqual(32768);
    }
    const numbers = Object.values(ports).map((each) => new Set(each?.map(({ HostPort }) => HostPort)).size);
    if (engine().expected("one-port", true, false)) expect(numbers).toEqual([1, 1]);
  });

  test.each([
    ["::", "::"],
    ["::1", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["0.0.0.0", "0.0.0.0"],
  ])("on %s alone, shown as %s", async (address, shown) => {
    const bindings = { "80/tcp": [on(address, "18301")] };
    const id = await published(bindings);
    expect(await portsOf(id)).toEqual({ "80/tcp": [on(shown, "18301")] });
    expect(await listed(id)).toEqual([`${shown}:18301->80/tcp`]);
    const { HostConfig } = await engine().inspect<{ HostConfig: { PortBindings: Json } }>(id);
    expect(HostConfig.PortBindings).toEqual(bindings);
  });

  test("the families never conflict; all addresses of a family conflict with each of them", async () => {
    await published({ "80/tcp": [on("::", "18302")] });
    await published({ "80/tcp": [on("0.0.0.0", "18302")] });
    await published({ "80/udp": [on("", "18302")] });
    expect(await refusal({ "80/tcp": [on("::", "18302")] })).toEqual(taken(":::18302"));
    expect(await refusal({ "80/tcp": [on("0.0.0.0", "18302")] })).toEqual(taken("0.0.0.0:18302"));
    // The reference learns it from its proxy.
    if (kind !== "reference") expect(await refusal({ "80/tcp": [on("::1", "18302")] })).toEqual(taken("::1:18302"));
    await published({ "80/tcp": [on("::", "18303")] });
    expect(await refusal({ "80/tcp": [on("", "18303")] })).toEqual(taken(":::18303"));
    await published({ "80/tcp": [on("0.0.0.0", "18303")] });
  });

  test("one port of a host range is used, and none if all are taken", async () => {
    const range = { "80/tcp": [on("127.0.0.1", "18304-18305")] };
    const seen = [await published(range), await published(range)].map(async (id) => (await listed(id))[0]);
    expect((await Promise.all(seen)).sort()).toEqual(["127.0.0.1:18304->80/tcp", "127.0.0.1:18305->80/tcp"]);
    expect(await refusal(range)).toEqual([500, "… all ports are allocated"]);
    const beside = await published({ "80/tcp": [on("::1", "18304-18305")] });
    expect((await listed(beside))[0]).toMatch(/^::1:1830[45]->80\/tcp$/);
  });

  test("a host address that the machine does not have", async () => {
    for (const [address, where] of [
      ["2001:db8::9", "tcp6 [2001:db8::9]"],
      ["203.0.113.9", "tcp4 203.0.113.9"],
    ] as const) {
      const [status, text] = await refusal({ "80/tcp": [on(address, "18306")] });
      expect(status).toBe(500);
      expect(text).toContain(`listen ${where}:18306: bind: cannot assign requested address`);
    }
  });

  test.each([
    [{ "8000-8002/tcp": [on("", "9000-9002")] }, "8000-8002"],
    [{ "banana/tcp": [on("", "")] }, "banana"],
    [{ "70000/tcp": [on("", "")] }, "70000"],
    [{ "80/tcp": [on("", "8085-8080")] }, "8085-8080"],
    [{ "80/tcp": [on("", "banana")] }, "banana"],
    [{ "80/tcp": [on("", "70000")] }, "70000"],
  ])("%j is refused", async (PortBindings, text) => {
    const answer = await engine().call("POST", "/containers/create", {
      Image: "busybox",
      HostConfig: { PortBindings },
    });
    expect([answer.status, messageOf(answer)]).toEqual([400, `invalid port specification: "${text}"`]);
  });

  test("an invalid host address", async () => {
    for (const address of ["banana", "[::1]", ":::1", "fe80::1%lo"]) {
      const body = { Image: "busybox", HostConfig: { PortBindings: { "80/tcp": [on(address, "")] } } };
      const answer = await engine().call("POST", "/containers/create", body);
      expect([address, answer.status]).toEqual([address, engine().expected("port-address", 400, 201)]);
      if (answer.status === 201) made.push(answer.json<{ Id: string }>().Id);
    }
  });

  test("all exposed ports, by their names", async () => {
    const ExposedPorts = { "80": {}, "81/UDP": {} };
    const id = await engine().running({ ExposedPorts, HostConfig: { PublishAllPorts: true } });
    made.push(id);
    const ports = await portsOf(id);
    expect(Object.keys(ports).sort()).toEqual(["80/tcp", "81/udp"]);
    for (const each of Object.values(ports)) expect(each?.map(({ HostIp }) => HostIp)).toEqual(["0.0.0.0", "::"]);
  });

  // The reference shows port 0, and newer engines refuse such a request. Builders that leave ranges in images continue.
  testExcept(kind, { reference: REFERENCE.portRanges })(
    "a range that an image exposes is all of its ports",
    async () => {
      const id = await engine().running({ ExposedPorts: { "8000-8002/udp": {}, "banana/tcp": {} } });
      made.push(id);
      expect(await portsOf(id)).toEqual({ "8000/udp": null, "8001/udp": null, "8002/udp": null });
      const [item] = await engine().read<{ Ports: Shown[] }[]>(`/containers/json?filters={"id":["${id}"]}`);
      expect(item?.Ports.map(({ PrivatePort, Type }) => `${PrivatePort}/${Type}`)).toEqual([
        "8000/udp",
        "8001/udp",
        "8002/udp",
      ]);
    },
  );

  testExcept(kind, { reference: REFERENCE.after141 })(
    "an empty list of bindings counts as one binding, and from 1.52 on the client gets a warning",
    async () => {
      const body = {
        Image: "busybox",
        Cmd: ["sleep", "1000"],
        HostConfig: { PortBindings: { "80/tcp": [], "81/udp": null, "82/tcp": [on("", "")] } },
      };
      for (const [version, warnings] of [
        ["1.51", []],
        [
          "1.52",
          [
            "Following container port(s) have an empty list of port-bindings: 80/tcp, 81/udp. " +
              "Such bindings will be discarded in a future version.",
          ],
        ],
      ] as const) {
        const answer = await engine().must(201, "POST", "/containers/create", body, { version });
        const { Id, Warnings } = answer.json<{ Id: string; Warnings: string[] }>();
        made.push(Id);
        expect(Warnings).toEqual(warnings);
        await engine().start(Id);
        expect(Object.values(await portsOf(Id)).map((each) => each?.length)).toEqual([2, 2, 2]);
      }
    },
  );

  testExcept(kind, { reference: REFERENCE.sctp })(
    "sctp is published on IPv4; on IPv6, it leads only to containers that have IPv6",
    async () => {
      expect(await listed(await published({ "80/sctp": [on("", "18307")] }))).toEqual(["0.0.0.0:18307->80/sctp"]);
      const six = await published({ "80/sctp": [on("::1", "18307")] });
      expect(await listed(six)).toEqual([UNPUBLISHED]);
      await engine().must(201, "POST", "/networks/create", { Name: "sixth", EnableIPv6: true });
      await engine().must(200, "POST", "/networks/sixth/connect", { Container: six });
      await engine().must(200, "POST", "/networks/bridge/disconnect", { Container: six });
      expect(await listed(six)).toEqual(["::1:18307->80/sctp"]);
      await engine().remove(six);
      await engine().must(204, "DELETE", "/networks/sixth");
    },
  );

  for (const [how, end] of [
    ["a kill", (id: string) => engine().must(204, "POST", `/containers/${id}/kill`)],
    ["a stop", (id: string) => engine().must(204, "POST", `/containers/${id}/stop?t=0`)],
    ["a forced removal", (id: string) => engine().must(204, "DELETE", `/containers/${id}?force=1`)],
    ["a start that fails", async () => {}],
  ] as const) {
    test(`free again after ${how}`, async () => {
      const bindings = { "80/tcp": [on("", "18308")], "80/udp": [on("::", "18308")] };
      if (how === "a start that fails") {
        const failing = await engine().create({ ...exposing(bindings), Cmd: ["/nonexistent"] });
        made.push(failing);
        expect((await engine().call("POST", `/containers/${failing}/start`)).status).not.toBe(204);
      } else {
        await end(await published(bindings));
      }
      expect((await listed(await publishedSoon(bindings))).length).toBe(3);
    });
  }

  test("free again after the container ends by itself", async () => {
    const bindings = { "80/tcp": [on("", "18309")] };
    const ending = await engine().create({ ...exposing(bindings), Cmd: ["true"] });
    made.push(ending);
    await engine().start(ending);
    await engine().wait(ending);
    expect(await listed(await publishedSoon(bindings))).toEqual(["0.0.0.0:18309->80/tcp", ":::18309->80/tcp"]);
  });

  /** A running container with these ports. */
  async function published(bindings: Record<string, Json[]>): Promise<string> {
    const id = await engine().running(exposing(bindings));
    made.push(id);
    return id;
  }

  /** The same, retried: the reference answers before all ports are free. */
  async function publishedSoon(bindings: Record<string, Json[]>): Promise<string> {
    const id = await engine().create({ ...exposing(bindings), Cmd: ["sleep", "1000"] });
    made.push(id);
    const start = async (): Promise<number> => (await engine().call("POST", `/containers/${id}/start`)).status;
    if (kind === "reference") await expect.poll(start).toBe(204);
    else expect(await start()).toBe(204);
    return id;
  }

  /** The answer to a start with these ports. */
  async function refusal(bindings: Record<string, Json[]>): Promise<[number, string]> {
    const id = await engine().create({ ...exposing(bindings), Cmd: ["sleep", "1000"] });
    made.push(id);
    const answer = await engine().call("POST", `/containers/${id}/start`);
    return [
      answer.status,
      messageOf(answer).replace(
        /^.*driver failed programming external connectivity on endpoint \S+ \([0-9a-f]{64}\): /,
        "… ",
      ),
    ];
  }

  async function portsOf(id: string): Promise<Ports> {
    return (await engine().inspect<{ NetworkSettings: { Ports: Ports } }>(id)).NetworkSettings.Ports;
  }

  async function listed(id: string): Promise<string[]> {
    const [item] = await engine().read<{ Ports: Shown[] }[]>(`/containers/json?filters={"id":["${id}"]}`);
    return (item?.Ports ?? []).map((port) => `${port.IP}:${port.PublicPort}->${port.PrivatePort}/${port.Type}`);
  }
});

/** The reference publishes only exposed ports. */
function exposing(PortBindings: Record<string, Json[]>): Json {
  return {
    ExposedPorts: Object.fromEntries(Object.keys(PortBindings).map((key) => [key, {}])),
    HostConfig: { PortBindings },
  };
}

function on(HostIp: string, HostPort: string): { HostIp: string; HostPort: string } {
  return { HostIp, HostPort };
}

function taken(where: string): [number, string] {
  return [500, `… Bind for ${where} failed: port is already allocated`];
}
