// A registry with an untrusted certificate: accepted only if it is marked insecure.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeTransport } from "../../hosts/node/registry/index.js";
import { registryClient } from "../../hosts/registry/client.js";
import { findProgram, must } from "../support/commands.js";
import { describeUnless } from "../support/on-engines.js";
import { shownFailure } from "../support/failed.js";
import { INSECURE, SECURE } from "../support/registry/security.js";

const missing = findProgram("openssl") === null ? "openssl is not installed" : null;

describeUnless(missing, "an untrusted certificate", () => {
  const client = registryClient({ transport: nodeTransport() });
  const directory = mkdtempSync(join(tmpdir(), "coracle-tls-"));
  let server: ReturnType<typeof createServer>;
  let authority: string;

  beforeAll(async () => {
    const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    await must([
      "openssl",
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=registry",
      "-keyout",
      key,
      "-out",
      cert,
    ]);
    server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(`{"tags":["1.0"]}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  });

  test("is taken from an insecure registry", async () => {
    expect(
      await client.tags({ endpoint: { authority, security: INSECURE }, repository: "some/thing", limit: 99 }),
    ).toEqual(["1.0"]);
  });

  test("is taken by the attempt that takes any, and by none before it", async () => {
    const insecure: boolean[] = [];
    const send = nodeTransport();
    const recording = registryClient({ transport: (request) => (insecure.push(request.insecure), send(request)) });
    const security = [...SECURE, ...INSECURE];
    expect(await recording.tags({ endpoint: { authority, security }, repository: "some/thing", limit: 99 })).toEqual([
      "1.0",
    ]);
    expect(insecure).toEqual([false, true, true]);
  });

  test("is refused from any other", async () => {
    const asked = client.tags({ endpoint: { authority, security: SECURE }, repository: "some/thing", limit: 99 });
    const failure = shownFailure(await asked.catch((error: unknown) => error));
    expect(failure).toMatchObject({ tag: "exchange", val: { why: { tag: "unknown-authority" } } });
  });
});
