// Where credentials are sent and where never: Basic, tokens and their caching, redirects.

import { afterEach, expect, test } from "vitest";
import { realClock } from "../../hosts/shared/clock.js";
import type { types } from "../../hosts/shared/host.js";
import { registryClient } from "../../hosts/registry/client.js";
import { parseChallenges } from "../../hosts/registry/challenge.js";
import { fetchTransport } from "../../hosts/registry/transport.js";
import { digestOf } from "../support/registry/push-image.js";
import { errors, json, NOBODY, readAll, repository, startFake, type Asked, type Answer, type Fake } from "./fake.js";
import { failed } from "../support/failed.js";
import { INSECURE, SECURE } from "../support/registry/security.js";

const USER = { username: "ann", password: "s3cret" };
const BASIC = `Basic ${Buffer.from("ann:s3cret").toString("base64")}`;
const BLOB = { digest: digestOf(Buffer.from("blob")), size: 4n };
const open: Fake[] = [];

afterEach(async () => {
  for (const fake of open.splice(0)) await fake.close();
});

test("challenges are parsed as RFC 9110 defines them", () => {
  const header = `Basic realm="a \\"b\\"", Bearer realm="https://auth/token",service=reg, scope="repository:x:pull,push"`;
  const [basic, bearer] = parseChallenges(header);
  expect(basic).toEqual({ scheme: "basic", parameters: new Map([["realm", 'a "b"']]) });
  expect(Object.fromEntries(bearer?.parameters ?? [])).toEqual({
    realm: "https://auth/token",
    service: "reg",
    scope: "repository:x:pull,push",
  });
  expect(parseChallenges("")).toEqual([]);
});

test("a token is requested anonymously, with realm, service and scope, and kept", async () => {
  const at = await tokenRegistry();
  const client = registryClient();
  expect(await client.tags(repository(at.registry))).toEqual(["1.0"]);
  expect(await client.tags(repository(at.registry))).toEqual(["1.0"]);
  const [asked, ...more] = at.tokens.asked;
  expect(more).toEqual([]);
  expect(asked?.headers.authorization).toBeUndefined();
  expect([...(asked?.query ?? [])]).toEqual([
    ["service", "test"],
    ["scope", "repository:some/thing:pull"],
  ]);
});

test("with credentials the token is requested with Basic and the account's name, and not shared", async () => {
  const at = await tokenRegistry();
  const client = registryClient();
  await client.tags(repository(at.registry, USER));
  await client.tags(repository(at.registry));
  await client.tags(repository(at.registry, { ...USER, password: "other" }));
  expect(at.tokens.asked.map(({ headers }) => headers.authorization === BASIC)).toEqual([true, false, false]);
  expect(at.tokens.asked[0]?.query.get("account")).toBe("ann");
  expect(at.tokens.asked).toHaveLength(3);
});

test("a token expires, and then another one is requested", async () => {
  const at = await tokenRegistry();
  let later = 0n;
  const now = (): types.Instant => {
    const { wall, monotonic } = realClock.now();
    return { wall: wall + later, monotonic };
  };
  const client = registryClient({ clock: { ...realClock, now } });
  await client.tags(repository(at.registry));
  later = 200n * 1_000_000_000n;
  await client.tags(repository(at.registry));
  expect(at.tokens.asked).toHaveLength(1);
  later = 300n * 1_000_000_000n;
  await client.tags(repository(at.registry));
  expect(at.tokens.asked).toHaveLength(2);
  expect(at.registry.asked.filter(({ headers }) => headers.authorization !== undefined)).toHaveLength(3);
});

