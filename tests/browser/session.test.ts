// Sessions: requests and answers, the world, explanations of answers, and dry runs.

import { describe, expect, test } from "vitest";
import { outputOf } from "../../hosts/browser/lessons/evidence.js";
import { dryRun } from "../../hosts/browser/session/dry-run.js";
import { explain } from "../../hosts/browser/session/explain/explanation.js";
import { hashOfSteps } from "../../hosts/browser/session/hash.js";
import { STATUSES } from "../../build/core/enum-words.js";
import { lens } from "../../hosts/browser/session/lens.js";
import { written } from "../../hosts/browser/session/request.js";
import { SECOND, CREATE, START, LOOP, opened, kept, send, status, container, story } from "./session-fixture.js";

describe("a request", () => {
  test("is answered, displayed by its type, and kept in its cell", async () => {
    const session = await opened();
    const cell = session.add(written("GET", "/v1.41/version"));
    const exchange = await session.send(cell.id);
    await session.advance(SECOND);
    expect(status(exchange)).toBe(200);
    expect(exchange.view.value).toMatchObject({ kind: "json", value: { ApiVersion: "1.55" } });
    expect(cell.exchanges.value).toEqual([exchange]);
    expect(exchange.steps.value.length).toBe(1);
  });

  test("runs from creation to output", async () => {
    const session = await opened();
    expect(status(await send(session, CREATE))).toBe(201);
    expect(status(await send(session, START))).toBe(204);
    await session.advance(SECOND);
    const logs = await send(session, written("GET", "/v1.41/containers/hello/logs?stdout=1"));
    expect(outputOf(logs, "stdout")).toBe("hello\n");
    expect(container(session, "hello")).toMatchObject({ status: "exited", run: 1, exitCode: 0 });
    const id = container(session, "hello")!.id;
    expect((await session.logs(id)).map(({ text }) => text)).toEqual(["hello"]);
  });

  test("that cannot be sent is marked as broken, with the reason", async () => {
    const session = await opened();
    const exchange = await send(session, { ...written("GET", "/v1.41/info"), body: "{}" });
    expect(exchange.state.value).toBe("broken");
    expect(exchange.problem.value).not.toBe("");
  });

  test("that streams can be cancelled", async () => {
    const session = await opened();
    const cell = session.add(written("GET", "/v1.41/events"));
    const exchange = await session.send(cell.id);
    await session.advance(SECOND);
    expect(exchange.state.value).toBe("streaming");
    await session.cancel(exchange.number);
    await session.advance(SECOND);
    expect([exchange.state.value, exchange.problem.value]).toEqual(["broken", "you closed it"]);
    expect(session.steps.value.some(({ input }) => input?.tag === "closed")).toBe(true);
  });

  test("that is attached accepts input, and is replayed with that input", async () => {
    const session = await opened();
    const cat = { Image: "busybox", Cmd: ["cat"], OpenStdin: true, StdinOnce: true };
    await send(session, written("POST", "/v1.41/containers/create?name=cat", cat));
    const target = "/v1.41/containers/cat/attach?stream=1&stdin=1&stdout=1&stderr=1";
    const attach = await session.send(session.add(written("POST", target)).id);
    await send(session, written("POST", "/v1.41/containers/cat/start"));
    expect([attach.head.value?.status, attach.typable.value]).toEqual([101, true]);
    await session.type(attach.number, "one\n");
    await session.advance(SECOND);
    await session.type(attach.number, "two\n");
    await session.endInput(attach.number);
    await session.advance(SECOND);
    expect([attach.state.value, attach.typable.value]).toEqual(["done", false]);
    expect(outputOf(attach, "stdout")).toBe("one\ntwo\n");
    expect(container(session, "cat")).toMatchObject({ status: "exited", exitCode: 0 });
    const again = kept(await session.branch(session.steps.value.at(-1)!.number));
    expect(outputOf(again.exchanges.value[1]!, "stdout")).toBe("one\ntwo\n");
    expect(hashOfSteps(again.steps.value)).toBe(hashOfSteps(session.steps.value));
  });

  test("cells are edited, copied, moved and removed", async () => {
    const session = await opened();
    const first = session.add(written("GET", "/version"));
    const second = session.add(written("GET", "/info"));
    session.edit(first.id, { target: "/_ping" });
    const copy = session.duplicate(first.id);
    const targets = () => session.cells.value.map(({ request }) => request.value.target);
    expect(targets()).toEqual(["/_ping", "/_ping", "/info"]);
    session.move(second.id, 0);
    session.remove(copy.id);
    expect(targets()).toEqual(["/info", "/_ping"]);
    expect(session.add(written("GET", "/x")).id).toBe("c4");
  });
});

