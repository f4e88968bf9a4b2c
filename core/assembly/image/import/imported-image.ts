// The config of an imported image (surface §4.5): what the request says of it.

import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";
import { engine } from "../../state";
import { formatTime } from "../../text/time";
import { newImage } from "../image";
import { Platform } from "../platform";
import { Reference } from "../reference";

/** Stands for the layer while there is none. */
const NO_LAYER: string = "sha256:" + "0".repeat(64);

export class ImportedImage {
  private comment: string;

  constructor(
    private readonly platform: Platform,
    /** Its `Config`. */
    private readonly config: Json,
    /** Null for none. */
    readonly name: Reference | null,
    /** Empty for the default one. */
    message: string,
  ) {
    this.comment = message;
  }

  /** `source`: `-`, or an address that anybody may see. */
  comesFrom(source: string): void {
    if (this.comment.length == 0) this.comment = `Imported from ${source}`;
  }

  /** Why no image can have this config, such as too many values in it; empty if one can. */
  get problem(): string {
    return newImage(this.write(NO_LAYER)).error;
  }

  /** The bytes of the config. `diffId`: of the only layer. */
  write(diffId: string): Uint8Array {
    const created = formatTime(engine.now.wall);
    const platform = this.platform;
    const json = new JsonWriter();
    json.beginObject();
    json.stringField("architecture", platform.architecture);
    json.stringField("comment", this.comment);
    json.jsonField("config", this.config);
    json.stringField("created", created);
    json.stringField("docker_version", engine.options.version);
    json.key("history").beginArray().beginObject();
    json.stringField("created", created);
    json.stringField("comment", this.comment);
    json.endObject().endArray();
    json.stringField("os", platform.os);
    json.key("rootfs").beginObject();
    json.stringField("type", "layers");
    json.stringArrayField("diff_ids", [diffId]);
    json.endObject();
    if (platform.variant.length > 0) json.stringField("variant", platform.variant);
    json.endObject();
    return json.finish();
  }
}
