// The engine's rules in the kernel's packet filter: those of its bridge networks, and the ports that their containers
// publish. Each change is one transaction for each family of the network.

import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { addChain, deleteChain } from "../filter/chains.js";
import { openFilter, transact } from "../filter/message.js";
import { addTable, deleteTable } from "../filter/tables.js";
import { isAnswer, type Netlink, type Request } from "../netlink/netlink.js";
import { chainNamesOf, chainsOfBridge, elementsOfBridge, familiesOf } from "./bridge-rules.js";
import { ofFamily, putElements, takeElements, type PlacedElement, type TableOf } from "./elements.js";
import { addChains, addSharedChains, addTableAndSets, hasSharedChains, type Family } from "./engine-table.js";
import { withoutEarlierTable, withoutOthers, withoutPortsTo, type Ruled } from "./left.js";
import { putLost } from "./lost.js";

type Bridge = networks.Bridge;

export class Rules {
  /** Networks that have rules, or may have. The table stays as long as there is one. */
  readonly #ruled = new Map<string, Ruled>();
  /** Those that have been made here. */
  readonly #made = new Set<string>();
  /** Families whose tables have been rid of what earlier engines have left there, and of what a failed change has. */
  readonly #clean = new Set<Family>();
  /**
   * Ends with the latest change, and never fails. Changes wait for one another. Several first ask what is there: an
   * element that somebody else puts in or takes out meanwhile would be lost, or come back.
   */
  #last: Promise<void> = Promise.resolve();
  /**
   * In the network namespace of the thread that makes the first change. It stays open: a socket of netfilter that is closed
   * keeps all others waiting some 10 ms, until the kernel has freed what the latest changes removed (nf_tables).
   */
  #filter: Netlink | undefined;
  readonly #tableOf: TableOf;

  /** `table`: the name of the engine's table. Other engines on the machine have others. */
  constructor(
    private readonly kernel: Kernel,
    table: string,
  ) {
    this.#tableOf = (family) => ({ family, name: table });
  }

  /** An earlier engine has made rules for the network, or may have. `ports`: those that it shall publish when asked. */
  expect(made: Bridge, ports: () => readonly PlacedElement[]): void {
    this.#ruled.set(made.network, { made, ports });
  }

  /**
   * Makes the network's rules, or makes them anew. Its published ports are exactly these: what a crash or somebody else
   * has left is removed. All of it in one transaction, together with the table that an earlier version made, so
   * that nothing is open, and no port is without its target meanwhile. `ports`: called when it is this change's turn.
   */
  async make(made: Bridge, ports: () => readonly PlacedElement[]): Promise<void> {
    await this.ask(async (filter) => {
      this.expect(made, ports);
      const wanted = ports();
      for (const family of familiesOf(made)) {
        await this.#makeOne(filter, made, family, ofFamily(family, wanted));
      }
      this.#made.add(made.network);
    });
  }

