// The simulated world's clock: order, pace, and outside actions.

import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Pace } from "../../hosts/simulated/time.js";
import { turnsOf } from "../../hosts/shared/turn.js";
import { WorldTime } from "../../hosts/simulated/world-time.js";

const SECOND = 1_000_000_000n;
const HOUR = 3600n * SECOND;

describe("order", () => {
  test("events come by their times, and events of the same time in the order of their requests", async () => {
    const time = stopped();
    const seen: string[] = [];
    for (const [at, name] of [
      [5n, "c"],
      [1n, "a"],
      [5n, "d"],
      [3n, "b"],
    ] as const)
      time.at(at, () => seen.push(name));
    expect(seen).toEqual([]);
    await time.settle();
    expect(seen).toEqual(["a", "b", "c", "d"]);
    expect(time.now().monotonic).toBe(5n);
  });

  test("consequences of an event are done before the next one, with any number of promises", async () => {
    const time = stopped();
    const seen: string[] = [];
    time.at(1n, () => void after(1000).then(() => seen.push(`first at ${time.now().monotonic}`)));
    time.at(1n, () => seen.push("second"));
    await time.step();
    expect(seen).toEqual(["first at 1"]);
    await time.step();
    expect(seen).toEqual(["first at 1", "second"]);
    expect(await time.step()).toBe(false);
  });

  test("a past time counts as now, and a cancelled event does not come", async () => {
    const time = stopped();
    await time.advance(10n);
    const seen: string[] = [];
    time.at(3n, () => seen.push("late"));
    const callOff = time.at(4n, () => seen.push("never"));
    callOff();
    expect(time.next).toBe(10n);
    await time.settle();
    expect(seen).toEqual(["late"]);
    expect(time.next).toBe(null);
  });

  test("a change is reported when an event is added, cancelled or has run, and when time jumps", async () => {
    const time = stopped();
    const seen: [next: bigint | null, now: bigint][] = [];
    time.onChange(() => seen.push([time.next, time.now().monotonic]));
    const callOff = time.at(4n, () => {});
    time.at(7n, () => {});
    callOff();
    await time.step();
    await time.advance(3n);
    expect(seen).toEqual([
      [4n, 0n],
      [4n, 0n],
      [7n, 0n],
      [null, 7n],
      [null, 10n],
    ]);
  });

  test("an event that throws does not stop the world, and rejects for its caller", async () => {
    const time = stopped();
    await expect(time.enter(() => refuse())).rejects.toThrow("no");
    const seen: number[] = [];
    time.at(5n, () => seen.push(1));
    await time.settle();
    expect(seen).toEqual([1]);
  });
});