test("a token server that has no TLS gets no credentials", async () => {
  const at = await tokenRegistry();
  const secure = { endpoint: { authority: "registry.test", security: SECURE }, repository: "some/thing", limit: 99 };
  const named = { realm: `${at.tokens.url}/token`, service: "test", scope: at.scope };
  const challenge = Object.entries(named).map(([name, value]) => `${name}="${value}"`);
  const plain = fetchTransport();
  const client = registryClient({
    transport: async (request) => {
      if (!request.url.startsWith("https://registry.test/")) return plain(request);
      const header = (name: string): string | null => (name === "www-authenticate" ? `Bearer ${challenge}` : null);
      return { status: 401, header, body: (async function* () {})(), cancel: () => {} };
    },
  });
  for (const secret of [USER, { identityToken: "s3cret" }]) {
    const failure = await failed(client.tags({ ...secure, credentials: { ...NOBODY, ...secret } }));
    expect(failure).toMatchObject({ tag: "exchange", val: { answered: true, why: { tag: "plain-credentials" } } });
  }
  expect(at.tokens.asked).toEqual([]);
  // A client without credentials may ask anonymously.
  await failed(client.tags(secure));
  expect(at.tokens.asked.length).toBeGreaterThan(0);
});

test("a token that is invalid in a header is not shown, even if the platform's error has it", async () => {
  const at = await tokenRegistry();
  const credentials = { ...NOBODY, registryToken: "s3cret\nof-nobody-else" };
  const failure = await failed(registryClient().tags({ ...repository(at.registry), credentials }));
  expect(failure).toMatchObject({
    tag: "exchange",
    val: { why: { tag: "other", val: expect.stringContaining("xxxx") as string } },
  });
  expect(JSON.stringify(failure)).not.toContain("nobody-else");
  expect(JSON.stringify(failure)).not.toContain("s3cret");
});

test("parallel requests share one token request", async () => {
  const at = await tokenRegistry();
  const client = registryClient();
  await Promise.all([1, 2, 3].map(() => client.tags(repository(at.registry))));
  expect(at.tokens.asked).toHaveLength(1);
});

test("a rejected token is replaced, once, with the scope of the new challenge", async () => {
  const at = await tokenRegistry();
  const client = registryClient();
  await client.tags(repository(at.registry));
  at.valid = "token-2";
  at.scope = "repository:some/thing:pull repository:other:pull";
  expect(await client.tags(repository(at.registry))).toEqual(["1.0"]);
  expect(at.tokens.asked.at(-1)?.query.getAll("scope")).toEqual([
    "repository:some/thing:pull",
    "repository:other:pull",
  ]);
  at.valid = "none at all";
  expect(await failed(client.tags(repository(at.registry)))).toMatchObject({
    tag: "registry-answer",
    val: { status: 401 },
  });
  expect(at.tokens.asked).toHaveLength(3);
});

test("a token server's refusal is reported in its own words", async () => {
  const at = await tokenRegistry();
  at.refuse = true;
  const failure = await failed(registryClient().tags(repository(at.registry, USER)));
  expect(failure).toMatchObject({
    tag: "registry-answer",
    val: { url: `${at.tokens.url}/token`, tokenServer: true, status: 401, details: "incorrect username or password" },
  });
});

test("a token with insufficient scope is reported as such, after a new one was tried", async () => {
  const at = await tokenRegistry();
  at.valid = "none at all";
  at.error = "insufficient_scope";
  const failure = await failed(registryClient().tags(repository(at.registry)));
  expect(failure).toMatchObject({
    tag: "registry-answer",
    val: { tokenServer: false, status: 401, lacksScope: true },
  });
  expect(at.tokens.asked).toHaveLength(2);
});

test("an identity token is exchanged with a form", async () => {
  const at = await tokenRegistry();
  await registryClient().tags(repository(at.registry, { identityToken: "refresh-me" }));
  const [asked] = at.tokens.asked;
  expect(asked?.method).toBe("POST");
  expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
    grant_type: "refresh_token",
    refresh_token: "refresh-me",
    client_id: "docker",
    service: "test",
    scope: "repository:some/thing:pull",
  });
});

test("a registry token is sent as it is, and nothing else is tried", async () => {
  const at = await tokenRegistry();
  at.valid = "given";
  expect(await registryClient().tags(repository(at.registry, { registryToken: "given" }))).toEqual(["1.0"]);
  const failure = await failed(registryClient().tags(repository(at.registry, { registryToken: "wrong" })));
  expect(failure).toMatchObject({ tag: "registry-answer", val: { status: 401, lacksScope: false } });
  expect(at.tokens.asked).toEqual([]);
});

