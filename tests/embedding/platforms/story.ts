// One program for every platform: its actions on a simulated engine, and a hash of all results. Time is stopped and
// moved by hand, so that nothing depends on the platform's speed.

import { openEngine, simulatedHost } from "coracle-engine";
import type { Connection } from "coracle-engine";

const SEED = Uint8Array.from({ length: 32 }, (_, at) => at);
const JSON_TYPE = { "content-type": "application/json" };

/** A line for each step, and the hash last. */
export async function story(): Promise<string[]> {
  const host = simulatedHost({ pace: "stopped", seed: 7 });
  const told: string[] = [];
  const engine = await openEngine({ host, seed: SEED });

  await ask("POST", "/containers/create?name=web", { Image: "busybox", Cmd: ["sh", "-c", "cat; echo bye >&2; exit 4"], OpenStdin: true, StdinOnce: true, AttachStdin: true }); // prettier-ignore
  const attached = await connect("/containers/web/attach?stream=1&stdin=1&stdout=1&stderr=1");
  await ask("POST", "/containers/web/start");
  await type(attached, "typed by a program\n");
  tell("attached", await bytesOf(attached.readable));
  await ask("POST", "/containers/web/wait");
  await ask("GET", "/containers/web/logs?stdout=1&stderr=1&timestamps=1");
  await ask("GET", "/containers/web/json");

  await ask("POST", "/containers/create?name=writer", { Image: "busybox", Cmd: ["sh", "-c", "echo kept > /kept"] });
  await ask("POST", "/containers/writer/start");
  await ask("POST", "/commit?container=writer&repo=kept&tag=1", {});
  await ask("GET", "/images/json");

  const login = (password: string) => btoa(JSON.stringify({ username: "learner", password }));
  const pull = "/images/create?fromImage=registry.example/team/app&tag=1";
  await ask("POST", pull, undefined, { "x-registry-auth": login("wrong") });
  await ask("POST", pull, undefined, { "x-registry-auth": login("coracle") });

  await ask("POST", "/containers/create?name=sleeper", { Image: "kept:1", Cmd: ["sleep", "1000"], OpenStdin: true });
  await ask("POST", "/containers/sleeper/start");
  await leave(await connect("/containers/sleeper/attach?stream=1&stdin=1&stdout=1"));
  engine.crash();
  tell("crashed", engine.state, await engine.fetch("/info").catch((error: Error) => error.name));
  await host.timers.advance(2_000_000_000_000n);
  await engine.reopen();
  await ask("GET", "/containers/sleeper/json");
  await ask("GET", "/containers/json?all=1");
  await ask("GET", `/events?since=0&until=${host.timers.now().wall / 1_000_000_000n}`);
  await ask("GET", "/v1.30/info");
  // The time at which a body has been read depends on the platform, so nothing after these requests shows the time.
  await ask("POST", "/containers/create", new Blob(['{"Image":"nowhere"}'], { type: "application/json" }));
  await ask("POST", "/images/load", new Blob([new Uint8Array(100_000)]).stream());
  await ask("POST", "/images/load", broken("the disk is gone"));
  tell("rules", JSON.stringify(engine.rules()));
  await engine.close();
  return [...told, await sha256(new TextEncoder().encode(told.join("\n")))];

  /** Sends a request as an event of the world, and runs everything that it causes. */
  async function ask(method: string, path: string, body?: object, headers: HeadersInit = {}): Promise<void> {
    const answer = await entered(() => engine.fetch(path, { method, headers, ...sent(body) }));
    tell(`${method} ${path}`, answer.status, answer.headers.get("content-type"), await bytesOf(answer.body));
  }

  async function connect(path: string): Promise<Connection> {
    const connection = await entered(() => engine.connect(path, { method: "POST" }));
    tell(`connect ${path}`, connection.status, connection.headers.get("content-type"));
    return connection;
  }

  async function type({ writable }: Connection, words: string): Promise<void> {
    const writer = writable.getWriter();
    await entered(() => writer.write(new TextEncoder().encode(words)).then(() => writer.close()));
  }

  /** Closes a connection while its container leaves bytes unread. */
  async function leave({ readable, writable }: Connection): Promise<void> {
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    const write = () => writer.write(new Uint8Array(65_536)).then(() => "taken", () => "lost"); // prettier-ignore
    const writing = await entered(async () => Array.from({ length: 4 }, write));
    await entered(() => writer.abort());
    tell("left", ...(await Promise.all(writing)), (await bytesOf(readable)).length);
  }

  async function entered<T>(act: () => Promise<T>): Promise<T> {
    let outcome!: Promise<T>;
    await host.timers.enter(() => void (outcome = act()));
    await host.timers.settle(10_000_000_000n);
    return outcome;
  }

  function tell(...words: unknown[]): void {
    told.push(
      words.map((word) => (word instanceof Uint8Array ? new TextDecoder().decode(word) : String(word))).join(" "),
    );
  }
}

function sent(body: object | undefined): RequestInit {
  if (body === undefined) return {};
  if (body instanceof Blob || body instanceof ReadableStream) return { body };
  return { body: JSON.stringify(body), headers: JSON_TYPE };
}

function broken(why: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(512)),
    pull: (controller) => controller.error(new Error(why)),
  });
}

async function bytesOf(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
