// The options of a build that apply to the containers of its steps.
import { expect, test } from "vitest";
import { buildOn } from "./building.js";
import { tarOf } from "../../support/archives/images.js";
import type { Json } from "../../support/engine-client.js";
import { describeUnless, onEngines } from "../../support/on-engines.js";
import { dockerRegistryMissing, startDockerRegistry } from "../../support/registry/docker-registry.js";
import { packImage, pushImage } from "../../support/registry/push-image.js";

onEngines("limits of builds", (engine) => {
  test("each step's container has them", async () => {
    const query = new URLSearchParams({
      memory: String(64 << 20),
      memswap: String(128 << 20),
      cpushares: "512",
      cpuperiod: "100000",
      cpuquota: "50000",
      cpusetcpus: "0",
      cpusetmems: "0",
      cgroupparent: "/coracle-build",
      isolation: "default",
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
      CpusetMems: "0",
      CgroupParent: "/coracle-build",
      Isolation: "default",
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
    ["securityopt=x", /^The daemon on this platform does not support setting security options on build$/],
    ["isolation=x", /^[Uu]nsupported isolation: "x"$/],
    ["t=Bad", /^invalid reference format: repository name( \(Bad\))? must be lowercase$/],
  ])("refuses %s", async (query, message) => {
    const answer = await engine().call("POST", `/build?${query}`, Buffer.alloc(1024));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.json<{ message: string }>().message).toMatch(message);
  });

  test("rm=0 keeps the container of each step, and forcerm=1 none", async () => {
    const kept = async (query: string, expected: readonly string[]): Promise<void> => {
      await buildOn(engine(), `FROM busybox\nRUN echo ${query}\nRUN exit 3\n`, [], query);
      const listed = (): Promise<{ Id: string; Command: string }[]> => engine().read("/containers/json?all=1");
      await expect.poll(async () => (await listed()).map(({ Command }) => Command)).toEqual(expected);
      for (const { Id } of await listed()) await engine().remove(Id);
    };
    await kept("rm=0", ["/bin/sh -c 'exit 3'", "/bin/sh -c 'echo rm=0'"]);
    await kept("rm=1", ["/bin/sh -c 'exit 3'"]);
    await kept("rm=0&forcerm=1", []);
  });

  describeUnless(dockerRegistryMissing(), "with a registry", () => {
    test("pull=1 asks the registry for a tag that has moved; without it the image here is used", async () => {
      const registry = await startDockerRegistry(engine().daemon.netns);
      try {
        const put = async (said: string): Promise<void> => {
          const layers = [await tarOf([{ name: said }])];
          const image = packImage({ reference: null, config: { Labels: { said } }, layers });
          await pushImage(registry, "moving", ["1"], image);
        };
        const labels = async (query: string): Promise<unknown> => {
          const { id } = await buildOn(engine(), `FROM ${registry.host}/moving:1\nENV MOVED=1\n`, [], query);
          return (await engine().read<{ Config: Json }>(`/images/${id}/json`)).Config["Labels"];
        };
        await put("old");
        expect(await labels("")).toEqual({ said: "old" });
        await put("new");
        expect(await labels("pull=0")).toEqual({ said: "old" });
        expect(await labels("pull=1")).toEqual({ said: "new" });
      } finally {
        await registry.close();
      }
    });
  });
});
