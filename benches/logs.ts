// How many MB/s of log can a container write, and a client read?
import type { RunningEngine } from "../tests/support/engines.js";
import { RawConnection, encodeRequest } from "../tests/support/raw-http.js";
import { atLeast, median, timed, type Answer, type Sizes } from "./question.js";

const LINE = "x".repeat(79);

export async function logs(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const lines = Math.ceil(sizes.logBytes / (LINE.length + 1));
  const megabytes = (lines * (LINE.length + 1)) / 1e6;
  const written: Record<string, number[]> = {};
  const read: Record<string, number[]> = {};
  for (let i = 0; i < sizes.rounds; i += 1) {
    for (const engine of engines) {
      const id = await engine.create({ Cmd: ["sh", "-c", `yes ${LINE} | head -n ${lines}`] });
      const writeMs = await timed(async () => {
        await engine.start(id);
        await engine.wait(id);
      });
      let bytes = 0;
      const readMs = await timed(async () => (bytes = await drain(engine, id)));
      const expected = lines * (LINE.length + 1 + 8);
      if (bytes !== expected) throw new Error(`${engine.kind}: ${bytes} bytes of log, not ${expected}`);
      (written[engine.kind] ??= []).push((megabytes * 1000) / writeMs);
      (read[engine.kind] ??= []).push((megabytes * 1000) / readMs);
      await engine.remove(id);
    }
  }
  return [
    {
      question: "log written",
      unit: "MB/s",
      figures: mediansOf(written),
      goal: atLeast(1.7),
      note: "the container's start included",
    },
    { question: "log read", unit: "MB/s", figures: mediansOf(read), goal: atLeast(2) },
  ];
}

/** Reads a whole log and throws it away; its bytes, frame headers included. */
async function drain(engine: RunningEngine, id: string): Promise<number> {
  const connection = await RawConnection.open(engine.socketPath, 300_000);
  connection.send(encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1` }));
  await connection.head();
  let total = 0;
  for await (const chunk of connection.chunks()) total += chunk.length;
  connection.close();
  return total;
}

function mediansOf(all: Readonly<Record<string, readonly number[]>>): Record<string, number> {
  return Object.fromEntries(Object.entries(all).map(([kind, values]) => [kind, median(values)]));
}
