// How a registry is reached: with or without TLS, as its endpoint allows.

import { isUnreachable } from "../shared/index.js";
import type { types } from "../shared/index.js";
import { trustOf, type Trust } from "./trust.js";

/**
 * Tries the endpoint's securities in their order, until the registry answers. `base`: `https://registry.example`. Fails
 * as the last try, and at once if one fails otherwise than by not reaching it.
 */
export async function reached<T>(
  endpoint: types.Endpoint,
  attempt: (base: string, trust: Trust) => Promise<T>,
): Promise<T> {
  const { authority, security: securities } = endpoint;
  let unanswered: unknown = new Error("no way to speak to the registry");
  for (const security of securities) {
    const scheme = security === "plain" ? "http" : "https";
    try {
      return await attempt(`${scheme}://${authority}`, trustOf(security, endpoint));
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      unanswered = error;
    }
  }
  throw unanswered;
}
