// Keeps credentials out of traces. In inputs, stand-ins of the same length and encoding replace their values, so that
// the core decides the same: an anonymous client stays anonymous, and what could not be decoded still cannot.

import { fromBase64, toBase64 } from "../shared/index.js";
import type { Input, engine, failures, types } from "../shared/index.js";
import { withoutUsersIn } from "./addresses-in-text.js";
import { withoutUsersInDockerfile } from "./dockerfiles.js";
import { maskJson } from "./masked-json.js";
import { withoutUserInfo, withoutUserOfAddress, withoutUserOfImage, withoutUserOfMember } from "./user-info.js";

/** Decodes each byte to one UTF-16 unit. */
const latin1 = new TextDecoder("latin1");
const FORM = /^content-type:[ \t]*application\/x-www-form-urlencoded/im;

type Whole = Extract<engine.Body, { tag: "whole" }>;

export interface MaskedInput {
  input: Input;
  /** Replies of this step may contain what was replaced. */
  masked: boolean;
}

/** `refused`: the core only refused the request, so it keeps nothing of it, and more can be replaced. */
export function withoutCredentials(input: Input, refused = false): MaskedInput {
  if (input.tag === "completed") return maskCompletion(input.val);
  if (input.tag === "request") return maskRequest(input.val, refused);
  if (input.tag === "source-failed") return maskSource(input.val);
  return { input, masked: false };
}

/**
 * Masks credentials that a client has given, identity tokens, which the reply to `POST /auth` shows, signatures in addresses of a registry's failures, and
 * passwords of the addresses in Dockerfiles.
 */
function maskCompletion({ op, outcome }: engine.Completed): MaskedInput {
  if (outcome.tag === "err") return maskFailed(op, outcome.val);
  const same = { input: { tag: "completed", val: { op, outcome } }, masked: false } as const;
  if (outcome.val.tag === "bytes") {
    const val = bytesShown(outcome.val.val);
    if (val === outcome.val.val) return same;
    return {
      input: { tag: "completed", val: { op, outcome: { tag: "ok", val: { tag: "bytes", val } } } },
      masked: true,
    };
  }
  if (outcome.val.tag === "given") {
    const given = { tag: "given", val: credentialsShown(outcome.val.val) } as const;
    return { input: { tag: "completed", val: { op, outcome: { tag: "ok", val: given } } }, masked: false };
  }
  if (outcome.val.tag !== "token") return same;
  const token = { tag: "token", val: standIn(outcome.val.val) } as const;
  return { input: { tag: "completed", val: { op, outcome: { tag: "ok", val: token } } }, masked: true };
}

function credentialsShown(given: types.Credentials): types.Credentials {
  const shown = Object.entries(given).map(([name, text]: [string, string]) => [name, standIn(text)]);
  return Object.fromEntries(shown) as types.Credentials;
}

/** What was read may be a Dockerfile. No other document that the core reads has a line that begins as such an ADD. */
function bytesShown(bytes: Uint8Array): Uint8Array {
  const text = latin1.decode(bytes);
  const shown = withoutUsersInDockerfile(text);
  if (shown === text) return bytes;
  return bytes.map((byte, at) => (shown[at] === text[at] ? byte : shown.charCodeAt(at)));
}

function maskFailed(op: bigint, failure: failures.Failure): MaskedInput {
  const val = withoutSignatures(failure);
  return { input: { tag: "completed", val: { op, outcome: { tag: "err", val } } }, masked: val.val !== failure.val };
}

function maskSource(failed: engine.SourceFailure): MaskedInput {
  const why = withoutSignatures(failed.why);
  return { input: { tag: "source-failed", val: { ...failed, why } }, masked: why.val !== failed.why.val };
}

/** Only for failures of registries: texts of other failures may end up in records, whose hashes are compared. */
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

/** A copy with the signatures removed from all texts at any depth, or the value itself if it has none. */
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
  return refused || SOLVE.test(pathOf(target)) ? maskUsers(shown) : shown;
}

/**
 * Only for refused requests, and for builds. What the core keeps in records stays in the trace, since snapshots have it,
 * too. Only a shared trace hides it (shared.ts).
 */
function maskUsers(body: Whole): Whole {
  const text = latin1.decode(body.val);
  return bodyShown(body, text, withoutUsersIn(text));
}

/** A form can hold everything that a query can. */
function maskForm(body: Whole): Whole {
  const text = latin1.decode(body.val);
  const parameters = text.split("&").map((pair) => maskParameter(pair, PARAMETERS));
  const shown = withoutUserOfImage(withoutUserInfo(parameters.join("&"), standIn, PARAMETERS), standIn);
  return bodyShown(body, text, shown);
}

function maskCreate(body: Whole): Whole {
  const text = latin1.decode(body.val);
  if (!/@|\\u0040/.test(text)) return body;
  return bodyShown(body, text, withoutUserOfMember(text, standIn));
}

