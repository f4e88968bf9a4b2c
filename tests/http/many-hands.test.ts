// Many clients use one container: every concurrent request is answered according to some state, none waits for ever,
// and at the end the container can be removed.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines } from "../support/on-engines.js";
import { randomFrom } from "../support/random.js";

const HANDS = 8;
const ROUNDS = 12;

/** The statuses that each operation may return in any state of the container. */
const VERBS: Readonly<Record<string, readonly number[]>> = {
  start: [204, 304, 409],
  "stop?t=0": [204, 304],
  "restart?t=0": [204],
  kill: [204, 409],
  "kill?signal=HUP": [204, 409],
  pause: [204, 409],
  unpause: [204, 500],
};

onEngines("many hands", (engine, kind) => {
  test("at one container with a restart policy", async ({ skip }) => {
    if (kind === "reference") return skip(REFERENCE.races);
    const id = await engine().running({ HostConfig: { RestartPolicy: { Name: "always" } } });
    const random = randomFrom(7);
    const unexpected: string[] = [];
    const hand = async (): Promise<void> => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [verb, statuses] = Object.entries(VERBS)[random(Object.keys(VERBS).length)] ?? ["", []];
        const answer = await engine().call("POST", `/containers/${id}/${verb}`);
        if (!statuses.includes(answer.status)) unexpected.push(`${verb}: ${answer.status} ${answer.text}`);
      }
    };
    await Promise.all(Array.from({ length: HANDS }, hand));
    expect(unexpected).toEqual([]);
    await engine().call("POST", `/containers/${id}/unpause`);
    await engine().must(204, "POST", `/containers/${id}/restart?t=0`);
    const { State } = await engine().inspect<{ State: { Status: string; Pid: number } }>(id);
    expect(State.Status).toBe("running");
    await engine().remove(id);
  });
});