  /**
   * If somebody has removed rules while no engine ran, those of all networks come back in one transaction. Call it before the
   * engine answers: then running containers do not wait for their network's turn. A failure is told when their network is made.
   */
  async restore(): Promise<void> {
    for (const family of FAMILIES)
      await this.ask((filter) => putLost(filter, this.#tableOf, family, this.#ruledIn(family))).catch(() => {});
  }

  /** Removes the network's rules. Missing ones are no error, and without a packet filter there are none. */
  async remove(made: Bridge): Promise<void> {
    const removed = this.ask(async (filter) => {
      // In turn: an earlier change may still make rules for the network.
      const ports = this.#ruled.get(made.network)?.ports() ?? [];
      this.#ruled.delete(made.network);
      this.#made.delete(made.network);
      // The kernel may have one for IPv4 only.
      for (const family of familiesOf(made))
        await ifSupported(this.#removeOne(filter, { made, ports: () => ports }, family));
    });
    await ifSupported(removed);
  }

  /** Leads published ports to their container. Takes them over from any other. */
  async publish(ports: readonly PlacedElement[]): Promise<void> {
    await this.ask((filter) => putElements(filter, this.#tableOf, ports));
  }

  /** Ends that. Ports of another container are left to it. A missing table or set is no error. */
  async unpublish(ports: readonly PlacedElement[]): Promise<void> {
    await this.ask(async (filter) => {
      // One transaction for each family, so that a missing table does not keep the other's ports.
      for (const family of FAMILIES) {
        const own = ofFamily(family, ports);
        if (own.length > 0) await takeElements(filter, this.#tableOf, own);
      }
    });
  }

  async #makeOne(filter: Netlink, made: Bridge, family: Family, ports: readonly PlacedElement[]): Promise<void> {
    const table = this.#tableOf(family);
    const own = { made, ports: () => ports };
    // Where a network is made for the first time, nothing else is left, and to list all ports would take long.
    const isNew = this.#clean.has(family) && !this.#made.has(made.network);
    const before = [
      ...addTableAndSets(table),
      ...(isNew ? [] : await this.#withoutLeft(filter, own, family)),
      ...(await this.#sharedChains(filter, family)),
      ...addChains(table, chainsOfBridge(made, family)),
    ];
    const elements = [...elementsOfBridge(made, family), ...ports];
    await putElements(filter, this.#tableOf, elements, {
      before,
      after: await withoutEarlierTable(filter, made, family),
    });
    this.#clean.add(family);
  }

  async #removeOne(filter: Netlink, { made, ports }: Ruled, family: Family): Promise<void> {
    const [table, others] = [this.#tableOf(family), this.#ruledIn(family)];
    const after = await withoutEarlierTable(filter, made, family);
    if (others.length === 0) {
      await transact(filter, [addTable(table), deleteTable(table), ...after]);
      return;
    }
    // Where nothing else can be left, it need not be looked for: to list all ports would take long.
    const isClean = this.#clean.has(family);
    const left = isClean ? [] : await withoutOthers(filter, table, [...others, { made, ports: () => [] }]);
    const names = Object.values(chainNamesOf(made));
    const elements = [...elementsWithout(others, made, family), ...(isClean ? ofFamily(family, ports()) : [])];
    await takeElements(filter, this.#tableOf, elements, {
      before: [...addTableAndSets(table), ...left, ...names.map((name) => addChain(table, name))],
      after: [...names.map((name) => deleteChain(table, name)), ...after],
    });
  }

  async #withoutLeft(filter: Netlink, own: Ruled, family: Family): Promise<Request[]> {
    const table = this.#tableOf(family);
    if (this.#clean.has(family)) return withoutPortsTo(filter, table, own.made);
    const others = this.#ruledIn(family).filter(({ made }) => made.network !== own.made.network);
    return withoutOthers(filter, table, [...others, own]);
  }

  /** Networks with rules of this family. */
  #ruledIn(family: Family): Ruled[] {
    return [...this.#ruled.values()].filter(({ made }) => familiesOf(made).includes(family));
  }

  /**
   * An earlier engine's are made anew, since its version may have had other rules. Later they stay as long as all are
   * there: the kernel has less to free.
   */
  async #sharedChains(filter: Netlink, family: Family): Promise<Request[]> {
    const table = this.#tableOf(family);
    const areThere = this.#clean.has(family) && (await hasSharedChains(filter, table));
    return areThere ? [] : addSharedChains(table);
  }

  /** Asks the filter, in turn with the changes: its socket serves one at a time. */
  async ask<T>(act: (filter: Netlink) => Promise<T>): Promise<T> {
    const asked = this.#last.then(() => this.#ask(act));
    this.#last = asked.then(DONE, DONE);
    return asked;
  }

  /** After a failure that is no answer of the filter, answers may still wait on the socket. The next request gets another. */
  async #ask<T>(act: (filter: Netlink) => Promise<T>): Promise<T> {
    const filter = (this.#filter ??= openFilter(this.kernel));
    try {
      return await act(filter);
    } catch (error) {
      this.#clean.clear();
      if (!isAnswer(error)) this.#closeFilter();
      throw error;
    }
  }

  #closeFilter(): void {
    this.#filter?.closeAside();
    this.#filter = undefined;
  }

  /** The rules stay. */
  async close(): Promise<void> {
    await this.#last;
    this.#closeFilter();
  }
}

/** The network's elements. The one without a value stays if another network has the same interface by now. */
function elementsWithout(others: readonly Ruled[], made: Bridge, family: Family): PlacedElement[] {
  const isTaken = others.some((other) => other.made.interfaceName === made.interfaceName);
  return elementsOfBridge(made, family).filter(({ set }) => set !== "bridges" || !isTaken);
}

/** Waits for a change, unless there is no packet filter for it. */
async function ifSupported(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!WITHOUT_FILTER.includes((error as NodeJS.ErrnoException).code)) throw error;
  }
}

const DONE = (): void => {};
const FAMILIES: readonly Family[] = ["ip", "ip6"];

/** A kernel's word without nf_tables (EOPNOTSUPP, which Node.js calls ENOTSUP) or without netfilter's sockets. */
const WITHOUT_FILTER: readonly (string | undefined)[] = ["ENOTSUP", "EPROTONOSUPPORT"];
