// Registry credentials from clients: the header X-Registry-Auth, and the body of POST /auth (surface §2.26). SECRET:
// credentials may only go into commands, never into a record, a trace or a log.

import { erase } from "../../../build/bindings/erase";
import { Json } from "../json/json";
import { parseJson } from "../json/reader";
import { normalise } from "../json/schema";
import { Field, FieldType, Table } from "../json/table";
import { decodeBase64Url } from "../text/base64";
import { headerOf } from "./headers";

const AUTH_CONFIG: Table = new Table(
  "AuthConfig",
  [
    new Field("username", FieldType.String, null),
    new Field("password", FieldType.String, null),
    new Field("auth", FieldType.String, null),
    new Field("email", FieldType.String, null),
    new Field("serveraddress", FieldType.String, null),
    new Field("identitytoken", FieldType.String, null),
    new Field("registrytoken", FieldType.String, null),
  ],
  "registry.AuthConfig",
);

const REGISTRY_AUTH = "X-Registry-Auth";
const META = "x-meta-";
const UPPER_A: i32 = 65;
const UPPER_Z: i32 = 90;
/** From an upper-case letter to the lower-case one. */
const LOWER: i32 = 32;

export class RegistryAuth {
  username: string = "";
  password: string = "";
  /** OAuth refresh token. */
  identityToken: string = "";
  /** Bearer token to send unchanged. */
  registryToken: string = "";
  serverAddress: string = "";

  /** There are no credentials to send to a registry. `auth` alone is not decoded, as in Docker. */
  get anonymous(): bool {
    return this.username == "" && this.password == "" && this.identityToken == "" && this.registryToken == "";
  }
}

/** Credentials from a request's header; anonymous if the header is missing or cannot be decoded. */
export function registryAuthOf(headers: string): RegistryAuth {
  const header = headerOf(headers, REGISTRY_AUTH);
  if (header === null) return new RegistryAuth();
  const auth = decodeRegistryAuth(header);
  erase(header);
  return auth;
}

/** SECRET. The headers that a client has passed on to a registry (surface §2.26): whole lines, or empty. */
export function metaOf(headers: string): string {
  const lines: string[] = [];
  for (let from = 0; from < headers.length;) {
    let end = headers.indexOf("\n", from);
    if (end < 0) end = headers.length;
    if (beginsAt(headers, from, META)) lines.push(headers.substring(from, end));
    from = end + 1;
  }
  if (lines.length == 0) return "";
  // The last LF makes it a copy, always: the request's own headers are erased.
  lines.push("");
  const all = lines.join("\n");
  for (let i = 0; i < lines.length; i++) erase(lines[i]);
  return all;
}

/** `prefix`: in lower case. No copies are made: what stands there may be a secret. */
function beginsAt(text: string, from: i32, prefix: string): bool {
  if (from + prefix.length > text.length) return false;
  for (let i = 0; i < prefix.length; i++) {
    const unit = text.charCodeAt(from + i);
    const lower = unit >= UPPER_A && unit <= UPPER_Z ? unit + LOWER : unit;
    if (lower != prefix.charCodeAt(i)) return false;
  }
  return true;
}

export function decodeRegistryAuth(header: string): RegistryAuth {
  const bytes = decodeBase64Url(header);
  if (bytes === null) return new RegistryAuth();
  const document = parseJson(bytes);
  bytes.fill(0);
  if (document === null) return new RegistryAuth();
  const auth = readRegistryAuth(document);
  return auth === null ? new RegistryAuth() : auth;
}

/** Reads the object that Docker's clients send; null if a field is not a string: `schemaError` says which. */
export function readRegistryAuth(document: Json): RegistryAuth | null {
  const fields = normalise(document, AUTH_CONFIG);
  if (fields === null) return null;
  const auth = new RegistryAuth();
  auth.username = fields.stringOf("username");
  auth.password = fields.stringOf("password");
  auth.identityToken = fields.stringOf("identitytoken");
  auth.registryToken = fields.stringOf("registrytoken");
  auth.serverAddress = fields.stringOf("serveraddress");
  return auth;
}
