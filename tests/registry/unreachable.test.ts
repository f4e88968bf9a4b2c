// How platform errors are reported when there is no answer.

import { expect, test } from "vitest";
import type { failures } from "../../hosts/shared/host.js";
import { registryClient } from "../../hosts/registry/client.js";
import { failed } from "../support/failed.js";
import { SECURE } from "../support/registry/security.js";

const URL = "https://r.example:5000/v2/";
const AT = "r.example:5000";

test.each<[string, Error, failures.ExchangeFailure]>([
  ["an unknown host name", coded("ENOTFOUND", "getaddrinfo"), call("getaddrinfo", "r.example", "ENOTFOUND")],
  ["no DNS server", coded("EAI_AGAIN"), call("getaddrinfo", "r.example", "EAI_AGAIN")],
  ["connection refused", coded("ECONNREFUSED"), call("connect", AT, "ECONNREFUSED")],
  ["no route", coded("EHOSTUNREACH", "connect"), call("connect", AT, "EHOSTUNREACH")],
  ["no connection in time", coded("UND_ERR_CONNECT_TIMEOUT"), call("connect", AT, "ETIMEDOUT")],
  ["a reset", coded("ECONNRESET", "read"), call("read", AT, "ECONNRESET")],
  ["a closed connection, on Node", coded("ECONNRESET"), { tag: "closed" }],
  ["a closed connection, by fetch", coded("UND_ERR_SOCKET"), { tag: "closed" }],
  ["no TLS", coded("ERR_SSL_WRONG_VERSION_NUMBER"), { tag: "no-tls" }],
  ["a self-signed certificate", coded("DEPTH_ZERO_SELF_SIGNED_CERT"), { tag: "unknown-authority" }],
  ["an expired certificate", coded("CERT_HAS_EXPIRED"), { tag: "certificate-dates" }],
  ["another host's certificate", misnamed("DNS:a.example, IP Address:10.0.0.1"), names("a.example", "10.0.0.1")],
  ["a certificate without names", misnamed(undefined), names()],
  ["another error, with its address", new Error(`no luck at ${URL}`), { tag: "other", val: `no luck at ${URL}` }],
])("%s", async (_, error, why) => {
  const cause = new TypeError("fetch failed", { cause: error });
  const client = registryClient({ transport: () => Promise.reject(cause) });
  const asked = { endpoint: { authority: AT, security: SECURE }, repository: "x", limit: 99 };
  expect(await failed(client.tags(asked))).toEqual({
    tag: "exchange",
    val: { method: "GET", url: URL, answered: false, why },
  });
});

function coded(code: string, syscall?: string): Error {
  return Object.assign(new Error("in the platform's words"), { code, ...(syscall && { syscall }) });
}

function misnamed(subjectaltname: string | undefined): Error {
  return Object.assign(coded("ERR_TLS_CERT_ALTNAME_INVALID"), { cert: { subjectaltname } });
}

function names(...val: string[]): failures.ExchangeFailure {
  return { tag: "certificate-names", val };
}

function call(name: string, path: string, error: string): failures.ExchangeFailure {
  return { tag: "call", val: { call: name, path, inside: false, error } };
}
