// Runs a session on the simulated host that calls everything that the core imports, and records its trace.

import { coreIdentity, decodeTrace, openEngine, Recorder, Ring, simulatedHost } from "coracle-engine";
import type { Engine, Trace } from "coracle-engine";

/** Small, so that the trace has many segments. A segment that continues another begins with a snapshot. */
const INPUTS_OF_A_SEGMENT = 60;

/** Runs the session. Resolves to its recording. */
export async function recordedStory(): Promise<Trace> {
  const ring = new Ring();
  const observer = new Recorder({ core: coreIdentity(), sink: ring, inputs: INPUTS_OF_A_SEGMENT, segments: 1000 });
  const engine = await openEngine({ host: simulatedHost({ pace: "fast" }), observer });
  try {
    const client = new Client(engine);
    await images(client);
    await life(client);
    await execs(client);
    await crash(client);
    await ends(client);
    return decodeTrace(ring.text());
  } finally {
    await engine.close();
  }
}

/** Sends requests and expects a status. */
class Client {
  constructor(readonly engine: Engine) {}

  async ask(status: number, request: string, body?: unknown): Promise<string> {
    const [method = "", path = ""] = request.split(" ");
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await this.engine.fetch(path, init);
    const text = await response.text();
    if (response.status !== status) throw new Error(`${request}: ${response.status} ${text}`);
    return text;
  }

  async create(name: string, Cmd: string[], more: object = {}): Promise<void> {
    await this.ask(201, `POST /containers/create?name=${name}`, { Image: "busybox", Cmd, ...more });
  }

  async start(name: string): Promise<void> {
    await this.ask(204, `POST /containers/${name}/start`);
  }
}

async function images(client: Client): Promise<void> {
  await client.ask(404, "GET /containers/nobody/json");
  await client.ask(200, "POST /images/create?fromImage=alpine&tag=latest");
  await client.ask(200, "GET /images/json?all=1");
  await client.ask(201, "POST /images/alpine/tag?repo=mine&tag=own");
  await client.ask(200, "GET /images/mine:own/get");
  await client.ask(500, "POST /images/create?fromImage=registry.example%2Fteam%2Fnone&tag=1");
  await client.ask(200, "POST /auth", { username: "learner", password: "coracle", serveraddress: "registry.example" });
}

async function life(client: Client): Promise<void> {
  const HostConfig = {
    Binds: ["data:/data"],
    PortBindings: { "80/tcp": [{ HostPort: "8080" }] },
    RestartPolicy: { Name: "on-failure", MaximumRetryCount: 2 },
    Memory: 64 << 20,
  };
  const Healthcheck = { Test: ["CMD", "true"], Interval: 1e9, Timeout: 1e9, Retries: 1 };
  await client.create("web", ["sleep", "1000000"], {
    HostConfig,
    Healthcheck,
    Labels: { größe: "日本" },
    Volumes: { "/own": {} },
  });
  await client.start("web");
  for (const call of ["pause", "unpause", "restart?t=1"]) await client.ask(204, `POST /containers/web/${call}`);
  await client.ask(200, "POST /containers/web/update", { CpuShares: 512 });
  await client.ask(204, "POST /containers/web/rename?name=site");
  for (const what of ["json", "top", "stats?stream=0", "changes", "logs?stdout=1"]) {
    await client.ask(200, `GET /containers/site/${what}`);
  }
  await client.ask(200, "GET /containers/site/archive?path=/etc");
  await client.create("job", ["sh", "-c", "echo one; echo two >&2; exit 3"], {
    HostConfig: { RestartPolicy: HostConfig.RestartPolicy },
  });
}

async function execs(client: Client): Promise<void> {
  const made = await client.ask(201, "POST /containers/site/exec", { Cmd: ["echo", "in it"], AttachStdout: true });
  const { Id } = JSON.parse(made) as { Id: string };
  await client.ask(200, `POST /exec/${Id}/start`, { Detach: true });
  await client.ask(200, `GET /exec/${Id}/json`);
  await client.ask(409, "DELETE /containers/site");
  await client.ask(200, "GET /containers/site/export");
  const connection = await client.engine.connect("/containers/site/attach?stream=1&stdout=1", { method: "POST" });
  await connection.readable.cancel();
}

async function crash(client: Client): Promise<void> {
  client.engine.crash();
  await client.engine.reopen();
  // Events that are no longer in the engine's memory are read from the journal.
  const events = (await client.engine.fetch("/events?since=0")).body!.getReader();
  await events.read();
  await events.cancel();
}

async function ends(client: Client): Promise<void> {
  await client.start("job");
  await client.ask(200, "POST /containers/job/wait");
  await client.ask(204, "POST /containers/site/kill?signal=USR1");
  await client.ask(204, "POST /containers/site/stop?t=1");
  await client.ask(200, "POST /containers/site/wait");
  await client.ask(201, "POST /commit?container=site&repo=kept");
  await client.ask(200, "GET /system/df");
  await client.ask(204, "DELETE /containers/site?v=1&force=1");
  await client.ask(200, "DELETE /images/kept");
}
