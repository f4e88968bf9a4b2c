// A request as a learner writes it, for cells and actions.

import { jsonText } from "./view/json-text.js";

/** A file of an archive that the page makes: its path inside the archive, and its text. */
export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** All parts are text, so that they can be edited, shared and written in other notations. */
export interface WrittenRequest {
  /** `GET`, `POST`… */
  method: string;
  /** Path and query: `/v1.41/containers/json?all=1`. */
  target: string;
  /** Header lines in their order. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Empty if there is none. */
  body: string;
  /** Files whose tar is the body; `body` is then empty. */
  files?: readonly TextFile[];
}

/** Whether a request upgrades the connection: it is sent by `Engine.connect` and accepts typed input. */
export function hijacks(request: WrittenRequest): boolean {
  if (request.method !== "POST") return false;
  const path = pathOf(request);
  if (/^\/exec\/[^/]+\/start$/.test(path)) return !/"Detach"\s*:\s*true/.test(request.body);
  return /^\/containers\/[^/]+\/attach$/.test(path);
}

/** A header's value by its name in any case; null if it is missing. */
export function headerOf(request: WrittenRequest, name: string): string | null {
  return request.headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1] ?? null;
}

/** The path without version and query: `/containers/json`. */
export function pathOf(request: Pick<WrittenRequest, "target">): string {
  return request.target.replace(/\?.*$/s, "").replace(/^\/v[\d.]+(?=\/)/, "");
}

/** The API version of the target, such as `1.41`; null if there is none. */
export function versionOf(request: Pick<WrittenRequest, "target">): string | null {
  return /^\/v([\d.]+)\//.exec(request.target)?.[1] ?? null;
}

/** The same request at another API version. */
export function atVersion(request: WrittenRequest, version: string): WrittenRequest {
  return { ...request, target: `/v${version}${request.target.replace(/^\/v[\d.]+(?=\/)/, "")}` };
}

/** A request with a tar of files as its body. */
export function withFiles(method: string, target: string, files: readonly TextFile[]): WrittenRequest {
  return { method, target, headers: [["Content-Type", "application/x-tar"]], body: "", files };
}

/** A typical request: JSON gets its Content-Type. */
export function written(method: string, target: string, body?: unknown): WrittenRequest {
  if (body === undefined) return { method, target, headers: [], body: "" };
  const text = typeof body === "string" ? body : jsonText(body);
  return { method, target, headers: [["Content-Type", "application/json"]], body: text };
}
