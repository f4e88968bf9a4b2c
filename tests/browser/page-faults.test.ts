// Injects every fault of the "Break it" menu, observes its effect, and lifts it. Each fault gets a world of its own, but all
// share a page.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CRASH_HALFWAY, FAULT_TEXTS } from "../../hosts/browser/lessons/fault-texts.js";
import type { Fault } from "../../hosts/simulated/faults.js";
import { onePage } from "./one-page.js";
import { onPages } from "./on-pages.js";
import { PATIENCE, choose, isSet, seen, sendLine } from "./visitor.js";

/** Console lines, and what must be visible after them. */
interface Trial {
  /** Speed of the world relative to real time: ten times if not given. */
  speed?: string;
  before?: readonly string[];
  /** Sent while the fault is set. */
  during: readonly string[];
  hurt: RegExp;
  /** Sent after it was lifted or has struck. */
  after: readonly string[];
  healed: RegExp;
}

const PULL = ["docker pull alpine"];
const PULLED = /^ANSWER 200 OK.*IMAGES.*alpine:latest/s;
const SLEEPER = "docker create --name job busybox sleep 1000";
const SERVER = "docker create --name job busybox sh -c 'trap \"exit 5\" TERM; while true; do sleep 1; done'";
const START = ["docker start job"];
const STOP = ["docker stop -t 2 job"];
const pinging = (words: string): string => `docker create --name job busybox ping ${words} 172.17.0.2`;
const PEER = ["docker create --name peer busybox sleep 1000", "docker start peer"];
const LOST = /exited \(1\)/;
const CAME = /exited \(0\)/;
const RUNS = /^ANSWER 204.*CONTAINERS.*job.*running/s;

const TRIALS: Readonly<Record<Exclude<Fault["kind"], "engine-crash">, Trial>> = {
  "registry-down": { during: PULL, hurt: /^ANSWER 500.*connection refused/s, after: PULL, healed: PULLED },
  "registry-unauthorized": { during: PULL, hurt: /^ANSWER 404.*unauthorized/s, after: PULL, healed: PULLED },
  "registry-limited": {
    during: PULL,
    hurt: /^ANSWER 200.*Retrying in 1 second.*toomanyrequests/s,
    after: PULL,
    healed: PULLED,
  },
  "registry-fails": { during: PULL, hurt: /503 Service Unavailable/, after: PULL, healed: PULLED },
  "registry-slow": { during: PULL, hurt: /Downloading [\d.]+ kB of/, after: PULL, healed: PULLED },
  // The engine fetches the rest of the layer by itself. Runs in real time, so that the pause is visible.
  "registry-cut": { speed: "1", during: PULL, hurt: /Retrying in [1-5] seconds?/, after: [], healed: PULLED },
  "registry-corrupt": { during: PULL, hurt: /layer verification failed/, after: PULL, healed: PULLED },
  "disk-full": { during: PULL, hurt: /no space left on device/, after: PULL, healed: PULLED },
  "records-full": { during: [SLEEPER], hurt: /^ANSWER 500/, after: [SLEEPER], healed: /^ANSWER 201.*CONTAINERS.*job/s },
  "ignore-sigterm": {
    before: [SERVER, ...START],
    during: STOP,
    hurt: /^ANSWER 204.*exited \(137\)/s,
    after: [...START, ...STOP],
    healed: /^ANSWER 204.*exited \(5\)/s,
  },
  "die-at-once": { before: [SLEEPER], during: START, hurt: /^ANSWER 204.*exited \(3\)/s, after: START, healed: RUNS },
  "out-of-memory": {
    before: [SLEEPER, ...START],
    during: [],
    hurt: /exited \(137, out of memory\)/,
    after: START,
    healed: RUNS,
  },
  "runtime-fails": {
    before: [SLEEPER],
    during: START,
    hurt: /^ANSWER 500.*unable to apply cgroup configuration.*created$/ms,
    after: START,
    healed: RUNS,
  },
  "network-cut": { before: [...PEER, pinging("-c 1 -W 1")], during: START, hurt: LOST, after: START, healed: CAME },
  "network-loss": {
    before: [...PEER, "docker create --name job busybox sh -c 'ping -c 9 -W 1 172.17.0.2 | grep -q \" 0% \"'"],
    during: START,
    hurt: LOST,
    after: START,
    healed: CAME,
  },
  "network-slow": { before: [...PEER, pinging("-c 1 -W 1")], during: START, hurt: LOST, after: START, healed: CAME },
  "supervisor-lost": {
    before: [SLEEPER, ...START],
    during: [],
    hurt: /job\s+busybox\s+exited/,
    after: START,
    healed: RUNS,
  },
};

