// Commands and programs on a real engine: what is typed does what it says, and what is shown runs.

import { transform } from "esbuild";
import { afterEach, expect, test } from "vitest";
import { curlScript } from "../../hosts/browser/notation/curl-script.js";
import { generate } from "../../hosts/browser/notation/generate.js";
import { parse, readLine } from "../../hosts/browser/notation/parse.js";
import { answered, get } from "../../hosts/browser/notation/docker/planned.js";
import { runPlan, sendAll, type Sender } from "../../hosts/browser/notation/plan.js";
import { runAlone, runScript } from "../../hosts/browser/notation/shell/run.js";
import { Variables } from "../../hosts/browser/notation/shell/variables.js";
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
  return sendAll(result.requests, senderOf(session));
}

function senderOf(session: Session): Sender {
  return {
    send: (request) => session.send(session.add(request).id),
    cancel: (exchange) => session.cancel(exchange),
  };
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

/** Runs a line as the page does; what it shows, remarks and refuses. */
async function ran(session: Session, line: string, variables = new Variables()): Promise<string> {
  const read = readLine(line, "1.41", variables);
  if (!("script" in read)) throw new Error("one command only");
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const sender = senderOf(session);
  await runScript(read.script, { version: "1.41", variables, sender, show: tell, remark: tell, refuse: tell });
  return told.join("\n");
}

/** The requests that a line sends. */
async function asked(session: Session, line: string, variables = new Variables()): Promise<string[]> {
  const before = session.exchanges.value.length;
  await ran(session, line, variables);
  const sent = session.exchanges.value.slice(before);
  return sent.map(({ request }) => `${request.method} ${request.target.replace("/v1.41", "")}`);
}

// Time that nobody waits for is skipped: what is to go on waits for its input.
test("several commands: what $(…) prints, && and ||, variables and xargs", async () => {
  const session = await opened();
  const names = (): string[] => session.world.value.containers.map(({ name, status }) => `${name} ${status}`);
  const variables = new Variables();
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

test("a pipe that is not reached runs none of its commands", async () => {
  const session = await opened();
  await typed(session, "docker create --name kept busybox");
  expect(await asked(session, "false && docker ps -aq | xargs docker rm")).toEqual([]);
  expect(await asked(session, "true || docker ps -aq | xargs docker rm; docker ps")).toEqual(["GET /containers/json"]);
  expect(session.world.value.containers.map(({ name }) => name)).toEqual(["kept"]);
});

test("a variable alone ends as what it is set to does", async () => {
  const session = await opened();
  const variables = new Variables();
  expect(await asked(session, "X=$(docker inspect --type volume none) && docker ps", variables)).toEqual([
    "GET /volumes/none",
  ]);
  expect(await asked(session, "X=$(docker volume ls -q) || docker ps", variables)).toEqual(["GET /volumes"]);
  expect([variables.get("X"), variables.get("?")]).toEqual(["", "0"]);
});

test("a variable before a command is that command's alone, and is passed on by -e", async () => {
  const session = await opened();
  const variables = new Variables();
  const env = async (line: string): Promise<unknown> => {
    await ran(session, line, variables);
    return (JSON.parse(session.exchanges.value.at(-1)!.request.body) as { Env: unknown }).Env;
  };
  expect(await env("X=1 Y=$X$X docker create -e X -e Y -e Z=$X busybox")).toEqual(["X=1", "Y=11", "Z="]);
  expect(variables.get("X")).toBeUndefined();
  expect(await env("X=2; docker create -e X busybox")).toEqual(["X"]);
  expect(await env("export X; docker create -e X -e A=$X busybox")).toEqual(["X=2", "A=2"]);
  expect(await env("unset X; docker create -e X busybox")).toEqual(["X"]);
});

test.each<[string, string[]]>([
  ["docker ps -q | xargs -r docker rm", ["GET /containers/json"]],
  ["docker ps -q | xargs --no-run-if-empty docker rm || docker info", ["GET /containers/json"]],
  ["docker ps -q | xargs docker ps -a", ["GET /containers/json", "GET /containers/json?all=1"]],
  ["echo a b c | xargs -n 2 docker stop", ["a", "b", "c"].map((name) => `POST /containers/${name}/stop`)],
  ["echo a b | xargs -I{} docker rename {} x", ["POST /containers/a%20b/rename?name=x"]],
  ["echo a b | xargs -rn1 docker top", ["GET /containers/a/top", "GET /containers/b/top"]],
])("%s", async (line, requests) => {
  expect(await asked(await opened(), line)).toEqual(requests);
});

test("what is wrong with a command is told, and what comes after it is run", async () => {
  const session = await opened();
  const told = await ran(session, "docker ps -q | xargs docker rm; docker rnu || frob; docker ps && echo all");
  expect(told.split("\n")).toEqual([
    "docker rm wants at least one name after it",
    "docker does not know rnu: did you mean run?",
    expect.stringContaining("frob is no command here: type a request"),
    "all",
  ]);
  expect(await asked(session, "echo a | xargs -y docker rm && docker ps")).toEqual([]);
});

test("docker wait goes well whatever it tells; a run does not", async () => {
  const session = await opened();
  await typed(session, "docker create --name bad busybox false");
  await typed(session, "docker start bad");
  expect(await asked(session, "docker wait bad && docker rm bad || docker info")).toEqual([
    "POST /containers/bad/wait",
    "DELETE /containers/bad",
  ]);
  const [, , , start, info] = await asked(session, "docker run busybox false || docker info");
  expect([start?.replace(/[0-9a-f]{64}/, "ID"), info]).toEqual(["POST /containers/ID/start", "GET /info"]);
});

test("a typed {{1.Id}} is sent as it stands", async () => {
  const session = await opened();
  const [create] = await typed(session, "docker run -d -e A={{1.Id}} busybox echo '{{1.Id}}' '{{each.Id}}'");
  expect(JSON.parse(create!.request.body)).toMatchObject({
    Cmd: ["echo", "{{1.Id}}", "{{each.Id}}"],
    Env: ["A={{1.Id}}"],
  });
  expect(await asked(session, "docker logs --since {{1.Id}} '{{1.Id}}'; curl http://x/{{1.Id}}?a={{1.Id}}")).toEqual([
    "GET /containers/%7B%7B1.Id%7D%7D/json",
    "GET /{{1.Id}}?a={{1.Id}}",
  ]);
  await typed(session, "docker create --name web busybox");
  const [, logs] = await typed(session, "docker logs --since '{{1.Id}}' web");
  expect(logs!.request.target).toContain("since=%7B%7B1.Id%7D%7D");
});

test("an answer without what comes next is told, not thrown", async () => {
  const session = await opened();
  const read = readLine("docker logs x; docker logs y", "1.41");
  if (!("script" in read)) throw new Error("one command only");
  const told: string[] = [];
  const sender = { ...senderOf(session), send: () => session.send(session.add(written("GET", "/v1.41/version")).id) };
  const tell = (text: string): void => void told.push(text);
  const place = { version: "1.41", variables: new Variables(), sender, show: tell, remark: tell, refuse: tell };
  expect(await runScript(read.script, place)).toBe(false);
  const lacking = "the answer to request 1 has no Id, so what comes after it is not sent";
  expect(told).toEqual([lacking, lacking]);
});

test("answers keep their places behind one that was asked for many", async () => {
  const session = await opened();
  for (const name of ["one", "two"]) await typed(session, `docker create --name ${name} busybox`);
  const list = { ...get("/v1.41/containers/json?all=1", ""), purpose: "list" };
  const each = { ...get(`/v1.41${answered("containers", "each")}/json`, "look"), each: 1 };
  const last = get("/v1.41/version", "ask");
  const { answers, ok } = await runPlan([list, each, last], senderOf(session));
  expect(ok).toBe(true);
  expect(answers).toMatchObject([
    {},
    [{ Name: "/two" }, { Name: "/one" }],
    { ApiVersion: expect.any(String) as string },
  ]);
  const missing = { ...each, target: `/v1.41${answered("containers", "each")}/nothing` };
  expect((await runPlan([list, missing, { ...last, when: "always" }], senderOf(session))).ok).toBe(false);
});

test("pipes lead to the programs that people pipe to", async () => {
  const session = await opened();
  for (const name of ["web", "worker", "other"]) await typed(session, `docker create --name ${name} busybox sleep 9`);
  await typed(session, "docker create --name log busybox sh -c 'echo one; echo two; echo three >&2'");
  await typed(session, "docker start log");
  for (const exchange of await typed(session, "docker wait log")) await over(exchange);
  expect(await ran(session, "docker ps -aq | wc -l")).toBe("4");
  expect(await ran(session, "docker ps -a | grep w | awk '{print $NF}' | sort")).toBe("web\nworker");
  expect(await ran(session, "docker ps -a | head -1 | tr -s ' ' | cut -d ' ' -f 1-3")).toBe("CONTAINER ID IMAGE");
  expect(await ran(session, "docker logs log | grep -c o")).toBe("2");
  expect(await ran(session, "docker ps -a | grep nobody || echo none")).toBe("none");
  expect(await ran(session, "docker rm --help | grep force")).toContain("-f, --force");
  expect(await ran(session, 'docker inspect web | grep -o \'"Name": "/web"\'')).toBe('"Name": "/web"');
  expect(
    await asked(session, "docker ps -a | grep work | awk '{print $1}' | xargs docker rm; X=$(docker ps -aq | wc -l)"),
  ).toHaveLength(3);
  expect(await ran(session, "docker ps -a | jq . && docker ps | sort --frob")).toContain("jq is not here");
});

test("--format is worked out, and shown", async () => {
  const session = await opened();
  await typed(session, "docker run -d --name web -p 8080:80 --label a=b busybox sleep 1000");
  expect(await ran(session, "docker ps --format '{{.Names}}\\t{{.Ports}}'")).toBe(
    "web\t0.0.0.0:8080->80/tcp, [::]:8080->80/tcp",
  );
  expect(await ran(session, "docker ps --format 'table {{.Names}}\\t{{.State}}'")).toBe(
    "NAMES   STATE\nweb     running",
  );
  expect(await ran(session, "docker ps --format '{{.RunningFor}}' && echo all")).toContain(
    "{{.RunningFor}} is not known here: ID, Image",
  );
  expect(await ran(session, "docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}'")).toBe(
    "busybox:latest 1.13MB",
  );
  expect(await ran(session, "docker network ls --format '{{json .Name}}' | sort")).toBe('"bridge"\n"host"\n"none"');
  expect(await ran(session, "docker inspect -f '{{.State.Status}}' web")).toBe("running");
  expect(await ran(session, "docker rm -f $(docker ps -a --format '{{.Names}}')")).toBe("");
  expect(session.world.value.containers).toEqual([]);
  expect(await ran(session, "docker inspect -f '{{range .X}}' busybox; docker ps")).toContain("is not worked out here");
});

test("docker attach does not ask for what does not run", async () => {
  const session = await opened();
  await typed(session, "docker create --name made busybox");
  await expect(typed(session, "docker attach made")).rejects.toThrow("docker start -a starts it");
  expect(session.exchanges.value.map(({ request }) => request.target)).not.toContain(
    expect.stringContaining("/attach"),
  );
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
  expect(await asked(session, "docker stats --no-stream && docker info")).toHaveLength(4);
  expect(session.exchanges.value.map(({ state }) => state.value)).not.toContain("streaming");
  expect((await targets("docker stats --no-stream")).slice(1)).toEqual([
    "/v1.41/containers/json",
    `/v1.41/containers/${id}/stats?stream=0`,
  ]);
});

test("$? is what the last command ended with", async () => {
  const session = await opened();
  const variables = new Variables();
  const echoed = (line: string): Promise<string> => ran(session, line, variables);
  expect(await echoed("docker run busybox sh -c 'exit 3'; echo $?")).toBe("3");
  expect(await echoed("echo $?")).toBe("0");
  expect(await echoed("false; echo $? $?; X=$(false); echo $?")).toBe("1 1\n1");
  expect(await echoed("docker run --pull never nothing; echo $?; docker rm nobody; echo $?")).toBe("125\n1");
  expect(await echoed("frob; echo $?")).toMatch(/\n127$/);
  expect(await echoed("echo a | grep b; echo $?; echo a b | xargs -n1 docker rm; echo $?")).toBe("1\n123");
  // Nobody waits for the last one of a line: what it ends with is known later.
  await ran(session, "true; docker run -i --name typed busybox sh -c 'read line; exit 4'", variables);
  const attach = session.exchanges.value.find(({ typable }) => typable.value)!;
  await session.type(attach.number, "x\n");
  for (const exchange of session.exchanges.value) await over(exchange);
  expect(await echoed("echo $?")).toBe("4");
});

test("a command alone tells $?, too", async () => {
  const session = await opened();
  const variables = new Variables();
  const read = readLine("docker run busybox sh -c 'exit 5'", "1.41", variables);
  if (!("parsed" in read) || !read.parsed.ok) throw new Error("no single command");
  const tell = (): void => {};
  const place = { version: "1.41", variables, sender: senderOf(session), show: tell, remark: tell, refuse: tell };
  await runAlone(read.parsed, place);
  for (const exchange of session.exchanges.value) await over(exchange);
  expect(await ran(session, "echo $?", variables)).toBe("5");
});

test("what stands in for a value, and what is refused of it ends its own command alone", async () => {
  const session = await opened();
  const variables = new Variables();
  const said = (line: string): Promise<string> => ran(session, line, variables);
  expect(await said('echo "${X:-a  b}" ${X:-a  b} ${X-c}${X+d} "[${X}]"')).toContain("a  b a b c []");
  expect(await said("echo ${X:=set} $X ${X:+more} ${#X}")).toBe("set set more 3");
  expect(await said("echo ${X:-$(docker ps)} ${Y:-$(echo run)}")).toBe("set run");
  expect(session.exchanges.value).toEqual([]);
  expect(await said("X=; echo ${X:-empty} ${X-none}.")).toBe("empty .");
  expect(await said("echo ${Y:?is needed} || echo on")).toBe("Y: is needed\non");
  expect(await said("echo ${X%a}; echo $? || echo all")).toBe("${X%a} is not worked out here\n1");
});

test.each<[string, string[]]>([
  [`echo "'a b' c" | xargs docker stop`, ["a%20b", "c"]],
  [`echo '"a b"c\\ d' | xargs docker stop`, ["a%20bc%20d"]],
  [`echo "'a b'  c" | xargs -I{} docker stop {}`, ["a%20b%20%20c"]],
  [`echo "'a' 'b' c" | xargs -n2 docker stop`, ["a", "b", "c"]],
])("%s", async (line, names) => {
  expect(await asked(await opened(), line)).toEqual(names.map((name) => `POST /containers/${name}/stop`));
});

test("a quote that is not closed ends xargs", async () => {
  const session = await opened();
  expect(await ran(session, `echo "it's" | xargs docker rm; echo $?`)).toBe(
    "xargs: a single quote is not closed in its line; -0 takes quotes as letters like others\n1",
  );
  expect(await asked(session, `echo "it's" | tr '\\n' '\\0' | xargs -0 docker stop`)).toEqual([
    "POST /containers/it%27s/stop",
  ]);
});

test("tail -f of a pipe ends with it", async () => {
  const session = await opened();
  expect(await ran(session, "echo one | tail -f && echo a | tail -f -n 1 - | wc -l")).toBe("one\n1");
  expect(await ran(session, "echo $(docker run busybox sh -c 'echo in it | tail -f')")).toBe("in it");
});

test("docker attach to a paused container leaves nothing open", async () => {
  const session = await opened();
  await typed(session, "docker run -di --name web busybox cat");
  await typed(session, "docker pause web");
  await expect(typed(session, "docker attach web")).rejects.toThrow("it is paused");
  expect(session.exchanges.value.map(({ state }) => state.value)).not.toContain("streaming");
  expect(session.exchanges.value.map(({ state }) => state.value)).not.toContain("sending");
});

/** What a line has told so far, while it runs; Ctrl-C ends it. */
function running(session: Session, line: string) {
  const read = readLine(line, "1.41");
  if (!("script" in read)) throw new Error("one command only");
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const [variables, interrupt] = [new Variables(), new AbortController()];
  const place = { version: "1.41", variables, sender: senderOf(session), show: tell, remark: tell, refuse: tell };
  const done = runScript(read.script, { ...place, interrupted: interrupt.signal });
  return { told, variables, done, interrupt: () => interrupt.abort() };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function goingOn(session: Session): number {
  return session.exchanges.value.filter(({ state }) => ["sending", "streaming"].includes(state.value)).length;
}

/** A container that says what is typed into it. */
async function echoing(session: Session): Promise<(text: string) => Promise<void>> {
  await typed(session, "docker run -i --name web busybox cat");
  const attach = session.exchanges.value.find(({ typable }) => typable.value)!;
  return (text) => session.type(attach.number, text);
}

test("a pipe behind what goes on shows each line as it comes, and Ctrl-C ends all of it", async () => {
  const session = await opened();
  const say = await echoing(session);
  const before = goingOn(session);
  const { told, variables, done, interrupt } = running(session, "docker logs -f web | grep x | tr x y; echo after");
  await say("ax\nb\n");
  await until(() => told.length === 1);
  await say("c\ndx\n");
  await until(() => told.length === 2);
  expect(told).toEqual(["ay", "dy"]);
  interrupt();
  expect(await done).toBe(false);
  await until(() => goingOn(session) === before);
  expect([told, variables.get("?")]).toEqual([["ay", "dy"], "130"]);
});

test("head ends what feeds it", async () => {
  const session = await opened();
  const say = await echoing(session);
  const before = goingOn(session);
  const logs = running(session, "docker logs -f web | head -2; echo after");
  await say("a\nb\nc\n");
  await logs.done;
  expect(logs.told).toEqual(["a", "b", "after"]);
  const events = running(session, "docker events | grep -v attach | head -n 1 && echo after");
  await until(() => session.exchanges.value.at(-1)!.state.value === "streaming");
  await typed(session, "docker pause web");
  await events.done;
  expect(events.told).toEqual([expect.stringMatching(/ container pause [0-9a-f]{64} \(.*name=web\)$/), "after"]);
  await until(() => goingOn(session) === before);
});

test("2>&1, |&, and what goes to /dev/null", async () => {
  const session = await opened();
  await typed(session, "docker create --name both busybox sh -c 'echo out; echo err >&2'");
  await typed(session, "docker start both");
  for (const exchange of await typed(session, "docker wait both")) await over(exchange);
  const said = (line: string): Promise<string> => ran(session, line);
  expect(await said("docker logs both | cat")).toBe("out");
  expect((await said("docker logs both 2>&1 | cat")).split("\n").toSorted()).toEqual(["err", "out"]);
  expect((await said("docker logs both |& cat")).split("\n").toSorted()).toEqual(["err", "out"]);
  expect(await said("docker logs both 2>&1 >/dev/null | cat")).toBe("err");
  expect(await said("docker logs both >/dev/null 2>&1 | cat; docker logs both &>/dev/null | wc -l")).toBe("0");
  expect(await said("docker rm nobody 2>&1 | cat")).toBe("Error response from daemon: No such container: nobody");
  expect(await said("docker rm nobody 2>/dev/null || echo none")).toBe("none");
  expect(await said("frob 2>/dev/null; echo $?; echo shown >/dev/null; echo hidden >&2 | wc -l")).toBe(
    "127\nhidden\n0",
  );
  expect(await said("X=$(docker rm nobody 2>&1); echo $X")).toContain("No such container: nobody");
  expect(await said("echo a > file; echo b")).toBe(
    "What goes to files with > is left out: the answer stays here.\na\nb",
  );
});
