// Settings of a container's endpoint: a MAC address, and no second network.
import { expect, test } from "vitest";
import { REFERENCE, SIMULATED } from "../support/allowed-skips.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { stamp } from "../support/past-events.js";

const MAC = "02:42:c0:00:02:0a";
const SYSCTLS = "com.docker.network.endpoint.sysctls";
const NETWORKS = encodeURIComponent(JSON.stringify({ type: ["network"] }));
const DEPRECATED =
  "The container-wide MacAddress field is now deprecated. It should be specified in EndpointsConfig instead.";

const OWN_ONLY = "user specified IP address is supported on user defined networks only";

onEngines("endpoints", (engine, kind) => {
  test("the container-wide hardware address is its interface's", async () => {
    const id = await engine().running({ MacAddress: MAC });
    const inspected = await engine().inspect(id);
    expect(inspected).toMatchObject({
      Config: { MacAddress: MAC },
      NetworkSettings: { MacAddress: MAC, Networks: { bridge: { MacAddress: MAC } } },
    });
    const { Containers } = await engine().read<{ Containers: Json }>("/networks/bridge");
    expect(Containers[id]).toMatchObject({ MacAddress: MAC });
    await engine().remove(id);
  });

  testExcept(kind, { simulated: SIMULATED.kernel })("the kernel uses it", async () => {
    const { stdout } = await engine().run({ MacAddress: MAC, Cmd: ["cat", "/sys/class/net/eth0/address"] });
    expect(stdout).toBe(`${MAC}\n`);
  });

  test.each(["bridge", "none"])("an invalid address fails at the start, on %s", async (NetworkMode) => {
    const id = await engine().create({ MacAddress: "zz:42", HostConfig: { NetworkMode } });
    const answer = await engine().call("POST", `/containers/${id}/start`);
    expect([answer.status, messageOf(answer)]).toEqual([500, "address zz:42: invalid MAC address"]);
    const Error = "address zz:42: invalid MAC address";
    expect(await engine().inspect(id)).toMatchObject({ State: { Status: "created", ExitCode: 128, Error } });
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("from 1.44 on an invalid address is refused", async () => {
    const told = async (version: string, config: Json): Promise<[number, string]> => {
      const body = { Image: "busybox", Cmd: ["true"], ...config };
      const answer = await engine().call("POST", "/containers/create", body, { version });
      return [answer.status, answer.status === 201 ? "" : messageOf(answer)];
    };
    const on = (network: string, MacAddress: string): Json => ({
      HostConfig: { NetworkMode: network },
      NetworkingConfig: { EndpointsConfig: { [network]: { MacAddress } } },
    });
    for (const mac of [
      "zz",
      "zz:42",
      "02:42:c0:00:02",
      "02:42:c0:00:02:0a:",
      "02-42:c0:00:02:0a",
      " 02:42:c0:00:02:0a",
    ]) {
      const refused = [400, `invalid config for network bridge: invalid MAC address ${mac}`];
      expect(await told("1.44", { MacAddress: mac })).toEqual(refused);
      expect(await told("1.51", { MacAddress: mac })).toEqual(refused);
      expect(await told("1.55", on("bridge", mac))).toEqual(refused);
      expect(await told("1.44", on("default", mac))).toEqual(refused);
      expect(await told("1.55", on("none", mac))).toEqual([400, refused[1]!.toString().replace("bridge", "none")]);
    }
    // Fields that the engine does not use are not checked.
    for (const [version, config] of [["1.52", { MacAddress: "zz" }] as const, ["1.43", on("bridge", "zz")] as const]) {
      const body = { Image: "busybox", Cmd: ["true"], ...config };
      const { Id } = (await engine().must(201, "POST", "/containers/create", body, { version })).json<{ Id: string }>();
      await engine().remove(Id);
    }
  });

  test.each(["host", "container:x"])("it conflicts with %s", async (NetworkMode) => {
    const body = { Image: "busybox", Cmd: ["true"], MacAddress: MAC, HostConfig: { NetworkMode } };
    const answer = await engine().call("POST", "/containers/create", body);
    expect([answer.status, messageOf(answer)]).toEqual([400, "conflicting options: mac-address and the network mode"]);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("from 1.44 on it belongs to the endpoint", async () => {
    const endpoint = { NetworkingConfig: { EndpointsConfig: { bridge: { MacAddress: MAC } } } };
    expect(await made("1.44", { MacAddress: MAC })).toEqual([[DEPRECATED], MAC]);
    expect(await made("1.51", endpoint)).toEqual([[], MAC]);
    expect(await made("1.51", { ...endpoint, MacAddress: MAC })).toEqual([[DEPRECATED], MAC]);
    expect(await made("1.43", { MacAddress: MAC })).toEqual([[], MAC]);
    for (const [version, config] of [["1.52", { MacAddress: MAC }] as const, ["1.43", endpoint] as const]) {
      const [warnings, mac] = await made(version, config);
      expect(warnings).toEqual([]);
      expect(mac).toMatch(/^02:42:(?!c0:00:02)/);
    }
    const body = { Image: "busybox", Cmd: ["true"], MacAddress: "02:42:c0:00:02:0b", ...endpoint };
    const answer = await engine().call("POST", "/containers/create", body, { version: "1.51" });
    expect([answer.status, messageOf(answer)]).toEqual([
      400,
      "the container-wide MAC address must match the endpoint-specific MAC address for the main network, " +
        "or be left empty",
    ]);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("a network other than that of the mode", async () => {
    const refusal = async (NetworkMode: string, EndpointsConfig: Json, version: string) => {
      const body = { Image: "busybox", HostConfig: { NetworkMode }, NetworkingConfig: { EndpointsConfig } };
      const answer = await engine().call("POST", "/containers/create", body, { version });
      return [answer.status, messageOf(answer)];
    };
    const text = "Container cannot be connected to network endpoints: bridge, none";
    expect(await refusal("default", { none: {} }, "1.55")).toEqual([400, text]);
    expect(await refusal("bridge", { bridge: {}, none: {} }, "1.44")).toEqual([400, text]);
    expect(await refusal("bridge", { bridge: {}, none: {} }, "1.43")).toEqual([
      400,
      "Container cannot be created with multiple network endpoints: bridge, none",
    ]);
    expect((await made("1.55", { NetworkingConfig: { EndpointsConfig: { default: {} } } }))[0]).toEqual([]);
  });

  test.each<[Json, string]>([
    [{ Aliases: ["x"] }, "network-scoped alias is supported only for containers in user defined networks"],
    [{ IPAMConfig: { IPv4Address: "172.17.0.77" } }, OWN_ONLY],
    [{ IPAMConfig: { IPv6Address: "fd00::7" }, Aliases: ["x"] }, OWN_ONLY],
  ])("%j needs a user-defined network", async (settings, text) => {
    for (const NetworkMode of ["bridge", "host", "none"]) {
      const EndpointsConfig = { [NetworkMode]: settings };
      const id = await engine().create({ HostConfig: { NetworkMode }, NetworkingConfig: { EndpointsConfig } });
      const answer = await engine().call("POST", `/containers/${id}/start`);
      expect([answer.status, messageOf(answer)]).toEqual([400, text]);
      const { State, NetworkSettings } = await engine().inspect<{ State: Json; NetworkSettings: Json }>(id);
      expect(State).toMatchObject({ Status: "created", ExitCode: 128, Error: text });
      expect(NetworkSettings).toMatchObject({ Networks: { [NetworkMode]: settings } });
      await engine().remove(id);
    }
  });

  test.each<[Json | null, string]>([
    [{ IPAMConfig: { IPv4Address: "nonsense" } }, "invalid IPv4 address: nonsense"],
    [{ IPAMConfig: { IPv4Address: "fd00::1" } }, "invalid IPv4 address: fd00::1"],
    [{ IPAMConfig: { IPv6Address: "1.2.3.4" } }, "invalid IPv6 address: 1.2.3.4"],
    [null, "no EndpointSettings for bridge"],
  ])("%j is invalid", async (bridge, text) => {
    const body = { Image: "busybox", NetworkingConfig: { EndpointsConfig: { bridge } } };
    const answer = await engine().call("POST", "/containers/create", body);
    expect([answer.status, messageOf(answer)]).toEqual([400, text]);
  });

  test("settings without effect are shown in inspect", async () => {
    const bridge = { DriverOpts: { "com.example": "1" }, Links: ["nobody:x"], Aliases: [], IPAddress: "172.17.0.99" };
    const id = await engine().running({ NetworkingConfig: { EndpointsConfig: { bridge } } });
    const { NetworkSettings } = await engine().inspect<{ NetworkSettings: Json }>(id);
    expect(NetworkSettings).toMatchObject({ Networks: { bridge: { ...bridge, IPAddress: expect.any(String) } } });
    expect(NetworkSettings).not.toMatchObject({ IPAddress: bridge.IPAddress });
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141, simulated: SIMULATED.kernel })(
    "an endpoint's sysctls are its interface's",
    async () => {
      const { stdout } = await engine().run({
        ...withSysctls("net.ipv4.conf.IFNAME.log_martians=1,net.ipv4.neigh.IFNAME.app_solicit=3"),
        Cmd: ["cat", "/proc/sys/net/ipv4/conf/eth0/log_martians", "/proc/sys/net/ipv4/neigh/eth0/app_solicit"],
      });
      expect(stdout).toBe("1\n3\n");
    },
  );

  testExcept(kind, { reference: REFERENCE.after141 })(
    "a sysctl of no interface; a name that no interface can have",
    async () => {
      const answer = await engine().call("POST", "/containers/create", {
        Image: "busybox",
        ...withSysctls("net.ipv4.ip_forward=1"),
      });
      const text =
        "unrecognised network interface sysctl 'net.ipv4.ip_forward=1'; " +
        "represent 'net.X.Y.ethN.Z=V' as 'net.X.Y.IFNAME.Z=V'";
      expect([answer.status, messageOf(answer)]).toEqual([400, text]);
      const bridge = { DriverOpts: { "com.docker.network.endpoint.ifname": "a/b" } };
      const body = { Image: "busybox", NetworkingConfig: { EndpointsConfig: { bridge } } };
      const named = await engine().call("POST", "/containers/create", body);
      expect([named.status, messageOf(named)]).toEqual([
        400,
        'invalid interface name "a/b" for com.docker.network.endpoint.ifname',
      ]);
    },
  );

  // The effect of naming the interface in a container's own sysctls (surface §3, 1.46).
  const MARTIANS = { "net.ipv4.conf.eth0.log_martians": "1" };
  const SOLICIT = { "net.ipv4.neigh.eth0.app_solicit": "4" };
  const FORWARD = { "net.ipv4.ip_forward": "0" };
  const BOTH = "net.ipv4.conf.IFNAME.log_martians=1,net.ipv4.neigh.IFNAME.app_solicit=4";
  const MOVED =
    'Migrated sysctl "net.ipv4.conf.eth0.log_martians,net.ipv4.neigh.eth0.app_solicit" ' +
    `to DriverOpts{"${SYSCTLS}":"${BOTH}"}.`;

  testExcept(kind, { reference: REFERENCE.after141 })(
    "up to 1.47 a container's sysctls that name eth0 are moved to its endpoint, and the client is told",
    async () => {
      const HostConfig = { Sysctls: { ...MARTIANS, ...FORWARD, ...SOLICIT } };
      for (const version of ["1.24", "1.41", "1.46", "1.47"]) {
        expect(await moved(version, { HostConfig })).toEqual([[MOVED], FORWARD, BOTH]);
      }
      const own = withSysctls("net.ipv4.conf.IFNAME.log_martians=0");
      const { NetworkingConfig } = own;
      expect(await moved("1.47", { HostConfig, NetworkingConfig })).toEqual([
        [MOVED],
        FORWARD,
        `${BOTH},net.ipv4.conf.IFNAME.log_martians=0`,
      ]);
      expect(await moved("1.47", { HostConfig: { Sysctls: FORWARD } })).toEqual([[], FORWARD, undefined]);
      // If all are moved, none is left in the container's list.
      const Sysctls = { ...MARTIANS, ...SOLICIT };
      expect(await moved("1.47", { HostConfig: { Sysctls } })).toEqual([[MOVED], undefined, BOTH]);
    },
  );

  testExcept(kind, { reference: REFERENCE.after141 })(
    "from 1.48 on sysctls that name an interface are refused; before, only those that do not name eth0",
    async () => {
      const refusal = async (version: string, Sysctls: Json, NetworkMode = "bridge") => {
        const body = { Image: "busybox", HostConfig: { Sysctls, NetworkMode } };
        const answer = await engine().call("POST", "/containers/create", body, { version });
        return [answer.status, messageOf(answer)];
      };
      const name = "net.ipv4.conf.eth0.log_martians";
      const text = `interface specific sysctl setting "${name}" must be supplied using driver option '${SYSCTLS}'`;
      for (const version of ["1.48", "1.55"]) expect(await refusal(version, MARTIANS)).toEqual([400, text]);
      const second = "net.ipv4.conf.eth1.log_martians";
      expect(await refusal("1.47", { [second]: "1" })).toEqual([
        400,
        `unable to determine network endpoint for sysctl ${second}, ` +
          `use driver option '${SYSCTLS}' to set per-interface sysctls`,
      ]);
      // The host network has no endpoint to move them to.
      const id = await engine().create({ HostConfig: { Sysctls: MARTIANS, NetworkMode: "host" } });
      expect(await engine().inspect(id)).toMatchObject({ HostConfig: { Sysctls: MARTIANS } });
      await engine().remove(id);
    },
  );

  testExcept(kind, { reference: REFERENCE.after141 })(
    "moved sysctls apply to the interface, and the endpoint's own take precedence",
    async () => {
      const files = ["conf/eth0/log_martians", "neigh/eth0/app_solicit"].map((name) => `/proc/sys/net/ipv4/${name}`);
      const body = {
        ...withSysctls("net.ipv4.neigh.IFNAME.app_solicit=5"),
        HostConfig: { Sysctls: { ...MARTIANS, ...SOLICIT } },
        ...{ Image: "busybox", Cmd: ["cat", ...files] },
      };
      const answer = await engine().must(201, "POST", "/containers/create", body, { version: "1.47" });
      const { Id } = answer.json<{ Id: string }>();
      await engine().start(Id);
      expect(await engine().wait(Id)).toBe(0);
      expect((await engine().logs(Id)).stdout).toBe("1\n5\n");
      await engine().remove(Id);
    },
  );

  /** Warnings, the container's own sysctls, and its endpoint's. */
  async function moved(version: string, config: Json): Promise<unknown[]> {
    const body = { Image: "busybox", Cmd: ["true"], ...config };
    const answer = await engine().must(201, "POST", "/containers/create", body, { version });
    const { Id, Warnings } = answer.json<{ Id: string; Warnings: string[] }>();
    const { HostConfig, NetworkSettings } = await engine().inspect<{ HostConfig: Json; NetworkSettings: Json }>(Id);
    await engine().remove(Id);
    const { bridge } = NetworkSettings["Networks"] as { bridge: { DriverOpts: Record<string, string> | null } };
    return [Warnings, HostConfig["Sysctls"], bridge.DriverOpts?.[SYSCTLS]];
  }

  function withSysctls(sysctls: string): Json {
    const bridge = { DriverOpts: { [SYSCTLS]: sysctls } };
    return { NetworkingConfig: { EndpointsConfig: { bridge } } };
  }

  test("without a network there is only the loopback interface, and inspect shows no network", async () => {
    const id = await engine().create({ NetworkDisabled: true, Cmd: ["ls", "/sys/class/net"] });
    const since = await stamp(engine());
    await engine().start(id);
    expect(await engine().wait(id)).toBe(0);
    expect((await engine().logs(id)).stdout).toBe("lo\n");
    expect(await engine().inspect(id)).toMatchObject({
      Config: { NetworkDisabled: true },
      NetworkSettings: { IPAddress: "", Ports: {} },
    });
    const answer = await engine().call(
      "GET",
      `/events?since=${since}&until=${await stamp(engine())}&filters=${NETWORKS}`,
    );
    expect(answer.text).not.toContain(id);
    await engine().remove(id);
  });

  /** Warnings, and the address while it runs. */
  async function made(version: string, config: Json): Promise<[string[], string]> {
    const body = { Image: "busybox", Cmd: ["sleep", "60"], ...config };
    const answer = await engine().must(201, "POST", "/containers/create", body, { version });
    const { Id, Warnings } = answer.json<{ Id: string; Warnings: string[] }>();
    await engine().start(Id);
    const { NetworkSettings } = await engine().read<{ NetworkSettings: { MacAddress: string } }>(
      `/containers/${Id}/json`,
    );
    await engine().remove(Id);
    return [Warnings, NetworkSettings.MacAddress];
  }
});
