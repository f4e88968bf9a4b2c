// A registry with everything in its way at once: TLS with an authority of its own, a client certificate (certs.d), a
// proxy with a password (HTTPS_PROXY of the environment), and passwords of its own. All that uses registries works with
// it, and each thing that is missing is told.

import { readFileSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { busyboxLayer, dockerArchive, tarOf } from "../support/archives/images.js";
import { rawTar } from "../support/archives/tar.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { EngineClient, messageOf } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { openNetns } from "../support/netns.js";
import { describeUnless } from "../support/on-engines.js";
import { OPENSSL_MISSING } from "../support/registry/certificate.js";
import { dockerRegistryMissing } from "../support/registry/docker-registry.js";
import { secretsIn } from "../support/secret-search.js";
import { GuardedRegistry } from "./guarded-registry.js";

const LOGIN = { username: "anna", password: "word-of-the-registry" };
const { host } = GuardedRegistry;
const NAME = `${host}/deep/app`;

describeUnless(missingLinux() ?? OPENSSL_MISSING ?? dockerRegistryMissing(), "a registry behind everything", () => {
  let [registry, daemon, engine]: [GuardedRegistry, DaemonProcess, EngineClient] = [] as never;
  let id: string;

  beforeAll(async () => {
    registry = await GuardedRegistry.start(LOGIN);
    const netns = await openNetns();
    vi.stubEnv("HTTPS_PROXY", registry.proxyAt(netns.hostAddress));
    daemon = await startCoracle(["--registry-certs", registry.certificates], undefined, [], { netns });
    vi.unstubAllEnvs();
    engine = new EngineClient(daemon.socketPath);
    const layers = [await busyboxLayer(), await tarOf([{ name: "app", body: Buffer.alloc(3_000_000, "app") }])];
    await engine.load(await dockerArchive([{ reference: `${NAME}:1`, config: { Cmd: ["true"] }, layers }]));
    id = (await engine.read<{ Id: string }>(`/images/${NAME}:1/json`)).Id;
  });
  afterAll(async () => {
    await daemon?.close();
    await registry?.close();
  });

  test("a login: the right password, and a wrong one", async () => {
    const login = { ...LOGIN, serveraddress: host };
    expect((await engine.must(200, "POST", "/auth", login)).json()).toMatchObject({ Status: "Login Succeeded" });
    const wrong = await engine.call("POST", "/auth", { ...login, password: "wrong" }, { version: "1.48" });
    expect([wrong.status, messageOf(wrong)]).toEqual([401, expect.stringContaining("401 Unauthorized")]);
  });

  test("a push, and none without the password", async () => {
    const refused = await engine.call("POST", `/images/${NAME}/push?tag=1`, undefined, { headers: auth({}) });
    expect(refused.text).toContain('"error":"no basic auth credentials"');
    const pushed = await engine.must(200, "POST", `/images/${NAME}/push?tag=1`, undefined, { headers: auth(LOGIN) });
    expect(pushed.text).toContain("1: digest: sha256:");
    expect(pushed.text).not.toContain('"error"');
  });

  test("what the registry says of the image", async () => {
    const target = `/distribution/${NAME}:1/json`;
    const { Platforms } = (await engine.must(200, "GET", target, undefined, { headers: auth(LOGIN) })).json<{
      Platforms: unknown[];
    }>();
    expect(Platforms).toEqual([expect.objectContaining({ os: "linux" })]);
  });

  test("a pull, and a build of the image", async () => {
    await engine.must(200, "DELETE", `/images/${NAME}:1`);
    const target = `/images/create?fromImage=${NAME}&tag=1`;
    const refused = await engine.call("POST", target);
    expect([refused.status, messageOf(refused)]).toEqual([500, expect.stringContaining("no basic auth credentials")]);
    const pulled = await engine.must(200, "POST", target, undefined, { headers: auth(LOGIN) });
    expect(pulled.text).toContain(`Status: Downloaded newer image for ${NAME}:1`);
    expect((await engine.read<{ Id: string }>(`/images/${NAME}:1/json`)).Id).toBe(id);
    await engine.must(200, "DELETE", `/images/${NAME}:1`);
    const context = rawTar([{ name: "Dockerfile", body: `FROM ${NAME}:1\nRUN wc -c < /app\n` }]);
    const headers = { "X-Registry-Config": encoded({ [host]: LOGIN }) };
    const built = await engine.must(200, "POST", "/build?t=built", context, { headers });
    expect(built.text).toContain("3000000");
    expect(built.text).toContain("Successfully tagged built:latest");
  });

  test("without the certificate, and without the authority, it is told which of them is missing", async () => {
    const target = `/distribution/${NAME}:1/json`;
    const ask = async (): Promise<string> =>
      messageOf(await engine.call("GET", target, undefined, { headers: auth(LOGIN) }));
    const [cert, ca] = [join(registry.place, "client.cert"), join(registry.place, "ca.crt")];
    const key = join(registry.place, "client.key");
    for (const path of [cert, key]) renameSync(path, `${path}.away`);
    expect(await ask()).toMatch(/certificate/);
    for (const path of [cert, key]) renameSync(`${path}.away`, path);
    renameSync(ca, `${ca}.away`);
    expect(await ask()).toContain("certificate signed by unknown authority");
    renameSync(`${ca}.away`, ca);
    await engine.must(200, "GET", target, undefined, { headers: auth(LOGIN) });
  });

  test("it was only ever asked through the proxy, and nobody is told a password", async () => {
    expect(new Set(registry.asked)).toEqual(new Set([`CONNECT ${host}:443 known`]));
    await daemon.end("SIGTERM");
    const traces = join(daemon.directories.dataRoot, "trace");
    const files = readdirSync(traces).map((name) => readFileSync(join(traces, name)));
    for (const bytes of [Buffer.from(daemon.log()), ...files]) {
      expect(secretsIn(bytes, [LOGIN.password, "word-of-the-proxy"])).toEqual([]);
    }
    expect(files.flatMap((bytes) => secretsIn(bytes, [host]))).toContain(host);
  });
});

function auth(login: object): Record<string, string> {
  return { "X-Registry-Auth": encoded(login) };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}
