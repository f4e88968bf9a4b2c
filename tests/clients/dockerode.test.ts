// dockerode, unchanged: the library behind most Node programs that start containers.
import { PassThrough, Readable } from "node:stream";
import Docker from "dockerode";
import { expect, test } from "vitest";
import { rawTar } from "../support/archives/tar.js";
import { forgetsBuilds } from "../support/buildkit/past-builds.js";
import type { Json } from "../support/engine-client.js";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { dockerRegistryMissing, startDockerRegistry } from "../support/registry/docker-registry.js";
import { startIndex } from "../support/registry/index-server.js";

/** Decodes what BuildKit tells. Its types lack it. */
interface Followed {
  followProgress(stream: NodeJS.ReadableStream, ended: (error: Error | null, all: Json[]) => void): void;
}

onEngines("dockerode", (engine, kind) => {
  forgetsBuilds(engine, kind);

  test("run with a stream", async () => {
    const output = new PassThrough();
    const [result, container] = (await docker().run("busybox", ["sh", "-c", "echo streamed; exit 2"], output, {
      Tty: true,
    })) as [{ StatusCode: number }, Docker.Container];
    expect(result.StatusCode).toBe(2);
    // The client learns of the end on a separate connection, so its output may still be unread.
    let said = "";
    await expect.poll(() => (said += textOf(output))).toBe("streamed\r\n");
    await container.remove();
  });

  test("run with two streams", async () => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const command = ["sh", "-c", "echo out; echo err >&2"];
    const [result, container] = (await docker().run("busybox", command, [out, err], { Tty: false })) as [
      { StatusCode: number },
      Docker.Container,
    ];
    expect(result.StatusCode).toBe(0);
    const said = ["", ""];
    await expect.poll(() => [(said[0] += textOf(out)), (said[1] += textOf(err))]).toEqual(["out\n", "err\n"]);
    await container.remove();
  });

  test("attach by POST with a JSON body and without Upgrade: stdin over a kept-alive socket", async () => {
    await stdinThrough({});
  });

  test("attach hijacked", async () => {
    await stdinThrough({ hijack: true });
  });

  test("create, inspect, logs, list, remove", async () => {
    const container = await docker().createContainer({ Image: "busybox", Cmd: ["echo", "kept"], name: "ode" });
    await container.start();
    expect(await container.wait()).toMatchObject({ StatusCode: 0 });
    const logs = (await container.logs({ stdout: true, stderr: true })) as Buffer;
    expect(logs.subarray(8).toString()).toBe("kept\n");
    expect((await container.inspect()).State.ExitCode).toBe(0);
    const list = await docker().listContainers({ all: true, filters: { name: ["ode"] } });
    expect(list.map((item) => item.Names)).toEqual([["/ode"]]);
    await container.remove();
    await expect(container.inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  test("build", async () => {
    const context = Readable.from([rawTar([{ name: "Dockerfile", body: "FROM busybox\nRUN echo built > /b\n" }])]);
    const stream = await docker().buildImage(context, { t: "ode:1" });
    const lines = await progressOf(stream);
    expect(lines.at(-1)).toEqual({ stream: "Successfully tagged ode:1\n" });
    await docker().getImage("ode:1").remove();
  });

  test("build by BuildKit, with a session", async () => {
    const file = "FROM busybox\nRUN --mount=type=cache,target=/c echo built | tee /b\n";
    const context = Readable.from([rawTar([{ name: "Dockerfile", body: file }])]);
    const stream = await docker().buildImage(context, { t: "ode:2", version: "2" });
    const client = docker() as unknown as Followed;
    const lines = await new Promise<Json[]>((resolve, reject) =>
      client.followProgress(stream, (error, all) => (error ? reject(error) : resolve(all))),
    );
    const { Id } = await docker().getImage("ode:2").inspect();
    const said = lines.map(({ stream: text }) => text).join("");
    expect(said).toContain(" RUN --mount=type=cache,target=/c echo built | tee /b\n");
    expect(said).toContain(Id);
    await docker().getImage("ode:2").remove();
    await engine().must(200, "POST", "/build/prune?all=1");
  });

  test("import, and the image's history", async () => {
    const body = Readable.from([rawTar([{ name: "told", body: "told\n" }])]);
    const stream = (await docker().importImage(body, {
      ...{ fromSrc: "-", repo: "ode", tag: "imported", message: "by dockerode" },
    })) as NodeJS.ReadableStream;
    await progressOf(stream);
    const [step] = (await docker().getImage("ode:imported").history()) as { Comment: string; Tags: string[] }[];
    expect(step).toMatchObject({ Comment: "by dockerode", Tags: ["ode:imported"] });
    await docker().getImage("ode:imported").remove();
  });

  test("search", async () => {
    const found = { name: "ode/found", description: "A thing", star_count: 2, is_official: false, is_automated: false };
    const index = await startIndex(engine().daemon.netns, [found]);
    try {
      expect(await docker().searchImages({ term: `${index.host}/found` })).toMatchObject([found]);
    } finally {
      await index.close();
    }
  });

  describeUnless(dockerRegistryMissing(), "with a registry", () => {
    test("push", async () => {
      const registry = await startDockerRegistry(engine().daemon.netns, 5009);
      const repo = `${registry.host}/ode/pushed`;
      try {
        await docker().getImage("busybox").tag({ repo, tag: "1" });
        const image = docker().getImage(`${repo}:1`);
        const lines = await progressOf(await image.push({ tag: "1" }));
        expect(lines.at(-1)).toMatchObject({ aux: { Tag: "1" } });
        const { Digest } = lines.at(-1)!["aux"] as { Digest: string };
        expect((await image.inspect()).RepoDigests).toContain(`${repo}@${Digest}`);
        expect(await image.distribution()).toMatchObject({ Descriptor: { digest: Digest } });
        await image.remove();
      } finally {
        await registry.close();
      }
    });
  });

  test("logs followed, events", async () => {
    const events = await docker().getEvents({ filters: { type: ["container"] } });
    let heard = "";
    events.on("data", (bytes: Buffer) => (heard += bytes.toString()));
    const command = ["sh", "-c", "echo a; sleep 0.3; echo b"];
    const container = await docker().createContainer({ Image: "busybox", Cmd: command });
    await container.start();
    const stream = await container.logs({ follow: true, stdout: true });
    const out = new PassThrough();
    docker().modem.demuxStream(stream, out, out);
    await new Promise((resolve) => stream.on("end", resolve));
    expect(textOf(out)).toBe("a\nb\n");
    await container.remove();
    await expect.poll(() => heard).toContain('"Action":"destroy"');
    for (const action of ["create", "start", "die"]) expect(heard).toContain(`"Action":"${action}"`);
    (events as unknown as { destroy(): void }).destroy();
  });

  test("exec: started, inspected, its stdin", async () => {
    const container = await docker().createContainer({ Image: "busybox", Cmd: ["sleep", "1000"] });
    await container.start();
    const exec = await container.exec({
      ...{ Cmd: ["sh", "-c", "read line; echo got $line; exit 3"], AttachStdin: true },
      ...{ AttachStdout: true, AttachStderr: true },
    });
    const stream = await exec.start({ hijack: true, stdin: true });
    const out = new PassThrough();
    docker().modem.demuxStream(stream, out, out);
    const ended = new Promise((resolve) => stream.on("end", resolve));
    stream.write("by dockerode\n");
    await ended;
    expect(textOf(out)).toBe("got by dockerode\n");
    expect(await exec.inspect()).toMatchObject({ Running: false, ExitCode: 3 });
    const plain = await container.exec({ Cmd: ["echo", "plain"], AttachStdout: true });
    const answer = await plain.start({});
    const text = new PassThrough();
    docker().modem.demuxStream(answer, text, text);
    await new Promise((resolve) => answer.on("end", resolve));
    expect(textOf(text)).toBe("plain\n");
    await container.remove({ force: true });
  });

  async function stdinThrough(options: { hijack?: boolean }): Promise<void> {
    const container = await docker().createContainer({
      Image: "busybox",
      Cmd: ["sh", "-c", "read line; echo got $line"],
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      AttachStdout: true,
    });
    const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, ...options });
    const out = new PassThrough();
    docker().modem.demuxStream(stream, out, out);
    await container.start();
    stream.write("by dockerode\n");
    await container.wait();
    let said = "";
    await expect.poll(() => (said += textOf(out))).toBe("got by dockerode\n");
    stream.end();
    await container.remove({ force: true });
  }

  function progressOf(stream: NodeJS.ReadableStream): Promise<Json[]> {
    return new Promise((resolve, reject) =>
      docker().modem.followProgress(stream, (error: Error | null, all: Json[]) =>
        error ? reject(error) : resolve(all),
      ),
    );
  }

  function docker(): Docker {
    return new Docker({ socketPath: engine().socketPath });
  }
});

function textOf(stream: PassThrough): string {
  return ((stream.read() as Buffer | null) ?? Buffer.alloc(0)).toString();
}
