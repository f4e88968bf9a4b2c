// The rules that lead a container's queries to its resolver, as the program nft reads them from the kernel. Needs root.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { redirect } from "../../../runtime-linux/names/redirect.js";
import { enterNamespace, makeNamespace, releaseNamespace } from "../../../runtime-linux/networks/namespace.js";
import { openFilter, transact } from "../../../runtime-linux/networks/filter/message.js";
import { addTable, deleteTable } from "../../../runtime-linux/networks/filter/tables.js";
import { must } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing } from "../networks/bridge.js";

describeUnless(missing, "rules in a container", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-redirect-"));
  const namespace = join(root, "ns");

  beforeAll(async () => {
    await makeNamespace(libc, namespace);
  });

  afterAll(async () => {
    await releaseNamespace(libc, namespace);
    rmSync(root, { recursive: true });
  });

  async function rules(): Promise<string[]> {
    const listed = await must(["nsenter", `--net=${namespace}`, "nft", "--numeric", "list", "ruleset"]);
    return listed.split("\n").map((line) => line.trim());
  }

  test("replace the ports of queries and answers; those of an earlier resolver are gone", async () => {
    await redirect(libc, namespace, 61_001);
    await redirect(libc, namespace, 61_234);
    expect(await rules()).toEqual([
      "table ip coracle-names {",
      "chain queries {",
      "type filter hook output priority -310; policy accept;",
      "ip daddr 127.0.0.11 udp dport 53 udp dport set 61234",
      "ip daddr 127.0.0.11 tcp dport 53 tcp dport set 61234",
      "}",
      "",
      "chain answers {",
      "type filter hook postrouting priority 310; policy accept;",
      "ip saddr 127.0.0.11 udp sport 61234 udp sport set 53",
      "ip saddr 127.0.0.11 tcp sport 61234 tcp sport set 53",
      "}",
      "}",
      "",
    ]);
  });

  test("are made all together or not at all", async () => {
    await redirect(libc, namespace, 61_234);
    const before = await rules();
    const filter = enterNamespace(libc, namespace, () => openFilter(libc));
    const table = (name: string) => ({ family: "ip", name }) as const;
    const failing = [addTable(table("one")), deleteTable(table("coracle-names")), deleteTable(table("nowhere"))];
    await expect(transact(filter, failing).finally(() => filter.close())).rejects.toThrow(
      "ENOENT: delete table nowhere",
    );
    expect(await rules()).toEqual(before);
  });
});
