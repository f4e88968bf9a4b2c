// Registry answers of hosts in scenarios.

import type { failures } from "../../hosts/shared/host.js";

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
  const val = { url, tokenServer, status: Number(status), errors, details, lacksScope, retryAfter: 0 };
  return { tag: "registry-answer", val };
}

/** `call connect r.example:443 ECONNREFUSED`, `timeout`. */
export function exchangeFailure(tag: string, words: string[]): failures.ExchangeFailure {
  const [first = "", path = "", error = ""] = words;
  switch (tag) {
    case "call":
      return { tag, val: { call: first, path, error, inside: false } };
    case "certificate-names":
      return { tag, val: words };
    case "other":
    case "insecure-redirect":
      return { tag, val: words.join(" ") };
    case "redirects":
      return { tag, val: Number(first) };
    default:
      return { tag } as failures.ExchangeFailure;
  }
}
