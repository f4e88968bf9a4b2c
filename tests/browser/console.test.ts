// Compares the console with the real docker command: the commands, and the requests that they send.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { complete, type Names } from "../../hosts/browser/notation/complete.js";
import { GROUPS, SINGLE, verbsOf } from "../../hosts/browser/notation/docker/commands.js";
import { History } from "../../hosts/browser/notation/history.js";
import type { PlannedRequest } from "../../hosts/browser/notation/notation.js";
import { parse, readLine } from "../../hosts/browser/notation/parse.js";
import { FIRST_FILES } from "../../hosts/browser/session/folder.js";
import { DOCKER_MISSING } from "../clients/docker.js";
import { run, type Finished } from "../support/commands.js";
import type { DaemonProcess } from "../support/daemon-process.js";
import { startSimulated } from "../support/engines.js";
import { startListeningProxy, type ListeningProxy, type Noted } from "../support/listening-proxy.js";
import { describeUnless } from "../support/on-engines.js";
import { CREATIONS, NEWER, SENT, WITHOUT_ENGINE } from "./console-lines.js";

describeUnless(DOCKER_MISSING, "the docker command's own help", () => {
  test("lists only commands that the console knows or names as outside this API", async () => {
    const { stdout } = await run(["docker", "--help"]);
    const told = Array.from(stdout.matchAll(/^ {2}([a-z]+)\*? {2,}/gm), ([, name]) => name!);
    expect(told.length).toBeGreaterThan(40);
    const unknown = told.filter((name) => !SINGLE.includes(name) && !GROUPS.includes(name));
    for (const name of unknown) expect(parse(`docker ${name}`, "1.41")).toMatchObject({ ok: false, at: name });
    expect(unknown.filter((name) => !/part of/.test(JSON.stringify(parse(`docker ${name}`, "1.41"))))).toEqual([]);
  });

  test.each(GROUPS)("docker %s has only commands that the console knows or gives a reason against", async (group) => {
    const { stdout } = await run(["docker", group, "--help"]);
    const [, list = ""] = /^Commands:\n((?: .*\n)+)/m.exec(stdout) ?? [];
    const told = Array.from(list.matchAll(/^ {2}([a-z]+)/gm), ([, name]) => name!);
    expect(told.length).toBeGreaterThan(1);
    for (const name of told.filter((one) => !verbsOf(group).includes(one))) {
      expect(parse(`docker ${group} ${name}`, "1.41")).toMatchObject({
        ok: false,
        message: expect.stringMatching(/of a swarm/) as string,
      });
    }
  });
});

describeUnless(DOCKER_MISSING, "requests of the real docker command", () => {
  let folder = "";
  let daemon: DaemonProcess;
  let proxy: ListeningProxy;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "coracle-console-"));
    daemon = await startSimulated();
    for (const { name, text } of FIRST_FILES) await writeFile(join(folder, name), text);
    proxy = await startListeningProxy(join(folder, "engine.sock"), daemon.socketPath);
    await docker("docker pull busybox", "1.41");
    await docker("docker run -d --name web busybox sleep 100000", "1.41");
  });
  afterAll(async () => {
    await proxy?.close();
    await daemon?.close();
    await rm(folder, { recursive: true, force: true });
  });

  function docker(line: string, version: string): Promise<Finished> {
    const env = {
      DOCKER_HOST: `unix://${folder}/engine.sock`,
      DOCKER_CONFIG: folder,
      DOCKER_API_VERSION: version,
      DOCKER_CLI_HINTS: "false",
      DOCKER_BUILDKIT: "0",
      HTTP_PROXY: "",
    };
    return run(["sh", "-c", line], { env, cwd: folder, timeoutMs: 60_000 });
  }

  async function compare(line: string, version: string): Promise<void> {
    proxy.taken();
    const { stderr } = await docker(line, version);
    const sent = proxy.taken().map((noted) => heard({ ...noted, body: withUsualSocket(noted.body) }));
    expect(sent, stderr).not.toEqual([]);
    const planned = requestsOf(line, version);
    const isDetached = /docker run -d/.test(line);
    // A detached run cancels its wait before the answer, so the wait is left out here.
    const wanted = sent.filter(({ path }) => !(isDetached && /\/wait\?/.test(path)));
    expect(planned.slice(0, wanted.length).map(heard)).toEqual(wanted);
    expect(planned.slice(wanted.length).filter(({ when }) => when !== "absent")).toEqual([]);
  }

  test.each(SENT)("%s", (line) => compare(line, "1.41"));
  test.each(CREATIONS)("docker create %s busybox", (options) => compare(`docker create ${options} busybox`, "1.41"));
  test.each(NEWER)("%s, at 1.50", (line) => compare(line, "1.50"));
});