/** `text` and `shown` have one character per byte. */
function bodyShown(body: Whole, text: string, shown: string): Whole {
  if (shown === text) return body;
  return { tag: "whole", val: body.val.map((byte, at) => (shown[at] === text[at] ? byte : shown.charCodeAt(at))) };
}

/** The last headers without credentials. A client often sends the same headers again. */
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

/** The first match includes the path. */
const PARAMETERS = /[^&]+/g;
/** Parameters that the core keeps, compares with what it keeps, or passes on. A stand-in would change its decisions. */
const KEPT = /^(?:[^?]*\?)?(?:author|changes|comment|filters?|path|ps_args)=/;

/** No endpoint has a parameter that sounds like a credential, so a stand-in for its value changes nothing. */
function maskQuery(target: string): string {
  const query = target.indexOf("?") + 1;
  if (query === 0 || !SUSPECT.test(target)) return target;
  return (
    target.slice(0, query) +
    target
      .slice(query)
      .split("&")
      .map((pair) => maskParameter(pair))
      .join("&")
  );
}

/** `parts`: of a form, which has no fragments. */
function maskParameter(pair: string, parts?: RegExp): string {
  const value = pair.indexOf("=") + 1;
  if (value === 0) return pair;
  const name = decoded(pair.slice(0, value - 1));
  // The address's user comes first: a password may contain a character that ends an address.
  if (ADDRESSES.includes(name))
    return withoutUserIn(pair.slice(0, value), name, pair.slice(value), parts).replace(
      ITS_QUERY,
      (_all, mark: string, own: string) => mark + asReadable(own),
    );
  if (name === AUTHOR || !SECRET_WORD.test(name)) return pair;
  const [secret = "", ...fragments] = pair.slice(value).split("#");
  return pair.slice(0, value) + [asReadable(secret), ...fragments.map(standIn)].join("#");
}

/** Only an import's address may lack a scheme. */
function withoutUserIn(before: string, name: string, address: string, parts?: RegExp): string {
  if (name !== IMPORTED) return withoutUserInfo(before + address, standIn, parts);
  return before + withoutUserOfAddress(address, standIn, parts);
}

/** A stand-in for a value of a query. A value that Go cannot parse gets a stand-in that Go cannot parse either. */
function asReadable(secret: string): string {
  const unreadable = /;|%(?![0-9a-f]{2})/i.exec(secret)?.[0] ?? "";
  return unreadable + standIn(secret.slice(unreadable.length));
}

/** The query or fragment of an address in a text. It may name an account, or hold a signature. */
const QUERY = /(?<=https?:\/\/[^\s"?#]*)[?#][^\s"]+/gi;

/**
 * Words in the names of headers that hold credentials, or sound as if they did. The core erases the same headers. A
 * `Referer` is an address, whose query may hold any credential.
 */
export const SECRET_WORDS: readonly string[] = [
  "auth",
  "registry-config",
  "x-meta-",
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
/** The only parameter of an endpoint that sounds like a credential: a commit has it. */
const AUTHOR = "author";
/** Parameters that hold an address. It may have a query of its own, usually with a signature. */
const IMPORTED = "fromSrc";
const ADDRESSES: readonly string[] = [IMPORTED, "remote"];
/** Most targets do not match, and have nothing to hide in their queries. */
const SUSPECT = new RegExp(["%", ...SECRET_WORDS, ...ADDRESSES].join("|"), "i");
const ITS_QUERY = /(\?|%3f|%23)([^#]+)/i;

/** Endpoints with secret bodies: logins, keys and tokens of swarms, secrets, settings of plugins. */
const SECRET_BODY = /\/auth\/*$|^(?:https?:\/\/[^/]*)?\/+(?:v[0-9.]+\/+)?(?:swarm|secrets|configs|plugins)\//i;

/** The image's name may hold an account, as a pull's may. */
const CREATE = /\/containers\/create\/*$/i;

/** A build by BuildKit, whose message has what the query of `POST /build` has. Its context may be an address. */
const SOLVE = /\/grpc\/[^/]+\/Solve\/*$/;

function pathOf(target: string): string {
  const path = target.split(/[?#]/, 1)[0]!;
  return path.includes("%") ? decoded(path) : path;
}

/** Escapes that cannot be decoded stay. */
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

/** The core keeps the `User-Agent` of the client that asked for a change. */
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

/** Padded base64url (RFC 4648 §5) of JSON. A value that is malformed stays malformed. */
function maskEncoded(value: string, keys: "known" | "all"): string {
  const bytes = /[+/]/.test(value) ? null : fromBase64(value.replaceAll("-", "+").replaceAll("_", "/"));
  if (bytes === null) return "!".repeat(value.length);
  return toBase64(maskJson(bytes, keys)).replaceAll("+", "-").replaceAll("/", "_");
}

function standIn(secret: string): string {
  return "x".repeat(secret.length);
}
