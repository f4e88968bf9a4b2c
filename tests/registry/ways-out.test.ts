// The machine's own ways to registries: certificates in Docker's `certs.d`, and proxies.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import {
  connect,
  createServer as createSilentServer,
  type AddressInfo,
  type LookupFunction,
  type Server as SilentServer,
  type Socket,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { certificatesOf } from "../../hosts/node/registry/certificates.js";
import { nodeTransport } from "../../hosts/node/registry/index.js";
import { proxyFor } from "../../hosts/node/registry/proxies.js";
import { refusalOf } from "../../hosts/node/registry/tunnel.js";
import { registryClient } from "../../hosts/registry/client.js";
import { unreachable } from "../../hosts/registry/unreachable.js";
import { failureOf } from "../../hosts/shared/failure.js";
import { describeUnless } from "../support/on-engines.js";
import { failed } from "../support/failed.js";
import { makeCertificate, OPENSSL_MISSING } from "../support/registry/certificate.js";
import { INSECURE, SECURE } from "../support/registry/security.js";

const TAGS = `{"tags":["1.0"]}`;

/** A name that only a proxy finds. */
const HIDDEN = "registry.hidden.example";

describeUnless(OPENSSL_MISSING, "the way to a registry", () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-ways-"));
  const file = (name: string): string => join(directory, name);
  const certificates = file("certs.d");
  let server: TlsServer;
  let plain: Server;
  let proxy: Server;
  /** Takes connections, and says nothing. */
  let silent: SilentServer;
  let port: number;
  /** What the proxy was asked. */
  let asked: string[] = [];

  beforeAll(async () => {
    const tls = await makeCertificate(directory, "registry", `IP:127.0.0.1,DNS:${HIDDEN}`);
    await makeCertificate(directory, "me");
    const asking = { ca: readFileSync(file("me.cert")), requestCert: true, rejectUnauthorized: false };
    server = createTlsServer({ ...tls, ...asking }, ({ socket }, response) => {
      const isKnown = (socket as unknown as { authorized: boolean }).authorized;
      response.writeHead(isKnown ? 200 : 403, { "content-type": "application/json" }).end(isKnown ? TAGS : "{}");
    });
    plain = createServer((_, response) => response.writeHead(200).end(TAGS));
    proxy = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
      response.writeHead(200).end(TAGS);
    });
    proxy.on("connect", (request, socket) => {
      asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
      if (request.headers["proxy-authorization"] === undefined) {
        return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      }
      const onward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const one of [onward, socket]) one.on("error", () => {});
    });
    silent = createSilentServer((socket) => void socket.resume().on("error", () => {}));
    for (const one of [server, plain, proxy, silent])
      await new Promise<void>((done) => one.listen(0, "127.0.0.1", done));
    port = portOf(server);
  });
  beforeEach(() => {
    asked = [];
    const own = join(certificates, `127.0.0.1:${port}`);
    const hidden = join(certificates, HIDDEN);
    for (const place of [own, hidden]) {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "ca.crt"), readFileSync(file("registry.cert")));
      writeFileSync(join(place, "client.cert"), readFileSync(file("me.cert")));
      writeFileSync(join(place, "client.key"), readFileSync(file("me.key")));
    }
  });
  afterEach(() => rmSync(certificates, { recursive: true }));
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => {
    silent.close();
    for (const one of [server, plain, proxy]) {
      one.closeAllConnections();
      one.close();
    }
    rmSync(directory, { recursive: true });
  });

  const tagsOf = (
    authority: string,
    way: Parameters<typeof nodeTransport>[0],
    security: typeof SECURE = SECURE,
  ): Promise<string[]> => {
    const client = registryClient({ transport: nodeTransport(way) });
    return client.tags({ endpoint: { authority, security }, repository: "x", limit: 1000 });
  };

  describe("certs.d", () => {
    test("an authority there is trusted, and the certificate there is shown", async () => {
      expect(await tagsOf(`127.0.0.1:${port}`, { certificates })).toEqual(["1.0"]);
    });

    test("those of another registry do not count", async () => {
      rmSync(join(certificates, `127.0.0.1:${port}`), { recursive: true });
      const shown = await told(tagsOf(`127.0.0.1:${port}`, { certificates }));
      expect(shown).toContain("unknown-authority");
    });

    test("are read again when they change", async () => {
      const client = registryClient({ transport: nodeTransport({ certificates }) });
      const from = { endpoint: { authority: `127.0.0.1:${port}`, security: SECURE }, repository: "x", limit: 1000 };
      const own = join(certificates, from.endpoint.authority);
      for (const name of ["client.cert", "client.key"]) unlinkSync(join(own, name));
      expect(await told(client.tags(from))).toContain("403");
      writeFileSync(join(own, "other.cert"), readFileSync(file("me.cert")));
      writeFileSync(join(own, "other.key"), readFileSync(file("me.key")));
      expect(await client.tags(from)).toEqual(["1.0"]);
    });

    test("a certificate without its key is an error that names the file", async () => {
      const key = join(certificates, `127.0.0.1:${port}`, "client.key");
      unlinkSync(key);
      const shown = await told(tagsOf(`127.0.0.1:${port}`, { certificates }));
      expect(shown).toContain(key);
      expect(shown).toContain("ENOENT");
    });

    test.each(["..", ".", "a/../../b", "x/y", ""])("the name %j leads nowhere", (authority) => {
      const place = join(certificates, authority);
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, "stray.cert"), "not read");
      expect(certificatesOf(certificates, authority)).toBe(null);
      rmSync(join(place, "stray.cert"));
    });

    test("that cannot be read are no reason to do without TLS", async () => {
      const place = join(certificates, `127.0.0.1:${portOf(plain)}`);
      mkdirSync(place);
      writeFileSync(join(place, "client.cert"), readFileSync(file("me.cert")));
      const missing = await told(tagsOf(`127.0.0.1:${portOf(plain)}`, { certificates }, INSECURE));
      // The machine's fault: no registry lacks anything.
      expect(missing).toContain('"answered":true');
      const why = {
        tag: "call",
        val: { call: "open", path: join(place, "client.key"), inside: false, error: "ENOENT" },
      };
      expect(missing).toContain(JSON.stringify({ why }).slice(1, -1));
      writeFileSync(join(place, "client.key"), "no key");
      const wrong = await told(tagsOf(`127.0.0.1:${portOf(plain)}`, { certificates }, INSECURE));
      expect(wrong).toContain('"answered":true');
      for (const name of ["client.cert", "client.key"]) rmSync(join(place, name));
      expect(await tagsOf(`127.0.0.1:${portOf(plain)}`, { certificates }, INSECURE)).toEqual(["1.0"]);
    });

    test.each(["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"])("are trusted besides those of %s", async (name) => {
      await makeCertificate(directory, "stranger");
      const own = join(certificates, `127.0.0.1:${port}`);
      writeFileSync(join(own, "ca.crt"), readFileSync(file("stranger.cert")));
      expect(await told(tagsOf(`127.0.0.1:${port}`, { certificates }))).toContain("unknown-authority");
      vi.stubEnv(name, file("registry.cert"));
      expect(await tagsOf(`127.0.0.1:${port}`, { certificates })).toEqual(["1.0"]);
      rmSync(join(own, "ca.crt"));
      expect(await tagsOf(`127.0.0.1:${port}`, { certificates })).toEqual(["1.0"]);
    });
  });

  describe("a proxy", () => {
    const proxies = (user = "me:secret@"): { http: string; https: string; none: string } => {
      const address = `http://${user}127.0.0.1:${portOf(proxy)}`;
      return { http: address, https: address, none: "" };
    };
    const basic = `Basic ${Buffer.from("me:secret").toString("base64")}`;

    test("tunnels TLS, so that the certificates are the registry's", async () => {
      expect(await tagsOf(HIDDEN, { certificates, proxies: proxies() })).toEqual(["1.0"]);
      expect(asked).toEqual([`CONNECT ${HIDDEN}:443 ${basic}`]);
    });

    test("gets the whole address without TLS", async () => {
      expect(await tagsOf(HIDDEN, { proxies: proxies() }, ["plain"])).toEqual(["1.0"]);
      expect(asked).toEqual([`GET http://${HIDDEN}/v2/ ${basic}`, `GET http://${HIDDEN}/v2/x/tags/list ${basic}`]);
    });

    test("that refuses is named, without its password", async () => {
      const shown = await told(tagsOf(HIDDEN, { proxies: proxies("") }));
      expect(shown).toContain(`"proxy-refused","val":"Proxy Authentication Required"`);
    });

    test("that does not listen is named, without its password", async () => {
      const nobody = "http://me:secret@127.0.0.1:1";
      for (const security of [SECURE, ["plain"] as typeof SECURE]) {
        const way = { proxies: { http: nobody, https: nobody, none: "" } };
        const shown = await told(tagsOf(HIDDEN, way, security));
        expect(shown).toContain(`"proxy-call","val":{"call":"connect","path":"127.0.0.1:1","inside":false`);
        expect(shown).not.toContain("secret");
      }
    });

    test("with several addresses, none of which listens, is told by the first of them", async () => {
      const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
      const lookup: LookupFunction = (_, __, done) => done(null, addresses);
      const socket = connect({ host: "p.example", port: 1, lookup });
      const error = await new Promise<NodeJS.ErrnoException>((done) => socket.once("error", done));
      expect([error instanceof AggregateError, error.syscall]).toEqual([true, undefined]);
      const refused = { inside: false, error: "ECONNREFUSED", call: "connect" };
      expect(refusalOf(new URL("http://p.example:1"), error)).toEqual({
        tag: "proxy-call",
        val: { ...refused, path: "p.example:1" },
      });
      expect(failureOf(error)).toEqual({ tag: "call", val: { ...refused, path: "127.0.0.1:1" } });
      const asked = { method: "GET", url: "https://r.example/v2/" } as const;
      expect(unreachable(asked, new Error("fetch failed", { cause: error }), []).failure).toMatchObject({
        val: { why: { tag: "call", val: { ...refused, path: "r.example:443" } } },
      });
    });

    test("is left alone once nobody waits for its tunnel", async () => {
      const open: Socket[] = [];
      const left = new Promise<void>((done) => silent.once("connection", (socket) => socket.once("close", done)));
      const reached = new Promise<void>((done) => silent.once("connection", (socket) => (open.push(socket), done())));
      const givenUp = new AbortController();
      const https = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const client = registryClient({ transport: nodeTransport({ proxies: { http: "", https, none: "" } }) });
      const from = { endpoint: { authority: HIDDEN, security: SECURE }, repository: "x", limit: 1000 };
      const asked = told(client.tags(from, givenUp.signal));
      await reached;
      givenUp.abort();
      expect(await asked).toContain("given-up");
      await left;
    }, 10_000);

    test("is not used for the machine itself", async () => {
      expect(await tagsOf(`127.0.0.1:${portOf(plain)}`, { proxies: proxies() }, INSECURE)).toEqual(["1.0"]);
      expect(asked).toEqual([]);
    });
  });
});