describe("the world", () => {
  test("has images with shared layers, networks and events, and the changes of a step", async () => {
    const session = await opened();
    await story(session);
    const { images, networks, events, containers } = session.world.value;
    expect(images.map(({ tags }) => tags)).toEqual([["busybox:latest"], ["alpine:latest"]]);
    expect(images.every(({ layers }) => layers.length > 0)).toBe(true);
    expect(networks.map(({ name }) => name).sort()).toEqual(["bridge", "host", "none"]);
    expect(containers).toEqual([]);
    const actions = [...events].filter(({ type }) => type === "container").map(({ action }) => action);
    expect(actions).toEqual(["create", "start", "die", "destroy"]);
    expect([...events].map(({ number }) => number)).toEqual([...events].map((_, at) => at));
  });

  test("knows the layers that two images share", async () => {
    const session = await opened({ images: ["debian:latest", "nginx:latest"] });
    const [debian, nginx] = session.world.value.images.map(({ layers }) => layers);
    expect([debian!, nginx!].map((layers) => layers.map(({ sharedBy }) => sharedBy))).toEqual([
      [2, 1],
      [2, 1, 1],
    ]);
    expect(nginx![0]).toEqual(debian![0]);
  });

  test("shows transitional statuses, and the rule that moved a container", async () => {
    const session = await opened();
    await send(session, CREATE);
    await send(session, START);
    await session.advance(SECOND);
    const statuses = session.steps.value.map(({ world }) => world.containers[0]?.status);
    expect([...new Set(statuses)]).toEqual([undefined, "created", "starting", "running", "releasing", "exited"]);
    expect(container(session, "hello")!.rule).toEqual({ from: "releasing", cause: "released", to: "exited" });
    const change = session.steps.value
      .flatMap(({ changes }) => changes)
      .find(({ of, how }) => of === "container" && how === "changed");
    expect(change!.fields).toContain("status");
  });

  test("knows every status of the core's rules", async () => {
    const session = await opened();
    const words = new Set(session.rules.flatMap(({ from, to }) => [from, to]));
    expect([...words].filter((word) => !(STATUSES as readonly string[]).includes(word))).toEqual([]);
    expect(session.rules.length).toBeGreaterThan(10);
  });

  test("agrees with the engine at the end of every story", async () => {
    const session = await opened();
    await send(session, CREATE);
    await send(session, START);
    await session.advance(SECOND);
    const list = await send(session, written("GET", "/v1.41/containers/json?all=1"));
    const view = list.view.value;
    if (view.kind !== "json") throw new Error(view.kind);
    const said = (view.value as { Id: string; State: string; Image: string }[]).map(({ Id, State, Image }) => ({
      Id,
      State,
      Image,
    }));
    expect(
      session.world.value.containers.map(({ id, status: State, image: Image }) => ({ Id: id, State, Image })),
    ).toEqual(said);
  });
});

