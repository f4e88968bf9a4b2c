// Writes curl lines that `parseCurl` reads back as the same request.

import { pathOf } from "../session/request.js";
import type { WrittenRequest } from "../session/request.js";
import { quoted } from "./words.js";

const SOCKET = "/var/run/docker.sock";

/** `old`: without a host, as for curl before 7.50. */
export function curl(request: WrittenRequest, notation: "old" | "new"): string {
  const { method, target, headers, body } = request;
  const parts = ["curl", "--unix-socket", SOCKET];
  if (streams(request)) parts.push("--no-buffer");
  // Otherwise curl would expand braces and brackets.
  if (/[[\]{}]/.test(target)) parts.push("--globoff");
  if (method === "HEAD") parts.push("--head");
  else if (method !== (body === "" ? "GET" : "POST")) parts.push("-X", method);
  const lines = [[...parts]];
  for (const [name, value] of headers) lines.push(["-H", value === "" ? `${name};` : `${name}: ${value}`]);
  if (body !== "") {
    if (!headers.some(([name]) => name.toLowerCase() === "content-type")) lines.push(["-H", "Content-Type:"]);
    lines.push([body.startsWith("@") ? "--data-raw" : "-d", body]);
  }
  lines.push([notation === "old" ? `http:${target}` : `http://localhost${target}`]);
  return lines.map((words) => words.map(quoted).join(" ")).join(" \\\n  ");
}

/** Whether the answer arrives as a stream. */
export function streams(request: WrittenRequest): boolean {
  return /^\/(events|images\/create|images\/load|containers\/.+\/(logs|attach))$/.test(pathOf(request));
}
