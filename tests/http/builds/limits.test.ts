// The options of a build that apply to the containers of its steps.
import { expect, test } from "vitest";
import { buildOn } from "./building.js";
import type { Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";

onEngines("limits of builds", (engine) => {
  test("each step's container has them", async () => {
    const query = new URLSearchParams({
      memory: String(64 << 20),
      memswap: String(128 << 20),
      cpushares: "512",
      cpuperiod: "100000",
      cpuquota: "50000",
      cpusetcpus: "0",
      shmsize: String(1 << 20),
      networkmode: "none",
      extrahosts: "extra.example:192.0.2.7",
      ulimits: JSON.stringify([{ Name: "nofile", Soft: 123, Hard: 456 }]),
    });
    const file =
      "FROM busybox\nRUN ulimit -n; grep extra /etc/hosts; ls /sys/class/net | wc -l; df -k /dev/shm | tail -n 1\n" +
      "RUN exit 7\n";
    const { lines, error } = await buildOn(engine(), file, [], `${query.toString()}&nocache=1`);
    expect(error?.["errorDetail"]).toMatchObject({ code: 7 });
    expect(lines).toContain("123");
    expect(lines).toContainEqual(expect.stringMatching(/^192\.0\.2\.7\s+extra\.example$/));
    expect(lines).toContain("1");
    expect(lines.some((line) => /^shm\s+1024\s/.test(line))).toBe(true);
    const [kept] = await engine().read<{ Id: string }[]>("/containers/json?all=1");
    const { HostConfig } = await engine().read<{ HostConfig: Json }>(`/containers/${kept?.Id}/json`);
    expect(HostConfig).toMatchObject({
      Memory: 64 << 20,
      MemorySwap: 128 << 20,
      CpuShares: 512,
      CpuPeriod: 100000,
      CpuQuota: 50000,
      CpusetCpus: "0",
      ShmSize: 1 << 20,
      NetworkMode: "none",
      ExtraHosts: ["extra.example:192.0.2.7"],
      Ulimits: [{ Name: "nofile", Soft: 123, Hard: 456 }],
    });
    await engine().must(204, "DELETE", `/containers/${kept?.Id}`);
  });

  test.each([
    ["ulimits=x", /^error reading ulimit settings: /],
    ["shmsize=x", /invalid syntax/],
    ["cachefrom=x", /invalid character 'x' looking for beginning of value/],
    ["version=3", /^invalid version/],
  ])("refuses %s", async (query, message) => {
    const answer = await engine().call("POST", `/build?${query}`, Buffer.alloc(1024));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.json<{ message: string }>().message).toMatch(message);
  });
});
