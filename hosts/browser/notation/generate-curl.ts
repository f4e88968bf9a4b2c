// Writes curl lines that `parseCurl` reads back as the same request.

import { pathOf } from "../session/request.js";
import type { TextFile, WrittenRequest } from "../session/request.js";
import { quoted } from "./words.js";

const SOCKET = "/var/run/docker.sock";

/** `old`: without a host, as for curl before 7.50. */
export function curl(request: WrittenRequest, notation: "old" | "new"): string {
  const { method, target, headers, body, files } = request;
  const parts = ["curl", "--unix-socket", SOCKET];
  if (streams(request)) parts.push("--no-buffer");
  // Otherwise curl would expand braces and brackets.
  if (/[[\]{}]/.test(target)) parts.push("--globoff");
  if (method === "HEAD") parts.push("--head");
  else if (method !== (body === "" && files === undefined ? "GET" : "POST")) parts.push("-X", method);
  const lines = [[...parts]];
  for (const [name, value] of headers) lines.push(["-H", value === "" ? `${name};` : `${name}: ${value}`]);
  if (body !== "") {
    if (!headers.some(([name]) => name.toLowerCase() === "content-type")) lines.push(["-H", "Content-Type:"]);
    lines.push([body.startsWith("@") ? "--data-raw" : "-d", body]);
  }
  if (files !== undefined) lines.push(["--data-binary", "@-"]);
  lines.push([notation === "old" ? `http:${target}` : `http://localhost${target}`]);
  const line = lines.map((words) => words.map(quoted).join(" ")).join(" \\\n  ");
  return files === undefined ? line : `${folderMade(files)}\ntar -C "$folder" -cf - . | ${line}`;
}

/** Commands that write the files to a new folder. */
function folderMade(files: readonly TextFile[]): string {
  const folders = new Set(files.flatMap(({ name }) => /^(.+)\/[^/]*$/.exec(name)?.[1] ?? []));
  const made = [...folders].map((name) => `mkdir -p "$folder"/${quoted(name)}`);
  const written = files.map(({ name, text }) => {
    const place = `"$folder"/${quoted(name)}`;
    const isDocument = text.endsWith("\n") && !/^END$/m.test(text);
    return isDocument ? `cat > ${place} <<'END'\n${text}END` : `printf %s ${quoted(text)} > ${place}`;
  });
  return ["folder=$(mktemp -d)", ...made, ...written].join("\n");
}

/** Whether the answer arrives as a stream. */
export function streams(request: WrittenRequest): boolean {
  return /^\/(build|events|images\/create|images\/load|containers\/.+\/(logs|attach))$/.test(pathOf(request));
}
