// Connects a container to a network and disconnects it. Most answers need no user-defined network, because the
// predefined networks exclude one another.
import { expect, test } from "vitest";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

const WITH_HOST = "container cannot be disconnected from host network or connected to host network";
const WITH_OTHERS =
  "container sharing network namespace with another container or host cannot be connected to any other network";
const WITH_NONE = "container cannot be connected to multiple networks with one of the networks in private (none) mode";
const NAMELESS = 'invalid name or ID supplied: ""';

onEngines("connecting", (engine) => {
  const asked = async (what: "connect" | "disconnect", network: string, body: unknown) => {
    const answer = await engine().call("POST", `/networks/${network}/${what}`, body);
    return [answer.status, answer.status === 200 ? answer.text : messageOf(answer)] as const;
  };
  const made = (mode: string) => engine().create({ Cmd: ["sleep", "1000"], HostConfig: { NetworkMode: mode } });
  const running = (mode: string) => engine().running({ HostConfig: { NetworkMode: mode } });
  const nameOf = async (id: string) => (await engine().inspect<{ Name: string }>(id)).Name.slice(1);

  test("the container is looked up first, then the network", async () => {
    for (const network of ["nosuch", "bridge", "host", "none"]) {
      for (const what of ["connect", "disconnect"] as const) {
        expect(await asked(what, network, { Container: "nobody" })).toEqual([404, "No such container: nobody"]);
        expect(await asked(what, network, {})).toEqual([400, NAMELESS]);
      }
    }
    const id = await engine().running();
    for (const what of ["connect", "disconnect"] as const) {
      expect(await asked(what, "nosuch", { Container: id })).toEqual([404, "network nosuch not found"]);
    }
    await engine().remove(id);
    const stopped = await engine().create();
    // Docker remembers the name, and looks for the network at the start.
    expect(await asked("connect", "nosuch", { Container: stopped })).toEqual([200, ""]);
    const start = await engine().call("POST", `/containers/${stopped}/start`);
    expect([start.status, messageOf(start)]).toEqual([404, "network nosuch not found"]);
    expect(await asked("disconnect", "nosuch", { Container: stopped })).toEqual([200, ""]);
    await engine().remove(stopped);
  });

  test("a missing endpoint cannot be disconnected", async () => {
    const force = { Container: "nobody", Force: true };
    expect(await asked("disconnect", "bridge", force)).toEqual([404, "endpoint nobody not found"]);
    expect(await asked("disconnect", "nosuch", force)).toEqual([404, "network nosuch not found"]);
  });

  test.each([
    ["bridge", { none: WITH_NONE, host: WITH_HOST }],
    ["host", { none: WITH_OTHERS, bridge: WITH_OTHERS }],
    ["none", { bridge: WITH_NONE, host: WITH_HOST }],
  ])("a container on %s cannot be on another network", async (mode, others) => {
    const [stopped, going] = [await made(mode), await running(mode)];
    for (const [network, text] of Object.entries(others)) {
      expect([network, ...(await asked("connect", network, { Container: stopped }))]).toEqual([network, 400, text]);
      expect([network, ...(await asked("connect", network, { Container: going }))]).toEqual([network, 400, text]);
      const off = `container ${stopped} is not connected to the network ${network}`;
      expect(await asked("disconnect", network, { Container: stopped })).toEqual([500, off]);
      const notOn = `container ${going} is not connected to network ${network}`;
      expect(await asked("disconnect", network, { Container: going })).toEqual([500, notOn]);
    }
    for (const id of [stopped, going]) await engine().remove(id);
  });

  test.each(["bridge", "host", "none"])("connecting a container to its network %s changes nothing", async (mode) => {
    const [stopped, going] = [await made(mode), await running(mode)];
    const before = await networksOf(stopped);
    expect(await asked("connect", mode, { Container: stopped, EndpointConfig: { Links: ["x:y"] } })).toEqual([200, ""]);
    expect(await networksOf(stopped)).toEqual(before);
    const text = `endpoint with name ${await nameOf(going)} already exists in network ${mode}`;
    expect(await asked("connect", mode, { Container: going })).toEqual([403, text]);
    for (const id of [stopped, going]) await engine().remove(id);
  });

  test("a container running on the host network stays there", async () => {
    const id = await running("host");
    expect(await asked("disconnect", "host", { Container: id })).toEqual([400, WITH_HOST]);
    expect(await asked("disconnect", "host", { Container: id, Force: true })).toEqual([400, WITH_HOST]);
    await engine().remove(id);
  });

  test("a container that shares another's network has no networks of its own", async () => {
    const owner = await engine().running();
    const id = await running(`container:${owner}`);
    for (const network of ["bridge", "host", "none", "nosuch"]) {
      expect([network, ...(await asked("connect", network, { Container: id }))]).toEqual([network, 400, WITH_OTHERS]);
    }
    expect((await asked("disconnect", "bridge", { Container: id }))[0]).toBe(500);
    for (const one of [id, owner]) await engine().remove(one);
  });

  test("addresses and aliases need a user-defined network", async () => {
    const id = await engine().create();
    for (const [EndpointConfig, text] of [
      [
        { IPAMConfig: { IPv4Address: "172.17.0.9" } },
        "user specified IP address is supported on user defined networks only",
      ],
      [{ Aliases: ["x"] }, "network-scoped alias is supported only for containers in user defined networks"],
    ] as const) {
      const told = engine().expected("connect-settings-text", `invalid endpoint settings:\n${text}`, text);
      expect(await asked("connect", "bridge", { Container: id, EndpointConfig })).toEqual([400, told]);
    }
    await engine().remove(id);
  });

  test("invalid bodies", async () => {
    for (const what of ["connect", "disconnect"] as const) {
      for (const body of ["{", "[]", '"x"']) {
        const answer = await engine().call("POST", `/networks/bridge/${what}`, body, { headers: JSON_TYPE });
        expect([body, answer.status]).toEqual([body, 400]);
      }
      const typed = await engine().call("POST", `/networks/bridge/${what}`, "", {
        headers: { "Content-Type": "text/plain" },
      });
      const [newest, reference] = [
        "unsupported Content-Type header (text/plain)",
        "Content-Type specified (text/plain)",
      ];
      expect(typed.status).toBe(400);
      expect(messageOf(typed)).toContain(engine().expected("content-type-text", newest, reference));
    }
    expect((await asked("disconnect", "bridge", { Container: "x", Force: "x" }))[0]).toBe(400);
  });

  const networksOf = async (id: string) =>
    (await engine().inspect<{ NetworkSettings: { Networks: Json } }>(id)).NetworkSettings.Networks;
});

const JSON_TYPE = { "Content-Type": "application/json" };
