// Error answers of registries as text.

import type { failures } from "../../../hosts/shared/host.js";
import { answered } from "../registry/registry-failures.js";

const CODE = /^[A-Z_]{5,}$/;

/** `401`, `insufficient` for missing scope, a code and its message; more errors after slashes. */
export function registryAnswer(tokenServer: boolean, [status = "", ...words]: string[]): failures.Failure {
  const lacksScope = words[0] === "insufficient";
  const parts = words
    .slice(lacksScope ? 1 : 0)
    .join(" ")
    .split(" / ");
  const errors = parts.flatMap((part) => {
    const [code = "", ...message] = part.split(" ");
    return CODE.test(code) ? [{ code, message: message.join(" ") }] : [];
  });
  const details = errors.length === 0 ? parts.join("") : "";
  const url = tokenServer ? "https://auth.r.example/token" : "https://r.example/v2/";
  return answered(Number(status), "", "", { url, tokenServer, errors, details, lacksScope });
}