describe("pace", () => {
  test("a day with a timer per hour takes one turn of the loop per timer, without waiting", async () => {
    const time = stopped();
    const [turns, waits] = [spyOn("setImmediate"), spyOn("setTimeout")];
    let hours = 0;
    const hourly = (): void => {
      if (++hours < 24) time.at(time.now().monotonic + HOUR, hourly);
    };
    time.at(HOUR, hourly);
    await time.advance(24n * HOUR);
    expect([turns, waits].map(({ mock }) => mock.calls.length)).toEqual([24, 0]);
    expect([hours, time.now().monotonic]).toEqual([24, 24n * HOUR]);
  });

  test("an empty day takes no time at all", async () => {
    const time = stopped();
    const [turns, waits] = [spyOn("setImmediate"), spyOn("setTimeout")];
    await time.advance(24n * HOUR);
    expect([turns, waits].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    expect(time.now()).toEqual({ monotonic: 24n * HOUR, wall: 1_767_225_600_000_000_000n + 24n * HOUR });
  });

  test("ten thousand timers run in order, each in a turn of the loop", async () => {
    const time = stopped();
    const seen: bigint[] = [];
    for (let i = 0n; i < 10_000n; i++) time.at((i * 7919n) % 10_007n, () => void seen.push(time.now().monotonic));
    const turns = spyOn("setImmediate");
    await time.settle();
    expect(turns).toHaveBeenCalledTimes(10_000);
    expect(seen).toEqual(seen.toSorted((a, b) => Number(a - b)));
    expect(seen.length).toBe(10_000);
  });

  test("fast leaps from event to event by itself", async () => {
    const time = new WorldTime({ pace: "fast" });
    const days = new Promise<bigint>((resolve) => {
      const daily = (left: number): void => {
        if (left === 0) resolve(time.now().monotonic);
        else time.at(time.now().monotonic + 24n * HOUR, () => daily(left - 1));
      };
      daily(365);
    });
    expect(await days).toBe(365n * 24n * HOUR);
    time.close();
  });

  test("n times follows real time, and stops at the next event from outside", async () => {
    const real = { ms: 1000 };
    const time = new WorldTime({ pace: { times: 60 }, real: () => real.ms });
    real.ms += 1000;
    expect(time.now().monotonic).toBe(60n * SECOND);
    const seen: bigint[] = [];
    time.at(90n * SECOND, () => void seen.push(time.now().monotonic));
    real.ms += 1000;
    expect(time.now().monotonic).toBe(90n * SECOND);
    expect(seen).toEqual([]);
    time.pace = { times: 60 };
    await expect.poll(() => seen).toEqual([90n * SECOND]);
    time.close();
  });

  test("events come when they are due in real time", async () => {
    const real = { ms: 7 };
    const time = new WorldTime({ pace: { times: 100 }, real: () => real.ms });
    const alarms = spyOn("setTimeout").mockReturnValue(NO_TIMER);
    const came = new Promise<bigint>((resolve) => void time.at(10n * SECOND, () => resolve(time.now().monotonic)));
    expect(alarms.mock.calls.map(([, ms]) => ms)).toEqual([100]);
    const ring = (): void => (alarms.mock.calls.at(-1)![0] as () => void)();
    // A timer that fires too early is set again.
    real.ms += 99;
    ring();
    expect(alarms.mock.calls.map(([, ms]) => ms)).toEqual([100, 1]);
    real.ms += 1;
    ring();
    expect(await came).toBe(10n * SECOND);
    time.close();
  });

  test("the pace can change at any time; time never goes back", async () => {
    const real = { ms: 0 };
    const time = new WorldTime({ pace: { times: 1 }, real: () => real.ms });
    const seen: bigint[] = [];
    const paces: Pace[] = ["stopped", { times: 1000 }, { times: 0.5 }, "stopped", { times: 2 }];
    for (const pace of paces) {
      real.ms += 100;
      time.pace = pace;
      seen.push(time.now().monotonic / 1_000_000n);
    }
    expect(seen).toEqual([100n, 100n, 100_100n, 100_150n, 100_150n]);
  });

  test("a new pace applies to pending waits, too", async () => {
    const time = new WorldTime({ pace: { times: 0.001 }, real: () => 0 });
    const alarms = spyOn("setTimeout").mockReturnValue(NO_TIMER);
    time.at(SECOND, () => expect.unreachable());
    time.pace = { times: 10 };
    expect(alarms.mock.calls.map(([, ms]) => ms)).toEqual([1_000_000, 100]);
    time.close();
  });

  test("time does not leap while the world waits for something outside", async () => {
    const time = new WorldTime({ pace: "fast" });
    const seen: string[] = [];
    const answer = new Promise<void>((resolve) => setTimeout(resolve, 30)).then(() => seen.push("answer"));
    const waiting = time.beyond(answer);
    time.at(30n * SECOND, () => seen.push("timeout"));
    await waiting;
    await expect.poll(() => seen).toEqual(["answer", "timeout"]);
    time.close();
  });

  test("a world whose events are late catches up, also if it waits for something outside meanwhile", async () => {
    const real = { ms: 0 };
    const time = new WorldTime({ pace: { times: 1 }, real: () => real.ms });
    const came = new Promise<void>((resolve) => void time.at(SECOND, resolve));
    real.ms += 9000;
    expect(time.now().monotonic).toBe(SECOND);
    await time.beyond(Promise.resolve());
    await came;
    await expect.poll(() => time.now().monotonic).toBe(9n * SECOND);
    time.close();
  });
});

describe("from outside", () => {
  test("each entry has its own time, and resolves when all of its consequences are done", async () => {
    const time = stopped();
    const seen: bigint[] = [];
    const note = (): void => void after(10).then(() => seen.push(time.now().monotonic));
    const moments = await Promise.all([time.enter(note), time.enter(note), time.enter(note, 100n)].slice(0, 2));
    expect(moments).toEqual([0n, 1n]);
    expect(seen).toEqual([0n, 1n]);
    await time.settle();
    expect(seen).toEqual([0n, 1n, 100n]);
    expect(await time.enter(note)).toBe(101n);
  });

  test("an entry comes at the same place when it gets the same time again", async () => {
    const moments: bigint[] = [];
    const live = new WorldTime({ pace: { times: 50 } });
    const first = world(live);
    for (let i = 0; i < 20; i++) {
      moments.push(await live.enter(() => first.enter(`entrance ${i}`)));
      await real10ms();
    }
    live.pace = "stopped";
    await live.settle();

    for (const pace of ["stopped", "fast"] as const) {
      const again = new WorldTime({ pace });
      const second = world(again);
      const entered = moments.map((at, i) => again.enter(() => second.enter(`entrance ${i}`), at));
      await again.settle();
      expect(await Promise.all(entered)).toEqual(moments);
      expect(second.story).toEqual(first.story);
    }
    expect(new Set(moments).size).toBe(20);
  });

  test("after the end of time nothing happens", async () => {
    const time = new WorldTime({ pace: "fast" });
    time.at(1n, () => expect.unreachable());
    time.close();
    time.at(1n, () => expect.unreachable());
    await real10ms();
    expect(time.next).toBe(null);
  });
});

test("turns by messages also settle all promises", async () => {
  const channels: MessageChannel[] = [];
  const turn = turnsOf(() => channels[channels.push(new MessageChannel()) - 1]!);
  const seen: number[] = [];
  void after(1000).then(() => seen.push(1));
  await Promise.all([turn(), turn()]);
  expect(seen).toEqual([1]);
  expect(channels.length).toBe(1);
  channels[0]!.port1.close();
});

/** A world in which events continue by themselves after something entered it. */
function world(time: WorldTime): { story: string[]; enter(name: string): void } {
  const story: string[] = [];
  const tell = (what: string): void => void story.push(`${time.now().monotonic} ${what}`);
  const goOn = (name: string, left: number): void => {
    tell(`${name}: ${left}`);
    if (left > 0) time.at(time.now().monotonic + 170_000_000n, () => goOn(name, left - 1));
  };
  return { story, enter: (name) => void after(3).then(() => goOn(name, 5)) };
}

/** Never awaited. */
const NO_TIMER = {} as ReturnType<typeof setTimeout>;

/** Until the test is over. */
function spyOn<Name extends "setImmediate" | "setTimeout">(name: Name) {
  const spy = vi.spyOn(globalThis, name);
  onTestFinished(() => spy.mockRestore());
  return spy;
}

function stopped(): WorldTime {
  return new WorldTime({ pace: "stopped" });
}

async function after(promises: number): Promise<void> {
  for (let i = 0; i < promises; i++) await Promise.resolve();
}

function refuse(): never {
  throw new Error("no");
}

function real10ms(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
