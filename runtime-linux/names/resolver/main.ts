// The resolver process: answers the DNS queries of an engine's containers. It is started by an engine, outlives it, and
// is found again by the next one, as containers' supervisors are. It ends when it is of no more use: another process has
// replaced it, or there is nothing to answer and no engine.

import { closeSync, renameSync, rmSync, statSync, watch, writeSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CONTROL, LOG, Lines, type Followed, type Hello, type Wish } from "../protocol.js";
import { TableFiles } from "../table-files.js";
import { Service } from "./service.js";

/** The descriptor on which the engine waits for a line. */
const READY = 3;
/** How long queries under way may take after another process has taken over. */
const LAST_ANSWERS_MS = 5000;

const TURN_MS = 50;
/** How long the process stays without containers, for the next one of an engine that runs one after the other. */
const LINGER_MS = 3000;

const [directory = ".", program = ""] = process.argv.slice(2);
const control = join(directory, CONTROL);
const log = join(directory, LOG);
const service = new Service(new TableFiles(directory));
const engines = new Set<Socket>();
const lingering = setTimeout(endIfIdle, LINGER_MS);
let ino = 0;

process.on("uncaughtException", (error) => console.error(error.stack));
service.followAll();
const server = createServer(serve);
const own = `${control}.${process.pid}`;
server.listen(own, () => void takeOver());

/** From here on engines find this process. One that was here before leaves. */
async function takeOver(): Promise<void> {
  const before = await connected(control);
  ({ ino } = statSync(own));
  renameSync(own, control);
  watch(directory, () => {
    if (!isCurrent()) void retire();
  });
  if (before !== undefined) await retired(before);
  tellReady();
  lingering.refresh();
}

function tellReady(): void {
  try {
    writeSync(READY, "ready\n");
  } catch (error) {
    // The engine that waited was killed.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
  closeSync(READY);
}

/** Whether no other process has taken over, and nobody has removed everything. */
function isCurrent(): boolean {
  return statSync(control, { throwIfNoEntry: false })?.ino === ino;
}

/** Undefined if nobody listens there. */
async function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(socket));
    socket.on("error", () => resolve(undefined));
  });
}

/** Resolves when the other process leaves new queries to this one. */
async function retired(before: Socket): Promise<void> {
  before.resume();
  before.write(`${JSON.stringify({ retire: true })}\n`);
  await new Promise((resolve) => before.once("close", resolve));
}

function serve(socket: Socket): void {
  engines.add(socket);
  const lines = new Lines();
  socket.setEncoding("utf8");
  socket.on("error", () => {});
  socket.on("data", (text: string) => {
    for (const line of lines.read(text)) obey(socket, JSON.parse(line) as Wish);
  });
  socket.on("close", () => {
    engines.delete(socket);
    if (engines.size === 0) endIfIdle();
  });
  say(socket, { program, pid: process.pid });
}

function obey(socket: Socket, wish: Wish): void {
  if ("retire" in wish) return void retire();
  try {
    service.follow(wish.kind, wish.name);
    lingering.refresh();
    say(socket, { id: wish.id });
  } catch (error) {
    say(socket, { id: wish.id, errno: (error as NodeJS.ErrnoException).code ?? "EIO" });
  }
}

function say(socket: Socket, told: Hello | Followed): void {
  socket.write(`${JSON.stringify(told)}\n`);
}

function endIfIdle(): void {
  if (!service.isIdle) return;
  if (isCurrent()) rmSync(control);
  if (statSync(log, { throwIfNoEntry: false })?.size === 0) rmSync(log);
  process.exit();
}

async function retire(): Promise<void> {
  service.handOver();
  server.close();
  for (const engine of engines) engine.destroy();
  const end = performance.now() + LAST_ANSWERS_MS;
  do await sleep(TURN_MS);
  while (service.underWay > 0 && performance.now() < end);
  process.exit();
}
