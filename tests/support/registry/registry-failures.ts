// Registry failures of a host, for tests that report or expect them.

import type { failures } from "../../../hosts/shared/host.js";

type Answered = Extract<failures.Failure, { tag: "registry-answer" }>;

/** An error answer of a registry, with a single error if a code is given. */
export function answered(
  status: number,
  code = "",
  message = "told",
  more: Partial<failures.RegistryAnswer> = {},
): Answered {
  const errors = code === "" ? [] : [{ code, message }];
  const val = { url: "https://r.example/v2/", tokenServer: false, status, errors, details: "", lacksScope: false };
  return { tag: "registry-answer", val: { ...val, retryAfter: 0, ...more } };
}

/** What only an answer can be. */
export const ANSWERED: ReadonlySet<failures.ExchangeFailure["tag"]> = new Set([
  "no-credentials",
  "plain-credentials",
  "no-realm",
  "no-token",
  "bad-redirect",
  "insecure-redirect",
  "form-redirect",
  "redirects",
]);

/** No answer, or an invalid one. */
export function exchange(why: failures.ExchangeFailure): failures.Failure {
  const answered = ANSWERED.has(why.tag);
  return { tag: "exchange", val: { method: "GET", url: "https://r.example/v2/", answered, why } };
}

/** The bytes of a layer were cut off. */
export const CUT_SHORT: failures.Failure = { tag: "cut-short", val: { what: "blob", name: "sha256:0" } };

/** Nothing listens there. */
export const REFUSED: failures.Failure = exchange({
  tag: "call",
  val: { call: "connect", path: "r.example:443", inside: false, error: "ECONNREFUSED" },
});

/** The bytes of a layer do not match the digest. */
export const OTHER_BYTES: failures.Failure = { tag: "mismatch", val: { what: "blob", wanted: "sha256:0", found: "" } };

export const FULL_DISK: failures.Failure = {
  tag: "call",
  val: { call: "write", path: "/etc/x", inside: false, error: "ENOSPC" },
};

export const GIVEN_UP: failures.Failure = { tag: "interrupted", val: "given-up" };
