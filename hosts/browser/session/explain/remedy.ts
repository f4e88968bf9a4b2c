// Building blocks of remedies.

import type { Remedy } from "./explain.js";
import { pathOf, written } from "../request.js";
import type { WrittenRequest } from "../request.js";
import type { World } from "../../../timeline/index.js";

export interface Refusal {
  readonly kind: string;
  readonly status: number;
  readonly message: string;
}

/** A refused request, and the world before it. */
export interface Asked {
  request: WrittenRequest;
  refusal: Refusal;
  world: World;
  /** Adds the version of the refused request to a target. */
  at: (target: string) => string;
}

/** Sends the same request again, after something else has changed. */
export function again(label: string): (asked: Asked) => Remedy[] {
  return ({ request }) => [{ label, requests: [request] }];
}

/** A request that only displays something. */
export function listing(label: string, target: string): Remedy {
  return { label, requests: [written("GET", target)] };
}

/** Advice, where no request helps. */
export function words(label: string): Remedy {
  return { label, requests: [] };
}

/** The name in `/containers/NAME/…`. */
export function containerIn(request: WrittenRequest): string {
  return /^\/containers\/([^/]+)/.exec(pathOf(request))?.[1] ?? "";
}

/** A target with a changed parameter. */
export function withQuery(target: string, name: string, value: string): string {
  const [path = "", text = ""] = target.split("?");
  const query = new URLSearchParams(text);
  query.set(name, value);
  return `${path}?${query.toString()}`;
}

/** A target without a parameter. */
export function withoutQuery(target: string, name: string): string {
  const [path = "", text = ""] = target.split("?");
  const query = new URLSearchParams(text);
  query.delete(name);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
