// How many containers can be created per second, each flushed to disk before the answer, and how large are the records
// of one?
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import type { RunningEngine } from "../tests/support/engines.js";
import { byHands } from "./hands.js";
import { atLeast, Rounds, timed, type Answer, type Sizes } from "./question.js";
import { expectStatus, idOf, onWire, requestBytes } from "./wire.js";

const CREATE = requestBytes("POST", "/containers/create", {
  Image: "busybox",
  Cmd: ["sh", "-c", "exec sleep 1000"],
  Env: ["NAME=value", "OTHER=another value"],
  Labels: { "com.example.project": "shop", "com.example.service": "web" },
  ExposedPorts: { "80/tcp": {} },
  HostConfig: { PortBindings: { "80/tcp": [{ HostPort: "8080" }] }, RestartPolicy: { Name: "unless-stopped" } },
});

export async function durableCreates(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const hands of [1, 8, 32]) {
    const rates = new Rounds();
    for (let i = 0; i < sizes.longRounds; i += 1) {
      for (const engine of engines) rates.add(engine.kind, await creates(engine, sizes.creates, hands));
    }
    const question = `creates by ${hands} client${hands === 1 ? "" : "s at once"}`;
    answers.push({ question, unit: "/s", figures: rates.medians(), goal: atLeast(2) });
  }
  return answers;
}

export async function recordBytes(engines: readonly RunningEngine[]): Promise<Answer[]> {
  const figures: Record<string, number> = {};
  for (const engine of engines) {
    const [id = ""] = await created(engine, 1, 1);
    figures[engine.kind] = engine.kind === "linux" ? recordsOf(engine, id) : filesOf(engine, id);
    await removed(engine, [id]);
  }
  const note = "the reference's are the files in its directory of the container";
  return [{ question: "records of a container that was created", unit: "bytes", figures, note }];
}

/** Creates per second. */
async function creates(engine: RunningEngine, count: number, hands: number): Promise<number> {
  let ids: string[] = [];
  const ms = await timed(async () => (ids = await created(engine, count, hands)));
  await removed(engine, ids);
  return (1000 * count) / ms;
}

/** Creates this many containers and returns their ids. */
export async function created(engine: RunningEngine, count: number, hands: number): Promise<string[]> {
  const ids: string[] = [];
  const create = async (wire: Parameters<typeof idOf>[0]): Promise<void> => {
    await expectStatus(wire, CREATE, 201);
    ids.push(idOf(wire));
  };
  if (count === 1) await onWire(engine, create);
  else await byHands(engine, count, create, hands);
  return ids;
}

export async function removed(engine: RunningEngine, ids: readonly string[]): Promise<void> {
  await byHands(engine, ids.length, (wire, at) => {
    return expectStatus(wire, requestBytes("DELETE", `/containers/${ids[at]}`), 204);
  });
}

/** Size of the keys and values that belong to a container. */
function recordsOf({ daemon }: RunningEngine, id: string): number {
  const path = join(daemon.directories.dataRoot, "records");
  const database = open<Buffer, string>({ path, readOnly: true, encoding: "binary" });
  const own = [...database.getRange()].filter(({ key }) => String(key).includes(id));
  const bytes = own.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + value.length, 0);
  void database.close();
  return bytes;
}

function filesOf({ daemon }: RunningEngine, id: string): number {
  const directory = join(daemon.directories.dataRoot, "containers", id);
  const files = readdirSync(directory, { withFileTypes: true, recursive: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