test("login requests an identity token", async () => {
  const at = await tokenRegistry();
  const endpoint = { authority: at.registry.authority, security: INSECURE };
  expect(await registryClient().login({ endpoint, credentials: { ...NOBODY, ...USER } })).toBe("identity");
  const query = at.tokens.asked[0]?.query;
  expect([query?.get("offline_token"), query?.get("client_id"), query?.get("account")]).toEqual([
    "true",
    "docker",
    "ann",
  ]);
  at.valid = "none at all";
  const failure = await failed(registryClient().login({ endpoint, credentials: { ...NOBODY, ...USER } }));
  const val = { url: `${at.registry.url}/v2/`, tokenServer: false, status: 401 };
  expect(failure).toMatchObject({ tag: "registry-answer", val });
});

test("Basic credentials are sent when the registry asks for them, and missing ones are reported", async () => {
  const registry = await start(({ headers }, response) => {
    if (headers.authorization === BASIC) json(response, 200, { tags: ["1.0"] });
    else
      json(response, 401, errors("UNAUTHORIZED", "authentication required"), { "www-authenticate": `Basic realm="r"` });
  });
  const client = registryClient();
  expect(await client.tags(repository(registry, USER))).toEqual(["1.0"]);
  expect(registry.asked[0]?.headers.authorization).toBeUndefined();
  const wrong = await failed(client.tags(repository(registry, { ...USER, password: "no" })));
  expect(wrong).toMatchObject({
    tag: "registry-answer",
    val: { status: 401, errors: [{ message: "authentication required" }] },
  });
  const none = await failed(client.tags(repository(registry)));
  const url = `${registry.url}/v2/some/thing/tags/list`;
  expect(none).toMatchObject({ tag: "exchange", val: { url, answered: true, why: { tag: "no-credentials" } } });
  // Values that are too long are left to the registry to refuse.
  const long = await failed(client.tags(repository(registry, { ...USER, password: "long".repeat(100_000) })));
  expect(long).toMatchObject({ tag: "registry-answer", val: { status: 431 } });
});

test("secrets that a registry or a token server repeats are not shown", async () => {
  const echo: Answer = ({ headers, body }, response) => {
    json(response, 418, errors("TEAPOT", `got ${headers.authorization} or ${body}, s3cret`));
  };
  const tokens = await start(echo);
  for (const scheme of [`Basic realm="r"`, `Bearer realm="${tokens.url}/token"`]) {
    const registry = await start((asked, response) => {
      if (asked.path === "/v2/") json(response, 401, {}, { "www-authenticate": scheme });
      else echo(asked, response);
    });
    const failure = await failed(registryClient().tags(repository(registry, USER)));
    expect(failure).toMatchObject(told("TEAPOT", "got Basic xxxx"));
    expect(JSON.stringify(failure)).not.toMatch(new RegExp(`s3cret|${BASIC.slice(6)}`));
  }
  // Nor the token that was requested because another one was refused.
  let given = 0;
  const again = await start((_, response) => json(response, 200, { token: `token-${++given}` }));
  const challenge = { "www-authenticate": `Bearer realm="${again.url}/token"` };
  const registry = await start((asked, response) => {
    if (asked.headers.authorization === "Bearer token-2") echo(asked, response);
    else json(response, 401, {}, challenge);
  });
  const failure = await failed(registryClient().tags(repository(registry, { ...USER, password: 'er"ror' })));
  expect(failure).toMatchObject(told("TEAPOT", "got Bearer xxxxxxx or"));
});

