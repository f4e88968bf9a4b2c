// Certificates that no authority has signed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram, must } from "../commands.js";

/** Why none can be made here, or null. */
export const OPENSSL_MISSING = findProgram("openssl") === null ? "openssl is not installed" : null;

export interface Certificate {
  key: Buffer;
  cert: Buffer;
}

/** `names`: `IP:127.0.0.1,DNS:registry.example`; or empty. The files are made in the directory. */
export async function makeCertificate(directory: string, owner: string, names = ""): Promise<Certificate> {
  const [key, cert] = [join(directory, `${owner}.key`), join(directory, `${owner}.cert`)];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const subject = ["-subj", `/CN=${owner}`, ...(names === "" ? [] : ["-addext", `subjectAltName=${names}`])];
  await must(["openssl", "req", ...kind, ...subject, "-keyout", key, "-out", cert]);
  return { key: readFileSync(key), cert: readFileSync(cert) };
}
