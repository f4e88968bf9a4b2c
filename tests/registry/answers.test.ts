// Answers of a registry and their handling: failures by kind, status and code; digests checked; pages joined.

import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { failures } from "../../hosts/shared/host.js";
import { realClock } from "../../hosts/shared/clock.js";
import { registryClient } from "../../hosts/registry/client.js";
import type { Transport } from "../../hosts/registry/transport.js";
import { HandClock } from "../driver/fake.js";
import { until } from "../support/commands.js";
import { digestOf } from "../support/registry/push-image.js";
import { freePort } from "../support/registry/docker-registry.js";
import { errors, json, readAll, repository, startFake, type Answer, type Fake } from "./fake.js";
import { failed } from "../support/failed.js";
import { answered } from "../support/registry/registry-failures.js";
import { SECURE } from "../support/registry/security.js";

/** Uses real time: a stalled machine must not be taken for a silent registry. */
const client = registryClient();
/** Silence limit of another client in nanoseconds, by a clock that the test moves. */
const SILENCE = 300_000_000n;
const MANIFEST = Buffer.from(`{"schemaVersion":2}`);
const ACCEPT = ["application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json"];
const THREE = [
  { code: "A", message: "b" },
  { code: "C", message: "" },
  { code: "", message: "" },
];
let fake: Fake | undefined;

afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

test("a manifest by tag comes with its digest and its type without parameters, and is requested with all types", async () => {
  const at = await serve((_, response) => {
    response.writeHead(200, { "content-type": "application/vnd.oci.image.index.v1+json; charset=utf-8" }).end(MANIFEST);
  });
  const resolved = await client.resolve({ ...repository(at), reference: "1.0", accept: ACCEPT });
  expect(Buffer.from(resolved.bytes)).toEqual(MANIFEST);
  expect(resolved.mediaType).toBe("application/vnd.oci.image.index.v1+json");
  expect(resolved.digest).toBe(digestOf(MANIFEST));
  expect(at.asked.at(-1)).toMatchObject({ path: "/v2/some/thing/manifests/1.0" });
  expect(at.asked.at(-1)?.headers["accept"]).toBe(ACCEPT.join(", "));
});

test("a host that stands for a registry is told which one is meant, besides what else is asked", async () => {
  const at = await serve((_, response) => void response.writeHead(200).end(`{"tags":[]}`));
  const { endpoint, ...rest } = repository(at);
  const from = { ...rest, endpoint: { ...endpoint, standsFor: "r.example:5000" } };
  await client.tags({ ...from, limit: 1000 });
  await client.mount({ to: from, digest: digestOf(MANIFEST), source: "other" }).catch(() => {});
  const targets = at.asked.map(({ target }) => target).filter((target) => target !== "/v2/");
  expect(targets[0]).toBe("/v2/some/thing/tags/list?ns=r.example%3A5000");
  expect(targets[1]).toMatch(/\/blobs\/uploads\/\?mount=.*&from=other&ns=r\.example%3A5000$/);
});

test("a manifest by digest must match the digest", async () => {
  const at = await serve((_, response) => void response.writeHead(200).end(MANIFEST));
  const asked = { ...repository(at), accept: ACCEPT };
  expect((await client.resolve({ ...asked, reference: digestOf(MANIFEST) })).digest).toBe(digestOf(MANIFEST));
  const other = digestOf(Buffer.from("other"));
  const failure = await failed(client.resolve({ ...asked, reference: other }));
  expect(failure).toMatchObject({ tag: "mismatch", val: { what: "manifest", wanted: other } });
});

test.each(["sha512", "sha384"])("a manifest by a digest of %s must match it, too", async (algorithm) => {
  const at = await serve((_, response) => void response.writeHead(200).end(MANIFEST));
  const digestBy = (text: string): string => `${algorithm}:${createHash(algorithm).update(text).digest("hex")}`;
  const asked = { ...repository(at), accept: ACCEPT };
  const resolved = await client.resolve({ ...asked, reference: digestBy(String(MANIFEST)) });
  expect(resolved.digest).toBe(digestBy(String(MANIFEST)));
  const other = digestBy("other");
  const failure = await failed(client.resolve({ ...asked, reference: other }));
  expect(failure).toMatchObject({ tag: "mismatch", val: { what: "manifest", wanted: other } });
  const short = other.slice(0, -1);
  expect(await failed(client.resolve({ ...asked, reference: short }))).toEqual({
    ...{ tag: "malformed", val: { what: "digest", text: short } },
  });
});

