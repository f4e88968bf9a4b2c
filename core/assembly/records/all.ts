// All records in use, in their current form.

import { Stored } from "../../../build/bindings/types";
import { history } from "../build/buildkit/history/history";
import { cacheStore } from "../build/caches/cache-store";
import { containerStore } from "../container/store";
import { execStore } from "../exec/store";
import { imageStore } from "../image/store";
import { networkStore } from "../network/store";
import { engine } from "../state";
import { encodeUtf8 } from "../text/utf8";
import { volumeStore } from "../volume/store";
import { ENGINE_ID, VERSION_RECORD } from "./kinds";
import { putRecord, tellRecords } from "./put";
import { versionRecord } from "./version";

export function allRecords(): Stored[] {
  return tellRecords(putAll);
}

function putAll(): void {
  putRecord(VERSION_RECORD, versionRecord());
  putRecord(ENGINE_ID, encodeUtf8(engine.id));
  cacheStore.putAll();
  history.putAll();
  containerStore.putAll();
  execStore.putAll();
  imageStore.putAll();
  networkStore.putAll();
  volumeStore.putAll();
}
