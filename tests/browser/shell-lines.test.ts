// Lines with several commands on a real engine, run as by a shell: operators, variables, and exit codes.

import { expect, test } from "vitest";
import { readLine } from "../../hosts/browser/notation/parse.js";
import { runAlone, runScript } from "../../hosts/browser/notation/shell/run.js";
import { Variables } from "../../hosts/browser/notation/shell/variables.js";
import { written } from "../../hosts/browser/session/request.js";
import { asked, opened, over, ran, senderOf } from "./typed-session.js";

// Idle time is skipped, so a process that must keep running waits for input.
test("several commands: $(…), && and ||, variables and xargs", async () => {
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

test("an assignment alone has the exit code of its value's command", async () => {
  const session = await opened();
  const variables = new Variables();
  expect(await asked(session, "X=$(docker inspect --type volume none) && docker ps", variables)).toEqual([
    "GET /volumes/none",
  ]);
  expect(await asked(session, "X=$(docker volume ls -q) || docker ps", variables)).toEqual(["GET /volumes"]);
  expect([variables.get("X"), variables.get("?")]).toEqual(["", "0"]);
});

test("a variable before a command applies only to that command, and -e passes it on", async () => {
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

test("a wrong command is reported, and the following commands run", async () => {
  const session = await opened();
  const told = await ran(session, "docker ps -q | xargs docker rm; docker rnu || frob; docker ps && echo all");
  expect(told.split("\n")).toEqual([
    "docker rm needs at least one name",
    "docker does not know rnu: did you mean run?",
    expect.stringContaining("frob is not a command here: type a request"),
    "all",
  ]);
  expect(await asked(session, "echo a | xargs -y docker rm && docker ps")).toEqual([]);
});

test("an answer without the expected field is reported, not thrown", async () => {
  const session = await opened();
  const read = readLine("docker logs x; docker logs y", "1.41");
  if (!("script" in read)) throw new Error("one command only");
  const told: string[] = [];
  const sender = { ...senderOf(session), send: () => session.send(session.add(written("GET", "/v1.41/version")).id) };
  const tell = (text: string): void => void told.push(text);
  const place = { version: "1.41", variables: new Variables(), sender, show: tell, remark: tell, refuse: tell };
  expect(await runScript(read.script, place)).toBe(false);
  const lacking = "the answer to request 1 has no Id, so the following requests are not sent";
  expect(told).toEqual([lacking, lacking]);
});

test("$? is the exit code of the last command", async () => {
  const session = await opened();
  const variables = new Variables();
  const echoed = (line: string): Promise<string> => ran(session, line, variables);
  expect(await echoed("docker run busybox sh -c 'exit 3'; echo $?")).toBe("3");
  expect(await echoed("echo $?")).toBe("0");
  expect(await echoed("false; echo $? $?; X=$(false); echo $?")).toBe("1 1\n1");
  expect(await echoed("docker run --pull never nothing; echo $?; docker rm nobody; echo $?")).toBe("125\n1");
  expect(await echoed("frob; echo $?")).toMatch(/\n127$/);
  expect(await echoed("echo a | grep b; echo $?; echo a b | xargs -n1 docker rm; echo $?")).toBe("1\n123");
  // The last command of a line is not waited for, so its exit code is known later.
  await ran(session, "true; docker run -i --name typed busybox sh -c 'read line; exit 4'", variables);
  const attach = session.exchanges.value.find(({ typable }) => typable.value)!;
  await session.type(attach.number, "x\n");
  for (const exchange of session.exchanges.value) await over(exchange);
  expect(await echoed("echo $?")).toBe("4");
});

test("a command alone sets $?, too", async () => {
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

test("expansions of variables, and refused ones, which end only their own command", async () => {
  const session = await opened();
  const variables = new Variables();
  const said = (line: string): Promise<string> => ran(session, line, variables);
  expect(await said('echo "${X:-a  b}" ${X:-a  b} ${X-c}${X+d} "[${X}]"')).toContain("a  b a b c []");
  expect(await said("echo ${X:=set} $X ${X:+more} ${#X}")).toBe("set set more 3");
  expect(await said("echo ${X:-$(docker ps)} ${Y:-$(echo run)}")).toBe("set run");
  expect(session.exchanges.value).toEqual([]);
  expect(await said("X=; echo ${X:-empty} ${X-none}.")).toBe("empty .");
  expect(await said("echo ${Y:?is needed} || echo on")).toBe("Y: is needed\non");
  expect(await said("echo ${X%a}; echo $? || echo all")).toBe("${X%a} is not supported here\n1");
});
