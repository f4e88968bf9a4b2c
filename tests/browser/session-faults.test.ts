// Every fault of the menu does what its text says, ends when it is lifted, and is replayed by a link.

import { afterEach, expect, test } from "vitest";
import { FAULT_TEXTS } from "../../hosts/browser/lessons/fault-texts.js";
import { createSession } from "../../hosts/browser/session/create.js";
import type { Exchange } from "../../hosts/browser/session/exchange.js";
import { explain } from "../../hosts/browser/session/explain/explanation.js";
import { packagedCore } from "../../hosts/browser/session/packaged-core.js";
import { written } from "../../hosts/browser/session/request.js";
import type { WrittenRequest } from "../../hosts/browser/session/request.js";
import type { Session } from "../../hosts/browser/session/session.js";
import { fromFragment, toFragment } from "../../hosts/browser/session/sharing/share.js";
import type { Fault } from "../../hosts/simulated/faults.js";

const CORE = packagedCore();
const SECOND = 1_000_000_000n;
const open: Session[] = [];

afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

const POLITE = { Image: "busybox", Cmd: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 1; done"] };
const START = written("POST", "/v1.41/containers/web/start");
const PULL = written("POST", "/v1.41/images/create?fromImage=alpine&tag=latest");
const STOP = written("POST", "/v1.41/containers/web/stop");
const CREATE = written("POST", "/v1.41/containers/create?name=two", POLITE);

interface Seen {
  /** Sent while the fault is set; null if it strikes by itself. */
  deed: WrittenRequest | null;
  /** The answer: status, and message of the refusal. */
  status?: number;
  says?: RegExp;
  /** The resulting state of the container. */
  web?: object;
}

const SEEN: { readonly [Kind in Fault["kind"]]: Seen } = {
  "registry-down": { deed: PULL, status: 500, says: /connection refused/ },
  "registry-unauthorized": { deed: PULL, status: 404, says: /pull access denied/ },
  "registry-limited": { deed: PULL, status: 200, says: /toomanyrequests/ },
  "registry-fails": { deed: PULL, status: 500, says: /503 Service Unavailable/ },
  "registry-slow": { deed: PULL, status: 200 },
  "registry-cut": { deed: PULL, status: 200 },
  "registry-corrupt": { deed: PULL, status: 200, says: /verification failed/ },
  "disk-full": { deed: PULL, status: 200, says: /no space left/ },
  "records-full": { deed: CREATE, status: 500, says: /no space left/, web: { status: "running" } },
  "ignore-sigterm": { deed: STOP, status: 204, web: { status: "exited", exitCode: 137 } },
  "die-at-once": { deed: START, status: 204, web: { status: "exited", exitCode: 3 } },
  "out-of-memory": { deed: null, web: { status: "exited", exitCode: 137, outOfMemory: true } },
  "runtime-fails": { deed: START, status: 500, says: /cgroup/, web: { status: "created" } },
  "supervisor-lost": { deed: null, web: { status: "exited" } },
  "network-cut": { deed: CREATE, status: 201, web: { status: "running" } },
  "network-loss": { deed: CREATE, status: 201, web: { status: "running" } },
  "network-slow": { deed: CREATE, status: 201, web: { status: "running" } },
  "engine-crash": { deed: CREATE, says: /the engine is down/, web: { status: "running" } },
};

async function send(session: Session, request: WrittenRequest): Promise<Exchange> {
  const exchange = await session.send(session.add(request).id);
  for (let waited = 0; waited < 120 && !["done", "broken"].includes(exchange.state.value); waited++) {
    await session.advance(SECOND);
  }
  return exchange;
}

test.each(Object.entries(SEEN) as [Fault["kind"], Seen][])("%s", async (kind, { deed, status, says, web }) => {
  const session = await createSession({ core: CORE, pace: "stopped" });
  open.push(session);
  await send(session, written("POST", "/v1.41/containers/create?name=web", POLITE));
  if (deed !== START) await send(session, START);
  await session.advance(2n * SECOND);
  const { fault, times } = FAULT_TEXTS[kind];
  await session.inject(fault, times);
  await session.advance(SECOND);
  if (deed !== null) {
    const exchange = await send(session, deed);
    expect(exchange.head.value?.status).toBe(status);
    if (says) expect(explain(session, exchange).refusal?.message).toMatch(says);
    if (says) expect(explain(session, exchange).remedies.length).toBeGreaterThan(0);
  }
  await session.advance(SECOND);
  if (web) expect(session.world.value.containers[0]).toMatchObject(web);
  await heal(session, kind);
  const pull = await send(session, PULL);
  expect([pull.head.value?.status, explain(session, pull).refusal]).toEqual([200, null]);
  expect(session.faults.value).toEqual([]);
  const { session: again, warnings } = await fromFragment(await toFragment(session), CORE);
  open.push(again);
  expect(warnings).toEqual([]);
});

async function heal(session: Session, kind: Fault["kind"]): Promise<void> {
  const reopening = kind === "engine-crash" ? session.reopen() : session.lift(kind);
  await session.advance(10n * SECOND);
  await reopening;
  expect(session.engine.value).toBe("open");
}

test("an engine that cannot commit records restarts by itself, and its events are shown again", async () => {
  const session = await createSession({ core: CORE, pace: "stopped" });
  open.push(session);
  await session.inject({ kind: "records-full" }, 1);
  await send(session, CREATE);
  await session.advance(SECOND);
  const kinds = session.steps.value.map(({ kind }) => kind).filter((kind) => kind !== "stepped");
  expect(kinds).toEqual(["opened", "lost", "opened"]);
  expect([session.engine.value, session.world.value.engine]).toEqual(["open", "up"]);
  expect(session.world.value.containers).toEqual([]);
  await send(session, CREATE);
  expect([...session.world.value.events].map(({ action }) => action)).toContain("create");
});

test("the engine recovers from a crash after any output of a start, and the crash can be replayed", async () => {
  const crashed: number[] = [];
  for (const afterOutputs of [1, 2, 3, 4, 5]) {
    const session = await createSession({ core: CORE, pace: "stopped" });
    open.push(session);
    await send(session, written("POST", "/v1.41/containers/create?name=web", POLITE));
    await session.inject({ kind: "engine-crash", afterOutputs });
    await send(session, START);
    await session.advance(SECOND);
    if (session.engine.value === "down") {
      crashed.push(afterOutputs);
      await heal(session, "engine-crash");
    }
    await send(session, START);
    await session.advance(SECOND);
    expect(session.world.value.containers[0]).toMatchObject({ status: "running" });
    const { session: again, warnings } = await fromFragment(await toFragment(session), CORE);
    open.push(again);
    expect(warnings).toEqual([]);
  }
  expect(crashed).toEqual([1, 2, 3, 4, 5]);
});