test("a redirect to another server gets no credentials, one to the same server does", async () => {
  const elsewhere = await start((_, response) => void response.writeHead(200).end("blob"));
  let target = `${elsewhere.url}/store?signature=hush`;
  const registry = await start(({ path, headers }, response) => {
    if (path === "/v2/") json(response, 401, {}, { "www-authenticate": `Basic realm="r"` });
    else if (path === "/same") response.writeHead(headers.authorization === BASIC ? 200 : 403).end("blob");
    else response.writeHead(307, { location: target }).end();
  });
  const client = registryClient();
  const blob = { from: repository(registry, USER), ...BLOB };
  expect((await readAll((await client.stream(blob)).body)).toString()).toBe("blob");
  expect(elsewhere.asked.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  target = "/same";
  expect((await readAll((await client.stream(blob)).body)).toString()).toBe("blob");
  await elsewhere.close();
  target = `${elsewhere.url}/store?signature=hush`;
  const failure = await failed(client.stream(blob));
  const url = `${elsewhere.url}/store`;
  expect(failure).toMatchObject({
    tag: "exchange",
    val: { url, why: { tag: "call", val: { error: "ECONNREFUSED" } } },
  });
  expect(JSON.stringify(failure)).not.toContain("hush");
});

test("a server to which the registry redirects has no say in where credentials go", async () => {
  for (const secret of [USER, { identityToken: "s3cret" }]) {
    const thief = await start((_, response) => json(response, 200, { token: "x", access_token: "x" }));
    const challenge = { "www-authenticate": `Bearer realm="${thief.url}/token"` };
    const elsewhere = await start((_, response) => json(response, 401, {}, challenge));
    let isOpen = true;
    const registry = await start(({ path }, response) => {
      if (path === "/v2/" && isOpen) json(response, 200, {});
      else response.writeHead(307, { location: `${elsewhere.url}/blob` }).end();
    });
    // With a challenge in a redirect's answer, then in that of the probe itself.
    for (const next of [false, true]) {
      const client = registryClient();
      const refused = { tag: "registry-answer", val: { status: 401 } };
      for (const _ of ["first", "again"]) {
        expect(await failed(client.stream({ from: repository(registry, secret), ...BLOB }))).toMatchObject(refused);
      }
      isOpen = next;
    }
    expect(elsewhere.asked.length).toBeGreaterThan(3);
    expect(thief.asked).toEqual([]);
  }
});

test("the number of redirects is limited", async () => {
  const registry = await start(({ path }, response) => {
    if (path === "/v2/") json(response, 200, {});
    else response.writeHead(302, { location: "/again" }).end();
  });
  const failure = await failed(registryClient().stream({ from: repository(registry), ...BLOB }));
  expect(failure).toMatchObject({ tag: "exchange", val: { answered: true, why: { tag: "redirects", val: 10 } } });
});

test("no failure has a secret", async () => {
  const at = await tokenRegistry();
  at.refuse = true;
  for (const credentials of [USER, { identityToken: "s3cret" }]) {
    const failure = await failed(registryClient().tags(repository(at.registry, credentials)));
    expect(JSON.stringify(failure)).not.toContain("s3cret");
  }
});

/** An error with this text. */
function told(code: string, words: string): object {
  const errors = [{ code, message: expect.stringContaining(words) }];
  return { tag: "registry-answer", val: { status: 418, errors } };
}

interface TokenRegistry {
  registry: Fake;
  tokens: Fake;
  /** The token that the registry accepts and the token server issues. */
  valid: string;
  /** Scope of the challenges. */
  scope: string;
  /** The error in challenges for a wrong token; may be empty. */
  error: string;
  refuse: boolean;
}

/** A registry that requires tokens, and its token server. */
async function tokenRegistry(): Promise<TokenRegistry> {
  const state = { valid: "token-1", scope: "repository:some/thing:pull", error: "", refuse: false };
  const tokens = await start(({ query, body }, response) => {
    if (state.refuse) return json(response, 401, { details: "incorrect username or password" });
    const given = state.valid === "none at all" ? "useless" : state.valid;
    const offline = query.has("offline_token") ? { refresh_token: "identity" } : {};
    json(response, 200, { ...(body ? { access_token: given } : { token: given }), expires_in: 300, ...offline });
  });
  const registry = await start((asked: Asked, response) => {
    if (asked.headers.authorization === `Bearer ${state.valid}`) return json(response, 200, { tags: ["1.0"] });
    const error = state.error && `,error="${state.error}"`;
    const challenge = `Bearer realm="${tokens.url}/token",service="test",scope="${state.scope}"${error}`;
    json(response, 401, errors("UNAUTHORIZED", "authentication required"), { "www-authenticate": challenge });
  });
  return Object.assign(state, { registry, tokens });
}

async function start(answer: Answer): Promise<Fake> {
  const fake = await startFake(answer);
  open.push(fake);
  return fake;
}
