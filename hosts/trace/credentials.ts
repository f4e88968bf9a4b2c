// Keeps credentials out of traces: their values in inputs become stand-ins of the same length, encoded as they were, so
// that the core decides the same: whoever is anonymous stays it, what cannot be read still cannot.

import type { Input, engine } from "../host.js";
import { fromBase64, toBase64 } from "./base64.js";
import { maskJson } from "./masked-json.js";

export interface MaskedInput {
  input: Input;
  /** Replies of this step may speak of what was replaced. */
  masked: boolean;
}

export function withoutCredentials(input: Input): MaskedInput {
  if (input.tag === "completed") return maskCompletion(input.val);
  if (input.tag === "request") return maskRequest(input.val);
  return { input, masked: false };
}

/** Identity tokens, which the answer to `POST /auth` shows; and what addresses in a registry's failures are signed with. */
function maskCompletion({ op, outcome }: engine.Completed): MaskedInput {
  if (outcome.tag === "err") {
    const message = outcome.val.message.replace(QUERY, (query) => `?${standIn(query.slice(1))}`);
    const masked = message !== outcome.val.message;
    const val = { op, outcome: { tag: "err", val: { ...outcome.val, message } } } as const;
    return { input: { tag: "completed", val }, masked };
  }
  if (outcome.val.tag !== "token") return { input: { tag: "completed", val: { op, outcome } }, masked: false };
  const token = { tag: "token", val: standIn(outcome.val.val) } as const;
  return { input: { tag: "completed", val: { op, outcome: { tag: "ok", val: token } } }, masked: true };
}

function maskRequest(request: engine.Request): MaskedInput {
  const headers = SECRET_HEADER.test(request.headers) ? maskHeaders(request.headers) : request.headers;
  const target = maskTarget(request.target);
  const login = isLogin(request.target);
  const body: engine.Body =
    login && request.body.tag === "whole" ? { tag: "whole", val: maskJson(request.body.val) } : request.body;
  const masked = login || target !== request.target;
  if (!masked && headers === request.headers) return { input: { tag: "request", val: request }, masked };
  return { input: { tag: "request", val: { ...request, headers, target, body } }, masked };
}

function maskTarget(target: string): string {
  const hidden = (_all: string, before: string, secret: string): string => before + standIn(secret);
  return target.replace(USER_INFO, hidden).replace(USER_OF_IMAGE, hidden);
}

/** Of an address in a text: it may name an account, or hold a signature. */
const QUERY = /(?<=https?:\/\/[^\s"?]*)\?[^\s"]+/g;

/** Parts of the names of headers that hold credentials, or sound like it: those that the core erases, too. */
export const SECRET_WORDS: readonly string[] = [
  "auth",
  "registry-config",
  "cookie",
  "token",
  "secret",
  "password",
  "credential",
  "apikey",
  "api-key",
];
const SECRET_HEADER = new RegExp(`^[^:\\n]*(?:${SECRET_WORDS.join("|")})[^:\\n]*:`, "im");

/**
 * `://user:password@`, also where it stands encoded in a query. A password that should have been encoded once more, and
 * has a slash in it, is one all the same: what has a colon is hidden up to the last `@`.
 */
const USER_INFO = /(:\/\/|%3a%2f%2f)((?:(?!%2f)[^/?#&@])*|[^?#&@]*?(?::|%3a)[^#&]*)(?=@|%40)/gi;

/** The same where somebody put it before an image's name, which has no scheme. `name:tag@sha256:…` is no such thing. */
const USER_OF_IMAGE =
  /(fromImage=|\/images\/)([^/?#&@]*(?::|%3a)[^/?#&@]*)(?=(?:@|%40)(?!sha(?:256|384|512)(?::|%3a)))/gi;

/** Logins, and what is secret by its nature: keys and tokens of swarms, secrets, settings of plugins. */
const SECRET_BODY = /\/auth\/*$|^(?:https?:\/\/[^/]*)?\/+(?:v[0-9.]+\/+)?(?:swarm|secrets|configs|plugins)\//i;

function isLogin(target: string): boolean {
  const path = target.split(/[?#]/, 1)[0]!;
  return SECRET_BODY.test(path.includes("%") ? decoded(path) : path);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function maskHeaders(headers: string): string {
  return headers
    .split("\n")
    .map((line) => (SECRET_HEADER.test(line) ? maskHeader(line) : line))
    .join("\n");
}

function maskHeader(line: string): string {
  const colon = line.indexOf(":");
  const name = line.slice(0, colon).toLowerCase();
  const [, before, value, after] = /^(\s*)([^]*?)(\s*)$/.exec(line.slice(colon + 1)) as unknown as string[];
  return `${line.slice(0, colon + 1)}${before}${maskHeaderValue(name, value!)}${after}`;
}

function maskHeaderValue(name: string, value: string): string {
  if (name === "x-registry-auth") return maskEncoded(value, "known");
  if (name === "x-registry-config") return maskEncoded(value, "all");
  const scheme = /^(?:basic|bearer|digest|negotiate) +/i.exec(value)?.[0] ?? "";
  return scheme + standIn(value.slice(scheme.length));
}

/** JSON in base64 of the url alphabet (RFC 4648 §5), padded. What is none stays none. */
function maskEncoded(value: string, keys: "known" | "all"): string {
  const bytes = /[+/]/.test(value) ? null : fromBase64(value.replaceAll("-", "+").replaceAll("_", "/"));
  if (bytes === null) return "!".repeat(value.length);
  return toBase64(maskJson(bytes, keys)).replaceAll("+", "-").replaceAll("/", "_");
}

function standIn(secret: string): string {
  return "x".repeat(secret.length);
}