describe("explained", () => {
  test("a start: route, file, rules, effects, records, events", async () => {
    const session = await opened();
    await send(session, CREATE);
    const start = await send(session, START);
    await session.advance(SECOND);
    const what = explain(session, start);
    expect(what).toMatchObject({
      route: "POST /containers/{name}/start",
      source: "container/start/start.ts",
      version: "1.41",
      refusal: null,
    });
    expect(what.rules.map(({ rule }) => rule.to)).toEqual(expect.arrayContaining(["starting", "running"]));
    expect(what.effects.map(({ text }) => text)).toContain("launch hello");
    expect(what.records.some(({ key }) => key.startsWith("container/"))).toBe(true);
    expect(what.events.map(({ action }) => action)).toContain("start");
  });

  test("a refusal, and what makes it succeed", async () => {
    const session = await opened();
    const create = written("POST", "/v1.41/containers/create", { Image: "alpine", Cmd: ["echo", "hi"] });
    const refused = await send(session, create);
    const { refusal, remedies } = explain(session, refused);
    expect(refusal).toMatchObject({ kind: "not-found", status: 404, message: "No such image: alpine:latest" });
    for (const request of remedies[0]!.requests) await send(session, request);
    expect(session.exchanges.value.map(status)).toEqual([404, 200, 201]);
  });

  test("at other versions: equal and different parts", async () => {
    const session = await opened();
    const images = await send(session, written("GET", "/v1.43/images/json"));
    const groups = await lens(session, images);
    const shown = groups.find((group) => group.shown)!;
    expect(shown).toMatchObject({ to: "1.43", status: 200, difference: [] });
    const view = images.view.value;
    if (view.kind !== "json") throw new Error(view.kind);
    expect(JSON.parse(shown.body)).toEqual(view.value);
    const next = groups[groups.indexOf(shown) + 1]!;
    expect(next.from).toBe("1.44");
    expect(next.difference.some((line) => line.startsWith("- ") && line.includes("VirtualSize"))).toBe(true);
    expect(groups[0]!.from).toBe("1.24");
    expect(groups.at(-1)!.to).toBe("1.55");
  });

  test("the lens waits for answers that take time", async () => {
    const session = await opened();
    await send(session, CREATE);
    const start = await send(session, START);
    const groups = await lens(session, start);
    expect(groups.map(({ versions, status: answer }) => [versions, answer])).toEqual([["1.24–1.55", 204]]);
  });
});

describe("a dry run", () => {
  test("shows what a request would do, and leaves nothing in the session", async () => {
    const session = await opened();
    await send(session, CREATE);
    const before = hashOfSteps(session.steps.value);
    const { answer, plan } = await dryRun(session, START);
    expect(answer?.status).toBe(204);
    const effects = plan.flatMap((entry) => ("effect" in entry ? [`${entry.effect.to} ${entry.effect.command}`] : []));
    expect(effects).toContain("processes launch");
    expect(hashOfSteps(session.steps.value)).toBe(before);
    expect([session.exchanges.value.length, session.cells.value.length]).toEqual([1, 1]);
    expect(container(session, "hello")!.status).toBe("created");
    expect(status(await send(session, START))).toBe(204);
  });

  test("uses the displayed moment, and asks registries", async () => {
    const session = await opened();
    const pull = written("POST", "/v1.41/images/create?fromImage=alpine&tag=latest");
    expect((await dryRun(session, pull)).answer?.status).toBe(200);
    await session.inject({ kind: "registry-down" });
    expect((await dryRun(session, pull)).answer?.status).toBe(500);
    await send(session, CREATE);
    expect((await dryRun(session, START)).answer?.status).toBe(204);
    session.goTo(0);
    expect((await dryRun(session, START)).answer?.status).toBe(404);
  });

  test("does not wait for containers that keep running", async () => {
    const session = await opened();
    await send(session, written("POST", "/v1.41/containers/create?name=loop", LOOP));
    await send(session, written("POST", "/v1.41/containers/loop/start"));
    const attach = written("POST", "/v1.41/containers/loop/attach?stream=1&stdout=1");
    await expect(dryRun(session, attach)).rejects.toThrow("would wait");
  });

  test("is refused while the engine is down", async () => {
    const session = await opened();
    await session.crash();
    await expect(dryRun(session, CREATE)).rejects.toThrow();
  });
});
