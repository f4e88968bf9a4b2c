// `HostConfig.Annotations` go into the OCI config. Runtimes read
// commands of their own from there, which clients must not give.

import { Json } from "../../json/json";
import { quoteText } from "../../text/go-quote";

// Annotations that command crun (hooks, a seccomp filter, another
// handler: crun(1)), or set properties of a systemd unit (runc, crun).
const ORDERS: string[] = ["run.oci.", "module.wasm.", "org.systemd.property."];

/** The annotations; null if there are none. */
export function annotationsOf(host: Json): Json | null {
  const annotations = host.find("Annotations");
  return annotations === null || annotations.length == 0 ? null : annotations;
}

/** What is wrong with the annotations; empty if nothing is. */
export function annotationProblem(host: Json): string {
  const annotations = host.find("Annotations");
  if (annotations === null) return "";
  for (let i = 0; i < annotations.keys.length; i++) {
    const key = annotations.keys[i];
    if (key.length == 0) return "invalid Annotations: the empty string is not permitted as an annotation key";
    for (let j = 0; j < ORDERS.length; j++) {
      if (key.startsWith(ORDERS[j])) return `invalid Annotations: ${quoteText(key)} is for OCI runtimes to obey`;
    }
  }
  return "";
}
