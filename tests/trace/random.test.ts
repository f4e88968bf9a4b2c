// Random sequences, recorded with a snapshot every few inputs and the engine sometimes cut off: every segment replays
// by itself. TRACE_STORIES and TRACE_SEED select more sequences, or one.

import { expect, test } from "vitest";
import { decodeTrace } from "../../hosts/trace/decode.js";
import { replay } from "../../hosts/trace/replay.js";
import { randomFrom } from "../core/support/door.js";
import { RecordedEngine, type Sent, identity, trapping } from "./engine.js";
import { AUTH, SECRETS, registryAuth } from "./stories.js";

const STORIES = Number(process.env["TRACE_STORIES"] ?? "25");
const FIRST_SEED = Number(process.env["TRACE_SEED"] ?? "1");
const LENGTH = 25;

const REQUESTS: ((name: string) => Sent)[] = [
  (name) => ({ method: "POST", target: `/containers/create?name=${name}`, body: { Image: "busybox" } }),
  (name) => ({
    method: "POST",
    target: `/containers/create?name=${name}`,
    body: {
      Image: "busybox",
      Tty: true,
      HostConfig: { AutoRemove: true, PortBindings: { "80/tcp": [{ HostPort: "" }] } },
    },
  }),
  (name) => ({ method: "POST", target: `/v1.41/containers/${name}/start` }),
  (name) => ({ method: "POST", target: `/v1.41/containers/${name}/start` }),
  (name) => ({ method: "POST", target: `/containers/${name}/kill` }),
  (name) => ({ method: "POST", target: `/containers/${name}/stop?t=1` }),
  (name) => ({ method: "POST", target: `/containers/${name}/pause` }),
  (name) => ({ method: "POST", target: `/containers/${name}/unpause` }),
  (name) => ({ method: "POST", target: `/containers/${name}/wait` }),
  (name) => ({ method: "GET", target: `/v1.30/containers/${name}/json` }),
  (name) => ({ method: "DELETE", target: `/containers/${name}?force=1` }),
  () => ({ method: "GET", target: "/v1.41/containers/json?all=1" }),
  () => ({ method: "GET", target: "/events?since=0" }),
  () => ({ method: "POST", target: "/auth", body: AUTH }),
  () => ({
    method: "POST",
    target: "/images/create?fromImage=tool&tag=1",
    headers: { "X-Registry-Auth": registryAuth(AUTH) },
  }),
  () => ({ method: "DELETE", target: "/images/tool:1" }),
  () => ({ method: "GET", target: "/trap" }),
];

test(
  `${STORIES} stories replay, segment by segment`,
  async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + STORIES; seed++) {
      const text = await record(seed);
      for (const segment of decodeTrace(text).segments) {
        const { difference } = replay({ segments: [segment] }, trapping, { identity });
        expect(difference, `seed ${seed}, segment ${segment.number}`).toBeNull();
      }
      for (const secret of SECRETS) expect(text.includes(secret), `seed ${seed}: ${secret}`).toBe(false);
    }
  },
  10 * 60_000,
);

async function record(seed: number): Promise<string> {
  const random = randomFrom(seed * 7919);
  const engine = new RecordedEngine({ inputs: 1 + random(9), segments: 1000 });
  await engine.open();
  for (let i = 0; i < LENGTH; i++) {
    const sent = REQUESTS[random(REQUESTS.length)]!(["web", "db", "job"][random(3)]!);
    // Some are sent while others are pending.
    if (random(3) === 0) engine.send(sent);
    else await engine.ask(sent);
    if (random(12) !== 0) continue;
    engine.driver.cut();
    await engine.open();
  }
  return engine.ring.text();
}
