// A database that is damaged while it is open, and on a full disk.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openRecords } from "../../hosts/node/database/records.js";
import { must } from "../support/commands.js";
import { programOf } from "../support/program.js";

const scratch = mkdtempSync(join(tmpdir(), "coracle-damaged-"));
afterAll(() => rm(scratch, { recursive: true }));
const why = process.getuid?.() !== 0 ? "mounting a small file system needs root" : null;

interface Said {
  quiet: number;
  early: string[];
  failed: string;
  found: string[];
  last: string[];
  told: string[];
}

test("that is damaged while it is open is rebuilt when it has failed and its records are read again", async () => {
  const directory = join(scratch, "open");
  const program = programOf(new URL("damaged-pages/while-open.ts", import.meta.url));
  const said = JSON.parse(await must([process.execPath, program, directory])) as Said;
  expect([said.quiet, said.early]).toEqual([2, []]);
  expect(said.failed).toContain("write records: ");
  expect(said.found).toEqual(["container/large: 50000 bytes", "container/small: 5 bytes"]);
  expect(said.last).toEqual(["container/last", "container/small"]);
  expect(said.told).toEqual([expect.stringContaining(`database ${directory}/damaged-1.mdb: page `)]);
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(["damaged-1.mdb", "data.mdb"]));
});

test("on a full disk it is not opened, and nothing is touched", async ({ skip }) => {
  if (why !== null) return skip(why);
  const disk = join(scratch, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk]);
  try {
    const directory = join(disk, "records");
    const file = join(directory, "data.mdb");
    const store = await openRecords(directory);
    await store.commit([{ tag: "put", val: { key: "container/a", value: Buffer.alloc(20_000, "a") } }]);
    await store.close();
    // Overwrites one of the two meta pages.
    const damaged = readFileSync(file).fill(0xff, 0, 4096);
    writeFileSync(file, damaged);
    const { ino } = statSync(file);
    expect(() => writeFileSync(join(disk, "ballast"), Buffer.alloc(8 << 20))).toThrow("ENOSPC");
    for (let round = 0; round < 2; round += 1) {
      await expect(openRecords(directory)).rejects.toThrow(
        `${file} is damaged, and a new one cannot be made: no space left on device`,
      );
      expect(readdirSync(directory)).not.toContain("damaged-1.mdb");
      expect([statSync(file).ino, readFileSync(file).equals(damaged)]).toEqual([ino, true]);
    }
    rmSync(join(disk, "ballast"));
    const opened = await openRecords(directory);
    const keys = (await opened.load()).map(({ key }) => key);
    await opened.close();
    expect(keys).toEqual(["container/a"]);
    expect(readFileSync(join(directory, "damaged-1.mdb")).equals(damaged)).toBe(true);
  } finally {
    execFileSync("umount", [disk]);
  }
});