test.each(["constructor:1", "__proto__:1", "sha512:1", "md5:1", ":", ""])(
  "a registry that tells %j as the digest of a manifest tells none",
  async (told) => {
    const at = await serve((_, response) => {
      response.writeHead(200, { "docker-content-digest": told }).end(MANIFEST);
    });
    const resolved = await client.resolve({ ...repository(at), reference: "1.0", accept: ACCEPT });
    expect(resolved.digest).toBe(digestOf(MANIFEST));
  },
);

test.each(["sha512", "sha384"])("a blob by a digest of %s must match it, too", async (algorithm) => {
  const at = await serve((_, response) => void response.writeHead(200).end(MANIFEST));
  const digestBy = (text: string): string => `${algorithm}:${createHash(algorithm).update(text).digest("hex")}`;
  const asked = { from: repository(at), size: BigInt(MANIFEST.length) };
  const bytes = await client.blob({ ...asked, digest: digestBy(String(MANIFEST)) });
  expect(Buffer.from(bytes)).toEqual(MANIFEST);
  const other = digestBy("other");
  const failure = await failed(client.blob({ ...asked, digest: other }));
  expect(failure).toMatchObject({ tag: "mismatch", val: { what: "blob", wanted: other } });
});

test("what has a digest of an unknown algorithm is not requested", async () => {
  const at = await serve((_, response) => void response.writeHead(200).end(MANIFEST));
  const digest = `md5:${"a".repeat(32)}`;
  const blob = { from: repository(at), digest, size: BigInt(MANIFEST.length) };
  const unknown = { ...repository(at), reference: digest, accept: ACCEPT };
  for (const asking of [client.blob(blob), client.stream(blob), client.resolve(unknown)]) {
    expect(await failed(asking)).toEqual({ tag: "malformed", val: { what: "checkable-digest", text: digest } });
  }
  expect(at.asked).toEqual([]);
});

test("an invalid digest is not requested", async () => {
  const at = await serve((_, response) => void response.writeHead(200).end(MANIFEST));
  const digest = `sha256:${"A".repeat(64)}`;
  const asking = client.blob({ from: repository(at), digest, size: BigInt(MANIFEST.length) });
  expect(await failed(asking)).toEqual({ tag: "malformed", val: { what: "digest", text: digest } });
  expect(at.asked).toEqual([]);
});

test("a manifest by tag must have the digest that its header says", async () => {
  const other = digestOf(Buffer.from("other"));
  const at = await serve((_, response) => {
    response.writeHead(200, { "docker-content-digest": other }).end(MANIFEST);
  });
  expect((await failed(client.resolve({ ...repository(at), reference: "1.0", accept: ACCEPT }))).tag).toBe("mismatch");
});

test.each<[number, string, string]>([
  [401, "UNAUTHORIZED", "authentication required"],
  [403, "DENIED", "requested access to the resource is denied"],
  [404, "MANIFEST_UNKNOWN", "manifest unknown"],
  [429, "TOOMANYREQUESTS", "slow down"],
  [500, "UNKNOWN", ""],
])("%i comes with its status, its errors and the time to retry", async (status, code, message) => {
  const at = await serve((_, response) => json(response, status, errors(code, message), { "retry-after": "17" }));
  const failure = await failed(client.resolve({ ...repository(at), reference: "1.0?a", accept: ACCEPT }));
  const url = `${at.url}/v2/some/thing/manifests/1.0%3Fa`;
  expect(failure).toEqual(answered(status, code, message, { url, retryAfter: 17 }));
});

test.each<[string, unknown, Partial<failures.RegistryAnswer>]>([
  ["several errors", { errors: [{ code: "A", message: "b" }, { code: "C" }, 7, { message: 8 }] }, { errors: THREE }],
  ["a token server's words", { details: "wrong" }, { details: "wrong" }],
  ["no list of errors", { errors: { code: "A" } }, { errors: [] }],
  ["no object", ["errors"], { errors: [] }],
])("an error may have %s", async (_, body, expected) => {
  const at = await serve((_asked, response) => json(response, 400, body));
  expect(await failed(client.tags(repository(at)))).toMatchObject({ tag: "registry-answer", val: expected });
});

