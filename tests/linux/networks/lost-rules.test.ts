// Somebody removes the engine's firewall rules while no engine runs. As soon as the next engine answers, all networks with
// running containers are behind their rules again.
import { expect, test } from "vitest";
import { must, run } from "../../support/commands.js";
import { missingLinux } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { NetworkDaemon, on } from "./network-daemon.js";

const NETWORKS = Array.from({ length: 30 }, (_, at) => `lost-${at}`);

describeUnless(missingLinux(), "rules that somebody has removed while no engine ran", () => {
  const networks = new NetworkDaemon();

  test("are back for all networks before the engine answers", async () => {
    const { engine, daemon } = networks;
    for (const [at, name] of NETWORKS.entries()) await networks.make(name, `172.30.${at}`);
    await networks.serve(NETWORKS.at(-1)!, "mkdir /w; echo hello > /w/index.html; exec httpd -f -p 80 -h /w", "18720");
    const other = await engine.create({ ...on(NETWORKS[0]!), Cmd: ["sleep", "1000"] });
    await engine.start(other);
    const { Pid } = (await engine.inspect<{ State: { Pid: number } }>(other)).State;
    const rules = async (): Promise<string[]> => {
      const told = await must(daemon.netns.inside(["nft", "list", "ruleset"]));
      return told
        .split("\n")
        .filter((line) => !line.includes("elements ="))
        .sort();
    };
    const before = await rules();
    await daemon.end("SIGKILL");
    await must(daemon.netns.inside(["nft", "flush", "ruleset"]));
    expect(await pings(Pid, "172.30.29.2")).toBe(true);
    await daemon.start();
    expect(await rules()).toEqual(before);
    expect(await pings(Pid, "172.30.29.2")).toBe(false);
    expect(await networks.answer(daemon.netns.address, "18720")).toBe("hello\n");
  });

  /** `pid`: a process in the container. */
  async function pings(pid: number, address: string): Promise<boolean> {
    const inside = ["nsenter", "-t", String(pid), "--net", "--"];
    return (await run([...inside, "busybox", "ping", "-c", "1", "-W", "1", address])).code === 0;
  }
});
