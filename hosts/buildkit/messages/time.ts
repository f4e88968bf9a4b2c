// Times of messages: seconds and nanoseconds since 1970 (google.protobuf.Timestamp), and RFC 3339 in JSON.

const BILLION = 1_000_000_000n;

export function readTime({ seconds = 0, nanos = 0 }: { seconds?: unknown; nanos?: unknown }): string {
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, -5);
  return `${whole}.${String(nanos).padStart(9, "0")}Z`;
}

/** Throws if the text is no such time. */
export function writeTime(text: string): { seconds: string; nanos: number } {
  const [, whole = "", decimals = ""] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(text) ?? [];
  const ms = Date.parse(`${whole}Z`);
  if (Number.isNaN(ms)) throw new RangeError(`${text} is no time`);
  const nanos = Number(decimals.slice(0, 9).padEnd(9, "0"));
  return { seconds: String((BigInt(ms) * 1_000_000n) / BILLION), nanos };
}
