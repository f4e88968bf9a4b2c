// The record of an exec. It is written with the event of its start and deleted with the event of its end. It is all
// that outlives the engine: after a restart it tells which execs were reported as started but not as ended.

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

/** Why the record is invalid; empty if it is valid. `id`: the exec's id from the key. */
export function execProblem(id: string, record: Uint8Array): string {
  const parts = decodeUtf8(record).split(" ");
  const isOne = parts.length == 2 && isFullId(parts[0]) && decimalOf(parts[1], i32.MAX_VALUE) > 0;
  return isOne && isFullId(id) ? "" : "it does not name an exec of a run";
}

/** Reads a valid record. */
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
