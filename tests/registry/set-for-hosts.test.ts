// What somebody has set for a host of a registry in a `hosts.toml`: headers, and how long a connection may take.

import dns from "node:dns";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { hostsIn, nodeTransport } from "../../hosts/node/registry/index.js";
import { registryClient } from "../../hosts/registry/client.js";
import type { types } from "../../hosts/shared/host.js";
import { failed } from "../support/failed.js";

const SECRET = "dear-token-of-a-host";
const HOST = "http://a";
const TOKEN = `[host."${HOST}".header]\nauthorization = "Bearer ${SECRET}"`;
const WAY: types.RegistryWay = { path: "/v2", authorities: [], certificates: [] };
const PLAIN: types.Security[] = ["plain"];

const directory = mkdtempSync(join(tmpdir(), "coracle-set-"));
const file = join(directory, "hosts.toml");
/** The file of a test that breaks it. */
let place: string;
let registry: Server;
let other: Server;
/** What each request carried, by the name of the server. */
let got: [string, IncomingHttpHeaders][] = [];
/** How the registry answers a request for tags. */
let answer: (headers: IncomingHttpHeaders) => [number, Record<string, string>, string];

beforeAll(async () => {
  registry = createServer(({ url, headers }, response) => {
    got.push(["registry", headers]);
    const [status, head, body] = url === "/v2/" ? ([200, {}, ""] as const) : answer(headers);
    response.writeHead(status, head).end(body);
  });
  other = createServer(({ headers }, response) => {
    got.push(["other", headers]);
    response.writeHead(200).end(`{"tags":["moved"]}`);
  });
  for (const one of [registry, other]) await new Promise<void>((done) => one.listen(0, "127.0.0.1", done));
});
beforeEach(() => {
  got = [];
  place = join(mkdtempSync(join(directory, "at-")), "hosts.toml");
  writeFileSync(place, TOKEN);
  answer = () => [200, {}, `{"tags":["1"]}`];
  writeFileSync(
    file,
    `header = { X-Server = "own" }\n[host."http://a".header]\nauthorization = "Bearer ${SECRET}"\nUser-Agent = "set"`,
  );
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  for (const one of [registry, other]) {
    one.closeAllConnections();
    one.close();
  }
  rmSync(directory, { recursive: true });
});

const authorityOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

function tagsOf(authority: string, way: Partial<types.RegistryWay>): Promise<string[]> {
  const client = registryClient({ transport: nodeTransport(), userAgent: "coracle" });
  const endpoint = { authority, security: PLAIN, way: { ...WAY, ...way } };
  return client.tags({ endpoint, repository: "x", limit: 1000 });
}

test("a host gets its headers with each request, besides what the request has of its own", async () => {
  expect(await tagsOf(authorityOf(registry), { headers: { file, host: "http://a" } })).toEqual(["1"]);
  const { authorization, "user-agent": agent } = got[1]![1];
  expect([authorization, agent]).toEqual([`Bearer ${SECRET}`, "coracle"]);
  expect(got.every(([, headers]) => headers.authorization !== undefined && headers["x-server"] === undefined)).toBe(
    true,
  );
});

test("a server gets those above the hosts, as they are when they are sent", async () => {
  await tagsOf(authorityOf(registry), { headers: { file, host: "" } });
  expect(got.map(([, { "x-server": own, authorization }]) => [own, authorization])).toEqual([
    ["own", undefined],
    ["own", undefined],
  ]);
  writeFileSync(file, 'header = { X-Server = "new" }');
  await tagsOf(authorityOf(registry), { headers: { file, host: "" } });
  expect(got.at(-1)![1]["x-server"]).toBe("new");
});

test("no other host gets them after a redirect", async () => {
  answer = () => [307, { location: `http://${authorityOf(other)}/tags` }, ""];
  expect(await tagsOf(authorityOf(registry), { headers: { file, host: "http://a" } })).toEqual(["moved"]);
  const [name, { authorization }] = got.at(-1)!;
  expect([name, authorization]).toEqual(["other", undefined]);
});

/** What a failure says of a registry that repeats something of a header. */
async function saidOf(said: string): Promise<string> {
  answer = () => [400, {}, JSON.stringify({ errors: [{ code: "UNSUPPORTED", message: `not with ${said}.` }] })];
  const failure = await failed(tagsOf(authorityOf(registry), { headers: { file: place, host: HOST } }));
  return JSON.stringify(failure);
}