test.each<[string, (now: number) => string, number]>([
  ["seconds", () => "300", 300],
  ["a date", (now) => new Date(now + 300_000).toUTCString(), 300],
  ["a date in RFC 850's form", (now) => rfc850(new Date(now + 300_000)), 300],
  ["a date in the form of asctime", (now) => asctime(new Date(now + 300_000)), 300],
  ["a date that has passed", (now) => new Date(now - 300_000).toUTCString(), 0],
  ["no seconds", () => "0", 0],
  ["a negative number", () => "-5", 0],
  ["a word", () => "soon", 0],
])("the time to retry may be %s, in any time zone", async (_, header, seconds) => {
  vi.stubEnv("TZ", "America/New_York");
  onTestFinished(() => void vi.unstubAllEnvs());
  const now = Date.UTC(2026, 10, 24, 12);
  const at = await serve((_, response) => json(response, 429, {}, { "retry-after": header(now) }));
  const clock = { ...realClock, now: () => ({ ...realClock.now(), wall: BigInt(now) * 1_000_000n }) };
  const failure = await failed(registryClient({ silenceMs: 300, clock }).tags(repository(at)));
  expect(failure).toMatchObject({ tag: "registry-answer", val: { status: 429, retryAfter: seconds } });
});

test("an error without a registry's body is reported by its status", async () => {
  const at = await serve((_, response) => void response.writeHead(502).end("<html>"));
  const failure = await failed(client.tags(repository(at)));
  expect(failure).toEqual(answered(502, "", "", { url: `${at.url}/v2/some/thing/tags/list` }));
});

test("tags of all pages are joined, in the registry's order, and never from another host", async () => {
  const at = await serve(({ query }, response) => {
    const last = query.get("last");
    if (last === null) {
      json(response, 200, { tags: ["b", "a"] }, { link: `</v2/some/thing/tags/list?last=a&n=2>; rel="next"` });
    } else if (last === "a") {
      json(
        response,
        200,
        { tags: ["c"] },
        { link: `<http://elsewhere.invalid/v2/some/thing/tags/list?last=c>; rel="next"` },
      );
    } else {
      json(response, 200, { tags: null });
    }
  });
  expect(await client.tags(repository(at))).toEqual(["b", "a", "c"]);
  expect(at.asked.filter(({ path }) => path.endsWith("/tags/list"))).toHaveLength(3);
});

test("pages of tags without end are no more together than one page may be", async () => {
  let page = 0;
  const at = await serve((_, response) =>
    json(response, 200, { tags: [`tag-${page}`] }, { link: `<list?last=${page++}>; rel="next"` }),
  );
  const failure = await failed(client.tags({ ...repository(at), limit: 1000 }));
  expect(failure).toEqual({ tag: "too-large", val: { what: "answer", name: "", limit: 1000n } });
  expect(page).toBeLessThan(50);
});

test("a page of very many tags, and links that name no next page", async () => {
  const many = Array.from({ length: 200_000 }, (_, index) => `t${index}`);
  const links = `<tags/list?last=x>; rel="prev", <list>;;; title="rel=next", ${"<".repeat(5000)}, ${"<>; rel=".repeat(500)}`;
  const at = await serve((_, response) => json(response, 200, { tags: many }, { link: links }));
  expect(await client.tags(repository(at))).toHaveLength(many.length);
  expect(at.asked.filter(({ path }) => path.endsWith("/tags/list"))).toHaveLength(1);
});

test("the next page is found among several links", async () => {
  const pages: Record<string, string> = { "": "b", b: "c", c: "d" };
  const at = await serve(({ query }, response) => {
    const last = query.get("last") ?? "";
    const link = `<list?last=>; rel="first" ,\t<list?last=${pages[last]}>; title="a" ; rel=next`;
    json(response, 200, { tags: [`${last}1`] }, last === "c" ? {} : { link });
  });
  expect(await client.tags(repository(at))).toEqual(["1", "b1", "c1"]);
});

