// Keeps credentials out of traces: their values in inputs become stand-ins of the same length, encoded as they were, so
// that the core decides the same: whoever is anonymous stays it, what cannot be read still cannot.

import type { Input, engine, failures } from "../shared/host.js";
import { withoutUsersIn } from "./addresses-in-text.js";
import { fromBase64, toBase64 } from "./base64.js";
import { maskJson } from "./masked-json.js";
import { withoutUserInfo, withoutUserOfImage, withoutUserOfMember } from "./user-info.js";

/** One unit for each byte. */
const latin1 = new TextDecoder("latin1");
const FORM = /^content-type:[ \t]*application\/x-www-form-urlencoded/im;

type Whole = Extract<engine.Body, { tag: "whole" }>;

export interface MaskedInput {
  input: Input;
  /** Replies of this step may speak of what was replaced. */
  masked: boolean;
}

/** `refused`: nothing came of the request but its refusal. So the core keeps nothing of it, wherever it stood. */
export function withoutCredentials(input: Input, refused = false): MaskedInput {
  if (input.tag === "completed") return maskCompletion(input.val);
  if (input.tag === "request") return maskRequest(input.val, refused);
  if (input.tag === "source-failed") return maskSource(input.val);
  return { input, masked: false };
}

/** Identity tokens, which the answer to `POST /auth` shows; and what addresses in a registry's failures are signed with. */
function maskCompletion({ op, outcome }: engine.Completed): MaskedInput {
  if (outcome.tag === "err") return maskFailed(op, outcome.val);
  const same = { input: { tag: "completed", val: { op, outcome } }, masked: false } as const;
  if (outcome.val.tag !== "token") return same;
  const token = { tag: "token", val: standIn(outcome.val.val) } as const;
  return { input: { tag: "completed", val: { op, outcome: { tag: "ok", val: token } } }, masked: true };
}

function maskFailed(op: bigint, failure: failures.Failure): MaskedInput {
  const val = withoutSignatures(failure);
  return { input: { tag: "completed", val: { op, outcome: { tag: "err", val } } }, masked: val.val !== failure.val };
}

function maskSource(failed: engine.SourceFailure): MaskedInput {
  const why = withoutSignatures(failed.why);
  return { input: { tag: "source-failed", val: { ...failed, why } }, masked: why.val !== failed.why.val };
}

/** Of registries alone: what others say may come to be in records, whose hashes are compared. */
function withoutSignatures(failure: failures.Failure): failures.Failure {
  switch (failure.tag) {
    case "registry-answer":
    case "exchange":
    case "cut-short":
      return { tag: failure.tag, val: textsShown(failure.val) } as failures.Failure;
    default:
      return failure;
  }
}

/** All texts in it, however deep, without signatures; itself where there are none. */
function textsShown(value: unknown): unknown {
  if (typeof value === "string") return withoutSignature(value);
  if (typeof value !== "object" || value === null) return value;
  const shown = Object.entries(value).map(([name, part]) => [name, textsShown(part)] as const);
  if (shown.every(([name, part]) => part === (value as Record<string, unknown>)[name])) return value;
  return Array.isArray(value) ? shown.map(([, part]) => part) : Object.fromEntries(shown);
}

