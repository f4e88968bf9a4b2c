// Notations: typed lines, and requests in other languages, which are parsed back and run against a server that records
// requests.

import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { parser as goParser } from "@lezer/go";
import { transform } from "esbuild";
import { extract } from "tar-stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generate } from "../../hosts/browser/notation/generate.js";
import { LANGUAGES } from "../../hosts/browser/notation/notation.js";
import { parse } from "../../hosts/browser/notation/parse.js";
import { filled } from "../../hosts/browser/notation/plan.js";
import type { TextFile, WrittenRequest } from "../../hosts/browser/session/request.js";
import { Pythons } from "./pythons.js";
import { ARCHIVES, REQUESTS } from "./requests.js";

const run = promisify(execFile);
const hasPython = await run("python3", ["-c", "import docker"]).then(
  () => true,
  () => false,
);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

function bare({ method, target, headers, body }: WrittenRequest): WrittenRequest {
  return { method, target, headers, body };
}

function parsed(text: string, version = "1.41") {
  const result = parse(text, version);
  if (!result.ok) throw new Error(`${result.message} (${result.at})`);
  return result;
}

const only = (text: string) => bare(parsed(text).requests[0]!);

describe("curl", () => {
  test.each(REQUESTS.map((request) => [`${request.method} ${request.target}`, request] as const))(
    "%s can be written and read back in both notations",
    (_name, request) => {
      expect(only(generate(request, "curl"))).toEqual(request);
      expect(only(generate(request, "curl-old"))).toEqual(request);
    },
  );

  test.each([
    ["curl --unix-socket /var/run/docker.sock http:/v1.24/containers/json", "/v1.24/containers/json"],
    ["curl --unix-socket /var/run/docker.sock http://localhost/v1.41/info", "/v1.41/info"],
    ["curl --unix-socket /var/run/docker.sock http://v1.24/info", "/v1.24/info"],
    ["sudo curl -s --unix-socket=x http://d/info", null],
    ["$ curl -sS localhost/version", "/version"],
    [
      'curl -G --data-urlencode \'filters={"a":["b"]}\' http://x/v1.41/images/json',
      "/v1.41/images/json?filters=%7B%22a%22%3A%5B%22b%22%5D%7D",
    ],
  ])("%s", (line, target) => {
    const result = parse(line, "1.41");
    if (target === null) expect(result).toMatchObject({ ok: false, at: "--unix-socket=x" });
    else expect(only(line)).toEqual({ method: "GET", target, headers: [], body: "" });
  });

  test("options in one word, JSON, several lines", () => {
    const line = "curl -sXPOST \\\n -H'A: b' --json '{\"Image\":\"busybox\"}' \\\n http://x/v1.41/containers/create";
    expect(only(line)).toEqual({
      method: "POST",
      target: "/v1.41/containers/create",
      headers: [
        ["A", "b"],
        ["Content-Type", "application/json"],
        ["Accept", "application/json"],
      ],
      body: '{"Image":"busybox"}',
    });
  });

  test("a body without a type counts as a form, with a note", () => {
    const result = parsed("curl -d '{}' http://x/containers/create");
    expect(result.requests[0]!.headers).toEqual([["Content-Type", "application/x-www-form-urlencoded"]]);
    expect(result.remarks.join()).toContain("Content-Type: application/json");
  });

  test("a note explains & and | in a shell", () => {
    expect(parsed("curl http://x/containers/json?all=1&size=1").remarks.join()).toContain("quotes");
    expect(parsed("curl http://x/info | jq .").remarks.join()).toContain("|");
  });

  test.each([
    ["curl -T file http://x/a", "-T"],
    ["curl -d @file http://x/a", "@file"],
    ["curl -H nothing http://x/a", "nothing"],
    ["curl", null],
    ["curl -X", "-X"],
  ])("%s is not understood", (line, at) => {
    expect(parse(line, "1.41")).toMatchObject({ ok: false, at });
  });
});

