// dockerode, unchanged: containers beyond running them, images, and events.
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import Docker from "dockerode";
import { extract } from "tar-stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/commands.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../support/registry/docker-registry.js";
import { busyboxLayer, dockerArchive, tarOf } from "../support/archives/images.js";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { stamp } from "../support/past-events.js";
import { packImage, pushImage } from "../support/registry/push-image.js";

const registryMissing = dockerRegistryMissing();

onEngines("all of dockerode", (engine) => {
  test("rename, pause, restart, update, kill, wait", async () => {
    const container = await running("lives");
    const state = async () => (await container.inspect()).State.Status;
    await container.rename({ name: "renamed" });
    await container.pause();
    expect(await state()).toBe("paused");
    await container.unpause();
    await container.restart({ t: 0 });
    expect(await state()).toBe("running");
    await container.update({ Memory: 64 << 20, MemorySwap: 128 << 20, RestartPolicy: { Name: "no" } });
    const { Name, HostConfig } = await container.inspect();
    expect([Name, HostConfig.Memory]).toEqual(["/renamed", 64 << 20]);
    const ended = container.wait({ condition: "not-running" });
    await container.kill({ signal: "SIGKILL" });
    expect(await ended).toMatchObject({ StatusCode: 137 });
    await expect(container.kill()).rejects.toMatchObject({ statusCode: 409 });
    await expect(container.stop()).rejects.toMatchObject({ statusCode: 304 });
    expect((await docker().pruneContainers()).ContainersDeleted).toContain(container.id);
  });

  test("top, changes, sizes, export", async () => {
    const container = await running("looked-at", ["sh", "-c", "touch /new; exec sleep 1000"]);
    await until("its command", async () => (await commandOf(container)) === "sleep 1000");
    expect((await container.top({ ps_args: "-o pid,args" })).Titles).toEqual(["PID", "COMMAND"]);
    expect(await container.changes()).toEqual([{ Path: "/new", Kind: 1 }]);
    const sized = (await container.inspect({ size: true } as object)) as { SizeRootFs?: number };
    expect(sized.SizeRootFs).toBeGreaterThan(0);
    expect(Object.keys(await contents(await container.export()))).toContain("new");
    await container.remove({ force: true });
  });

  test("stats, as a stream and once", async () => {
    const container = await running("measured");
    const stream = await container.stats({ stream: true });
    let heard = "";
    stream.on("data", (bytes: Buffer) => (heard += bytes.toString()));
    await until("two readings", () => heard.split("\n").length > 2);
    (stream as Readable).destroy();
    const [first, second] = heard
      .split("\n")
      .map((line) => (line === "" ? null : (JSON.parse(line) as Docker.ContainerStats)));
    expect(second?.preread).toBe(first?.read);
    const once = await container.stats({ stream: false, "one-shot": true });
    expect([once.pids_stats?.current, Object.keys(once.networks)]).toEqual([1, ["eth0"]]);
    await container.remove({ force: true });
  });

  test("files in and out", async () => {
    const container = await running("holds");
    const archive = await tarOf([{ name: "note", body: "by dockerode\n", uid: 7, gid: 8, mode: 0o640 }]);
    await container.putArchive(archive, { path: "/tmp" });
    await container.putArchive(Readable.from(await tarOf([{ name: "big", body: "x".repeat(300_000) }])), {
      path: "/tmp",
    });
    const found = await contents(await container.getArchive({ path: "/tmp" }));
    expect([found["tmp/note"]?.toString(), found["tmp/big"]?.length]).toEqual(["by dockerode\n", 300_000]);
    const { headers } = (await container.infoArchive({ path: "/tmp/note" })) as { headers: Record<string, string> };
    const stat = JSON.parse(Buffer.from(headers["x-docker-container-path-stat"] ?? "", "base64").toString()) as unknown;
    expect(stat).toMatchObject({ name: "note", size: 13, mode: 0o640 });
    await expect(container.getArchive({ path: "/nothing" })).rejects.toMatchObject({ statusCode: 404 });
    await container.remove({ force: true });
  });

  test("terminals: attached and resized, of a container and of an exec", async () => {
    const options = { Tty: true, OpenStdin: true, AttachStdin: true, AttachStdout: true, AttachStderr: true };
    const container = await docker().createContainer({ Image: "busybox", Cmd: ["sh"], ...options });
    const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true });
    await container.start();
    await container.resize({ h: 31, w: 97 });
    const exec = await container.exec({ Cmd: ["sh"], Tty: true, AttachStdin: true, AttachStdout: true });
    const other = await exec.start({ hijack: true, stdin: true, Tty: true });
    await exec.resize({ h: 29, w: 89 });
    other.write("stty size; exit 3\n");
    expect(await text(other)).toContain("29 89\r\n");
    expect(await exec.inspect()).toMatchObject({ Running: false, ExitCode: 3 });
    stream.write("stty size; exit 4\n");
    expect(await text(stream)).toContain("31 97\r\n");
    expect(await container.wait()).toMatchObject({ StatusCode: 4 });
    await container.remove();
  });

  test("a terminal's detach keys leave it running", async () => {
    const options = { Tty: true, OpenStdin: true };
    const container = await docker().createContainer({ Image: "busybox", Cmd: ["sh"], ...options });
    const keys = { stream: true, hijack: true, stdin: true, stdout: true, detachKeys: "ctrl-x,q" };
    const stream = await container.attach(keys);
    await container.start();
    stream.write("\x18q");
    await text(stream);
    expect((await container.inspect()).State.Running).toBe(true);
    await container.remove({ force: true });
  });

  test("logs: which streams, from when, how many; followed until cancelled", async () => {
    const script = "seq 3; sleep 0.5; echo err >&2; exec sleep 1000";
    const container = await running("talks", ["sh", "-c", script]);
    const follower = new AbortController();
    const stream = await container.logs({ stdout: true, stderr: true, follow: true, abortSignal: follower.signal });
    let heard = "";
    stream.on("data", (bytes: Buffer) => (heard += bytes.toString()));
    await until("its last line", () => heard.includes("err"));
    const ended = new Promise((resolve) => stream.once("close", resolve));
    stream.on("error", () => {});
    follower.abort();
    await ended;
    const read = async (options: object) => linesOf((await container.logs({ ...options })) as Buffer);
    expect(await read({ stdout: true })).toEqual(["1", "2", "3"]);
    expect(await read({ stderr: true })).toEqual(["err"]);
    expect(await read({ stdout: true, stderr: true, tail: 2 })).toEqual(["3", "err"]);
    expect(await read({ stdout: true, since: Number(await stamp(engine())) })).toEqual([]);
    expect((await read({ stderr: true, timestamps: true }))[0]).toMatch(/^\d{4}-\d\d-\d\dT.*Z err$/);
    await container.remove({ force: true });
  });

  test("lists with filters, and the events of the past", async () => {
    const since = await stamp(engine());
    const container = await running("listed", ["sleep", "1000"], { of: "dockerode" });
    const list = async (filters: Record<string, string[]>) => {
      return (await docker().listContainers({ all: true, filters })).map(({ Names }) => Names[0]);
    };
    expect(await list({ label: ["of=dockerode"], status: ["running"] })).toEqual(["/listed"]);
    expect(await list({ name: ["^/listed$"], status: ["exited"] })).toEqual([]);
    expect(await docker().listContainers({ limit: 1, filters: { id: [container.id] } })).toHaveLength(1);
    await container.remove({ force: true });
    const filters = { container: [container.id], event: ["create", "start", "destroy"] };
    const events = await docker().getEvents({ since, until: await stamp(engine()), filters } as object);
    const actions = (await text(events))
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { Action: string }).Action);
    expect(actions).toEqual(["create", "start", "destroy"]);
  });

  test("ping, version, info, df, networks, volumes", async () => {
    expect(String(await docker().ping())).toBe("OK");
    expect((await docker().version()).ApiVersion).toBe(engine().engine.maxVersion);
    expect(await docker().info()).toMatchObject({ OSType: "linux" });
    expect((await docker().df()) as object).toMatchObject({ Containers: [] });
    expect((await docker().listNetworks()).map(({ Name }) => Name).sort()).toEqual(["bridge", "host", "none"]);
    expect(await docker().getNetwork("bridge").inspect()).toMatchObject({ Driver: "bridge" });
    const container = await running("with-volume", ["sleep", "1000"], {}, { Binds: ["ode-data:/data"] });
    expect(await docker().getVolume("ode-data").inspect()).toMatchObject({ Driver: "local" });
    expect((await docker().listVolumes()).Volumes.map(({ Name }) => Name)).toContain("ode-data");
    await container.remove({ force: true });
  });

  test("networks: create, connect, list, disconnect, prune", async () => {
    const Config = [{ Subnet: "10.207.0.0/16", IPRange: "10.207.5.0/24", Gateway: "10.207.5.254" }];
    const Labels = { of: "ode" };
    const IPAM = { Driver: "default", Config };
    const network = await docker().createNetwork({ Name: "ode-net", Internal: true, IPAM, Labels });
    expect(await network.inspect()).toMatchObject({ Name: "ode-net", Internal: true, Labels, IPAM: { Config } });
    const container = await running("ode-joined");
    const EndpointConfig = { IPAMConfig: { IPv4Address: "10.207.5.9" }, Aliases: ["other"] };
    await network.connect({ Container: container.id, EndpointConfig });
    const { Networks } = (await container.inspect()).NetworkSettings;
    expect([Networks["ode-net"]?.IPAddress, Networks["ode-net"]?.Aliases]).toEqual([
      "10.207.5.9",
      expect.arrayContaining(["other"]),
    ]);
    expect(((await network.inspect()) as { Containers: object }).Containers).toMatchObject({
      [container.id]: { Name: "ode-joined", IPv4Address: "10.207.5.9/16" },
    });
    const found = await docker().listNetworks({ filters: { label: ["of=ode"] } });
    expect(found.map(({ Name }) => Name)).toEqual(["ode-net"]);
    await expect(network.remove()).rejects.toMatchObject({ statusCode: 403 });
    await network.disconnect({ Container: container.id });
    expect(Object.keys((await container.inspect()).NetworkSettings.Networks)).toEqual(["bridge"]);
    const pruned = await docker().pruneNetworks({ filters: { label: ["of=ode"] } } as object);
    expect(pruned.NetworksDeleted).toEqual(["ode-net"]);
    await expect(network.inspect()).rejects.toMatchObject({ statusCode: 404 });
    await container.remove({ force: true });
  });

  test("volumes: create with options, list, remove, prune", async () => {
    const Options = { type: "tmpfs", device: "tmpfs", o: "size=1m" };
    const wish = { Name: "ode-kept", Driver: "local", DriverOpts: Options, Labels: { of: "ode" } };
    // dockerode returns the volume itself, and its types say what the engine answers.
    const volume = (await docker().createVolume(wish)) as unknown as Docker.Volume;
    expect(volume.name).toBe("ode-kept");
    expect(await volume.inspect()).toMatchObject({ Options, Labels: { of: "ode" }, Scope: "local" });
    const container = await running("ode-user", ["sleep", "1000"], {}, { Binds: ["ode-kept:/x"] });
    const list = async (filters: object) => {
      return (await docker().listVolumes({ filters } as object)).Volumes.map(({ Name }) => Name);
    };
    expect(await list({ label: ["of=ode"], driver: ["local"] })).toEqual(["ode-kept"]);
    expect(await list({ label: ["of=ode"], dangling: ["true"] })).toEqual([]);
    await expect(volume.remove()).rejects.toMatchObject({ statusCode: 409 });
    await container.remove({ force: true });
    await volume.remove();
    await expect(volume.inspect()).rejects.toMatchObject({ statusCode: 404 });
    // One without a name is pruned in every version.
    const { name } = (await docker().createVolume({ Labels: { of: "ode" } })) as unknown as Docker.Volume;
    const pruned = await docker().pruneVolumes({ filters: { label: ["of=ode"] } } as object);
    expect(pruned.VolumesDeleted).toEqual([name]);
  });

  test("commit, tag, load, list, remove", async () => {
    const container = await running("changed", ["sh", "-c", "echo kept > /kept"]);
    await container.wait();
    const made = (await container.commit({ repo: "ode/made", tag: "1", comment: "why", changes: "CMD cat /kept" })) as {
      Id: string;
    };
    const image = docker().getImage("ode/made:1");
    expect(await image.inspect()).toMatchObject({ Id: made.Id, Comment: "why", RepoTags: ["ode/made:1"] });
    await image.tag({ repo: "ode/made", tag: "2" });
    const tags = (await docker().listImages({ filters: { reference: ["ode/made"] } })).map(({ RepoTags }) => RepoTags);
    expect(tags.map((some) => some?.toSorted())).toEqual([["ode/made:1", "ode/made:2"]]);
    await container.remove();
    await docker().getImage("ode/made:2").remove();
    await image.remove();
    const loaded = { reference: "ode/loaded:1", config: {}, layers: [await busyboxLayer()] };
    expect(await text(await docker().loadImage(Readable.from(await dockerArchive([loaded]))))).toContain(
      "ode/loaded:1",
    );
    await docker().getImage("ode/loaded:1").remove();
  });

  describeUnless(registryMissing, "with registries", () => {
    const login = { username: "rodent", password: "s3cret" };
    let open: DockerRegistry;
    let closed: DockerRegistry;
    beforeAll(async () => {
      const { netns } = engine().daemon;
      [open, closed] = await Promise.all([startDockerRegistry(netns, 5009), startDockerRegistry(netns, 5010, login)]);
      const image = packImage({ reference: null, config: { Cmd: ["true"] }, layers: [await busyboxLayer()] });
      await Promise.all([pushImage(open, "ode", ["1"], image), pushImage(closed, "ode", ["1"], image)]);
    });
    afterAll(async () => {
      await Promise.all([open?.close(), closed?.close()]);
    });

    test("pull, its progress followed", async () => {
      const name = `${open.host}/ode:1`;
      expect((await pulled(name)).at(-1)).toBe(`Status: Downloaded newer image for ${name}`);
      expect((await pulled(name)).at(-1)).toBe(`Status: Image is up to date for ${name}`);
      await docker().getImage(name).remove();
    });

    test("pull with credentials", async () => {
      const name = `${closed.host}/ode:1`;
      await expect(pulled(name)).rejects.toThrow("no basic auth credentials");
      const authconfig = { ...login, serveraddress: closed.host };
      expect(await docker().checkAuth(authconfig)).toMatchObject({ Status: "Login Succeeded" });
      expect((await pulled(name, { authconfig })).at(-1)).toContain("Downloaded newer image");
      await docker().getImage(name).remove();
    });
  });

  async function pulled(name: string, options: object = {}): Promise<(string | undefined)[]> {
    const stream = (await docker().pull(name, options)) as NodeJS.ReadableStream;
    const steps = await new Promise<{ status?: string }[]>((resolve, reject) => {
      docker().modem.followProgress(stream, (error, all) => (error === null ? resolve(all) : reject(error)));
    });
    return steps.map(({ status }) => status);
  }

  async function running(
    name: string,
    command: string[] = ["sleep", "1000"],
    labels: Record<string, string> = {},
    machinery: Docker.HostConfig = {},
  ): Promise<Docker.Container> {
    const options = { name, Image: "busybox", Cmd: command, Labels: labels, HostConfig: machinery };
    const container = await docker().createContainer(options);
    await container.start();
    return container;
  }

  function docker(): Docker {
    return new Docker({ socketPath: engine().socketPath });
  }
});

async function commandOf(container: Docker.Container): Promise<string | undefined> {
  return ((await container.top()).Processes as string[][])[0]?.at(-1);
}

/** File contents by name. */
async function contents(archive: NodeJS.ReadableStream): Promise<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {};
  for await (const entry of archive.pipe(extract())) found[entry.header.name] = await buffer(entry);
  return found;
}

/** The lines of a framed log, one per frame. */
function linesOf(log: Buffer): string[] {
  return log
    .toString("latin1")
    .split("\n")
    .slice(0, -1)
    .map((line) => line.slice(8));
}