function withoutSignature(text: string): string {
  return withoutUserInfo(text, standIn, /[^\s"]+/g).replace(
    QUERY,
    (query) => query.charAt(0) + standIn(query.slice(1)),
  );
}

function maskRequest(request: engine.Request, refused: boolean): MaskedInput {
  const secretless = hasSecrets(request.headers) ? maskHeaders(request.headers) : request.headers;
  const headers = withoutUsersInHeaders(secretless, refused);
  const target = maskTarget(request.target, refused);
  const login = SECRET_BODY.test(pathOf(request.target));
  const body = login ? maskLogin(request.body) : maskBody(request, refused);
  const masked = login || headers !== secretless || target !== request.target || body !== request.body;
  if (!masked && headers === request.headers) return { input: { tag: "request", val: request }, masked };
  return { input: { tag: "request", val: { ...request, headers, target, body } }, masked };
}

function maskLogin(body: engine.Body): engine.Body {
  return body.tag === "whole" ? { tag: "whole", val: maskJson(body.val) } : body;
}

function maskBody(request: engine.Request, refused: boolean): engine.Body {
  const { body, headers, target } = request;
  if (body.tag !== "whole") return body;
  if (FORM.test(headers)) return maskForm(body);
  const shown = CREATE.test(pathOf(target)) ? maskCreate(body) : body;
  return refused ? maskRefused(shown) : shown;
}

/** What is kept in records stays, for others than root to be hidden (shared.ts): a snapshot has it, too. */
function maskRefused(body: Whole): Whole {
  const text = latin1.decode(body.val);
  return bodyShown(body, text, withoutUsersIn(text));
}

/** A form holds what a query may hold. */
function maskForm(body: Whole): Whole {
  const text = latin1.decode(body.val);
  const parameters = text.split("&").map(maskParameter).join("&");
  const shown = withoutUserOfImage(withoutUserInfo(parameters, standIn, /[^&]+/g), standIn);
  return bodyShown(body, text, shown);
}

function maskCreate(body: Whole): Whole {
  const text = latin1.decode(body.val);
  if (!/@|\\u0040/.test(text)) return body;
  return bodyShown(body, text, withoutUserOfMember(text, standIn));
}

/** `text` and `shown` have a character for each byte. */
function bodyShown(body: Whole, text: string, shown: string): Whole {
  if (shown === text) return body;
  return { tag: "whole", val: body.val.map((byte, at) => (shown[at] === text[at] ? byte : shown.charCodeAt(at))) };
}

/** Without any, as those of the request before: a client's are the same time and again. */
let harmless = "";

function hasSecrets(headers: string): boolean {
  if (headers === harmless) return false;
  if (SECRET_HEADER.test(headers)) return true;
  harmless = headers;
  return false;
}

function maskTarget(target: string, refused: boolean): string {
  const shown = maskQuery(target).replace(PARAMETERS, (part) =>
    !refused && KEPT.test(decoded(part)) ? part : withoutUserInfo(part, standIn),
  );
  return withoutUserOfImage(shown, standIn);
}

/** The first has the path before it. */
const PARAMETERS = /[^&]+/g;
/** What the core keeps, compares with what it keeps, or hands on: it decides otherwise by any other. */
const KEPT = /^(?:[^?]*\?)?(?:author|changes|comment|filters?|path|ps_args)=/;

/** No endpoint knows a parameter that sounds like a credential: what stands for it changes nothing. */
function maskQuery(target: string): string {
  const query = target.indexOf("?") + 1;
  if (query === 0 || !SUSPECT.test(target)) return target;
  return target.slice(0, query) + target.slice(query).split("&").map(maskParameter).join("&");
}

function maskParameter(pair: string): string {
  const value = pair.indexOf("=") + 1;
  if (value === 0) return pair;
  const name = decoded(pair.slice(0, value - 1));
  // Its user first: a password may have what ends an address.
  if (ADDRESSES.includes(name))
    return withoutUserInfo(pair, standIn).replace(
      ITS_QUERY,
      (_all, mark: string, own: string) => mark + asReadable(own),
    );
  if (name === AUTHOR || !SECRET_WORD.test(name)) return pair;
  const [secret = "", ...fragments] = pair.slice(value).split("#");
  return pair.slice(0, value) + [asReadable(secret), ...fragments.map(standIn)].join("#");
}

/** A stand-in for a value of a query: what Go's rules cannot read still cannot be read. */
function asReadable(secret: string): string {
  const unreadable = /;|%(?![0-9a-f]{2})/i.exec(secret)?.[0] ?? "";
  return unreadable + standIn(secret.slice(unreadable.length));
}

/** Of an address in a text: it may name an account, or hold a signature. */
const QUERY = /(?<=https?:\/\/[^\s"?#]*)[?#][^\s"]+/gi;

/**
 * Parts of the names of headers that hold credentials, or sound like it: those that the core erases, too. A `Referer` is
 * an address, whose query may hold any.
 */
export const SECRET_WORDS: readonly string[] = [
  "auth",
  "registry-config",
  "cookie",
  "referer",
  "token",
  "secret",
  "password",
  "credential",
  "apikey",
  "api-key",
];
const SECRET_WORD = new RegExp(SECRET_WORDS.join("|"), "i");
const SECRET_HEADER = new RegExp(`^[^:\\n]*(?:${SECRET_WORDS.join("|")})[^:\\n]*:`, "im");
/** The one parameter that sounds like a credential, and that an endpoint knows: a commit's. */
const AUTHOR = "author";
/** Those that hold an address, which may have a query of its own: something is signed in it, as a rule. */
const ADDRESSES: readonly string[] = ["fromSrc", "remote"];
/** Targets without it have nothing to hide in their queries: most of them. */
const SUSPECT = new RegExp(["%", ...SECRET_WORDS, ...ADDRESSES].join("|"), "i");
const ITS_QUERY = /(\?|%3f|%23)([^#]+)/i;

/** Logins, and what is secret by its nature: keys and tokens of swarms, secrets, settings of plugins. */
const SECRET_BODY = /\/auth\/*$|^(?:https?:\/\/[^/]*)?\/+(?:v[0-9.]+\/+)?(?:swarm|secrets|configs|plugins)\//i;

/** What it names may hold an account, as a pull's may. */
const CREATE = /\/containers\/create\/*$/i;

function pathOf(target: string): string {
  const path = target.split(/[?#]/, 1)[0]!;
  return path.includes("%") ? decoded(path) : path;
}

/** What cannot be decoded is left as it stands. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function maskHeaders(headers: string): string {
  return headers
    .split("\n")
    .map((line) => (SECRET_HEADER.test(line) ? maskHeader(line) : line))
    .join("\n");
}

/** The core keeps who asked for a change, as they call themselves. */
function withoutUsersInHeaders(headers: string, refused: boolean): string {
  if (!headers.includes("@") || !headers.includes("://")) return headers;
  return headers
    .split("\n")
    .map((line) => (refused || !USER_AGENT.test(line) ? withoutUsersIn(line) : line))
    .join("\n");
}

const USER_AGENT = /^user-agent:/i;

function maskHeader(line: string): string {
  const colon = line.indexOf(":");
  const name = line.slice(0, colon).toLowerCase();
  const value = line.slice(colon + 1).trimStart();
  const before = line.slice(0, line.length - value.length);
  const trimmed = value.trimEnd();
  return `${before}${maskHeaderValue(name, trimmed)}${value.slice(trimmed.length)}`;
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
