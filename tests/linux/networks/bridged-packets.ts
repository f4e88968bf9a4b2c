// Whether packets between containers of one network, which its bridge passes on, pass the machine's rules. They do so once
// anybody has loaded br_netfilter, unless it is turned off.
import { must } from "../../support/commands.js";
import type { Netns } from "../../support/netns.js";

const SETTINGS = "/proc/sys/net/bridge/bridge-nf-call-ip*tables";

/** Acts while bridged packets pass no rules in these namespaces. */
export async function pastTheRules<T>(all: readonly Netns[], act: () => Promise<T>): Promise<T> {
  const set = async (value: string): Promise<void> => {
    const command = `for one in ${SETTINGS}; do [ ! -e $one ] || echo ${value} > $one; done`;
    for (const { inside } of all) await must(inside(["sh", "-c", command]));
  };
  await set("0");
  return act().finally(() => set("1"));
}
