// Files of web servers, and searches: what is asked, and what cannot be.
import { expect, test } from "vitest";
import { registryClient } from "../../hosts/registry/client.js";
import type { Transport, TransportRequest } from "../../hosts/registry/transport.js";
import { failed } from "../support/failed.js";
import { SECURE } from "../support/registry/security.js";

const asked: TransportRequest[] = [];

function answering(headers: Record<string, string>, text = ""): Transport {
  return async (request) => {
    asked.push(request);
    const body = (async function* () {
      yield Buffer.from(text);
    })();
    return { status: 200, header: (name) => headers[name] ?? null, body, cancel: () => {} };
  };
}

test.each([
  ["512", 512],
  ["0", 0],
  ["18446744073709551615", 0],
  ["5, 5", 0],
  ["-1", 0],
  ["", 0],
])("the size %j", async (header, size) => {
  const client = registryClient({ transport: answering({ "content-length": header }) });
  expect((await client.download({ address: "http://web.example/x" })).size).toBe(size);
});

test.each([
  ["http://256.1.1.1/x", "http://256.1.1.1/x"],
  ["http://a]b/x?sig=secret", "http://a]b/x"],
  ["http://[abc]/x#secret", "http://[abc]/x"],
  ["http://u:secret@[abc]/x", "http://[abc]/x"],
])("%s is no URL: nothing is asked", async (address, url) => {
  const before = asked.length;
  const client = registryClient({ transport: answering({}) });
  expect(await failed(client.download({ address }))).toEqual({
    tag: "exchange",
    val: { method: "GET", url, answered: true, why: { tag: "other", val: "invalid URL" } },
  });
  expect(asked.length).toBe(before);
});

const ME = { username: "me", password: "s3cret", identityToken: "", registryToken: "", meta: "" };

test.each([
  ["a user", { credentials: ME }, `Basic ${Buffer.from("me:s3cret").toString("base64")}`],
  // The core gives none of a client that logged in with an identity token.
  ["nobody", {}, undefined],
])("a search of %s", async (_, given, authorization) => {
  const client = registryClient({ transport: answering({}, "{}") });
  const endpoint = { authority: "registry.example", security: SECURE };
  await client.search({ endpoint, term: "x", results: 25, limit: 99, ...given });
  expect(asked.at(-1)?.headers["authorization"]).toBe(authorization);
});
