// The whole state machine of lessons, and lessons in links.

import { expect, test } from "vitest";
import { NO_LESSON, after } from "../../hosts/browser/lessons/progress.js";
import type { Cause, Progress, Status } from "../../hosts/browser/lessons/progress.js";
import { lessonFragment, readFragment } from "../../hosts/browser/session/sharing/fragment.js";

const STATES: Readonly<Record<Status, Progress>> = {
  none: { ...NO_LESSON, turn: 5 },
  preparing: { status: "preparing", lesson: "run", turn: 5, reached: 0 },
  "under way": { status: "under way", lesson: "run", turn: 5, reached: 2 },
  finished: { status: "finished", lesson: "run", turn: 5, reached: 4 },
};

const CAUSES: Readonly<Record<string, Cause>> = {
  "choose another": { kind: "choose", lesson: "logs" },
  begin: { kind: "begin", turn: 5 },
  "begin, late": { kind: "begin", turn: 4 },
  fail: { kind: "fail", turn: 5 },
  "fail, late": { kind: "fail", turn: 4 },
  "reach 1 of 4": { kind: "reach", steps: 1, of: 4 },
  "reach 3 of 4": { kind: "reach", steps: 3, of: 4 },
  "reach 4 of 4": { kind: "reach", steps: 4, of: 4 },
  restart: { kind: "restart" },
  branch: { kind: "branch" },
  "resume another": { kind: "resume", lesson: "logs" },
  leave: { kind: "leave" },
  close: { kind: "close" },
};

/** Status, lesson, finished steps, and the number of the session. */
const TABLE = `
none      × choose another → preparing logs 0 (session 6)
none      × resume another → under way logs 0 (session 6)
preparing × choose another → preparing logs 0 (session 6)
preparing × begin          → under way run 0 (session 5)
preparing × fail           → none - 0 (session 6)
preparing × restart        → preparing run 0 (session 6)
preparing × resume another → under way logs 0 (session 6)
preparing × leave          → none - 0 (session 6)
preparing × close          → none - 0 (session 6)
under way × choose another → preparing logs 0 (session 6)
under way × reach 3 of 4   → under way run 3 (session 5)
under way × reach 4 of 4   → finished run 4 (session 5)
under way × restart        → preparing run 0 (session 6)
under way × branch         → under way run 0 (session 5)
under way × resume another → under way logs 0 (session 6)
under way × leave          → none - 0 (session 6)
under way × close          → none - 0 (session 6)
finished  × choose another → preparing logs 0 (session 6)
finished  × restart        → preparing run 0 (session 6)
finished  × branch         → under way run 0 (session 5)
finished  × resume another → under way logs 0 (session 6)
finished  × leave          → none - 0 (session 6)
finished  × close          → none - 0 (session 6)
`;

test("every status with every cause: unlisted pairs change nothing", () => {
  const rows: string[] = [];
  for (const [status, before] of Object.entries(STATES)) {
    for (const [name, cause] of Object.entries(CAUSES)) {
      const now = after(before, cause);
      if (now === before) continue;
      const told = `${now.status} ${now.lesson ?? "-"} ${now.reached} (session ${now.turn})`;
      rows.push(`${status.padEnd(9)} × ${name.padEnd(14)} → ${told}`);
    }
  }
  expect(rows.join("\n")).toBe(TABLE.trim());
});

test("a lesson that is chosen twice begins with the later session", () => {
  const causes: Cause[] = [
    { kind: "choose", lesson: "run" },
    { kind: "choose", lesson: "logs" },
    { kind: "begin", turn: 1 },
    { kind: "reach", steps: 4, of: 4 },
    { kind: "begin", turn: 2 },
  ];
  const passed = causes.map((_, at) => causes.slice(0, at + 1).reduce(after, NO_LESSON));
  expect(passed.map(({ status, lesson, reached }) => [status, lesson, reached])).toEqual([
    ["preparing", "run", 0],
    ["preparing", "logs", 0],
    ["preparing", "logs", 0],
    ["preparing", "logs", 0],
    ["under way", "logs", 0],
  ]);
});

test.each([
  ["", { lesson: null, session: null }],
  ["1.abc_-", { lesson: null, session: "1.abc_-" }],
  ["lesson=run", { lesson: "run", session: null }],
  ["lesson=run&1.abc", { lesson: "run", session: "1.abc" }],
])("a link holds a lesson, a session, both or neither: #%s", (text, linked) => {
  expect(readFragment(`#${text}`)).toEqual(linked);
  expect(lessonFragment(linked.lesson, linked.session)).toBe(text);
});
