// What does a dry run cost, and how much does it delay the live engine? A dry run uses a copy of the core's memory,
// made in the engine's own thread. Runs on a simulated host in this program, because the host plays no part.
import { setImmediate } from "node:timers/promises";
import { openEngine } from "../hosts/embedding/open.js";
import type { Engine } from "../hosts/embedding/engine.js";
import type { ObservedStep, Observer } from "../hosts/driver/index.js";
import { simulatedHost } from "../hosts/simulated/index.js";
import { Rounds, round, timed, type Answer, type Sizes } from "./question.js";

const CREATE = {
  method: "POST",
  headers: { "Content-Type": "application/json", "Coracle-Dry-Run": "1" },
  body: JSON.stringify({ Image: "busybox", Cmd: ["sleep", "1000"] }),
};

export async function dryRun(sizes: Sizes): Promise<Answer[]> {
  return [...(await among(0, sizes)), ...(await among(sizes.listed, sizes))];
}

/** Measures with this many containers created. */
async function among(containers: number, { rounds }: Sizes): Promise<Answer[]> {
  const last = new LastStep();
  const engine = await openEngine({ host: simulatedHost(), observer: last });
  const { "Coracle-Dry-Run": _, ...headers } = CREATE.headers;
  for (let at = 0; at < containers; at++) await must(engine.fetch("/containers/create", { ...CREATE, headers }), 201);
  const [runs, busy, pings] = [new Rounds(), new Rounds(), new Rounds()];
  for (let at = 0; at <= rounds; at++) {
    const before = process.cpuUsage();
    const ms = await timed(() => must(engine.fetch("/containers/create", CREATE), 201));
    const { user, system } = process.cpuUsage(before);
    const ping = await longestPing(engine);
    // The first dry run is left out, because the platform compiles code during it.
    if (at === 0) continue;
    runs.add("simulated", ms);
    busy.add("simulated", (user + system) / 1000);
    pings.add("simulated", ping);
  }
  last.isWanted = true;
  await must(engine.fetch("/_ping"), 200);
  await engine.close();
  const among = `among ${containers} containers`;
  return [
    {
      question: `a dry run of a create ${among}`,
      unit: "ms",
      figures: runs.medians(),
      note: `${round(busy.medians()["simulated"] ?? 0)} ms of processor; copies ${round(last.bytes / 2 ** 20)} MiB`,
    },
    { question: `longest ping beside a dry run ${among}`, unit: "ms", figures: pings.medians() },
  ];
}

/** Sends pings one after the other from before the dry run until its answer, each in its own turn of the event loop. */
async function longestPing(engine: Engine): Promise<number> {
  let [over, ping] = [false, 0];
  const pinging = (async () => {
    while (!over) {
      const ms = await timed(async () => {
        await setImmediate();
        await must(engine.fetch("/_ping"), 200);
      });
      ping = Math.max(ping, ms);
    }
  })();
  await must(engine.fetch("/containers/create", CREATE), 201);
  over = true;
  await pinging;
  return ping;
}

async function must(asked: Promise<Response>, status: number): Promise<void> {
  const response = await asked;
  await response.text();
  if (response.status !== status) throw new Error(`${response.status} in place of ${status}`);
}

/** Remembers the newest step: its memory is the size of the copy that a dry run makes. */
class LastStep implements Observer {
  bytes = 0;
  isWanted = false;

  opened(): void {}

  stepped(step: ObservedStep): void {
    if (this.isWanted) this.bytes = step.snapshot().length;
  }

  lost(): void {}
}
