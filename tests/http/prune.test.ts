// Prune of containers: what goes, what stays, and what is told of it.
import { expect, test } from "vitest";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";

interface Pruned {
  readonly ContainersDeleted: string[] | null;
  readonly SpaceReclaimed: number;
}

onEngines("prune", (engine) => {
  test("what does not run goes, with its space; running and paused containers stay", async () => {
    const fresh = await engine().create();
    const filled = await engine().create({ Cmd: ["sh", "-c", "dd if=/dev/zero of=/filled bs=1024 count=200"] });
    await engine().start(filled);
    await engine().wait(filled);
    const running = await engine().running();
    const paused = await engine().running();
    await engine().must(204, "POST", `/containers/${paused}/pause`);
    const stopped = await engine().running({ Volumes: { "/data": {} } });
    await engine().must(204, "POST", `/containers/${stopped}/stop?t=0`);
    const since = await stamp(engine());
    const pruned = await prune();
    expect(pruned.ContainersDeleted?.toSorted()).toEqual([fresh, filled, stopped].sort());
    expect(pruned.SpaceReclaimed).toBeGreaterThanOrEqual(200 * 1024);
    const left = await engine().read<{ Id: string }[]>("/containers/json?all=1");
    expect(left.map(({ Id }) => Id).sort()).toEqual([running, paused].sort());
    const events = await past(engine(), since, { type: ["container"] });
    expect(events.map(({ Action }) => Action)).toEqual(["destroy", "destroy", "destroy", "prune"]);
    const last = events.at(-1);
    expect(last?.Actor).toEqual({ ID: "", Attributes: { reclaimed: String(pruned.SpaceReclaimed) } });
    expect([last?.status, last?.id, last?.from]).toEqual(["prune", undefined, undefined]);
    expect(await prune()).toEqual({ ContainersDeleted: null, SpaceReclaimed: 0 });
    for (const id of [running, paused]) await engine().remove(id);
  });

  test("labels and age choose", async () => {
    const kept = await engine().create({ Labels: { keep: "yes" } });
    const dropped = await engine().create({ Labels: { keep: "no", drop: "1" } });
    expect((await prune({ label: ["other"] })).ContainersDeleted).toBeNull();
    expect((await prune({ until: ["1h"] })).ContainersDeleted).toBeNull();
    expect((await prune({ "label!": ["keep=yes"] })).ContainersDeleted).toEqual([dropped]);
    const soon = [String(Math.ceil(Date.now() / 1000) + 5)];
    expect((await prune({ label: ["keep=yes"], until: soon })).ContainersDeleted).toEqual([kept]);
  });

  test("filters that are none are refused", async () => {
    const cases = [
      [{ name: ["x"] }, 400],
      [{ until: ["1m", "2m"] }, engine().expected("prune-until", 400, 500)],
      [{ until: ["soon"] }, engine().expected("prune-until", 400, 500)],
    ] as const;
    for (const [filters, status] of cases) {
      const answer = await engine().call("POST", `/containers/prune?filters=${encoded(filters)}`);
      expect([filters, answer.status]).toEqual([filters, status]);
      expect(messageOf(answer)).not.toBe("");
    }
  });

  async function prune(filters: unknown = {}): Promise<Pruned> {
    return (await engine().must(200, "POST", `/containers/prune?filters=${encoded(filters)}`)).json<Pruned>();
  }
});

function encoded(filters: unknown): string {
  return encodeURIComponent(JSON.stringify(filters));
}
