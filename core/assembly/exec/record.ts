// An exec's record: there with the event of its start, gone with that of its end. Nothing else of it outlives the engine,
// but whoever opens the records knows by it which execs have been told to have begun, and not to have ended.

import { deleteRecord } from "../ask";
import { Container } from "../container/container";
import { EXEC_RECORDS } from "../records/kinds";
import { putRecord } from "../records/put";
import { decimalOf } from "../text/decimal";
import { isFullId } from "../text/hex";
import { decodeUtf8, encodeUtf8 } from "../text/utf8";

export function putExec(id: string, container: Container, run: u32): void {
  putRecord(EXEC_RECORDS + id, encodeUtf8(`${container.id} ${run.toString()}`));
}

export function deleteExec(id: string): void {
  deleteRecord(EXEC_RECORDS + id);
}

/** Why there can be no such record; empty if there can. `id`: the exec's, by the key. */
export function execProblem(id: string, record: Uint8Array): string {
  const parts = decodeUtf8(record).split(" ");
  const isOne = parts.length == 2 && isFullId(parts[0]) && decimalOf(parts[1], i32.MAX_VALUE) > 0;
  return isOne && isFullId(id) ? "" : "it names no exec of a run";
}

/** Of a record that has no problem. */
export class RecordedExec {
  readonly container: string;
  readonly run: u32;

  constructor(
    readonly id: string,
    record: Uint8Array,
  ) {
    const parts = decodeUtf8(record).split(" ");
    this.container = parts[0];
    this.run = <u32>decimalOf(parts[1], i32.MAX_VALUE);
  }
}
