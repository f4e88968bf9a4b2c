// Paths that are hidden or read-only in a container: by Docker's lists, by the client's own, and by none.
import { expect } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import type { Json } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";

onEngines("hidden paths", (engine, kind) => {
  const real = testExcept(kind, { simulated: SIMULATED.mounts });

  real("files are empty, directories are, too; what is not there is passed over", async () => {
    const script =
      "wc -c < /etc/passwd; ls /etc/network | wc -l; ls /usr | wc -l; cat /proc/timer_list | head -c 1 | wc -c";
    const usual = await sh(script, {});
    expect(usual).toMatch(/^[1-9]\d*\n\d+\n[1-9]\d*\n0\n$/);
    // The client's list replaces Docker's.
    const MaskedPaths = ["/etc/passwd", "/usr", "/nowhere"];
    expect(await sh(script, { MaskedPaths })).toMatch(/^0\n\d+\n0\n1\n$/);
  });

  real("what is below a read-only path cannot be written", async () => {
    const script =
      "touch /etc/x 2>/dev/null && echo etc; touch /tmp/x && echo tmp; echo a.test 2>/dev/null > /proc/sys/kernel/domainname && echo proc";
    expect(await sh(script, {})).toBe("etc\ntmp\n");
    expect(await sh(script, { ReadonlyPaths: ["/etc", "/nowhere"] })).toBe("tmp\nproc\n");
    expect(await sh(script, { ReadonlyPaths: [] })).toBe("etc\ntmp\nproc\n");
  });

  real("a read-only path keeps the flags of the mount that it is in", async () => {
    const { Runtimes } = await engine().read<{ Runtimes: Json }>("/info");
    for (const Runtime of kind === "linux" ? Object.keys(Runtimes) : [""]) {
      const look = "grep -E '^([^ ]+ ){4}/proc/(bus|fs|irq|sys) ' /proc/self/mountinfo | cut -d' ' -f5,6";
      const lines = (await sh(look, { Runtime })).trim().split("\n").sort();
      const flags = "ro,nosuid,nodev,noexec,relatime";
      expect(lines).toEqual(["bus", "fs", "irq", "sys"].map((name) => `/proc/${name} ${flags}`));
      const own = "grep -E '^([^ ]+ ){4}/etc ' /proc/self/mountinfo | cut -d' ' -f6";
      expect(await sh(own, { Runtime, ReadonlyPaths: ["/etc"] })).toBe("ro,relatime\n");
    }
  });

  async function sh(script: string, hostConfig: Json): Promise<string> {
    const HostConfig = { NetworkMode: "none", ...hostConfig };
    return (await engine().run({ Cmd: ["sh", "-c", script], HostConfig })).stdout;
  }
});