onPages("faults", (browser) => {
  const anew = onePage(browser);

  for (const [kind, { speed = "10", before = [], during, hurt, after, healed }] of Object.entries(TRIALS)) {
    const { label, times } = FAULT_TEXTS[kind as keyof typeof TRIALS];
    test(label, async () => {
      const { page, complaints } = await anew();
      await page.getByLabel("Speed").selectOption(speed);
      for (const line of before) await sendLine(page, line);
      await choose(page, label);
      for (const line of during) await sendLine(page, line);
      await expect.poll(() => seen(page), PATIENCE).toMatch(hurt);
      expect(await isSet(page, label)).toBe(times === undefined);
      if (times === undefined) await choose(page, label);
      for (const line of after) await sendLine(page, line);
      await expect.poll(() => seen(page), PATIENCE).toMatch(healed);
      expect(await isSet(page, label)).toBe(false);
      expect(complaints).toEqual([]);
    });
  }

  test("the engine", async () => {
    const { page, complaints } = await anew();
    for (const line of [SLEEPER, ...START]) await sendLine(page, line);
    const process = /Pid": \d+/;
    await sendLine(page, "docker container inspect job");
    const [pid] = process.exec(await wholeAnswer(page)) ?? [];
    await choose(page, FAULT_TEXTS["engine-crash"].label);
    await sendLine(page, "docker ps");
    expect(await seen(page)).toMatch(/^ANSWER No answer.*job.*running/s);
    expect(await page.getByText("The engine is down").count()).toBeGreaterThan(0);
    await choose(page, "Start the engine again");
    await page.getByText("The engine is up").waitFor();
    await sendLine(page, "docker container inspect job");
    expect(pid).toMatch(process);
    expect(process.exec(await wholeAnswer(page))?.[0]).toBe(pid);
    expect(complaints).toEqual([]);
  });

  test("the engine, halfway through a start", async () => {
    const { page, complaints } = await anew();
    await page.getByLabel("Speed").selectOption("10");
    await sendLine(page, SLEEPER);
    await choose(page, CRASH_HALFWAY.label);
    expect(await isSet(page, CRASH_HALFWAY.label)).toBe(true);
    for (const line of START) await sendLine(page, line);
    await page.getByText("The engine is down").waitFor();
    expect(await seen(page)).toMatch(/^ANSWER No answer.*job\s+busybox\s+starting/s);
    await choose(page, "Start the engine again");
    await page.getByText("The engine is up").waitFor();
    await expect.poll(() => seen(page), PATIENCE).not.toMatch(/job\s+busybox\s+starting/);
    expect(await isSet(page, CRASH_HALFWAY.label)).toBe(false);
    for (const line of START) await sendLine(page, line);
    await expect.poll(() => seen(page), PATIENCE).toMatch(/job\s+busybox\s+running/);
    expect(complaints).toEqual([]);
  });
});

/** The last answer, unfolded. */
async function wholeAnswer(page: Page): Promise<string> {
  const answer = page.locator(".cell").last().locator(".answer");
  await answer.getByRole("button", { name: /Show all/ }).click();
  return answer.innerText();
}
