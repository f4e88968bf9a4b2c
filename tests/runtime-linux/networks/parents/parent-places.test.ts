// Records of containers on macvlan and ipvlan networks that an engine finds at its start.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { ParentPlaces } from "../../../../runtime-linux/networks/parents/parent-places.js";
import { Paths } from "../../../../runtime-linux/paths.js";

test.each(["x", "", "10.1.0.0/x"])(
  "a record of an earlier engine with the subnet %j does not keep it from starting",
  async (subnet) => {
    const root = mkdtempSync(join(tmpdir(), "coracle-places-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
    const swept: string[] = [];
    const open = () => new ParentPlaces(libc, paths, (what) => void swept.push(what));
    open();
    const damaged = { container: "1".repeat(64), network: { network: "lan" }, address: "10.1.0.2", subnet };
    writeFileSync(join(paths.networks("on-parents"), "on1.json"), JSON.stringify({ join: damaged }));
    expect(await open().found()).toEqual([]);
    expect(swept).toHaveLength(1);
    expect(readdirSync(paths.networks("on-parents"))).toEqual([]);
  },
);
