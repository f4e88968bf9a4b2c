// The authorities that programs of this machine trust: Node's own list, the machine's, and NODE_EXTRA_CA_CERTS.

import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";

/**
 * As PEM, each once. They are read once for each pair of settings. As in Go's programs, SSL_CERT_FILE names the machine's
 * list, and a list that cannot be read is none.
 */
export function usualAuthorities(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const { SSL_CERT_FILE: own = "", NODE_EXTRA_CA_CERTS: extra = "" } = environment;
  const key = JSON.stringify([own, extra]);
  const known = read.get(key) ?? collected(own, extra);
  read.set(key, known);
  return known;
}

const read = new Map<string, readonly string[]>();

function collected(own: string, extra: string): string[] {
  const machine = (own === "" ? LISTS : [own]).map(textOf).find((text) => text !== "") ?? "";
  const found = [machine, extra === "" ? "" : textOf(extra)].flatMap((text) => text.match(CERTIFICATE) ?? []);
  // The machine's list has most of Node's, perhaps with other line ends.
  const once = new Map([...rootCertificates, ...found].map((pem) => [pem.replace(/\s/g, ""), pem]));
  return [...once.values()];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Where distributions keep the list: the first that is there counts. */
const LISTS = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
