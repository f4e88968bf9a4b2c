// Pipes of commands on a real engine: what one command prints and the next one reads, and redirections.

import { expect, test } from "vitest";
import { asked, echoing, goingOn, opened, over, ran, running, typed, until } from "./typed-session.js";

test("a pipe that is not reached runs none of its commands", async () => {
  const session = await opened();
  await typed(session, "docker create --name kept busybox");
  expect(await asked(session, "false && docker ps -aq | xargs docker rm")).toEqual([]);
  expect(await asked(session, "true || docker ps -aq | xargs docker rm; docker ps")).toEqual(["GET /containers/json"]);
  expect(session.world.value.containers.map(({ name }) => name)).toEqual(["kept"]);
});

test("pipes support the usual programs", async () => {
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
  expect(await ran(session, "docker ps -a | jq . && docker ps | sort --frob")).toContain("jq is not available here");
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
    "xargs: a single quote is not closed on its line; with -0 quotes are ordinary characters\n1",
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

test("a pipe after a streaming command shows each line at once, and Ctrl-C ends all of it", async () => {
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

test("head ends the command before it", async () => {
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

test("2>&1, |&, and redirections to /dev/null", async () => {
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
    "Redirections to files with > are left out: the output stays here.\na\nb",
  );
});
