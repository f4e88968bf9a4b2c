// Docker commands on a real engine: a typed command does what it should.

import { expect, test } from "vitest";
import { answered, get } from "../../hosts/browser/notation/docker/planned.js";
import { runPlan } from "../../hosts/browser/notation/plan.js";
import type { Exchange } from "../../hosts/browser/session/exchange.js";
import { asked, opened, over, ran, senderOf, textOf, typed } from "./typed-session.js";

test("docker run --rm: created, attached, waited for, started, removed", async () => {
  const session = await opened();
  const [create, attach, wait, start] = await typed(session, "docker run --rm busybox echo hello there");
  for (const exchange of [attach!, wait!]) await over(exchange);
  expect([create, attach, wait, start].map((exchange) => exchange!.head.value?.status)).toEqual([201, 101, 200, 204]);
  expect(textOf(attach!)).toBe("hello there\n");
  expect(wait!.view.value).toMatchObject({ kind: "json", value: { StatusCode: 0 } });
  expect(session.world.value.containers).toEqual([]);
});

test("commands after a refusal are not sent", async () => {
  const session = await opened();
  const sent = await typed(session, "docker run -d nothing");
  expect(sent.map((exchange) => [exchange.request.target, exchange.head.value?.status])).toEqual([
    ["/v1.41/containers/create", 404],
    ["/v1.41/images/create?fromImage=docker.io/library/nothing&tag=latest", 404],
  ]);
  expect(session.cells.value.length).toBe(2);
  expect((await typed(session, "docker run -d --pull never alpine")).length).toBe(1);
});

test("docker run pulls a missing image", async () => {
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

test("docker wait succeeds with any exit code; docker run does not", async () => {
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

test("a typed {{1.Id}} is sent unchanged", async () => {
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

test("answers keep their order after one that has many requests", async () => {
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

test("--format is evaluated and shown", async () => {
  const session = await opened();
  await typed(session, "docker run -d --name web -p 8080:80 --label a=b busybox sleep 1000");
  expect(await ran(session, "docker ps --format '{{.Names}}\\t{{.Ports}}'")).toBe(
    "web\t0.0.0.0:8080->80/tcp, [::]:8080->80/tcp",
  );
  expect(await ran(session, "docker ps --format 'table {{.Names}}\\t{{.State}}'")).toBe(
    "NAMES   STATE\nweb     running",
  );
  expect(await ran(session, "docker ps --format '{{.RunningFor}}' && echo all")).toContain(
    "{{.RunningFor}} is not a field here; the fields are ID, Image",
  );
  expect(await ran(session, "docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}'")).toBe(
    "busybox:latest 1.13MB",
  );
  expect(await ran(session, "docker network ls --format '{{json .Name}}' | sort")).toBe('"bridge"\n"host"\n"none"');
  expect(await ran(session, "docker inspect -f '{{.State.Status}}' web")).toBe("running");
  expect(await ran(session, "docker rm -f $(docker ps -a --format '{{.Names}}')")).toBe("");
  expect(session.world.value.containers).toEqual([]);
  expect(await ran(session, "docker inspect -f '{{range .X}}' busybox; docker ps")).toContain("is not supported here");
});

test("docker attach sends no request for a stopped container", async () => {
  const session = await opened();
  await typed(session, "docker create --name made busybox");
  await expect(typed(session, "docker attach made")).rejects.toThrow("docker start -a starts it");
  expect(session.exchanges.value.map(({ request }) => request.target)).not.toContain(
    expect.stringContaining("/attach"),
  );
});

test("docker attach to a paused container leaves nothing open", async () => {
  const session = await opened();
  await typed(session, "docker run -di --name web busybox cat");
  await typed(session, "docker pause web");
  await expect(typed(session, "docker attach web")).rejects.toThrow("it is paused");
  expect(session.exchanges.value.map(({ state }) => state.value)).not.toContain("streaming");
  expect(session.exchanges.value.map(({ state }) => state.value)).not.toContain("sending");
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

test("docker inspect tries one kind after the other, and stats has one request per container", async () => {
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