test("a small blob is checked against its digest and its size", async () => {
  const bytes = Buffer.from("config");
  const at = await serve((_, response) => void response.writeHead(200).end(bytes));
  const blob = { from: repository(at), digest: digestOf(bytes), size: 6n };
  expect(Buffer.from(await client.blob(blob))).toEqual(bytes);
  expect((await failed(client.blob({ ...blob, size: 7n }))).tag).toBe("mismatch");
  expect((await failed(client.blob({ ...blob, digest: digestOf(Buffer.from("x")) }))).tag).toBe("mismatch");
  expect((await failed(client.blob({ ...blob, size: 5n }))).tag).toBe("mismatch");
});

test("a manifest and a page of tags have a size limit", async () => {
  const bytes = Buffer.from('{"tags":["a"]}');
  const at = await serve((_, response) => void response.writeHead(200).end(bytes));
  const asked = { ...repository(at), reference: "1.0", accept: ACCEPT };
  const fits = { ...asked, limit: bytes.length };
  expect(Buffer.from((await client.resolve(fits)).bytes)).toEqual(bytes);
  expect(await client.tags(fits)).toEqual(["a"]);
  const tight = { ...asked, limit: bytes.length - 1 };
  const tooLarge = { tag: "too-large", val: { what: "answer", name: "", limit: BigInt(tight.limit) } };
  expect(await failed(client.resolve(tight))).toEqual(tooLarge);
  expect(await failed(client.tags(tight))).toEqual(tooLarge);
});

test("a blob that breaks off is unreachable", async () => {
  const at = await serve((_, response) => {
    response.writeHead(200, { "content-length": "1000" }).write("half");
    setTimeout(() => response.destroy(), 20);
  });
  const { body } = await client.stream({ from: repository(at), digest: digestOf(Buffer.from("")), size: 1000n });
  expect(await failed(readAll(body))).toMatchObject({ tag: "cut-short", val: { what: "answer" } });
});

test.each<[string, (response: ServerResponse, body: Buffer) => void, number, string]>([
  ["a part", (to, body) => part(to, body, 4), 4, "456789"],
  ["another part", (to, body) => part(to, body, 2), 0, "0123456789"],
  ["the whole", (to, body) => void to.writeHead(200).end(body), 0, "0123456789"],
  ["no such part", (to) => void to.writeHead(416).end(), 0, "0123456789"],
])("the rest of a blob is requested, and a registry may give %s", async (_, give, from, text) => {
  const whole = Buffer.from("0123456789");
  const at = await serve(({ headers }, response) => {
    if (headers.range === undefined) return void response.writeHead(200).end(whole);
    expect(headers.range).toBe("bytes=4-");
    give(response, whole);
  });
  const blob = { from: repository(at), digest: digestOf(whole), size: 10n };
  const stream = await client.stream(blob, undefined, 4);
  expect([stream.from, (await readAll(stream.body)).toString()]).toEqual([from, text]);
});

test.each([416, 503])("the rest of a blob may be refused with %i", async (status) => {
  const at = await serve(({ path }, response) => json(response, path === "/v2/" ? 200 : status, {}));
  const blob = { from: repository(at), digest: digestOf(Buffer.from("")), size: 10n };
  expect(await failed(client.stream(blob, undefined, 4))).toMatchObject({ tag: "registry-answer", val: { status } });
});

test.each(["before the head", "in the body"])("a registry that goes silent %s is unreachable", async (when) => {
  const at = await serve((_, response) => {
    if (when === "in the body") response.writeHead(200, { "content-length": "1000" }).write("half");
  });
  const clock = new HandClock();
  const hearing = registryClient({ silenceMs: 300, clock });
  const answer = hearing.stream({ from: repository(at), digest: digestOf(Buffer.from("")), size: 1000n });
  let pending: Promise<unknown> = answer;
  if (when === "in the body") {
    const parts = (await answer).body[Symbol.asyncIterator]();
    expect(Buffer.from((await parts.next()).value as Uint8Array).toString()).toBe("half");
    pending = parts.next();
  } else await until("the question", () => at.asked.length > 0);
  let isOver = false;
  const failure = failed(pending).finally(() => (isOver = true));
  await new Promise(setImmediate);
  clock.advance(SILENCE - 1n);
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  clock.advance(1n);
  expect(await failure).toMatchObject({ tag: "exchange", val: { answered: false, why: { tag: "timeout" } } });
});

