// Credentials of clients: the header X-Registry-Auth, and the body of POST /auth (surface §2.26). SECRET: what is read
// here goes into commands only, never into a record, a trace or a log.

import { Json } from "../json/json";
import { parseJson } from "../json/reader";
import { decodeBase64Url } from "../text/base64";

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

/** Reads the header's value; null or anything that cannot be decoded is anonymous. */
export function decodeRegistryAuth(header: string | null): RegistryAuth {
  if (header === null || header.length == 0) return new RegistryAuth();
  const bytes = decodeBase64Url(header);
  if (bytes === null) return new RegistryAuth();
  const document = parseJson(bytes);
  if (document === null) return new RegistryAuth();
  const auth = readRegistryAuth(document);
  return auth === null ? new RegistryAuth() : auth;
}

/** Reads the object of Docker's clients; null if a field is not a text. */
export function readRegistryAuth(document: Json): RegistryAuth | null {
  if (!document.isObject) return document.isNull ? new RegistryAuth() : null;
  const fields = ["username", "password", "auth", "email", "serveraddress", "identitytoken", "registrytoken"];
  for (let i = 0; i < fields.length; i++) {
    const value = document.find(fields[i]);
    if (value !== null && !value.isString && !value.isNull) return null;
  }
  const auth = new RegistryAuth();
  auth.username = document.stringOf("username");
  auth.password = document.stringOf("password");
  auth.identityToken = document.stringOf("identitytoken");
  auth.registryToken = document.stringOf("registrytoken");
  auth.serverAddress = document.stringOf("serveraddress");
  return auth;
}