const PAIR = `ann:${SECRET}`;
const IN_BASE64 = Buffer.from(PAIR).toString("base64");
test.each([
  [`"Bearer ${SECRET}"`, [`Bearer ${SECRET}`, SECRET]],
  [`"Basic ${IN_BASE64}"`, [`Basic ${IN_BASE64}`, IN_BASE64, PAIR, SECRET]],
  [`["first", "${SECRET}", "other"]`, [`first, ${SECRET}`, SECRET]],
])("a failure repeats nothing of them, nor of what they stand for: %s", async (value, repeated) => {
  writeFileSync(place, TOKEN.replace(/(= ).*/, `$1${value}`));
  for (const said of repeated) {
    const failure = await saidOf(said);
    expect(failure).toMatch(/not with [x, ]*x{4,}\./);
    expect(failure).not.toContain(SECRET);
    expect(failure).not.toContain(IN_BASE64);
  }
});

test.each([
  ["cannot be read", () => rmSync(place), "ENOENT"],
  ["has other things there", () => writeFileSync(place, `host = "${SECRET}"`), "must be a table"],
  ["is no TOML", () => writeFileSync(place, `${TOKEN}\nx = "${SECRET}`), "invalid TOML in line 3"],
  ["has no such host", () => writeFileSync(place, TOKEN.replace("//a", "//b")), "for it"],
  ["is empty", () => writeFileSync(place, ""), "for it"],
])("a file that %s is the machine's fault, and told without what is in it", async (_, change, why) => {
  change();
  const failure = JSON.stringify(await failed(tagsOf(authorityOf(registry), { headers: { file: place, host: HOST } })));
  expect(failure).toContain(why);
  expect(failure).toContain('"answered":true');
  expect(failure).not.toContain(SECRET);
  expect(got).toEqual([]);
});

test.each([
  ["was read for the settings", () => void hostsIn(TOKEN, place)],
  ["was used", () => tagsOf(authorityOf(registry), { headers: { file: place, host: HOST } })],
])("while a file cannot be used that %s, the headers stay as they were", async (_, before) => {
  await before();
  for (const text of ["", `${TOKEN} "`, TOKEN.replace("//a", "//b"), null]) {
    if (text === null) rmSync(place);
    else writeFileSync(place, text);
    got = [];
    expect(await tagsOf(authorityOf(registry), { headers: { file: place, host: HOST } })).toEqual(["1"]);
    expect(got.map(([, { authorization }]) => authorization)).toEqual([`Bearer ${SECRET}`, `Bearer ${SECRET}`]);
  }
  hostsIn("", place);
  const failure = await failed(tagsOf(authorityOf(registry), { headers: { file: place, host: HOST } }));
  expect(JSON.stringify(failure)).toContain("ENOENT");
});

test("a connection that takes longer than it may is told like one that the kernel gave up", async () => {
  // The name is never resolved.
  vi.spyOn(dns, "lookup").mockImplementation((() => {}) as unknown as typeof dns.lookup);
  const failure = await failed(tagsOf("r.example:5000", { connectWithin: 5 }));
  const val = { call: "connect", path: "r.example:5000", inside: false, error: "ETIMEDOUT" };
  expect(failure).toMatchObject({ tag: "exchange", val: { answered: false, why: { tag: "call", val } } });
});

test.each([
  ["with TLS", "verified-tls"],
  ["without", "plain"],
] as const)("the same holds for the connection to a proxy, %s", async (_, security) => {
  vi.spyOn(dns, "lookup").mockImplementation((() => {}) as unknown as typeof dns.lookup);
  const proxies = { http: "http://proxy.example:3128", https: "http://proxy.example:3128", none: "" };
  const client = registryClient({ transport: nodeTransport({ proxies }) });
  const endpoint = { authority: "r.example:5000", security: [security], way: { ...WAY, connectWithin: 5 } };
  const failure = await failed(client.tags({ endpoint, repository: "x", limit: 1000 }));
  const val = { call: "connect", path: "proxy.example:3128", inside: false, error: "ETIMEDOUT" };
  expect(failure).toMatchObject({ tag: "exchange", val: { answered: false, why: { tag: "proxy-call", val } } });
});

test("a connection that is there in time may be used for as long as it takes", async () => {
  expect(await tagsOf(authorityOf(registry), { connectWithin: 2000 })).toEqual(["1"]);
});
