// Credentials for the pulls of a build: the header X-Registry-Config (surface §2.26), or what its client is asked for.
// SECRET: they may only go into commands, never into a record, a trace or a log.

import { Credentials } from "../../../build/bindings/types";
import { erase } from "../../../build/bindings/erase";
import { headerOf } from "../api/headers";
import { readRegistryAuth } from "../api/registry-auth";
import { DEFAULT_DOMAIN, Reference } from "../image/reference";
import { credentialsOf } from "../image/pull/registry";
import { Json } from "../json/json";
import { parseJson } from "../json/reader";
import { decodeBase64Url } from "../text/base64";
import { OpenWork } from "./run/work";

const REGISTRY_CONFIG = "X-Registry-Config";
/** Hosts under which clients keep the credentials of the Hub. */
const HUB_NAMES: string[] = ["index.docker.io", "docker.io", "registry-1.docker.io"];

/** Waits for the credentials of one registry. */
export interface CredentialsClient {
  /** Null for an anonymous pull. */
  credentialsFound(credentials: Credentials | null): void;
  credentialsMissing(why: string): void;
}

/** Whom to ask for them. */
export abstract class CredentialsSource {
  /** Null if the client was told at once. */
  abstract find(reference: Reference, client: CredentialsClient): OpenWork | null;
}

export class BuildCredentials extends CredentialsSource {
  private readonly hosts: string[] = [];
  private readonly credentials: Credentials[] = [];

  /** A header that cannot be decoded counts as missing. */
  read(headers: string): void {
    const header = headerOf(headers, REGISTRY_CONFIG);
    if (header === null) return;
    const bytes = decodeBase64Url(header);
    erase(header);
    if (bytes === null) return;
    const document = parseJson(bytes);
    bytes.fill(0);
    if (document !== null && document.isObject) this.take(document);
  }

  find(reference: Reference, client: CredentialsClient): OpenWork | null {
    client.credentialsFound(this.of(reference));
    return null;
  }

  private of(reference: Reference): Credentials | null {
    const wanted = hostOf(reference.domain);
    for (let i = 0; i < this.hosts.length; i++) if (this.hosts[i] == wanted) return this.credentials[i];
    return null;
  }

  private take(document: Json): void {
    for (let i = 0; i < document.keys.length; i++) {
      const auth = readRegistryAuth(document.items[i]);
      if (auth === null) continue;
      const credentials = credentialsOf(auth);
      if (credentials === null) continue;
      this.hosts.push(hostOf(document.keys[i]));
      this.credentials.push(credentials);
    }
  }
}

/** The host, without scheme and path; all names of the Hub are one. */
function hostOf(address: string): string {
  const scheme = address.indexOf("://");
  const rest = scheme < 0 ? address : address.slice(scheme + 3);
  const slash = rest.indexOf("/");
  const host = slash < 0 ? rest : rest.slice(0, slash);
  return HUB_NAMES.includes(host) ? DEFAULT_DOMAIN : host;
}
