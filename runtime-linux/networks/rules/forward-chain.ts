// iptables' FORWARD chain, which drops packets by default if a dockerd on the same machine has set it so. No rule in our
// own table can help there, since a packet that one table drops is gone.

import { readFileSync } from "node:fs";
import { failedTool } from "../../../hosts/shared/index.js";
import type { networks } from "../../../hosts/shared/index.js";
import type { Kernel } from "../../kernel.js";
import { policyOf } from "../filter/chains.js";
import { setGroup } from "../netlink/links.js";
import { carryOut } from "../netlink/netlink.js";
import { familiesOf } from "./bridge-rules.js";
import type { Family } from "./engine-table.js";
import type { Rules } from "./rules.js";
import { runProgram } from "./run-program.js";

type Bridge = networks.Bridge;

/**
 * Accepts the packets of networks there, if the chain drops by default. Bridges that we have made are in a group of
 * interfaces, and two rules accept the whole group: each packet of the machine passes this chain. Somebody else's bridge
 * has rules of its own. So have ours where iptables does not know groups. All of them come after the chain's other rules.
 * The chain is looked at again at each start of the engine: a policy that changes later is noticed only then.
 */
export class ForwardChain {
  /** Ends with the latest change, and never fails. Changes wait for one another, since networks share rules. */
  #last: Promise<unknown> = Promise.resolve();

  /** `group`: that of this engine's bridges. */
  constructor(
    private readonly kernel: Kernel,
    private readonly rules: Rules,
    private readonly group: number,
  ) {}

  /** The bridge must be there. `ours`: we have made it. */
  async accept(bridge: Bridge, ours: boolean): Promise<void> {
    await this.#inTurn(async () => {
      for (const family of familiesOf(bridge)) {
        const policy = await policyOfForward(this.rules, family);
        if (policy !== "accept" && policy !== "none") await this.#acceptIn(family, bridge.interfaceName, ours);
      }
    });
  }

  /**
   * Removes the network's rules if there are any, and those of the group with its last network. `others`: networks whose
   * bridges we have made, when it is this change's turn.
   */
  async forget(bridge: Bridge, others: () => readonly Bridge[]): Promise<void> {
    await this.#inTurn(async () => {
      for (const family of familiesOf(bridge)) {
        if ((await policyOfForward(this.rules, family)) === "none") continue;
        const staying = others().filter(({ network }) => network !== bridge.network);
        const isShared = staying.some((other) => familiesOf(other).includes(family));
        const rules = [...rulesOf(bridge.interfaceName), ...(isShared ? [] : rulesOfGroup(this.group))];
        await remove(family, rules, await forwardChain(family));
      }
    });
  }

  async #acceptIn(family: Family, bridge: string, ours: boolean): Promise<void> {
    const chain = await forwardChain(family);
    if (!chain.includes("-P FORWARD DROP")) return;
    if (!ours || !(await this.#acceptGroup(family, chain))) return add(family, rulesOf(bridge), chain);
    await carryOut(this.kernel, setGroup(bridge, this.group));
    // Those of an earlier version.
    await remove(family, rulesOf(bridge), chain);
  }

  /** Whether iptables knows groups. */
  async #acceptGroup(family: Family, chain: readonly string[]): Promise<boolean> {
    try {
      await add(family, rulesOfGroup(this.group), chain);
      return true;
    } catch {
      await remove(family, rulesOfGroup(this.group), await forwardChain(family));
      return false;
    }
  }

  async #inTurn(act: () => Promise<void>): Promise<void> {
    const ended = this.#last.then(act);
    this.#last = ended.catch(() => {});
    await ended;
  }
}

/**
 * For all of a bridge's families, also those in which the machine has no address on it: with br_netfilter, packets
 * between its containers pass the chain as well. `tables`: where the kernel names the tables of the older
 * iptables, which are not nf_tables'.
 */
const IPTABLES = {
  ip: { program: "iptables", tables: "/proc/net/ip_tables_names" },
  ip6: { program: "ip6tables", tables: "/proc/net/ip6_tables_names" },
};

/**
 * What the chain does by default; "none" if there is no such chain, which accepts, too. The kernel tells it in less time
 * than it takes to start the program.
 */
async function policyOfForward(rules: Rules, family: Family): Promise<"accept" | "drop" | "none" | "unknown"> {
  try {
    if (readFileSync(IPTABLES[family].tables, "utf8").split("\n").includes("filter")) return "unknown";
  } catch {
    // The older iptables is not in use.
  }
  try {
    return (await rules.ask((filter) => policyOf(filter, { family, name: "filter" }, "FORWARD"))) ?? "none";
  } catch {
    return "unknown";
  }
}

/** The chain as commands that would make it. Empty without the program. */
async function forwardChain(family: Family): Promise<string[]> {
  const listed = await runProgram(IPTABLES[family].program, ["-w", "-S", "FORWARD"]).catch(() => undefined);
  return listed?.stdout.split("\n") ?? [];
}

/** In the form that `iptables -S` prints. The engine's table has checked packets to the bridge already. */
function rulesOf(bridge: string): string[] {
  return ["-i", "-o"].map((way) => accepting(`${way} ${bridge}`));
}

function rulesOfGroup(group: number): string[] {
  const number = `0x${group.toString(16)}`;
  return ["--src-group", "--dst-group"].map((way) => accepting(`-m devgroup ${way} ${number}`));
}

function accepting(packets: string): string {
  return `-A FORWARD ${packets} -m comment --comment coracle -j ACCEPT`;
}

/** Adds those that the chain lacks. */
async function add(family: Family, rules: readonly string[], chain: readonly string[]): Promise<void> {
  for (const rule of rules) if (!chain.includes(rule)) await change(family, rule);
}

/** Removes those that the chain has. */
async function remove(family: Family, rules: readonly string[], chain: readonly string[]): Promise<void> {
  for (const rule of rules) if (chain.includes(rule)) await change(family, rule.replace("-A", "-D"));
}

async function change(family: Family, rule: string): Promise<void> {
  const { program } = IPTABLES[family];
  const { code, stderr } = await runProgram(program, ["-w", ...rule.split(" ")]);
  if (code !== 0) throw failedTool(program, code, stderr);
}
