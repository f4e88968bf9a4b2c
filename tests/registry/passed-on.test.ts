// The headers `X-Meta-*` of a client, which its pulls and pushes pass on to the registry.

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { registryClient } from "../../hosts/registry/client.js";
import { metaOf } from "../../hosts/registry/secrets.js";
import { fetchTransport, type Transport } from "../../hosts/registry/transport.js";
import { failed } from "../support/failed.js";
import { NOBODY, repository } from "./fake.js";

const META = "X-Meta-Pipeline: dear-number-of-a-run\nx-meta-team:  one: two ";
const NEVER = new AbortController().signal;
let registry: Server;
let other: Server;
let got: IncomingHttpHeaders[] = [];
let gotElsewhere: IncomingHttpHeaders[] = [];
let answer: () => [number, Record<string, string>, string];

beforeAll(async () => {
  registry = createServer(({ url, headers }, response) => {
    if (url !== "/v2/") got.push(headers);
    const [status, head, body] = url === "/v2/" ? ([200, {}, ""] as const) : answer();
    response.writeHead(status, head).end(body);
  });
  other = createServer(({ headers }, response) => {
    gotElsewhere.push(headers);
    response.writeHead(200).end('{"tags":["moved"]}');
  });
  for (const one of [registry, other]) await new Promise<void>((done) => one.listen(0, "127.0.0.1", done));
});
beforeEach(() => {
  [got, gotElsewhere] = [[], []];
  answer = () => [200, {}, '{"tags":["1"]}'];
});
afterAll(() => {
  for (const one of [registry, other]) {
    one.closeAllConnections();
    one.close();
  }
});

const authorityOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const tags = (meta: string): Promise<string[]> =>
  registryClient().tags(repository({ authority: authorityOf(registry) }, { meta }));

test("the registry gets them with what is asked in a repository, and without anything else of nobody's", async () => {
  expect(await tags(META)).toEqual(["1"]);
  expect(got).toHaveLength(1);
  expect(got[0]).toMatchObject({ "x-meta-pipeline": "dear-number-of-a-run", "x-meta-team": "one: two" });
  expect(got[0]!.authorization).toBeUndefined();
});

test("another server does not get them after a redirect", async () => {
  answer = () => [307, { location: `http://${authorityOf(other)}/tags` }, ""];
  expect(await tags(META)).toEqual(["moved"]);
  expect(Object.keys(gotElsewhere[0]!).filter((name) => name.startsWith("x-meta-"))).toEqual([]);
});

test("a failure does not repeat them", async () => {
  const errors = [{ code: "UNSUPPORTED", message: "not for dear-number-of-a-run" }];
  answer = () => [400, {}, JSON.stringify({ errors })];
  const failure = JSON.stringify(await failed(tags(META)));
  expect(failure).toContain("not for xxxx");
  expect(failure).not.toContain("dear-number");
});

test("several of one name are one list, and a failure repeats none of them", async () => {
  const several = "X-Meta-Run: dear-first\nx-meta-run: dear-second\nX-Meta-Auth: Basic " + btoa("me:dear-third");
  expect(await tags(several)).toEqual(["1"]);
  expect(got[0]).toMatchObject({ "x-meta-run": "dear-first, dear-second" });
  const errors = [{ code: "UNSUPPORTED", message: "not for dear-second or dear-first or dear-third" }];
  answer = () => [400, {}, JSON.stringify({ errors })];
  expect(JSON.stringify(await failed(tags(several)))).not.toContain("dear-");
});

test("a platform that follows redirects itself gets none of them for what it is led to", async () => {
  const asked: [string, Headers][] = [];
  const browser = ((url: string, init: RequestInit) => {
    asked.push([init.redirect!, new Headers(init.headers)]);
    if (url.endsWith("/v2/")) return Promise.resolve(new Response(""));
    if (init.redirect === "manual") return Promise.resolve({ type: "opaqueredirect" } as Response);
    return Promise.resolve(new Response('{"tags":["moved"]}'));
  }) as typeof fetch;
  const client = registryClient({ transport: fetchTransport(browser) });
  expect(await client.tags(repository({ authority: authorityOf(registry) }, { meta: META }))).toEqual(["moved"]);
  const passedOn = asked.map(([redirect, headers]) => [redirect, headers.get("x-meta-pipeline")]);
  expect(passedOn).toEqual([
    ["manual", null],
    ["manual", "dear-number-of-a-run"],
    ["follow", null],
  ]);
});

test("a platform's own words about a request repeat none of them", async () => {
  const wordy: Transport = ({ url, headers }) =>
    url.endsWith("/v2/")
      ? fetchTransport()({ method: "GET", url, headers: {}, insecure: false, registry: "", signal: NEVER })
      : Promise.reject(new Error(`cannot send ${JSON.stringify(headers)}`));
  const client = registryClient({ transport: wordy });
  const from = repository({ authority: authorityOf(registry) }, { meta: META });
  const failure = JSON.stringify(await failed(client.tags(from)));
  expect(failure).toContain("cannot send");
  expect(failure).not.toContain("dear-number");
});

test("what is no such header is not sent", () => {
  expect(metaOf(undefined)).toEqual({});
  expect(metaOf(NOBODY)).toEqual({});
  expect(metaOf({ ...NOBODY, meta: "X-Meta-A: 1\nHost: elsewhere\nx-meta-b\n: x" })).toEqual({ "x-meta-a": "1" });
});