describe("docker", () => {
  const targets = (text: string) => parsed(text).requests.map(({ method, target }) => `${method} ${target}`);

  test.each([
    ["docker ps -a", ["GET /v1.41/containers/json?all=1"]],
    ["docker container ls -aq", ["GET /v1.41/containers/json?all=1"]],
    ["docker ps -f status=exited", ["GET /v1.41/containers/json?filters=%7B%22status%22:%7B%22exited%22:true%7D%7D"]],
    ["docker start web", ["POST /v1.41/containers/web/start"]],
    ["docker stop -t 2 a b", ["POST /v1.41/containers/a/stop?t=2", "POST /v1.41/containers/b/stop?t=2"]],
    ["docker kill -s HUP web", ["POST /v1.41/containers/web/kill?signal=HUP"]],
    ["docker rm -fv web", ["DELETE /v1.41/containers/web?force=1&v=1"]],
    [
      "docker logs -f --tail 10 web",
      ["GET /v1.41/containers/web/json", "GET /v1.41/containers/{{1.Id}}/logs?follow=1&stderr=1&stdout=1&tail=10"],
    ],
    ["docker images", ["GET /v1.41/images/json"]],
    ["docker image ls", ["GET /v1.41/images/json"]],
    ["docker pull alpine", ["POST /v1.41/images/create?fromImage=docker.io/library/alpine&tag=latest"]],
    ["docker pull r.test:5000/a/b:1", ["POST /v1.41/images/create?fromImage=r.test:5000/a/b&tag=1"]],
    ["docker tag busybox mine:2", ["POST /v1.41/images/busybox/tag?repo=docker.io/library/mine&tag=2"]],
    [
      "docker commit -m 'a b' web mine:3",
      ["POST /v1.41/commit?comment=a%20b&container=web&repo=docker.io/library/mine&tag=3"],
    ],
    ["docker rmi -f mine:2", ["DELETE /v1.41/images/mine:2?force=1"]],
    [
      "docker inspect web",
      [
        "GET /v1.41/containers/web/json",
        "GET /v1.41/images/web/json",
        "GET /v1.41/networks/web",
        "GET /v1.41/volumes/web",
      ],
    ],
    ["docker version", ["GET /v1.41/version"]],
    ["docker info", ["GET /v1.41/info"]],
    ["docker events", ["GET /v1.41/events"]],
    ["docker login -u a -p b r.test", ["POST /v1.41/auth"]],
    ["docker network ls", ["GET /v1.41/networks"]],
    ["docker network inspect bridge", ["GET /v1.41/networks/bridge"]],
    ["docker volume ls", ["GET /v1.41/volumes"]],
    ["docker wait web", ["POST /v1.41/containers/web/wait"]],
    [
      "docker attach web",
      [
        "POST /v1.41/containers/web/wait",
        "GET /v1.41/containers/web/json",
        "POST /v1.41/containers/web/attach?stderr=1&stdin=1&stdout=1&stream=1",
      ],
    ],
    ["docker run -d busybox true", ["POST /v1.41/containers/create", "POST /v1.41/containers/{{1.Id}}/start"]],
    [
      "docker run --rm busybox echo hello",
      [
        "POST /v1.41/containers/create",
        "POST /v1.41/containers/{{1.Id}}/attach?stderr=1&stdout=1&stream=1",
        "POST /v1.41/containers/{{1.Id}}/wait?condition=removed",
        "POST /v1.41/containers/{{1.Id}}/start",
      ],
    ],
  ])("%s", (line, expected) => {
    expect(targets(line)).toEqual(expected);
  });

  test("run with everything", () => {
    const line =
      "docker run -itd --rm --name web -p 8080:80 -p 127.0.0.1::53/udp -e A=1 -e B -v data:/data --network host -l x=y -w /srv -m 64m busybox sh -c 'echo $A; exit 3'";
    const [create] = parsed(line).requests;
    expect(create!.target).toBe("/v1.41/containers/create?name=web");
    expect(JSON.parse(create!.body)).toEqual({
      Image: "busybox",
      Cmd: ["sh", "-c", "echo $A; exit 3"],
      Env: ["A=1", "B"],
      Labels: { x: "y" },
      WorkingDir: "/srv",
      Tty: true,
      OpenStdin: true,
      ExposedPorts: { "80/tcp": {}, "53/udp": {} },
      HostConfig: {
        AutoRemove: true,
        PortBindings: { "80/tcp": [{ HostPort: "8080" }], "53/udp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
        Binds: ["data:/data"],
        NetworkMode: "host",
        Memory: 64 * 1024 * 1024,
      },
    });
  });

  test.each([
    ["[::1]:8080:80", { "80/tcp": [{ HostIp: "::1", HostPort: "8080" }] }],
    ["[2001:db8::1]::80/udp", { "80/udp": [{ HostIp: "2001:db8::1", HostPort: "" }] }],
    ["8080-8090:80", { "80/tcp": [{ HostPort: "8080-8090" }] }],
    ["8080-8081:80-81", { "80/tcp": [{ HostPort: "8080" }], "81/tcp": [{ HostPort: "8081" }] }],
    ["80-81", { "80/tcp": [{ HostPort: "" }], "81/tcp": [{ HostPort: "" }] }],
  ])("run -p %s", (published, PortBindings) => {
    const [create] = parsed(`docker run -p ${published} busybox`).requests;
    expect(JSON.parse(create!.body)).toMatchObject({ HostConfig: { PortBindings } });
  });

  test.each(["81-80", "8080-8082:80-81", "::1:80:80", "70000", "x"])("run -p %s is refused", (published) => {
    expect(parse(`docker run -p ${published} busybox`, "1.41")).toMatchObject({ ok: false, at: published });
  });

  test("options after the image belong to the command", () => {
    const [create] = parsed("docker run busybox ls -la --name x").requests;
    expect(JSON.parse(create!.body)).toMatchObject({ Cmd: ["ls", "-la", "--name", "x"] });
  });

  test.each([
    ["docker swarm init", "swarm"],
    ["docker run --gpu all busybox", "--gpu"],
    ["docker run -p x:y busybox", "x:y"],
    ["docker run", null],
    ["docker stop", null],
    ["docker login --password-stdin", "--password-stdin"],
    ["hello", "hello"],
  ])("%s is not understood", (line, at) => {
    expect(parse(line, "1.41")).toMatchObject({ ok: false, at });
  });

  test("later requests are filled in from earlier answers", () => {
    const [, start] = parsed("docker run -d busybox").requests;
    expect(filled(start!, [{ Id: "abc" }]).target).toBe("/v1.41/containers/abc/start");
    expect(() => filled(start!, [{}])).toThrow("the answer to request 1 has no Id");
  });
});

test("a raw request", () => {
  expect(only("GET /v1.41/info")).toEqual({ method: "GET", target: "/v1.41/info", headers: [], body: "" });
  expect(only('post /v1.41/containers/create\nX-A: b\n\n{"Image": "busybox"}')).toEqual({
    method: "POST",
    target: "/v1.41/containers/create",
    headers: [
      ["X-A", "b"],
      ["Content-Type", "application/json"],
    ],
    body: '{"Image": "busybox"}',
  });
});

interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The files of a tar, as a request holds them. */
async function filesOf(archive: Buffer): Promise<TextFile[]> {
  const files: TextFile[] = [];
  const reading = extract();
  reading.on("entry", ({ name, type }, content, next) => {
    void text(content).then((text) => {
      if (type === "file") files.push({ name: name.replace(/^\.\//, ""), text });
      next();
    });
  });
  await pipeline(Readable.from([archive]), reading);
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

describe("generated programs send their request", () => {
  let folder: string;
  let server: Server;
  let seen: Seen[] = [];
  let pythons: Pythons | null = null;

  beforeAll(async () => {
    if (hasPython) pythons = new Pythons();
    folder = await mkdtemp(join(tmpdir(), "coracle-notation-"));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const url = new URL(request.url ?? "/", "http://x");
        const path = decodeURIComponent(url.pathname);
        const { method = "", headers } = request;
        seen.push({ method, path, query: url.searchParams, headers, body: Buffer.concat(chunks) });
        const isCreation = url.pathname.endsWith("/containers/create");
        response.writeHead(isCreation ? 201 : 200, { "Content-Type": "application/json" });
        response.end(url.pathname.endsWith("/wait") ? '{"StatusCode":0}' : "{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(join(folder, "engine.sock"), resolve));
  });

  afterAll(async () => {
    await pythons?.close();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  /** Flags have several notations; numbers may be text or not. */
  const same = (value: string) => ({ true: "1", True: "1", false: "0", False: "0" })[value] ?? value;

  async function check(request: WrittenRequest, program: () => Promise<unknown>): Promise<void> {
    seen = [];
    await program();
    const wanted = new URL(request.target, "http://x");
    const [got] = seen;
    expect(`${got?.method} ${got?.path}`).toBe(`${request.method} ${decodeURIComponent(wanted.pathname)}`);
    for (const name of wanted.searchParams.keys())
      expect([name, ...got!.query.getAll(name).map(same)]).toEqual([
        name,
        ...wanted.searchParams.getAll(name).map(same),
      ]);
    if (request.files !== undefined) {
      // The clients name the type in two ways.
      expect(got!.headers["content-type"]).toMatch(/^application\/(x-)?tar$/);
      expect(await filesOf(got!.body)).toEqual(request.files);
      return expect(same(got!.query.get("rm") ?? "1")).toBe("1");
    }
    for (const [name, value] of request.headers) expect(got!.headers).toHaveProperty([name.toLowerCase()], value);
    if (request.body === "") return;
    const body = got!.body.toString();
    try {
      expect(JSON.parse(body)).toMatchObject(JSON.parse(request.body) as object);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      expect(body).toBe(request.body);
    }
  }

  const here = (program: string) => program.replaceAll("/var/run/docker.sock", join(folder, "engine.sock"));
  const cases = [...REQUESTS, ...ARCHIVES]
    .filter(({ method }) => method !== "HEAD")
    .map((request) => [`${request.method} ${request.target}`, request] as const);

  test.each(cases)("curl: %s", async (_name, request) => {
    await check(request, () => run("sh", ["-c", here(generate(request, "curl"))]));
  });

  test.each(cases)("TypeScript: %s", async (_name, request) => {
    const file = join(folder, "program.mjs");
    const program = await transform(here(generate(request, "typescript")), { loader: "ts" });
    await writeFile(file, program.code);
    await check(request, () => run(process.execPath, [file]));
  });

  test.for(cases)("Python: %s", async ([, request], { skip }) => {
    const ready = pythons;
    if (ready === null) return skip("the Python package docker is not installed");
    const program = generate(request, "python").replace("unix://var/run/docker.sock", `unix:/${folder}/engine.sock`);
    await check(request, () => ready.run(here(program)));
  });
});

test("every language has every request", () => {
  for (const request of [...REQUESTS, ...ARCHIVES]) {
    for (const { language } of LANGUAGES) {
      const program = generate(request, language);
      expect(program).not.toMatch(/undefined|\[object/);
      expect(program.length).toBeGreaterThan(20);
    }
  }
});

/** Go's compiler is not used. This check finds only bad syntax and unused imports. */
test.each([...REQUESTS, ...ARCHIVES].map((request) => [`${request.method} ${request.target}`, request] as const))(
  "Go: %s is well formed, and uses all of its imports",
  (_name, request) => {
    const program = generate(request, "go");
    const faults: string[] = [];
    goParser.parse(program).iterate({
      enter: ({ type, from }) => void (type.isError && faults.push(program.slice(0, from + 20))),
    });
    expect(faults).toEqual([]);
    const [, imports = "", code = ""] = /^package main\n\nimport \(([^)]*)\)([^]*)$/.exec(program) ?? [];
    const used = Array.from(imports.matchAll(/([\w.]+)"$/gm), ([, name]) => name!);
    const called = new Set(Array.from(code.matchAll(/\b(\w+)\.[A-Z]/g), ([, name]) => name!));
    expect(used.length).toBeGreaterThan(1);
    expect(used.filter((name) => !called.has(name))).toEqual([]);
  },
);
