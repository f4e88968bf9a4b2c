// What a command of a build writes, as a message of BuildKit's (moby/buildkit, control.proto): `StatusResponse` with one log.

import { joined } from "../shared/index.js";
import type { Moment } from "./timestamps.js";

const VARINT = 0;
const BYTES = 2;
/** Number of the list of logs in `StatusResponse`. */
const LOGS = 3;

/** `vertex`: digest of the step; `stream`: 1 or 2. */
export function traceOfLog(vertex: string, { seconds, nanos }: Moment, stream: number, text: Uint8Array): Uint8Array {
  const time = joined([number(1, seconds), number(2, nanos)]);
  const log = joined([bytes(1, new TextEncoder().encode(vertex)), bytes(2, time), number(3, stream), bytes(4, text)]);
  return bytes(LOGS, log);
}

function number(field: number, value: number): Uint8Array {
  return new Uint8Array([...varint((field << 3) | VARINT), ...varint(value)]);
}

function bytes(field: number, content: Uint8Array): Uint8Array {
  return joined([new Uint8Array([...varint((field << 3) | BYTES), ...varint(content.length)]), content]);
}

/** Seven bits a byte, the lowest first (protobuf.dev, encoding). `value`: may have more than 32 bits. */
function varint(value: number): number[] {
  const low = value % 0x80;
  return value < 0x80 ? [low] : [low | 0x80, ...varint(Math.floor(value / 0x80))];
}
