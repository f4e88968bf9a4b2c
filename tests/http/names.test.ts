// A container's name, and its DNS settings.
import { expect, test } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import type { Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

const RESOLVER = "cat /etc/resolv.conf";

onEngines("names", (engine, kind) => {
  test("with a domain the full name comes first", async () => {
    const named = { Hostname: "box", Domainname: "example.test" };
    const text = await sh("hostname; cat /etc/hostname; cat /etc/hosts", named);
    expect(text).toMatch(/^box\nbox\n/);
    expect(text).toMatch(/^172\.\d+\.\d+\.\d+\tbox\.example\.test box$/m);
  });

  test.each([
    [{ Hostname: "box.example.test" }, "box.example.test box"],
    [{ Hostname: "box.one", Domainname: "example.test" }, "box.one.example.test box"],
    [{ Hostname: "box" }, "box"],
  ])("the name alone comes last: %j", async (named, names) => {
    expect(await sh("tail -n 1 /etc/hosts", named)).toMatch(new RegExp(`^172\\.\\d+\\.\\d+\\.\\d+\t${names}\n$`));
  });

  testExcept(kind, { simulated: SIMULATED.kernelFiles })("the kernel knows the domain", async () => {
    const named = { Hostname: "box", Domainname: "example.test" };
    expect(await sh("hostname -f; dnsdomainname; cat /proc/sys/kernel/domainname", named)).toBe(
      "box.example.test\nexample.test\nexample.test\n",
    );
    expect(await sh("cat /proc/sys/kernel/domainname", { Hostname: "box" })).toBe("(none)\n");
  });

  test("DNS servers, search domains and options", async () => {
    const HostConfig = {
      Dns: ["10.9.9.9", "fd00::9"],
      DnsSearch: ["a.test", "b.test"],
      DnsOptions: ["ndots:3", "timeout:1"],
    };
    const text = "search a.test b.test\nnameserver 10.9.9.9\nnameserver fd00::9\noptions ndots:3 timeout:1\n";
    for (const NetworkMode of ["bridge", "none", "host"])
      expect(await sh(RESOLVER, { HostConfig: { ...HostConfig, NetworkMode } })).toBe(text);
  });

  test("missing settings come from the machine", async () => {
    const own = await sh(RESOLVER, {});
    const servers = /^(nameserver .*\n)+/m.exec(own)?.[0] ?? "nobody";
    for (const NetworkMode of ["bridge", "none"]) {
      const given = (HostConfig: Json) => sh(RESOLVER, { HostConfig: { NetworkMode, ...HostConfig } });
      expect(await given({ DnsOptions: ["rotate"] })).toContain(`${servers}options rotate\n`);
      expect(await given({ DnsSearch: ["x.test"] })).toContain(`search x.test\n${servers}`);
      // A single dot means no search domain, as it did before this option existed.
      const nowhere = await given({ DnsSearch: ["."] });
      expect(nowhere).toContain(servers);
      expect(nowhere).not.toMatch(/^search/m);
    }
  });

  async function sh(script: string, config: Json): Promise<string> {
    return (await engine().run({ Cmd: ["sh", "-c", script], ...config })).stdout;
  }
});
