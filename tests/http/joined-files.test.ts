// `hosts`, `hostname` and `resolv.conf` of a container on another container's network: it shares the other container's
// files.
import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

const FILES = ["hostname", "hosts", "resolv.conf"];

onEngines("files of a joined network", (engine, kind) => {
  test("all containers see each other's changes, and a start keeps them", async () => {
    const first = await engine().running({}, "?name=first");
    const second = await engine().create(joining("first"));
    expect(await pathsOf(second)).toEqual(["", "", ""]);
    const paths = await pathsOf(first);
    expect(new Set(paths).size).toBe(3);
    // Programs that run pods do this on the machine, before the other containers start. A simulated machine has no such
    // files.
    if (kind === "simulated") await write(first, "resolv.conf", "# before");
    else appendFileSync(paths[2]!, "# before\n");
    await engine().start(second);
    // On the network of a container that is itself on another one's.
    const third = await engine().running(joining(second));
    for (const id of [second, third]) expect(await pathsOf(id)).toEqual(paths);
    for (const file of FILES) await write(third, file, `# to ${file}`);
    for (const id of [first, second, third]) {
      expect(await show(id, "resolv.conf")).toMatch(/# before\n# to resolv\.conf\n$/);
      for (const file of FILES) expect(await show(id, file)).toContain(`# to ${file}\n`);
    }
    for (const id of [third, second, first]) await engine().remove(id);
  });

  test("they stay the same files when their owner restarts, and outlive it", async () => {
    const first = await engine().running({ Hostname: "one" }, "?name=first");
    const second = await engine().running(joining("first"));
    const paths = await pathsOf(first);
    await write(second, "resolv.conf", "# of the last run");
    await engine().must(204, "POST", `/containers/${first}/restart?t=0`);
    expect(await pathsOf(first)).toEqual(paths);
    // Each run of the owner writes the files again.
    expect(await show(second, "resolv.conf")).not.toContain("# of the last run");
    await write(first, "hosts", "192.0.2.9 again");
    expect(await show(second, "hosts")).toContain("192.0.2.9 again\n");
    await engine().must(204, "POST", `/containers/${first}/kill`);
    await engine().wait(first);
    const third = await engine().running(joining(second));
    expect(await show(third, "hosts")).toContain("192.0.2.9 again\n");
    await engine().remove(first);
    await write(third, "hosts", "192.0.2.10 after it");
    expect(await show(second, "hosts")).toContain("192.0.2.10 after it\n");
    // The remaining network can still be joined, but the paths of its files no longer exist.
    const fourth = await engine().running(joining(second));
    for (const id of [second, third, fourth]) expect(await pathsOf(id)).toEqual(paths);
    expect(await show(fourth, "hosts")).not.toContain("192.0.2.9");
    for (const id of [second, third, fourth]) await engine().remove(id);
  });

  test("a refused start makes no files", async () => {
    const first = await engine().create({}, "?name=first");
    const second = await engine().create(joining("first"));
    await engine().must(409, "POST", `/containers/${second}/start`);
    expect(await pathsOf(second)).toEqual(["", "", ""]);
    for (const id of [second, first]) await engine().remove(id);
  });

  function joining(other: string): Json {
    return { Cmd: ["sleep", "1000"], StopSignal: "SIGKILL", HostConfig: { NetworkMode: `container:${other}` } };
  }

  /** As in inspect, in the order of `FILES`. */
  async function pathsOf(id: string): Promise<string[]> {
    const found = await engine().inspect<Record<string, string>>(id);
    return ["HostnamePath", "HostsPath", "ResolvConfPath"].map((field) => found[field]!);
  }

  async function write(id: string, file: string, text: string): Promise<void> {
    await output(id, ["sh", "-c", `echo '${text}' >> /etc/${file}`]);
  }

  function show(id: string, file: string): Promise<string> {
    return output(id, ["cat", `/etc/${file}`]);
  }

  async function output(container: string, Cmd: readonly string[]): Promise<string> {
    const exec = { Cmd, AttachStdout: true, Tty: true };
    const { Id } = (await engine().must(201, "POST", `/containers/${container}/exec`, exec)).json<{ Id: string }>();
    const answer = await engine().must(200, "POST", `/exec/${Id}/start`, { Tty: true });
    return answer.text.replaceAll("\r", "");
  }
});
