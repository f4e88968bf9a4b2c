// Transactions of many sizes, the same each time: what a writer writes and what must be found afterwards.
import type { RecordChange, engine, records } from "../../../hosts/shared/host.js";
import { randomFrom } from "../../support/random.js";

/** The journal's size limit: old entries are dropped again and again. */
export const JOURNAL_BYTES = 20_000;

/** From 0 on, one after the other. */
export function* transactions(seed: number): Generator<RecordChange[]> {
  const random = randomFrom(seed);
  let position = 0n;
  for (;;) {
    const count = 1 + random(random(4) === 0 ? 30 : 3);
    yield Array.from({ length: count }, (): RecordChange => {
      const key = `container/${random(40)}`;
      const kind = random(5);
      if (kind === 0) return { tag: "delete", val: key };
      if (kind === 1) return { tag: "append", val: entryAt((position += 1n)) };
      return { tag: "put", val: { key, value: Buffer.alloc(sizeOf(random), random(256)) } };
    });
  }
}

/** The state after this many transactions: key, size and first byte of each record, and the journal's end. */
export function* states(seed: number): Generator<string> {
  const kept = new Map<string, Uint8Array>();
  const entries: records.JournalEntry[] = [];
  const all = (): string =>
    stateOf(
      Array.from(kept, ([key, value]) => ({ key, value })),
      entries,
    );
  yield all();
  for (const changes of transactions(seed)) {
    for (const { tag, val } of changes) {
      if (tag === "put") kept.set(val.key, val.value);
      else if (tag === "delete") kept.delete(val);
      else entries.push(val);
    }
    yield all();
  }
}

/** The state of records in any order and of the remaining journal. */
export function stateOf(stored: readonly engine.Stored[], entries: readonly records.JournalEntry[]): string {
  const lines = stored.map(({ key, value }) => {
    const [first = 0] = value;
    // Many megabytes in a test, so not byte by byte: each is the same as the next.
    const whole = Buffer.compare(value.subarray(1), value.subarray(0, -1)) === 0;
    return `${key}: ${value.length} times ${whole ? first : "several bytes"}`;
  });
  const first = entries[0]?.position ?? 1n;
  const right = entries.every(({ position, bytes }, at) => {
    return position === first + BigInt(at) && Buffer.from(bytes).equals(entryAt(position).bytes);
  });
  return [...lines.sort(), `journal: up to ${right ? (entries.at(-1)?.position ?? 0n) : "a wrong entry"}`].join("\n");
}

function entryAt(position: bigint): { position: bigint; at: bigint; bytes: Buffer } {
  return { position, at: position, bytes: Buffer.alloc(300, Number(position % 256n)) };
}

/** Mostly sizes of containers' records; some need their own pages. */
function sizeOf(random: (limit: number) => number): number {
  return random(10) === 0 ? 1 + random(60_000) : 1 + random(3000);
}
