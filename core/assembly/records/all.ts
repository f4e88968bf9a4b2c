// All records that are in use, as they would be put now.

import { Stored } from "../../../build/bindings/types";
import { putRecord, tellRecords } from "../ask";
import { engine } from "../state";
import { encodeUtf8 } from "../text/utf8";
import { ENGINE_ID } from "./restore";
import { VERSION_RECORD, versionRecord } from "./version";

export function allRecords(): Stored[] {
  return tellRecords(putAll);
}

function putAll(): void {
  putRecord(VERSION_RECORD, versionRecord());
  putRecord(ENGINE_ID, encodeUtf8(engine.id));
  engine.containers.putAll();
  engine.execs.putAll();
  engine.images.putAll();
  engine.networks.putAll();
  engine.volumes.putAll();
}
