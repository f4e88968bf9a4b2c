// `ExtraHosts`: the client's own lines in a container's hosts file, on every network.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { messageOf } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

onEngines("extra hosts", (engine, kind) => {
  const hosts = async (ExtraHosts: string[], NetworkMode: string) => {
    const HostConfig = { ExtraHosts, NetworkMode };
    const { stdout } = await engine().run({ Cmd: ["cat", "/etc/hosts"], HostConfig });
    return stdout;
  };

  test.each(["bridge", "host", "none"])("on network %s", async (mode) => {
    const { IPAM } = await engine().read<{ IPAM: { Config: { Gateway?: string; Subnet: string }[] } }>(
      "/networks/bridge",
    );
    const { Gateway, Subnet = "" } = IPAM.Config[0] ?? {};
    const gateway = Gateway ?? Subnet.replace(/\d+\/\d+$/, "1");
    const text = await hosts(["first:192.0.2.1", "second:fd00::1", "here:host-gateway"], mode);
    expect(text).toContain(`192.0.2.1\tfirst\nfd00::1\tsecond\n${gateway}\there\n`);
    expect(text).toMatch(/^127\.0\.0\.1\s+localhost/m);
  });

  test("a container on the host network has the machine's file, unless something is added", async () => {
    const usual = await hosts([], "none");
    expect(await hosts(["first:192.0.2.1"], "host")).toBe(`${usual}192.0.2.1\tfirst\n`);
    expect(await hosts([], "host")).not.toBe(usual);
  });

  test.each([
    ["name", 'bad format for add-host: "name"'],
    [":192.0.2.1", 'bad format for add-host: ":192.0.2.1"'],
    ["name:", 'invalid IP address in add-host: ""'],
    ["name:elsewhere", 'invalid IP address in add-host: "elsewhere"'],
  ])("%s is refused", async (entry, text) => {
    const body = { Image: "busybox", HostConfig: { ExtraHosts: [entry] } };
    const answer = await engine().call("POST", "/containers/create", body);
    expect([answer.status, messageOf(answer)]).toEqual([400, text]);
  });

  testExcept(kind, { reference: REFERENCE.extraHosts })("in the notation of newer clients", async () => {
    const text = await hosts(["first=192.0.2.1", "second=[fd00::1]"], "none");
    expect(text).toContain("192.0.2.1\tfirst\nfd00::1\tsecond\n");
  });
});
