// Transactions of many sizes, the same each time: what a writer puts and what must be found afterwards.
import type { records } from "../../../hosts/host.js";
import { randomFrom } from "../../support/random.js";

/** From 0 on, one after the other. */
export function* transactions(seed: number): Generator<records.RecordCommand[]> {
  const random = randomFrom(seed);
  for (;;) {
    const count = 1 + random(random(4) === 0 ? 30 : 3);
    yield Array.from({ length: count }, () => {
      const key = `container/${random(40)}`;
      if (random(4) === 0) return { tag: "delete", val: key };
      return { tag: "put", val: { key, value: Buffer.alloc(sizeOf(random), random(256)) } };
    });
  }
}

/** What there is after so many of them: key, size and first byte of each record. */
export function* states(seed: number): Generator<string> {
  const kept = new Map<string, Uint8Array>();
  yield stateOf([]);
  for (const commands of transactions(seed)) {
    for (const { tag, val } of commands) {
      if (tag === "put") kept.set(val.key, val.value);
      else kept.delete(val);
    }
    yield stateOf([...kept].map(([key, value]) => ({ key, value })));
  }
}

/** Of records in any order. */
export function stateOf(records: readonly { key: string; value: Uint8Array }[]): string {
  const lines = records.map(({ key, value }) => {
    const [first = 0] = value;
    const whole = value.every((byte) => byte === first);
    return `${key}: ${value.length} times ${whole ? first : "several bytes"}`;
  });
  return lines.sort().join("\n");
}

/** Mostly such as containers have; some need pages of their own. */
function sizeOf(random: (limit: number) => number): number {
  return random(10) === 0 ? 1 + random(60_000) : 1 + random(3000);
}
