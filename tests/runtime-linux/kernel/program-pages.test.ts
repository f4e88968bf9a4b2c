// Which pages of a program may be handed back.

import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { handBackLater, handBackProgram, unchanged } from "../../../runtime-linux/kernel/program-pages.js";
import { until } from "../../support/commands.js";
import { rssKibibytes } from "../../support/processes.js";

/** As in proc_pid_smaps(5), with some of the lines. */
function mapping(place: string, rights: string, path: string, anonymous = 0, swapped = 0): string {
  const head = `${place} ${rights} 00200000 fe:00 1234                       ${path}`.trimEnd();
  const counts = Object.entries({ Size: 132, Anonymous: anonymous, Swap: swapped, SwapPss: swapped });
  return [head, ...counts.map(([name, size]) => `${`${name}:`.padEnd(16)}${String(size).padStart(8)} kB`), ""].join(
    "\n",
  );
}

test("what can be written, was changed, or is no program's and no library's stays", () => {
  const smaps = [
    mapping("00400000-00500000", "r--p", "/usr/bin/node"),
    mapping("00500000-00900000", "r-xp", "/usr/bin/node"),
    mapping("00900000-00a00000", "r--p", "/usr/bin/node", 16),
    mapping("00a00000-00b00000", "rw-p", "/usr/bin/node"),
    mapping("00c00000-00d00000", "r--p", "/usr/bin/node", 0, 4),
    mapping("00b00000-00c00000", "rw-p", ""),
    mapping("7f0000000000-7f0000100000", "r-xp", "/usr/lib/libc.so.6"),
    mapping("7f0000100000-7f0000200000", "r--p", "/usr/lib/libc.so.6"),
    mapping("7f0000200000-7f0000300000", "r-xp", "[vdso]"),
    mapping("7f0000300000-7f0000400000", "r--p", "/usr/lib/locale/locale-archive"),
    mapping("7f0000400000-7f0000500000", "r-xs", "/usr/lib/libshared.so"),
  ].join("");
  expect(unchanged(smaps)).toEqual([
    { start: 0x400000n, bytes: 0x100000n },
    { start: 0x500000n, bytes: 0x400000n },
    { start: 0x7f0000000000n, bytes: 0x100000n },
    { start: 0x7f0000100000n, bytes: 0x100000n },
  ]);
});

test("a kernel that does not tell them is no error", () => {
  expect(() => handBackProgram("/proc/none")).not.toThrow();
});

test("a process takes less memory afterwards, and works as before", () => {
  const before = rssKibibytes(process.pid);
  handBackProgram();
  expect(rssKibibytes(process.pid)).toBeLessThan(before - 4096);
  expect(JSON.parse(JSON.stringify({ one: [1, 2, 3].map((number) => number * 2) }))).toEqual({ one: [2, 4, 6] });
});

test("what it needs to work is handed back a moment later", async () => {
  handBackProgram();
  const least = fileKibibytes();
  // Many parts of the program.
  expect(Intl.DateTimeFormat("en", { dateStyle: "full" }).format(0)).toContain("1970");
  expect(gunzipSync(gzipSync("text")).toString()).toBe("text");
  const most = fileKibibytes();
  handBackLater();
  await until("the pages are handed back", () => fileKibibytes() < (least + most) / 2);
});

/** Of files, in memory: proc_pid_status(5). */
function fileKibibytes(): number {
  return Number(/^RssFile:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}
