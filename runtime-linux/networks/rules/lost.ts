// What is not in the engine's table although it should be: somebody has removed it while no engine ran.

import type { Netlink } from "../netlink/netlink.js";
import { chainsOfBridge, elementsOfBridge } from "./bridge-rules.js";
import { lastForEachKey, ofFamily, putElements, type TableOf } from "./elements.js";
import { addChains, addSharedChains, addTableAndSets, hasChains, type Family } from "./engine-table.js";
import type { Ruled } from "./left.js";

/**
 * Puts back the rules and ports of all of these networks in one transaction, if one network lacks some of its rules. What is
 * there is made anew.
 */
export async function putLost(filter: Netlink, tableOf: TableOf, family: Family, all: readonly Ruled[]): Promise<void> {
  if (all.length === 0) return;
  const table = tableOf(family);
  const chains = all.flatMap(({ made }) => chainsOfBridge(made, family));
  if (await hasChains(filter, table, chains)) return;
  const elements = all.flatMap(({ made, ports }) => [...elementsOfBridge(made, family), ...ofFamily(family, ports())]);
  await putElements(filter, tableOf, lastForEachKey(elements), {
    before: [...addTableAndSets(table), ...addSharedChains(table), ...addChains(table, chains)],
  });
}