test("a body that keeps coming, however slowly, is not silence", async () => {
  let response: ServerResponse | undefined;
  const at = await serve((_, given) => void (response = given).writeHead(200).write("x"));
  const clock = new HandClock();
  const hearing = registryClient({ silenceMs: 300, clock });
  const { body } = await hearing.stream({ from: repository(at), digest: digestOf(Buffer.from("")), size: 6n });
  const parts = body[Symbol.asyncIterator]();
  await parts.next();
  for (let count = 1; count < 6; count++) {
    const next = parts.next();
    await new Promise(setImmediate);
    clock.advance(SILENCE - 1n);
    response!.write("x");
    expect(Buffer.from((await next).value as Uint8Array).toString()).toBe("x");
  }
  response!.end();
  expect((await parts.next()).done).toBe(true);
});

test("a refused connection is reported with the failed call and the address", async () => {
  const authority = `127.0.0.1:${await freePort()}`;
  const failure = await failed(client.tags(repository({ authority })));
  const call = { call: "connect", path: authority, inside: false, error: "ECONNREFUSED" };
  const why = { tag: "call", val: call };
  expect(failure).toEqual({
    tag: "exchange",
    val: { method: "GET", url: `http://${authority}/v2/`, answered: false, why },
  });
});

test("a registry that is not marked insecure is not contacted without TLS", async () => {
  const at = await serve((_, response) => void response.writeHead(200).end(MANIFEST));
  const { repository: name } = repository(at);
  const endpoint = { authority: at.authority, security: SECURE };
  const failure = await failed(client.tags({ endpoint, repository: name, limit: 4 << 20 }));
  const val = { url: `https://${at.authority}/v2/`, why: { tag: "no-tls" } };
  expect(failure).toMatchObject({ tag: "exchange", val });
  expect(at.asked).toEqual([]);
});

test("with any number of registries, only the last ones are remembered", async () => {
  let looks: string[] = [];
  const transport: Transport = async ({ url }) => {
    if (url.endsWith("/v2/")) looks.push(new URL(url).hostname);
    const body = url.endsWith("/v2/") ? new Response("{}") : new Response(`{"tags":["1"]}`);
    return { status: 200, header: () => null, body: chunks(body), cancel: () => {} };
  };
  const asking = registryClient({ transport });
  const ask = async (number: number) => asking.tags(repository({ authority: `r${number}.test` }));
  for (let number = 0; number < 200; number++) expect(await ask(number)).toEqual(["1"]);
  expect(looks).toHaveLength(200);
  looks = [];
  for (const number of [199, 150, 0]) await ask(number);
  expect(looks).toEqual(["r0.test"]);
});

test("cancelling takes effect at once", async () => {
  const at = await serve(() => {});
  const controller = new AbortController();
  const answer = failed(client.tags(repository(at), controller.signal));
  setTimeout(() => controller.abort(), 50);
  expect(await answer).toEqual({ tag: "interrupted", val: "given-up" });
});

test("cancelling ends a body in the middle, and closes the connection", async () => {
  let closed: () => void;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  const at = await serve((_, response) => {
    response.writeHead(200, { "content-length": "1000" }).write("half");
    response.on("close", () => closed());
  });
  const controller = new AbortController();
  const blob = { from: repository(at), digest: digestOf(Buffer.from("")), size: 1000n };
  const { body } = await client.stream(blob, controller.signal);
  setTimeout(() => controller.abort(), 50);
  expect(await failed(readAll(body))).toEqual({ tag: "interrupted", val: "given-up" });
  await gone;
});

/** A registry without authentication: `answer` gets all requests but the first one for `/v2/`. */
async function serve(answer: Answer): Promise<Fake> {
  fake = await startFake((asked, response) => {
    if (asked.path === "/v2/") json(response, 200, {});
    else answer(asked, response);
  });
  return fake;
}

async function* chunks(response: Response): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await response.arrayBuffer());
}

/** An older date format, which HTTP recipients must accept. */
function rfc850(date: Date): string {
  const [, day = "", month = "", year = "", time = ""] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  return `${["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"][date.getUTCDay()]}day, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

/** For example `Sun Nov  6 08:49:37 1994`. */
function asctime(date: Date): string {
  const [, weekday = "", day = "", month = "", year = "", time = ""] =
    /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
}

function part(response: ServerResponse, body: Buffer, from: number): void {
  const headers = { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` };
  response.writeHead(206, headers).end(body.subarray(from));
}
