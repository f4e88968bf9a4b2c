// Types for the explanation of an exchange, and for remedies of a refused one.

import type { engine } from "../../../shared/index.js";
import type { WrittenRequest } from "../request.js";
import type { EventView } from "../../../timeline/index.js";

export interface Remedy {
  /** For example `Pull busybox:latest first`. */
  readonly label: string;
  /** Requests to send in this order; empty if there is only advice. */
  readonly requests: readonly WrittenRequest[];
}

export interface AppliedRule {
  /** Number of the step. */
  readonly step: number;
  readonly container: string;
  readonly rule: engine.Rule;
}

export interface Explanation {
  /** For example `POST /containers/{name}/start`; null if there was no route, or the request never reached the core. */
  readonly route: string | null;
  /** The deciding file in the core's sources: `container/start/start.ts`; empty without a route. */
  readonly source: string;
  /** The API version used. */
  readonly version: string;
  readonly rules: readonly AppliedRule[];
  readonly records: readonly { step: number; key: string; deleted: boolean }[];
  readonly effects: readonly { step: number; text: string }[];
  readonly events: readonly EventView[];
  readonly refusal: { kind: string; status: number; message: string } | null;
  /** For a refusal; otherwise empty. */
  readonly remedies: readonly Remedy[];
}

/** How consecutive versions answer a request in the same way. */
export interface LensGroup {
  /** For example `1.24–1.43`, or one version. */
  readonly versions: string;
  readonly from: string;
  readonly to: string;
  /** Whether it includes the version that was used. */
  readonly shown: boolean;
  /** Null if the recording holds no answer yet. */
  readonly status: number | null;
  readonly body: string;
  /** Differences from the shown group: `+ Field: …`, `- Field: …`, one per line. */
  readonly difference: readonly string[];
}
