// Predictions of dry runs are correct: in random sequences each request runs dry and then for real, and both answers
// are equal, including the ids. `DRY_RUN_STORIES` sets the number of sequences.

import { expect, test } from "vitest";
import { seededRandom } from "../../hosts/simulated/random.js";
import { Rig } from "./rig.js";

const STORIES = Number(process.env["DRY_RUN_STORIES"] ?? "8");
const LENGTH = 40;
const NAMES = ["anna", "bert", "cleo"] as const;

interface Asked {
  method: string;
  target: string;
  body?: unknown;
}

test(
  `${STORIES} stories of ${LENGTH} requests`,
  async () => {
    const statuses = new Map<string, number>();
    for (let seed = 1; seed <= STORIES; seed++) {
      const rig = await Rig.open({ seed, pace: "fast" });
      const draw = drawing(seed);
      const story: string[] = [];
      for (let at = 0; at < LENGTH; at++) {
        const { method, target, body } = draw();
        story.push(`${method} ${target} ${JSON.stringify(body) ?? ""}`);
        // The engine's own work after an answer ends before the next request.
        await rig.settled();
        const dry = await rig.fetch("live", method, target, body, { "Coracle-Dry-Run": "1" });
        const told = { status: dry.status, text: plain(await dry.text()) };
        const real = await rig.ask("live", method, target, body);
        const same = { status: real.status, text: plain(real.text) };
        expect(told, `seed ${seed}:\n${story.join("\n")}`).toEqual(same);
        const kind = `${method} ${told.status}`;
        statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      }
      await rig.close();
    }
    // Sequences in which everything is refused would prove nothing.
    for (const kind of ["POST 201", "POST 204", "POST 200", "DELETE 204", "DELETE 200", "POST 409"]) {
      expect(statuses.get(kind) ?? 0, kind).toBeGreaterThan(0);
    }
  },
  120_000 + STORIES * 5_000,
);

function drawing(seed: number): () => Asked {
  const random = seededRandom(seed, "dry runs");
  const one = <Value>(values: readonly Value[]): Value => values[Math.floor(random.next() * values.length)]!;
  const on = (what: string): Asked => ({ method: "POST", target: `/containers/${one(NAMES)}/${what}` });
  const create = (): Asked => ({
    method: "POST",
    target: `/containers/create?name=${one(NAMES)}`,
    body: {
      ...{ Image: one(["busybox", "busybox", "alpine", "made"]), Cmd: ["cat"], OpenStdin: true },
      HostConfig: one([{}, {}, { AutoRemove: true }, { Binds: ["data:/data"] }, { PortBindings: { "80/tcp": [{}] } }]),
    },
  });
  return () =>
    one<() => Asked>([
      create,
      create,
      () => on("start"),
      () => on("start"),
      () => on("start"),
      () => on(`stop?t=${one([0, 5])}`),
      () => on(`kill?signal=${one(["KILL", "KILL", "HUP", "NONE"])}`),
      () => on("restart?t=0"),
      () => on("pause"),
      () => on("unpause"),
      () => on(`rename?name=${one(NAMES)}`),
      () => on("resize?h=10&w=10"),
      () => ({ ...on("update"), body: { CpuShares: one([128, 512]) } }),
      () => ({ ...on("exec"), body: { Cmd: ["true"] } }),
      () => ({ method: "DELETE", target: `/containers/${one(NAMES)}?${one(["", "force=1", "v=1", "force=1&v=1"])}` }),
      () => ({ method: "POST", target: "/containers/prune" }),
      () => ({ method: "POST", target: `/images/busybox/tag?repo=${one(["again", "made", "no:"])}` }),
      () => ({
        method: "DELETE",
        target: `/images/${one(["again", "made", "alpine", "none"])}?${one(["", "force=1"])}`,
      }),
      () => ({ method: "POST", target: `/commit?container=${one(NAMES)}&repo=made` }),
      () => ({ method: "POST", target: `/images/create?fromImage=${one(["alpine", "nowhere"])}&tag=latest` }),
      () => ({ method: "POST", target: "/nowhere" }),
    ])();
}

/** Without what a dry run cannot know: the progress of a pull, and the digest of changes that are not measured yet. */
function plain(text: string): string {
  if (text.includes('"progressDetail"')) return text.trim().split("\n").at(-1)!;
  return text.startsWith('{"Id":"sha256:') ? "an image" : text;
}
