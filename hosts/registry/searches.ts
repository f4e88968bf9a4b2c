// Searches in the index of a registry (Docker registry v1, which has no later form).

import { timeOfDay } from "../shared/index.js";
import type { content } from "../shared/index.js";
import { basicOf } from "./basic.js";
import { exchange, readAll, readText, type Line } from "./exchange.js";
import { registryFailure } from "./failures.js";
import { ERROR_LIMIT } from "./limits.js";
import { reached } from "./reach.js";
import { secretsOf } from "./secrets.js";
import type { Trust } from "./trust.js";

/** The answer, in JSON. */
export function search(line: Line, command: content.Search, signal?: AbortSignal): Promise<Uint8Array> {
  return reached(command.endpoint, (base, trust) => ask(line, base, command, trust, signal));
}

async function ask(
  line: Line,
  base: string,
  { term, results, limit, credentials }: content.Search,
  trust: Trust,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const url = `${base}/v1/search?${new URLSearchParams({ q: term, n: String(results) })}`;
  const authorization = credentials && basicOf(credentials.username, credentials.password);
  const sent = authorization === undefined ? {} : { authorization };
  // It asks for the results that the user may see.
  const headers = { "x-docker-token": "true", "accept-encoding": "identity", ...sent };
  const answer = await exchange(line, { method: "GET", url, headers, trust, signal });
  if (answer.status === OK) return readAll(answer.body, limit);
  const text = await readText(answer.body, ERROR_LIMIT);
  const secrets = secretsOf(credentials, authorization);
  throw registryFailure({ ...answer, url, text, secrets }, timeOfDay(line.clock));
}

const OK = 200;
