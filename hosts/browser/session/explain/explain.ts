// What happened, for one exchange; and what would have made a refused one succeed.

import type { engine } from "../../../shared/host.js";
import type { WrittenRequest } from "../request.js";
import type { EventView } from "../../../timeline/event-view.js";

export interface Remedy {
  /** `Pull busybox:latest first`. */
  readonly label: string;
  /** To be sent in this order; empty where only words help. */
  readonly requests: readonly WrittenRequest[];
}

export interface AppliedRule {
  /** Number of the step. */
  readonly step: number;
  readonly container: string;
  readonly rule: engine.Rule;
}

export interface Explanation {
  /** `POST /containers/{name}/start`; null if none was found, or the request never reached the core. */
  readonly route: string | null;
  /** File that decides, in the core's sources: `container/start/start.ts`; empty without a route. */
  readonly source: string;
  /** API version spoken. */
  readonly version: string;
  readonly rules: readonly AppliedRule[];
  readonly records: readonly { step: number; key: string; deleted: boolean }[];
  readonly effects: readonly { step: number; text: string }[];
  readonly events: readonly EventView[];
  readonly refusal: { kind: string; status: number; message: string } | null;
  /** Of a refusal; empty for others. */
  readonly remedies: readonly Remedy[];
}

/** How a request is answered by a run of versions that answer alike. */
export interface LensGroup {
  /** `1.24–1.43`, or one version alone. */
  readonly versions: string;
  readonly from: string;
  readonly to: string;
  /** It is the version that was spoken, or one of them. */
  readonly shown: boolean;
  /** Null: not answered yet, as far as was recorded. */
  readonly status: number | null;
  readonly body: string;
  /** What is different from the shown group: `+ Field: …`, `- Field: …`, a line each. */
  readonly difference: readonly string[];
}
