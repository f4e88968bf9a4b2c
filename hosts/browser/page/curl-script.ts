// All requests that were sent, in their order, as a shell script.

import type { Playground } from "./playground.js";

export function curlScript(playground: Playground): string {
  const requests = playground.session.value.exchanges.value.map((one) => one.request);
  const lines = requests.map((request) => playground.tools.generate(request, "curl"));
  return ["#!/bin/sh", "set -e", "", ...lines.flatMap((line) => [line.trimEnd(), ""])].join("\n");
}
