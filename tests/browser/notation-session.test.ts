// Commands and programs on a real engine: what is typed does what it says, and what is shown runs.

import { transform } from "esbuild";
import { afterEach, expect, test } from "vitest";
import { curlScript } from "../../hosts/browser/notation/curl-script.js";
import { generate } from "../../hosts/browser/notation/generate.js";
import { parse, readLine } from "../../hosts/browser/notation/parse.js";
import { sendAll, type Send } from "../../hosts/browser/notation/plan.js";
import { runScript } from "../../hosts/browser/notation/shell/run.js";
import { createSession } from "../../hosts/browser/session/create.js";
import type { Exchange } from "../../hosts/browser/session/exchange.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import { written } from "../../hosts/browser/session/request.js";
import type { Session } from "../../hosts/browser/session/session.js";
import { openEngine } from "../../hosts/embedding/open.js";
import { simulatedHost } from "../../hosts/simulated/host.js";

const open: Session[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

async function opened(): Promise<Session> {
  const session = await createSession({ core: packagedCore(), pace: "fast" });
  open.push(session);
  return session;
}

async function typed(session: Session, line: string): Promise<readonly Exchange[]> {
  const result = parse(line, "1.41");
  if (!result.ok) throw new Error(result.message);
  return sendAll(result.requests, (request) => session.send(session.add(request).id));
}

async function over(exchange: Exchange): Promise<void> {
  while (!["done", "broken"].includes(exchange.state.value)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function textOf(exchange: Exchange): string {
  const view = exchange.view.value;
  if (view.kind !== "frames") return "";
  return view.frames.map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
}

test("docker run --rm: created, attached, waited for, started, removed", async () => {
  const session = await opened();
  const [create, attach, wait, start] = await typed(session, "docker run --rm busybox echo hello there");
  for (const exchange of [attach!, wait!]) await over(exchange);
  expect([create, attach, wait, start].map((exchange) => exchange!.head.value?.status)).toEqual([201, 101, 200, 204]);
  expect(textOf(attach!)).toBe("hello there\n");
  expect(wait!.view.value).toMatchObject({ kind: "json", value: { StatusCode: 0 } });
  expect(session.world.value.containers).toEqual([]);
});

test("what comes after a refusal is not sent", async () => {
  const session = await opened();
  const sent = await typed(session, "docker run -d nothing");
  expect(sent.map((exchange) => [exchange.request.target, exchange.head.value?.status])).toEqual([
    ["/v1.41/containers/create", 404],
    ["/v1.41/images/create?fromImage=docker.io/library/nothing&tag=latest", 404],
  ]);
  expect(session.cells.value.length).toBe(2);
  expect((await typed(session, "docker run -d --pull never alpine")).length).toBe(1);
});

test("docker run pulls an image that is not there", async () => {
  const session = await opened();
  const sent = await typed(session, "docker run --name greeter alpine echo hi");
  expect(sent.map((exchange) => exchange.head.value?.status)).toEqual([404, 200, 201, 101, 200, 204]);
  await over(sent[3]!);
  expect(textOf(sent[3]!)).toBe("hi\n");
});

const PORT = { address: "0.0.0.0", container: 80, host: 8080, protocol: "tcp" };

test("pull, run, list, stop, rm and rmi, as typed", async () => {
  const session = await opened();
  await typed(session, "docker pull alpine");
  await typed(session, "docker run -d --name web -p 8080:80 alpine sleep 1000");
  const [web] = session.world.value.containers;
  expect(web).toMatchObject({ name: "web", status: "running", ports: [PORT, { ...PORT, address: "::" }] });
  expect(session.world.value.networks.find(({ name }) => name === "bridge")!.containers).toEqual([web!.id]);
  await typed(session, "docker stop -t 1 web");
  expect(session.world.value.containers[0]).toMatchObject({ exitCode: 137 });
  await typed(session, "docker rm web");
  await typed(session, "docker rmi alpine");
  expect(session.world.value.containers).toEqual([]);
  expect(session.world.value.images.map(({ tags }) => tags)).toEqual([["busybox:latest"]]);
});

test("programs for engine.fetch run, and print what the engine answers", async () => {
  const requests = [
    written("GET", "/_ping"),
    written("POST", "/v1.41/containers/create?name=one", { Image: "busybox", Cmd: ["echo", "it's `fine` ${so}"] }),
    written("POST", "/v1.41/containers/one/start"),
    written("GET", "/v1.41/containers/json?all=1"),
    written("GET", "/v1.41/containers/one/logs?stdout=1&follow=1"),
    written("GET", "/v1.41/containers/nobody/json"),
  ];
  const engine = await openEngine({ host: simulatedHost({ pace: "fast" }), core: packagedCore().compiled });
  const printed: string[] = [];
  for (const request of requests)
    printed.push(
      await run(generate(request, "fetch"), { ...engine, fetch: engine.fetch.bind(engine), close: () => {} }),
    );
  await engine.close();
  expect(printed[0]).toBe("200 OK");
  expect(printed[1]).toMatch(/^201 \{"Id":"[0-9a-f]{64}"/);
  expect(printed[2]).toBe("204 ");
  expect(printed[3]).toContain("it's `fine` ${so}");
  expect(printed[4]).toContain("it's `fine` ${so}\n");
  expect(printed[5]).toContain('404 {"message":"No such container: nobody"}');
});

/** Runs a program with this engine in place of its own; what it prints. */
async function run(program: string, engine: object): Promise<string> {
  const { code } = await transform(program.replace(/^import .*$/m, ""), { loader: "ts" });
  const printed: string[] = [];
  const print = { log: (...values: unknown[]) => void printed.push(values.join(" ")) };
  const run = new AsyncFunction("openEngine", "simulatedHost", "console", code) as Run;
  await run(
    () => engine,
    () => {},
    print,
  );
  return printed.join("\n");
}

type Run = (openEngine: () => object, simulatedHost: () => void, console: object) => Promise<void>;

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => unknown;

test("a session as a script takes ids from the answers", async () => {
  const session = await opened();
  const [create] = await typed(session, "docker create busybox true");
  const view = create!.view.value;
  if (view.kind !== "json") throw new Error(view.kind);
  const { Id: id } = view.value as { Id: string };
  const others = [
    written("POST", `/v1.41/containers/${id}/start`),
    written("POST", "/v1.41/commit?repo=x", { container: id }),
    written("GET", `/v1.41/containers/json?all=1&filters={"id":["${id.slice(0, 12)}"]}`),
  ];
  for (const request of others) await session.send(session.add(request).id);
  const script = curlScript(session.exchanges.value);
  expect(script).not.toContain(id.slice(0, 12));
  expect(script).toContain("id1=$(curl");
  expect(script).toContain(`http://localhost/v1.41/containers/"$id1"/start`);
  expect(script).toMatch(/"container": "'"\$id1"'"/);
});

/** Runs a line as the page does; what it shows and remarks. */
async function ran(session: Session, line: string, variables = new Map<string, string>()): Promise<string> {
  const read = readLine(line, "1.41", variables);
  if (!("script" in read)) throw new Error("one command only");
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const send: Send = (request) => session.send(session.add(request).id);
  await runScript(read.script, { version: "1.41", variables, send, show: tell, remark: tell });
  return told.join("\n");
}

// Time that nobody waits for is skipped: what is to go on waits for its input.
test("several commands: what $(…) prints, && and ||, variables and xargs", async () => {
  const session = await opened();
  const names = (): string[] => session.world.value.containers.map(({ name, status }) => `${name} ${status}`);
  const variables = new Map<string, string>();
  await ran(session, "id=$(docker create -i --name one busybox cat) && docker start $id", variables);
  expect(names()).toEqual(["one running"]);
  expect(variables.get("id")).toBe(session.world.value.containers[0]!.id);
  await ran(session, "docker create --name two busybox; docker create --name two busybox || docker rename two three");
  expect(names().toSorted()).toEqual(["one running", "three created"]);
  await ran(session, "docker run busybox false && docker rename three four || docker rename three five");
  expect(names()).toContain("five created");
  expect(await ran(session, 'echo "$(docker exec one echo in it)" && echo $(docker inspect -f {{.Name}} one)')).toBe(
    "in it\n/one",
  );
  await ran(session, "docker ps -q | xargs docker rm -f; docker rm $(docker ps -aq)");
  expect(names()).toEqual([]);
});

test("docker exec -i can be typed into, and ends with its input", async () => {
  const session = await opened();
  await typed(session, "docker run -di --name web busybox cat");
  const done = typed(session, "docker exec -i web cat");
  const start = (): Exchange | undefined =>
    session.exchanges.value.find(({ request }) => /\/exec\/.*\/start$/.test(request.target));
  while (start()?.typable.value !== true) await new Promise((resolve) => setTimeout(resolve, 5));
  await session.type(start()!.number, "hello\n");
  await session.endInput(start()!.number);
  const sent = await done;
  expect(sent.map((exchange) => exchange.head.value?.status)).toEqual([200, 201, 101, 200]);
  expect(textOf(start()!)).toBe("hello\n");
  expect(sent.at(-1)!.view.value).toMatchObject({ value: { ExitCode: 0, Running: false } });
});

test("docker inspect asks one kind after the other, and stats asks for each container", async () => {
  const session = await opened();
  const targets = async (line: string) => (await typed(session, line)).map(({ request }) => request.target);
  expect(await targets("docker inspect busybox")).toEqual([
    "/v1.41/containers/busybox/json",
    "/v1.41/images/busybox/json",
  ]);
  await typed(session, "docker run -di --name web busybox cat");
  const id = session.world.value.containers[0]!.id.slice(0, 12);
  expect((await targets("docker stats --no-stream")).slice(1)).toEqual([
    "/v1.41/containers/json",
    `/v1.41/containers/${id}/stats?stream=0`,
  ]);
});