/** The command mounts the socket that it was given. */
function withUsualSocket(body: string): string {
  return body.replace(/\/[^"]*\/engine\.sock/g, "/var/run/docker.sock");
}

function requestsOf(line: string, version: string): readonly PlannedRequest[] {
  const parsed = parse(line, version);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.requests;
}

/**
 * A request in a form that can be compared: without unknown ids, the order of the query, and fields without meaning.
 */
function heard({ method, target, body }: Noted | PlannedRequest): { method: string; path: string; body: unknown } {
  const url = new URL(target.replace(/\{\{\w+\.Id\}\}|[0-9a-f]{64}|\b[0-9a-f]{12}\b/g, "ID"), "http://x");
  const isBuild = url.pathname.endsWith("/build");
  const query = [...url.searchParams]
    .filter(([name, value]) => value !== "" && !(isBuild && BUILD_DEFAULTS[name] === value))
    .map((pair) => pair.join("="));
  const path = `${url.pathname}?${query.toSorted().join("&")}`;
  if (isBuild) return { method, path, body: "a tar" };
  return { method, path, body: body === "" ? null : (saying(JSON.parse(body) as object) ?? {}) };
}

/** Parameters that the command writes for a build without options. */
const BUILD_DEFAULTS: Readonly<Record<string, string>> = {
  ...{ buildargs: "{}", labels: "{}", cachefrom: "[]", ulimits: "null", networkmode: "default", version: "1", rm: "1" },
  dockerfile: "Dockerfile",
  ...{ cpuperiod: "0", cpuquota: "0", cpushares: "0", memory: "0", memswap: "0", shmsize: "0" },
};

/** Fields with names chosen by users, where even empty values have a meaning. */
const MAPS = new Set(["Labels", "ExposedPorts", "Volumes", "Tmpfs", "Options", "EndpointsConfig", "Sysctls"]);
/** Values that the command writes for a container without options. */
const DEFAULTS: Readonly<Record<string, string>> = {
  NetworkMode: '"default"',
  RestartPolicy: '{"Name":"no"}',
  MemorySwappiness: "-1",
  ConsoleSize: "[0,0]",
  NetworkingConfig: '{"EndpointsConfig":{"default":{}}}',
};

function saying(value: object, isMap = false): unknown {
  const kept = Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const inner =
      typeof field === "object" && field !== null && !Array.isArray(field) ? saying(field, MAPS.has(name)) : field;
    const says = isMap ? (inner ?? {}) : inner;
    const isEmpty = says === null || says === undefined || says === "" || says === false || says === 0;
    if (isEmpty && !isMap) return [];
    if (Array.isArray(says) && says.length === 0) return [];
    if (!isMap && DEFAULTS[name] === JSON.stringify(says)) return [];
    // The command sends these in random order.
    if (name === "Binds" || name === "Env") return [[name, (says as string[]).toSorted()] as const];
    return [[name, Array.isArray(says) ? says.map(element) : says] as const];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function element(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? saying(value) : value;
}

describe("help", () => {
  test.each(["docker help", "docker --help", "docker", "help"])("%s lists commands and groups", (line) => {
    expect(parse(line, "1.41")).toMatchObject({
      ok: true,
      requests: [],
      text: expect.stringMatching(/ ps .* volume /s) as string,
    });
  });

  test.each([
    ...["docker help run", "docker run --help", "docker container run --help", "docker help container run"],
    "help run",
  ])("%s shows the field of each option", (line) => {
    const parsed = parse(line, "1.41");
    expect(parsed).toMatchObject({ ok: true, requests: [] });
    expect(parsed).toMatchObject({
      text: expect.stringMatching(/-m, --memory VALUE +HostConfig\.Memory$/m) as string,
    });
  });

  test("--help after the image belongs to the container", () => {
    expect(parse("docker run busybox ls --help", "1.41")).not.toHaveProperty("text");
    expect(parse("docker exec web ls --help", "1.41")).not.toHaveProperty("text");
  });
});

describe("unknown words get a suggestion", () => {
  test.each([
    ["docker rnu busybox", "did you mean run?"],
    ["docker network crate n", "did you mean create?"],
    ["docker run --enf A=1 busybox", "did you mean --env?"],
    ["docker run --hostnam x busybox", "did you mean --hostname?"],
    ["docker volume frob", "it knows create, inspect, ls, prune, rm"],
    ["docker swarm init", "not part of this engine's API"],
    ["docker build /src", "the page has one folder"],
    ["docker image build -", "the page has one folder"],
    ["docker login", "give them with -u NAME -p PASSWORD"],
    ["docker login -u me r.test", "give them with -u NAME -p PASSWORD"],
    ["docker run --pull sometimes busybox", "use always, missing, never"],
    ["docker run --env-file x busybox", "the page has no local files"],
    ["ls", "ls is not a command here"],
    ["docker ps -y", "docker ps --help lists its options"],
    ["docker inspect --type contaner web", "did you mean container?"],
    ["docker run --mount tpye=bind,src=/a,dst=/b busybox", "did you mean type?"],
    ["dokcer ps", "did you mean docker?"],
    ["docker volume prune -a", "needs API version 1.42"],
    ["docker run -m lots busybox", "not a size"],
    ["docker load -i x.tar", "no local files"],
    ["docker cp x web:/y", "no local files"],
    ["docker ps 'a", "the shell does not understand this"],
  ])("%s", (line, told) => {
    expect(parse(line, "1.41")).toMatchObject({ ok: false, message: expect.stringContaining(told) as string });
  });
});

test.each(["-H unix:///x.sock", "--host=tcp://a:1", "-Htcp://a:1", "-c other", "-D -H a -l debug"])(
  "docker %s ps",
  (options) => {
    const parsed = parse(`docker ${options} ps`, "1.41");
    expect(parsed).toMatchObject({ ok: true, requests: [{ target: "/v1.41/containers/json" }] });
    expect(parsed.ok && parsed.remarks.join()).toContain("the engine of this page");
  },
);

test.each(WITHOUT_ENGINE)("%s", (line, requests) => {
  expect(requestsOf(line, "1.41").map(({ method, target }) => `${method} ${target}`)).toEqual(requests);
});

describe("lines with shell syntax", () => {
  const command = (line: string): unknown => {
    const create = requestsOf(line, "1.41").find(({ target }) => target.includes("/create"))!;
    return (JSON.parse(create.body) as { Cmd: unknown }).Cmd;
  };
  test.each<[string, unknown]>([
    [`docker run busybox sh -c 'a "b" $c'`, ["sh", "-c", 'a "b" $c']],
    [`docker run busybox echo "a 'b' \\"c\\""`, ["echo", `a 'b' "c"`]],
    [`docker run busybox echo a\\ b ''`, ["echo", "a b", ""]],
    [`docker run busybox echo $'a\\tb' * {a}`, ["echo", "a\tb", "*", "{a}"]],
    [`docker run busybox echo $NONE x"$NONE"`, ["echo", "x"]],
  ])("%s", (line, words) => {
    expect(command(line)).toEqual(words);
  });

  test("variables without a value are reported", () => {
    const parsed = parse("docker run busybox echo $HOME", "1.41");
    expect(parsed.ok && parsed.remarks.join()).toContain("$HOME has no value here");
  });

  test.each([
    "docker ps && docker images",
    "docker rm $(docker ps -aq)",
    "id=$(docker create busybox)",
    "docker ps -q | xargs docker rm",
  ])("%s is several commands", (line) => {
    expect(readLine(line, "1.41")).toHaveProperty("script");
  });
});

const NAMES: Names = {
  container: ["web", "worker"],
  image: ["busybox"],
  network: ["bridge", "back"],
  volume: ["data"],
};

test.each<[string, string, string[]]>([
  ["dock", "docker ", []],
  ["docker ne", "docker network ", []],
  ["docker network cr", "docker network create ", []],
  ["docker st", "docker st", ["start", "stats", "stop"]],
  ["docker run --memory-s", "docker run --memory-swap", ["--memory-swap", "--memory-swappiness"]],
  ["docker run --name x bus", "docker run --name x busybox ", []],
  ["docker run busybox --na", "docker run busybox --na", []],
  ["docker stop we", "docker stop web ", []],
  ["docker stop web w", "docker stop web w", ["web", "worker"]],
  ["docker logs -f w", "docker logs -f w", ["web", "worker"]],
  ["docker run --network ba", "docker run --network back ", []],
  ["docker network connect back wo", "docker network connect back worker ", []],
  ["docker ps && docker rm wo", "docker ps && docker rm worker ", []],
  ["docker help net", "docker help network ", []],
  ["docker frob x", "docker frob x", []],
])("Tab behind %s", (line, completed, choices) => {
  expect(complete(line, NAMES)).toEqual({ line: completed, choices });
});

test("history goes back and forth, and keeps the unfinished line", () => {
  const history = new History();
  expect([history.earlier("x"), history.later()]).toEqual([null, null]);
  for (const line of ["one", "two", "two"]) history.add(line);
  expect([history.earlier("thr"), history.earlier("two"), history.earlier("one")]).toEqual(["two", "one", null]);
  expect([history.later(), history.later(), history.later()]).toEqual(["two", "thr", null]);
});
