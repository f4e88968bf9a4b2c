// The end of an update that succeeded (surface §2.20).

import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { Json } from "../../json/json";
import { jsonBytes, JsonWriter } from "../../json/writer";
import { line, sendJson } from "../../reply";
import { Container } from "../container";
import { restartPolicyOf } from "../restart/policy-setting";

export class Updated {
  constructor(
    private readonly container: Container,
    readonly call: Call,
    private readonly hostConfig: Json,
    private readonly warnings: string[],
  ) {}

  /** Stores the new settings, which are now in effect, and answers the client. */
  take(): void {
    this.container.hostConfig = jsonBytes(this.hostConfig);
    this.container.policy = restartPolicyOf(this.hostConfig);
    this.container.change();
    emitContainer(this.container, "update");
    const json = new JsonWriter();
    json.beginObject();
    if (this.warnings.length > 0) json.stringArrayField("Warnings", this.warnings);
    else json.nullField("Warnings");
    json.endObject();
    sendJson(this.call, 200, line(json));
  }
}