describe("no proxy is used for", () => {
  test.each([
    ["https://a.example/", "", true],
    ["https://a.example/", "*", false],
    ["https://a.example/", "a.example", false],
    ["https://A.example/", " a.example ,b", false],
    ["https://b.a.example/", "a.example", false],
    ["https://ba.example/", "a.example", true],
    ["https://a.example/", ".a.example", true],
    ["https://b.a.example/", ".a.example", false],
    ["https://b.a.example/", "*.a.example", false],
    ["https://a.example:5000/", "a.example:5000", false],
    ["https://a.example/", "a.example:5000", true],
    ["https://a.example/", "a.example:443", false],
    ["http://10.1.2.3:5000/", "10.0.0.0/8", false],
    ["http://11.1.2.3:5000/", "10.0.0.0/8,x", true],
    ["http://[fd00::1]:5000/", "fd00::/16", false],
    ["http://[fd00::1]:5000/", "fd00::1", false],
    ["http://[fd00::1]:5000/", "[fd00::1]:5000", false],
    ["http://[fd00:0:0::1]:5000/", "fd00:0:0:0:0:0:0:1", false],
    ["http://[fd00::1]:5000/", "[FD00:0::1]:5000", false],
    ["http://[fd00::1]:5000/", "[fd00:0::1]:80", true],
    ["http://[fd00::1]:5000/", "fd00:0:0::/48", false],
    ["http://[fd00:0:1::1]:5000/", "fd00::/48", true],
    ["http://[::ffff:10.1.2.3]:5000/", "10.0.0.0/8", false],
    ["http://[::ffff:10.1.2.3]:5000/", "10.1.2.3", false],
    ["http://10.1.2.3/", "::ffff:10.1.2.3", false],
    ["http://10.1.2.3/", "::ffff:10.0.0.0/104", false],
    ["http://11.1.2.3/", "::ffff:10.0.0.0/104", true],
    ["http://10.1.2.3/", "::/0", true],
    ["http://[::ffff:127.0.0.1]/", "", false],
    ["http://10.1.2.3/", "2.3", true],
    ["http://10.1.2.3/", "10.0.0.0/99", true],
    ["http://localhost:5000/", "", false],
    ["http://127.9.9.9/", "", false],
    ["http://[::1]:5000/", "", false],
  ])("%s with NO_PROXY=%j: %s", (url, none, expected) => {
    const proxies = { http: "http://p:1", https: "http://p:2", none };
    const found = proxyFor(new URL(url), proxies)?.port ?? null;
    expect(found).toBe(expected ? (url.startsWith("https:") ? "2" : "1") : null);
  });
});

function portOf(server: Server | TlsServer): number {
  return (server.address() as AddressInfo).port;
}

async function told(promise: Promise<unknown>): Promise<string> {
  return JSON.stringify(await failed(promise));
}
