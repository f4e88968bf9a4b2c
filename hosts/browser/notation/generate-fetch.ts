// Writes TypeScript for an embedded engine: `engine.fetch`, or `engine.connect` if the request upgrades the connection.

import { hijacks } from "../session/request.js";
import type { WrittenRequest } from "../session/request.js";
import { archiveInTypeScript, PACK_IMPORT } from "./generate-archive.js";
import { streams } from "./generate-curl.js";

export function fetchProgram(request: WrittenRequest): string {
  const { files } = request;
  const imports = files === undefined ? [] : ['import { buffer } from "node:stream/consumers";', PACK_IMPORT];
  const lines = [
    ...imports,
    'import { openEngine, simulatedHost } from "coracle-engine";',
    "",
    ...(files === undefined ? [] : archiveInTypeScript(files)),
    "const engine = await openEngine({ host: simulatedHost() });",
  ];
  const call = hijacks(request) ? "connect" : "fetch";
  const answer = hijacks(request) ? "connection" : "response";
  lines.push(`const ${answer} = await engine.${call}(${JSON.stringify(request.target)}${initOf(request)});`);
  lines.push(...reading(request), "await engine.close();");
  return `${lines.join("\n")}\n`;
}

function initOf({ method, headers, body, files }: WrittenRequest): string {
  const members: string[] = [];
  if (method !== "GET") members.push(`method: ${JSON.stringify(method)}`);
  if (headers.length > 0) {
    const pairs = headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    members.push(`headers: { ${pairs.join(", ")} }`);
  }
  if (files !== undefined) members.push("body: await buffer(archive)");
  if (body !== "") members.push(`body: ${bodyLiteral(body)}`);
  return members.length === 0 ? "" : `, {\n${members.map((member) => `  ${member},\n`).join("")}}`;
}

/** Bodies are sent byte for byte as written: as a template literal if `JSON.stringify` would write them differently. */
function bodyLiteral(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (JSON.stringify(value) === body) return `JSON.stringify(${body})`;
    if (JSON.stringify(value, null, 2) === body) {
      return `JSON.stringify(${body.replaceAll("\n", "\n  ")}, null, 2)`;
    }
  } catch {
    // Not JSON: sent as it is.
  }
  return /[`\\\r]|\$\{/.test(body) ? JSON.stringify(body) : `\`${body}\``;
}

function reading(request: WrittenRequest): string[] {
  if (hijacks(request)) {
    return ["for await (const bytes of connection.readable) console.log(bytes);"];
  }
  if (streams(request)) {
    return [
      "console.log(response.status);",
      "for await (const bytes of response.body!) console.log(new TextDecoder().decode(bytes));",
    ];
  }
  return ["console.log(response.status, await response.text());"];
}
