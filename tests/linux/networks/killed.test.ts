// `kill -9` of the daemon at random moments while networks are made, joined, left and removed: what it has told holds
// after the next start, what it has not told is one or the other, and nothing is left over at the end.
import { expect, test } from "vitest";
import { must, until } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { randomFrom } from "../../support/random.js";
import { killedDaemon, missing } from "../killed-daemon.js";

/** How often the daemon is killed. */
const ROUNDS = Number(process.env["CORACLE_TEST_CUTS"] ?? 10);
const SEED = Number(process.env["CORACLE_TEST_CUTS_SEED"] ?? Date.now() % 1_000_000);
/** The longest time from the requests to the kill. */
const LONGEST_MS = 80;
const NETWORKS = ["net-a", "net-b", "net-c", "net-d", "net-e"];
const CONTAINERS = ["one", "two"];

/** What is known of a network: whether it is there, and who is on it. Null: the daemon was killed before it told. */
interface Known {
  isThere: boolean | null;
  readonly members: Map<string, boolean | null>;
}

describeUnless(missing, "kill -9 of the daemon while networks change", () => {
  const killed = killedDaemon();
  const refusals: string[] = [];

  test("what was told holds, and nothing leaks", async () => {
    const random = randomFrom(SEED);
    await killed.engine.must(200, "POST", "/networks/prune");
    const known = new Map<string, Known>(
      NETWORKS.map((name) => [name, { isThere: false, members: new Map(CONTAINERS.map((one) => [one, false])) }]),
    );
    for (const name of CONTAINERS) await killed.started({ Cmd: ["sleep", "1000"] }, `?name=${name}`);
    for (let round = 0; round < ROUNDS; round += 1) {
      const changes = [...known].map(([name, network]) => changeOf(name, network, random));
      await killed.killedDuring(random(LONGEST_MS), () => Promise.all(changes.map((change) => change())));
      await expectKnown(known, `seed ${SEED}, round ${round}`);
    }
    await expectNames(known);
    await killed.removeAll();
    await killed.engine.must(200, "POST", "/networks/prune");
    await killed.expectNothingLeft({ besideOpenFiles: true });
  });

  /** A request that changes a network. It is only sent by the call of the result. */
  function changeOf(name: string, network: Known, random: (limit: number) => number): () => Promise<void> {
    if (network.isThere !== true) {
      return () => ask("POST", "/networks/create", { Name: name }, (isDone) => (network.isThere = isDone || null));
    }
    const on = [...network.members].filter(([, isOn]) => isOn).map(([one]) => one);
    if (on.length === 0 && random(10) < 4) {
      return () => ask("DELETE", `/networks/${name}`, undefined, (isDone) => (network.isThere = isDone ? false : null));
    }
    const Container = CONTAINERS[random(CONTAINERS.length)]!;
    const leaves = on.includes(Container);
    const path = `/networks/${name}/${leaves ? "disconnect" : "connect"}`;
    return () => ask("POST", path, { Container }, (isDone) => network.members.set(Container, isDone ? !leaves : null));
  }

  /** Calls `told` first with false, and with true once the daemon has answered well. */
  async function ask(method: string, path: string, body: unknown, told: (isDone: boolean) => unknown): Promise<void> {
    told(false);
    const answer = await killed.engine.call(method, path, body).catch(() => null);
    if (answer === null) return;
    if (answer.status < 300) told(true);
    else refusals.push(`${method} ${path}: ${answer.status} ${answer.text}`);
  }

  /** Compares what is known with what the daemon says now and with the machine, and then takes it as known. */
  async function expectKnown(known: ReadonlyMap<string, Known>, when: string): Promise<void> {
    expect([when, refusals]).toEqual([when, []]);
    const listed = await killed.engine.read<{ Name: string }[]>("/networks");
    const names = new Set(listed.map(({ Name }) => Name));
    for (const [name, network] of known) {
      network.isThere ??= names.has(name);
      expect([when, name, names.has(name)]).toEqual([when, name, network.isThere]);
    }
    for (const container of CONTAINERS) {
      // What the kill interrupted is completed or undone after the start.
      await until(`${when}: ${container}'s addresses`, async () => hasItsAddresses(await inspected(container)));
      const { Networks } = (await inspected(container)).NetworkSettings;
      for (const [name, { members }] of known) {
        const isOn = members.get(container) ?? name in Networks;
        members.set(container, isOn);
        expect([when, container, name, name in Networks]).toEqual([when, container, name, isOn]);
      }
    }
  }

  function inspected(container: string): Promise<Inspected> {
    return killed.engine.inspect<Inspected>(container);
  }

  /** Containers on a common network reach one another by name. */
  async function expectNames(known: ReadonlyMap<string, Known>): Promise<void> {
    const [name = NETWORKS[0]!] = [...known].find(([, { isThere }]) => isThere) ?? [];
    if (known.get(name)!.isThere !== true) await killed.engine.must(201, "POST", "/networks/create", { Name: name });
    for (const container of CONTAINERS) {
      if (known.get(name)!.members.get(container) === true) continue;
      await killed.engine.must(200, "POST", `/networks/${name}/connect`, { Container: container });
    }
    await until("a ping", async () => (await killed.codeOf("one", ["ping", "-c", "1", "-W", "2", "two"])) === 0);
  }
});

/** Whether the container has the addresses that the engine tells, and no others. */
async function hasItsAddresses({ State, NetworkSettings }: Inspected): Promise<boolean> {
  const inside = ["nsenter", "-t", String(State.Pid), "--net", "--"];
  const shown = await must([...inside, "ip", "-4", "-o", "addr", "show", "scope", "global"]);
  const real = [...shown.matchAll(/inet (\S+?)\//g)].map(([, address]) => address);
  const told = Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress);
  return real.sort().join() === told.sort().join();
}

interface Inspected {
  readonly State: { readonly Pid: number };
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>> };
}
