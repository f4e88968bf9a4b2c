// Credentials of clients: the header X-Registry-Auth, and the body of POST /auth (surface §2.26). SECRET: what is read
// here goes into commands only, never into a record, a trace or a log.

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

export class RegistryAuth {
  username: string = "";
  password: string = "";
  /** OAuth refresh token. */
  identityToken: string = "";
  /** Bearer token to send as it is. */
  registryToken: string = "";
  serverAddress: string = "";

  /** Nothing is there that a registry could be shown. `auth` alone is not decoded, as in Docker. */
  get anonymous(): bool {
    return this.username == "" && this.password == "" && this.identityToken == "" && this.registryToken == "";
  }
}

/** What a request's header holds; nothing, or what cannot be decoded, is anonymous. */
export function registryAuthOf(headers: string): RegistryAuth {
  const header = headerOf(headers, REGISTRY_AUTH);
  if (header === null) return new RegistryAuth();
  const auth = decodeRegistryAuth(header);
  erase(header);
  return auth;
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

/** Reads the object of Docker's clients; null if a field is not a text: `schemaError` says which. */
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
