// Sockets that lead to an ssh agent of a build's client: what goes through, how much at once, and how they end.
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { interrupted, type SshAgent } from "../../../hosts/shared/index.js";
import { Agents } from "../../../runtime-linux/content/agents.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { until } from "../../support/commands.js";

const ID = "e".repeat(64);
const root = mkdtempSync(join(tmpdir(), "coracle-agents-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The client's side of a connection. */
interface Far {
  /** What the step says, and what the agent answers. */
  asked: PassThrough;
  answers: PassThrough;
  cancelled: boolean;
}

let paths: Paths;
let agents: Agents;
let open: Far[];
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(root, "l".repeat(60)));
  paths = new Paths({ data: join(directory, "data"), exec: join(directory, "exec") });
  mkdirSync(paths.rootfs(ID), { recursive: true });
  agents = new Agents(paths);
  open = [];
});
afterEach(() => agents.closeAll());

const agent: SshAgent = () => {
  const far: Far = { asked: new PassThrough(), answers: new PassThrough(), cancelled: false };
  open.push(far);
  return {
    bytes: far.answers,
    send: (bytes) => new Promise((done, broken) => far.asked.write(bytes, (error) => (error ? broken(error) : done()))),
    finish: () => void far.asked.end(),
    cancel: () => {
      far.cancelled = true;
      far.answers.destroy();
    },
  };
};

function listen(connections = 32, given = agent): Promise<void> {
  const sought = { session: 1n, id: "a", message: 1024, owner: 5, group: 6, mode: 0o640, connections, container: ID };
  return agents.listen(sought, given);
}

/** A program of the step. The whole path is longer than an address of a socket may be. */
function program(): Socket {
  const held = openSync(paths.rootfs(ID), "r");
  const socket = connect({ path: `/proc/self/fd/${held}/agent`, allowHalfOpen: true });
  socket.on("error", () => {}).once("connect", () => closeSync(held));
  return socket;
}

test("bytes go through both ways, and each side may end first", async () => {
  await listen();
  expect(statSync(paths.agent(ID))).toMatchObject({ uid: 5, gid: 6, mode: 0o140640 });
  const one = program();
  one.end("question");
  await until("the agent is asked", () => open.length === 1);
  expect(await text(open[0]!.asked)).toBe("question");
  open[0]!.answers.end("answer");
  expect(await text(one)).toBe("answer");
  const other = program();
  await until("the agent is asked again", () => open.length === 2);
  open[1]!.answers.end("goodbye");
  await once(other.resume(), "end");
  other.end("still here");
  expect(await text(open[1]!.asked)).toBe("still here");
});

test("neither side is read faster than the other reads", async () => {
  await listen();
  const one = program();
  await until("the agent is asked", () => open.length === 1);
  const { asked, answers } = open[0]!;
  const [much, pieces] = [Buffer.alloc(1 << 16), 64];
  for (let count = 0; count < pieces; count++) one.write(much);
  for (let count = 0; count < pieces; count++) answers.write(much);
  // What is on its way is in the buffers of the socket and of one write.
  await until("nothing moves", () => asked.readableLength > 0 && one.readableLength > 0);
  expect(asked.readableLength + asked.writableLength).toBeLessThan(1 << 18);
  expect(answers.readableLength + answers.writableLength).toBeGreaterThan(1 << 20);
  answers.end();
  one.end();
  expect(await text(asked)).toHaveLength(pieces << 16);
  expect(await text(one)).toHaveLength(pieces << 16);
});

test("a connection too many is closed, and others go on", async () => {
  await listen(2);
  const programs = [program(), program()];
  await until("both are there", () => open.length === 2);
  const third = program();
  expect(await text(third)).toBe("");
  expect(open).toHaveLength(2);
  open[1]!.answers.end("still");
  expect(await text(programs[1]!)).toBe("still");
  programs[1]!.destroy();
  await until("one has ended", () => open[1]!.cancelled);
  open[0]!.answers.end("first");
  expect(await text(programs[0]!)).toBe("first");
});

test("a program that breaks off ends its connection, and so does an agent", async () => {
  await listen();
  const one = program();
  await until("the agent is asked", () => open.length === 1);
  one.destroy();
  // The agent need not end its side.
  await until("it is over", () => open[0]!.cancelled);
  const other = program();
  await until("the agent is asked again", () => open.length === 2);
  open[1]!.answers.destroy(new Error("broken"));
  expect(await text(other)).toBe("");
});

test("without a client, connections are closed at once", async () => {
  await listen(32, () => {
    throw interrupted("client-gone");
  });
  expect(await text(program())).toBe("");
});

test("with the socket go its connections", async () => {
  await listen();
  const one = program();
  await until("the agent is asked", () => open.length === 1);
  agents.close(ID);
  expect(existsSync(paths.agent(ID))).toBe(false);
  expect(await text(one)).toBe("");
  await until("it is over", () => open[0]!.cancelled);
  agents.close(ID);
});
