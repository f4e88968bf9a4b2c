// How many MB/s of log can a container write, and a client read?
import { connect } from "node:net";
import type { RunningEngine } from "../tests/support/engines.js";
import { atLeast, Rounds, timed, type Answer, type Sizes } from "./question.js";
import { requestBytes } from "./wire.js";

const LINE = "x".repeat(79);

export async function logs(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const lines = Math.ceil(sizes.logBytes / (LINE.length + 1));
  const megabytes = (lines * (LINE.length + 1)) / 1e6;
  const [written, read, followed] = [new Rounds(), new Rounds(), new Rounds()];
  for (let i = 0; i < sizes.rounds; i += 1) {
    for (const engine of engines) {
      const id = await engine.create({ Cmd: ["sh", "-c", `yes ${LINE} | head -n ${lines}`] });
      const writeMs = await timed(async () => {
        await engine.start(id);
        await engine.wait(id);
      });
      const least = lines * (LINE.length + 1 + 8);
      const readAll = async (how: string): Promise<void> => {
        const bytes = await drain(engine, id, how);
        if (bytes < least) throw new Error(`${engine.kind}: ${bytes} bytes of log, not even ${least}`);
      };
      const readMs = await timed(() => readAll(""));
      const followMs = await timed(() => readAll("&follow=1"));
      followed.add(engine.kind, (megabytes * 1000) / followMs);
      written.add(engine.kind, (megabytes * 1000) / writeMs);
      read.add(engine.kind, (megabytes * 1000) / readMs);
      await engine.remove(id);
    }
  }
  return [
    {
      question: "log written",
      unit: "MB/s",
      figures: written.medians(),
      goal: atLeast(1.7),
      note: "the container's start included",
    },
    { question: "log read", unit: "MB/s", figures: read.medians(), goal: atLeast(2) },
    { question: "log of an ended container followed", unit: "MB/s", figures: followed.medians(), goal: atLeast(2) },
  ];
}

/**
 * Reads and discards a whole log, and counts the bytes on the wire. Chunks are not decoded: otherwise an engine that
 * sends many small chunks would pay for the client's work.
 */
function drain(engine: RunningEngine, id: string, how: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let total = 0;
    let end = "";
    const socket = connect(engine.socketPath, () =>
      socket.write(requestBytes("GET", `/containers/${id}/logs?stdout=1${how}`)),
    );
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the connection was closed before the log's end")));
    socket.on("data", (bytes: Buffer) => {
      total += bytes.length;
      end = (end + bytes.toString("latin1", Math.max(0, bytes.length - LAST_CHUNK.length))).slice(-LAST_CHUNK.length);
      if (end !== LAST_CHUNK) return;
      resolve(total);
      socket.destroy();
    });
  });
}

const LAST_CHUNK = "0\r\n\r\n";
