// Links of the default bridge: the other container's address in the hosts file and environment, while both run.
import { afterEach, beforeEach, expect, test } from "vitest";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

interface Looked {
  readonly Config: { Hostname: string };
  readonly HostConfig: { Links: string[] | null };
  readonly NetworkSettings: { IPAddress: string };
}

onEngines("links", (engine) => {
  let base = "";
  beforeEach(async () => {
    base = await engine().running(
      { Env: ["KIND=sql", "HOME=/srv"], ExposedPorts: { "5432/tcp": {}, "53/udp": {} } },
      "?name=base",
    );
  });
  afterEach(async () => {
    for (const { Id } of await engine().read<{ Id: string }[]>("/containers/json?all=1")) await engine().remove(Id);
  });

  const linked = (Links: string[], more: Json = {}): Json => ({ HostConfig: { Links, ...more } });
  const looked = (id: string) => engine().inspect<Looked>(id);

  async function seen(container: string, ...Cmd: string[]): Promise<string> {
    const exec = { Cmd, AttachStdout: true, Tty: true };
    const { Id } = (await engine().must(201, "POST", `/containers/${container}/exec`, exec)).json<{ Id: string }>();
    const answer = await engine().must(200, "POST", `/exec/${Id}/start`, { Tty: true });
    return answer.text.replaceAll("\r\n", "\n");
  }

  async function moved(): Promise<void> {
    await engine().must(204, "POST", "/containers/base/kill");
    await engine().wait("base");
    // Its address is released a moment after its end.
    await expect.poll(async () => (await looked("base")).NetworkSettings.IPAddress).toBe("");
    await engine().running({}, "?name=usurper");
    await engine().start("base");
  }

  test("names and variables lead to the other container", async () => {
    const id = await engine().running(linked(["base:the-base", "base"]), "?name=web");
    const { Config, NetworkSettings } = await looked(base);
    const address = NetworkSettings.IPAddress;
    const hosts = await seen(id, "cat", "/etc/hosts");
    // In either order, because the reference iterates over a map.
    expect(hosts).toContain(`\n${address}\tthe-base ${Config.Hostname} base\n`);
    expect(hosts).toContain(`\n${address}\tbase ${Config.Hostname}\n`);
    await engine().must(204, "POST", "/containers/web/rename?name=site");
    const first = await engine().create({ ...linked(["base:the-base", "base"]), Cmd: ["env"] }, "?name=web");
    await engine().start(first);
    await engine().wait(first);
    await engine().must(204, "POST", `/containers/${first}/rename?name=ended`);
    await engine().must(204, "POST", "/containers/site/rename?name=web");
    for (const environment of [(await engine().logs(first)).stdout, await seen(id, "env")]) {
      const entries = environment.split("\n").filter((entry) => entry.startsWith("THE_BASE_"));
      expect(entries).toEqual([
        `THE_BASE_PORT=udp://${address}:53`,
        `THE_BASE_PORT_53_UDP=udp://${address}:53`,
        `THE_BASE_PORT_53_UDP_ADDR=${address}`,
        "THE_BASE_PORT_53_UDP_PORT=53",
        "THE_BASE_PORT_53_UDP_PROTO=udp",
        `THE_BASE_PORT_5432_TCP=tcp://${address}:5432`,
        `THE_BASE_PORT_5432_TCP_ADDR=${address}`,
        "THE_BASE_PORT_5432_TCP_PORT=5432",
        "THE_BASE_PORT_5432_TCP_PROTO=tcp",
        "THE_BASE_NAME=/web/the-base",
        "THE_BASE_ENV_KIND=sql",
      ]);
      expect(environment).toContain("\nBASE_NAME=/web/base\n");
    }
  });

  test("three consecutive ports are shown as a range; the container's own variables take precedence", async () => {
    const ExposedPorts = { "81/tcp": {}, "80/tcp": {}, "82/tcp": {}, "90/tcp": {}, "91/tcp": {} };
    const ranged = await engine().running({ ExposedPorts }, "?name=ranged");
    const { IPAddress } = (await looked(ranged)).NetworkSettings;
    const Env = ["R_NAME=mine"];
    const { stdout } = await engine().run({ ...linked(["ranged:r"]), Env, Cmd: ["env"] });
    expect(stdout).toContain(
      [
        `R_PORT=tcp://${IPAddress}:80`,
        `R_PORT_80_TCP_START=tcp://${IPAddress}:80`,
        `R_PORT_80_TCP_ADDR=${IPAddress}`,
        "R_PORT_80_TCP_PROTO=tcp",
        "R_PORT_80_TCP_PORT_START=80",
        `R_PORT_80_TCP_END=tcp://${IPAddress}:82`,
        "R_PORT_80_TCP_PORT_END=82",
        `R_PORT_80_TCP=tcp://${IPAddress}:80`,
        "R_PORT_80_TCP_PORT=80",
        `R_PORT_81_TCP=tcp://${IPAddress}:81`,
      ].join("\n"),
    );
    expect(stdout).toContain("\nR_NAME=mine\n");
    expect(stdout).not.toContain("90_TCP_START");
  });

  test("a container that restarts with another address is found there by all on that network", async () => {
    const web = await engine().running(linked(["base:b"]), "?name=web");
    const beside = await engine().running({ HostConfig: { NetworkMode: "container:web" } });
    const before = (await looked(base)).NetworkSettings.IPAddress;
    await moved();
    const { Config, NetworkSettings } = await looked(base);
    expect(NetworkSettings.IPAddress).not.toBe(before);
    const line = `${NetworkSettings.IPAddress}\tb ${Config.Hostname} base\n`;
    for (const id of [web, beside]) {
      await expect.poll(() => seen(id, "cat", "/etc/hosts")).toContain(line);
      expect(await seen(id, "cat", "/etc/hosts")).not.toContain(`${before}\tb`);
    }
    expect(await seen(web, "env")).toContain(`B_PORT_5432_TCP_ADDR=${NetworkSettings.IPAddress}\n`);
  });

  test("the other container must be running, at start and for an exec", async () => {
    const web = await engine().running(linked(["base:b"]), "?name=web");
    const text = "Cannot link to a non running container: /base AS /web/b";
    await engine().must(204, "POST", "/containers/base/kill");
    await engine().wait("base");
    const exec = await engine().call("POST", "/containers/web/exec", { Cmd: ["true"] });
    expect([exec.status, messageOf(exec)]).toEqual([500, text]);
    await engine().must(204, "POST", "/containers/web/kill");
    await engine().wait("web");
    const start = await engine().call("POST", "/containers/web/start");
    expect([start.status, messageOf(start)]).toEqual([500, text]);
    expect(await engine().inspect(web)).toMatchObject({ State: { Status: "exited", ExitCode: 137, Error: text } });
  });

  test("its names are shown, follow a rename, and lead to it", async () => {
    const web = await engine().running(linked(["base:b", "base:c"]), "?name=web");
    const names = async () => {
      const list = await engine().read<{ Id: string; Names: string[] }[]>("/containers/json");
      return list.find(({ Id }) => Id === base)?.Names;
    };
    expect(await names()).toEqual(["/base", "/web/b", "/web/c"]);
    expect(await looked("web/b")).toMatchObject({ Id: base, Name: "/base" });
    await engine().must(204, "POST", "/containers/base/rename?name=data");
    await engine().must(204, "POST", "/containers/web/rename?name=site");
    expect(await names()).toEqual(["/data", "/site/b", "/site/c"]);
    expect((await looked(web)).HostConfig.Links?.toSorted()).toEqual(["/data:/site/b", "/data:/site/c"]);
    expect((await engine().call("GET", "/containers/web/b/json")).status).toBe(404);
    // create accepts a link in the form that inspect shows.
    const second = await engine().create(linked(["/data:/site/b"]), "?name=second");
    expect((await looked(second)).HostConfig.Links).toEqual(["/data:/second/b"]);
    await engine().remove(second);
    expect(await names()).toEqual(["/data", "/site/b", "/site/c"]);
  });

  test("a link is removed; a container's own name is not a link", async () => {
    const web = await engine().running(linked(["base:b", "base:c"]), "?name=web");
    await engine().must(204, "DELETE", "/containers/web/b?link=1");
    expect((await looked(web)).HostConfig.Links).toEqual(["/base:/web/c"]);
    const { IPAddress } = (await looked(base)).NetworkSettings;
    await expect.poll(() => seen(web, "cat", "/etc/hosts")).not.toContain(`${IPAddress}\tb`);
    expect(await seen(web, "cat", "/etc/hosts")).toContain(`${IPAddress}\tc`);
    expect((await engine().call("DELETE", "/containers/web/b?link=1")).status).toBe(404);
    const own = await engine().call("DELETE", "/containers/web?link=1");
    const text = "Conflict, cannot remove the default link name of the container";
    expect([own.status, messageOf(own)]).toEqual([engine().expected("link-status", 409, 500), text]);
    await engine().must(204, "DELETE", "/containers/web/c?link=1");
    expect((await looked(web)).HostConfig.Links).toBeNull();
  });

  test("the linked container is removed", async () => {
    const web = await engine().running(linked(["base:b"]), "?name=web");
    await engine().remove(base);
    expect((await looked(web)).HostConfig.Links).toEqual(["/base:/web/b"]);
    expect((await engine().call("GET", "/containers/web/b/json")).status).toBe(404);
    await engine().must(204, "POST", "/containers/web/kill");
    await engine().wait("web");
    await engine().running({}, "?name=base");
    const start = await engine().call("POST", "/containers/web/start");
    expect(messageOf(start)).toBe("Cannot link to a non running container: /base AS /web/b");
  });

  test("only the default bridge has them", async () => {
    await engine().running({ HostConfig: { NetworkMode: "none" } }, "?name=nowhere");
    const web = await engine().create({ ...linked(["nowhere:n"]), Cmd: ["true"] });
    const start = await engine().call("POST", `/containers/${web}/start`);
    const text = "Cannot link to /nowhere, as it does not belong to the default network";
    expect([start.status, messageOf(start)]).toEqual([500, text]);
    const Cmd = ["sh", "-c", "cat /etc/hosts; env"];
    const { stdout, code } = await engine().run({ ...linked(["base:b"], { NetworkMode: "none" }), Cmd });
    expect([code, stdout.includes("base"), stdout.includes("B_NAME")]).toEqual([0, false, false]);
    // A container on another one's network counts as that one.
    await engine().running({ HostConfig: { NetworkMode: "container:base" } }, "?name=beside");
    const through = await engine().create(linked(["beside:b"]), "?name=through");
    expect((await looked(through)).HostConfig.Links).toEqual(["/base:/through/b"]);
  });

  test("invalid links", async () => {
    await engine().running({ HostConfig: { NetworkMode: "host" } }, "?name=machine");
    const onHost =
      "conflicting options: host type networking can't be used with links. This would result in undefined behavior";
    const bad = engine().expected("link-status", 400, 500);
    for (const [Links, NetworkMode, status, text] of [
      [[""], "bridge", bad, "empty string specified for links"],
      [["a:b:c"], "bridge", bad, "bad format for links: a:b:c"],
      [["nobody:x"], "bridge", 400, "could not get container for nobody: No such container: nobody"],
      [[":x"], "bridge", 400, 'could not get container for : invalid name or ID supplied: ""'],
      [["base:x"], "host", 400, onHost],
      [["machine:x"], "bridge", 400, onHost],
    ] as const) {
      const body = { Image: "busybox", ...linked([...Links], { NetworkMode }) };
      const answer = await engine().call("POST", "/containers/create", body);
      expect([Links, answer.status, messageOf(answer)]).toEqual([Links, status, text]);
    }
    // A link without an alias is no link; a second link with the same alias is ignored.
    for (const [Links, shown] of [
      [["base:"], null],
      [["base:x", "base:x"], ["/base:/odd/x"]],
    ] as const) {
      const id = await engine().create(linked([...Links]), "?name=odd");
      expect((await looked(id)).HostConfig.Links).toEqual(shown);
      await engine().remove(id);
    }
  });
});
