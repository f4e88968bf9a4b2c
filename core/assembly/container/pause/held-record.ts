// The record of a frozen run: see held-still.ts.

import { HELD_RECORDS } from "../../records/kinds";
import { putRecord } from "../../records/put";
import { encodeUtf8 } from "../../text/utf8";
import { Container } from "../container";

export function putHeldStill(container: Container): void {
  putRecord(HELD_RECORDS + container.id, encodeUtf8(container.run.toString()));
}
