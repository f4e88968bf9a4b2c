// A step in one line: its time and number, its input, and its outputs.

import type { Step } from "./step.js";

/** `2026-01-01T00:00:00.000000Z 1:7 POST /containers/web/start → mount the files of web; …` */
export function storyLine({ wall, epoch, inEpoch, cause, effects, records, replies, notes }: Step): string {
  const kept = records.map(({ key, deleted }) => `${deleted ? "delete" : "keep"} ${key}`);
  const refusals = notes.flatMap((note) =>
    note.tag === "refused" ? [`refused (${note.val.kind}, ${note.val.status}): ${note.val.message}`] : [],
  );
  const what = [...kept, ...effects, ...replies, ...refusals].join("; ");
  return inOneLine(`${timeText(wall)} ${epoch}:${inEpoch} ${cause}${what === "" ? "" : ` → ${what}`}`);
}

/** RFC 3339, to the microsecond. */
export function timeText(wall: bigint): string {
  const micros = wall / 1000n;
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(micros % 1_000_000n).padStart(6, "0")}Z`;
}

function inOneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
