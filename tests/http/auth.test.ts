// Credentials: login to a registry, and pulls that need it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describeUnless, onEngines } from "../support/on-engines.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { findProgram } from "../support/commands.js";
import { busyboxLayer } from "../support/archives/images.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../support/registry/docker-registry.js";
import { startMemoryRegistry, type MemoryRegistry } from "../support/registry/memory-registry.js";
import { packImage, pushImage } from "../support/registry/push-image.js";

const LOGIN = { username: "someone", password: "s3cret: with colon" };
const missing = dockerRegistryMissing() ?? (findProgram("htpasswd") === null ? "htpasswd is not installed" : null);

onEngines(
  "credentials",
  (engine) => {
    describeUnless(missing, "Basic, against docker-registry", () => {
      let registry: DockerRegistry;
      beforeAll(async () => {
        registry = await startDockerRegistry(engine().daemon.netns, 5001, LOGIN);
        const image = packImage({ reference: null, config: { Cmd: ["true"] }, layers: [await busyboxLayer()] });
        await pushImage(registry, "private", ["1", "2", "3"], image);
      });
      afterAll(async () => registry.close());

      test("login: accepted and refused", async () => {
        const accepted = await engine().must(200, "POST", "/auth", { ...LOGIN, serveraddress: registry.host });
        expect(accepted.json()).toMatchObject({ Status: "Login Succeeded" });
        const wrong = { username: LOGIN.username, password: "wrong", serveraddress: registry.host };
        const refused = await engine().call("POST", "/auth", wrong);
        expect(refused.status).toBe(engine().expected("auth-refused", 401, 500));
        expect(messageOf(refused)).not.toContain("wrong");
        const nobody = await engine().call("POST", "/auth", { ...LOGIN, serveraddress: "127.0.0.1:1" });
        expect(nobody.status).toBe(500);
        expect(messageOf(nobody)).toContain("connection refused");
      });

      test("pull with X-Registry-Auth; without it, it is refused", async () => {
        const path = `/images/create?fromImage=${registry.host}/private&tag=1`;
        const without = await engine().call("POST", path);
        expect(without.status).toBe(500);
        expect(messageOf(without)).toMatch(/no basic auth credentials|unauthorized|denied/);
        const pulled = await engine().must(200, "POST", path, undefined, { headers: authHeader(LOGIN) });
        expect(pulled.text).toContain("Downloaded newer image");
      });

      test("a header that cannot be decoded means anonymous; keys in any case, padding required", async () => {
        const path = `/images/create?fromImage=${registry.host}/private&tag=2`;
        const good = authHeader(LOGIN)["X-Registry-Auth"] ?? "";
        expect(good.endsWith("=")).toBe(true);
        for (const value of ["!!!!", "e30=", "", good.replace(/=+$/, "")]) {
          const answer = await engine().call("POST", path, undefined, { headers: { "X-Registry-Auth": value } });
          expect([value, answer.status === 200]).toEqual([value, false]);
        }
        const shouting = { USERNAME: LOGIN.username, PassWord: LOGIN.password };
        await engine().must(200, "POST", path, undefined, { headers: authHeader(shouting) });
      });
    });

    describe("Bearer", () => {
      let registry: MemoryRegistry;
      let tokens: Server;
      const questions: { url: URL; authorization: string | undefined }[] = [];
      beforeAll(async () => {
        const address = engine().daemon.netns.hostAddress;
        registry = await startMemoryRegistry(address);
        tokens = createServer((request, response) => {
          const url = new URL(request.url ?? "/", "http://tokens");
          questions.push({ url, authorization: request.headers.authorization });
          const known = request.headers.authorization === `Basic ${Buffer.from("u:p").toString("base64")}`;
          const token = known ? "for-user" : "for-anyone";
          response.setHeader("Content-Type", "application/json");
          response.end(JSON.stringify({ token, expires_in: 300 }));
        });
        await new Promise<void>((resolve) => tokens.listen(0, address, resolve));
        const realm = `http://${address}:${(tokens.address() as AddressInfo).port}/token`;
        registry.fault((request, response) => {
          const wanted = request.url?.includes("/private/") === true ? "Bearer for-user" : "Bearer for-";
          if (request.headers.authorization?.startsWith(wanted) === true) return false;
          const scope = /^\/v2\/(.+)\/(manifests|blobs)\//.exec(request.url ?? "")?.[1];
          const about = scope === undefined ? "" : `,scope="repository:${scope}:pull"`;
          response.writeHead(401, {
            "WWW-Authenticate": `Bearer realm="${realm}",service="test registry"${about}`,
            "Content-Type": "application/json",
          });
          response.end(JSON.stringify({ errors: [{ code: "UNAUTHORIZED", message: "authentication required" }] }));
          return true;
        });
      });
      afterAll(async () => {
        tokens.close();
        tokens.closeAllConnections();
        await registry.close();
      });

      test("an anonymous token is requested with its service and scope", async () => {
        const image = packImage({ reference: null, config: { Cmd: ["a"] }, layers: [await busyboxLayer()] });
        registry.put("public", ["1"], image);
        questions.length = 0;
        await engine().must(200, "POST", `/images/create?fromImage=${registry.host}/public&tag=1`);
        const asked = questions.find((one) => one.url.searchParams.get("scope") !== null);
        expect(asked?.url.searchParams.get("service")).toBe("test registry");
        expect(asked?.url.searchParams.getAll("scope")).toEqual(["repository:public:pull"]);
        expect(asked?.authorization).toBeUndefined();
        expect((await engine().call("GET", `/images/${registry.host}/public:1/json`)).status).toBe(200);
      });

      test("credentials go to the token server and nowhere else", async () => {
        const image = packImage({ reference: null, config: { Cmd: ["b"] }, layers: [await busyboxLayer()] });
        registry.put("private", ["1"], image);
        questions.length = 0;
        const path = `/images/create?fromImage=${registry.host}/private&tag=1`;
        const headers = authHeader({ username: "u", password: "p" });
        const answer = await engine().must(200, "POST", path, undefined, { headers });
        expect(answer.text).toContain("Downloaded newer image");
        expect(questions.some((one) => one.authorization?.startsWith("Basic ") === true)).toBe(true);
      });

      test("a repository that the token does not cover is not found", async () => {
        const answer = await engine().call("POST", `/images/create?fromImage=${registry.host}/private&tag=9`);
        expect(answer.status).toBe(engine().expected("pull-auth", 404, 500));
        expect(messageOf(answer)).not.toBe("");
      });
    });
  },
  { flags: ["--insecure-registry", "10.213.0.0/16"] },
);

function authHeader(auth: Json): Record<string, string> {
  let text = JSON.stringify(auth);
  // The text needs padding, and the object must end within the padded group.
  while (Buffer.byteLength(text) % 3 === 0) text = ` ${text}`;
  return { "X-Registry-Auth": Buffer.from(text).toString("base64").replaceAll("+", "-").replaceAll("/", "_") };
}
