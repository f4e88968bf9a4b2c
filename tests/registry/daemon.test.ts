// The daemon's flags for its ways to registries: certificates, proxies, and that no password of a proxy is told.

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, messageOf } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { until } from "../support/commands.js";
import { makeCertificate, OPENSSL_MISSING, type Certificate } from "../support/registry/certificate.js";
import { secretsIn } from "../support/secret-search.js";

const SECRET = "dear-password-of-a-proxy";
const TOKEN = "dear-token-in-hosts-toml";
const INDEX = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [] };

describeUnless(missingLinux() ?? OPENSSL_MISSING, "the daemon reaches registries", () => {
  const directory = mkdtempSync(join(tmpdir(), "coracle-ways-"));
  const elsewhere = mkdtempSync(join(tmpdir(), "coracle-elsewhere-"));
  let daemon: DaemonProcess;
  let engine: EngineClient;
  let server: Server;
  let mine: Certificate;
  let own: Certificate;
  /** Targets of the requests to the registry. */
  const asked: string[] = [];
  /** Their authorization. */
  const sent: (string | undefined)[] = [];

  beforeAll(async () => {
    const proxy = `http://me:${SECRET}@127.0.0.1:1`;
    const proxies = ["--http-proxy", proxy, "--https-proxy", proxy, "--no-proxy", "10.213.0.0/16,.example.org"];
    mkdirSync(join(directory, "odd.example"));
    writeFileSync(join(directory, "odd.example", "hosts.toml"), "server = 1");
    daemon = await startCoracle(["--registry-certs", directory, ...proxies]);
    engine = new EngineClient(daemon.socketPath);
    const address = daemon.netns.hostAddress;
    own = await makeCertificate(directory, "registry", `IP:${address}`);
    mine = await makeCertificate(directory, "me");
    const asking = { ca: mine.cert, requestCert: true, rejectUnauthorized: false };
    server = createServer({ ...own, ...asking }, ({ socket, url, headers }, response) => {
      const isKnown = (socket as unknown as { authorized: boolean }).authorized;
      response.writeHead(isKnown ? 200 : 403, { "content-type": INDEX.mediaType });
      asked.push(url ?? "");
      sent.push(headers.authorization);
      response.end(url?.endsWith("/v2/") ? "" : JSON.stringify(INDEX));
    });
    await new Promise<void>((done) => server.listen(0, address, done));
  });
  afterAll(async () => {
    await daemon?.close();
    server?.closeAllConnections();
    server?.close();
    for (const place of [directory, elsewhere]) rmSync(place, { recursive: true });
  });

  test("with the certificates of --registry-certs, which it reads when they are needed", async () => {
    const host = `${daemon.netns.hostAddress}:${(server.address() as AddressInfo).port}`;
    const target = `/distribution/${host}/x:1/json`;
    expect(messageOf(await engine.call("GET", target))).toContain("certificate signed by unknown authority");
    const place = join(directory, host);
    mkdirSync(place);
    writeFileSync(join(place, "ca.crt"), own.cert);
    expect((await engine.call("GET", target)).status).toBe(403);
    writeFileSync(join(place, "client.cert"), mine.cert);
    writeFileSync(join(place, "client.key"), mine.key);
    const { Descriptor } = await engine.read<{ Descriptor: { mediaType: string } }>(target);
    expect(Descriptor.mediaType).toBe(INDEX.mediaType);
    rmSync(join(place, "client.key"));
    const lacking = await engine.call("GET", target);
    expect([lacking.status, messageOf(lacking)]).toEqual([
      500,
      expect.stringContaining(`: open ${place}/client.key: no such file or directory`),
    ]);
    rmSync(place, { recursive: true });
  });

  test("in spite of a hosts.toml that it cannot use, which its log names", () => {
    expect(daemon.log()).toContain(`${join(directory, "odd.example", "hosts.toml")}: `);
  });

  test("at the hosts of hosts.toml, which it reads again on SIGHUP", async () => {
    const target = "/distribution/named.example/x:1/json";
    expect((await engine.call("GET", target)).status).toBe(500);
    const host = `${daemon.netns.hostAddress}:${(server.address() as AddressInfo).port}`;
    const file = join(directory, "named.example", "hosts.toml");
    // Nobody watches what the link leads to.
    const linked = join(elsewhere, "named.toml");
    mkdirSync(join(directory, "named.example"));
    symlinkSync(linked, file);
    writeFileSync(
      linked,
      `server = "https://${host}/deep"\nca = "../registry.cert"\nclient = [["../me.cert", "../me.key"]]\n` +
        `header = { authorization = "Bearer ${TOKEN}" }\n`,
    );
    process.kill(daemon.pid(), "SIGHUP");
    await until("the settings", async () => (await engine.call("GET", target)).status === 200);
    expect(asked).toContain("/deep/v2/x/manifests/1?ns=named.example");
    expect(sent).toContain(`Bearer ${TOKEN}`);
    // The parser's own message would quote the lines beside the bad one.
    const sentBefore = sent.length;
    writeFileSync(linked, `header = { authorization = "Bearer ${TOKEN}" }\nserver = `);
    expect((await engine.call("GET", target)).status).toBe(200);
    expect(daemon.log()).not.toContain(`${file}: `);
    process.kill(daemon.pid(), "SIGHUP");
    await until("the remark", () => daemon.log().includes(`${file}: `));
    expect((await engine.call("GET", target)).status).toBe(200);
    expect(new Set(sent.slice(sentBefore))).toEqual(new Set([`Bearer ${TOKEN}`]));
  });

  test("at the hosts of a hosts.toml that comes, changes and goes, without a signal", async () => {
    const target = "/distribution/moving.example/x:1/json";
    const place = join(directory, "moving.example");
    const file = join(place, "hosts.toml");
    const answers = (status: number) => async () => (await engine.call("GET", target)).status === status;
    const host = `${daemon.netns.hostAddress}:${(server.address() as AddressInfo).port}`;
    const settings = (path: string): string =>
      `server = "https://${host}/${path}"\nca = "../registry.cert"\nclient = [["../me.cert", "../me.key"]]\n`;
    expect(await answers(500)()).toBe(true);
    mkdirSync(place);
    writeFileSync(file, settings("first"));
    await until("the new settings", answers(200));
    expect(asked).toContain("/first/v2/x/manifests/1?ns=moving.example");
    writeFileSync(file, settings("second"));
    const second = "/second/v2/x/manifests/1?ns=moving.example";
    await until("the changed settings", async () => (await answers(200)()) && asked.includes(second));
    // What it said still counts while it cannot be used, as the log says.
    writeFileSync(file, "server = 1");
    await until("the remark", () => daemon.log().includes(`${file}: `));
    expect(await answers(200)()).toBe(true);
    // Settings from before do not come back with a signal.
    const reloads = (): number => daemon.log().split("signal=SIGHUP").length;
    const before = reloads();
    process.kill(daemon.pid(), "SIGHUP");
    await until("the reload", () => reloads() > before);
    asked.length = 0;
    expect(await answers(200)()).toBe(true);
    expect(asked).toContain(second);
    rmSync(place, { recursive: true });
    await until("the registry itself", answers(500));
  });

  test("also if the directory is missing when it starts", async () => {
    const place = join(elsewhere, "etc", "certs.d");
    // No proxy is there, so that nobody waits for the name of the registry.
    const other = await startCoracle(["--registry-certs", place, "--https-proxy", "http://127.0.0.1:1"]);
    try {
      const client = new EngineClient(other.socketPath);
      const answer = async (): Promise<string> =>
        messageOf(await client.call("GET", "/distribution/late.example/x:1/json"));
      expect(await answer()).toContain("127.0.0.1:1:");
      mkdirSync(join(place, "late.example"), { recursive: true });
      writeFileSync(join(place, "late.example", "hosts.toml"), 'server = "http://127.0.0.1:2"');
      await until("the settings", async () => (await answer()).includes("127.0.0.1:2:"));
    } finally {
      await other.close();
    }
  });

  test("through the proxies of its flags, whose password nobody sees", async () => {
    const answer = await engine.call("GET", "/distribution/far.example/x:1/json");
    expect(answer.status).toBe(500);
    expect(messageOf(answer)).toBe(
      'Get "https://far.example/v2/": proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused',
    );
    const shown = "http://xxxxx:xxxxx@127.0.0.1:1";
    expect(await engine.read("/info")).toMatchObject({
      HttpProxy: shown,
      HttpsProxy: shown,
      NoProxy: "10.213.0.0/16,.example.org",
    });
    await daemon.end("SIGTERM");
    const traces = join(daemon.directories.dataRoot, "trace");
    const files = readdirSync(traces).map((name) => readFileSync(join(traces, name)));
    expect(files.length).toBeGreaterThan(0);
    const all = [Buffer.from(daemon.log()), ...files];
    for (const bytes of all) expect(secretsIn(bytes, [SECRET, TOKEN])).toEqual([]);
    // The answer of /info is among what was searched, deflated or not.
    expect(all.flatMap((bytes) => secretsIn(bytes, ["far.example", shown]))).toEqual(["far.example", shown]);
  });
});
