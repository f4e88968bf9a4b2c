// Searches in the index of a registry (Docker registry v1, which has no later form).

import { isUnreachable, timeOfDay, toBase64 } from "../shared/index.js";
import type { content } from "../shared/index.js";
import { exchange, readAll, readText, type Line } from "./exchange.js";
import { registryFailure } from "./failures.js";
import { ERROR_LIMIT } from "./limits.js";
import { secretsOf } from "./secrets.js";
import { trustOf } from "./trust.js";

/** The answer, in JSON. Tries the registry's securities in their order. */
export async function search(line: Line, command: content.Search, signal?: AbortSignal): Promise<Uint8Array> {
  let unanswered: unknown = new Error("no way to speak to the registry");
  for (const security of command.endpoint.security) {
    const scheme = security === "plain" ? "http" : "https";
    const trust = trustOf(security, command.endpoint.security);
    try {
      return await ask(line, `${scheme}://${command.endpoint.authority}`, command, trust, signal);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      unanswered = error;
    }
  }
  throw unanswered;
}

async function ask(
  line: Line,
  base: string,
  { term, results, limit, credentials }: content.Search,
  trust: ReturnType<typeof trustOf>,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const url = `${base}/v1/search?${new URLSearchParams({ q: term, n: String(results) })}`;
  const authorization = basic(credentials);
  const sent = authorization === undefined ? {} : { authorization };
  // It asks for the results that the user may see, who is known by Basic (surface §2.21).
  const headers = { "x-docker-token": "true", "accept-encoding": "identity", ...sent };
  const answer = await exchange(line, { method: "GET", url, headers, trust, signal });
  if (answer.status === OK) return readAll(answer.body, limit);
  const text = await readText(answer.body, ERROR_LIMIT);
  const secrets = secretsOf(credentials, authorization);
  throw registryFailure({ ...answer, url, text, secrets }, timeOfDay(line.clock));
}

function basic(credentials: content.Search["credentials"]): string | undefined {
  // Who logged in with an identity token has no password: the registry would refuse an empty one, but answers anybody.
  if (!credentials?.username || credentials.password === "") return undefined;
  const pair = `${credentials.username}:${credentials.password}`;
  return `Basic ${toBase64(new TextEncoder().encode(pair))}`;
}

const OK = 200;
