// A network namespace for one engine, joined to the test's own by a veth pair. The engine's firewall rules and bridges
// stay separate, while the test can reach published ports and the engine can reach the test's registries.
import { must, run } from "./commands.js";

export interface Netns {
  readonly name: string;
  /** The file for nsenter --net. */
  readonly path: string;
  /** The test's address as the engine sees it; the test's registries listen here. */
  readonly hostAddress: string;
  /** The engine's address as the test sees it; published ports are reachable here. */
  readonly address: string;
  /** Whether nothing else uses it, so that every port is free. */
  readonly isOwn: boolean;
  /** The command line that runs `command` inside. */
  inside(command: readonly string[]): string[];
  /** Removes the namespace and its veth pair. Processes inside lose their network. */
  close(): Promise<void>;
}

/** Makes a namespace with its loopback up. Needs root. */
export async function openNetns(): Promise<Netns> {
  const index = await freeIndex();
  const name = `coracle-t${process.pid}-${index}`;
  const veth = `ct${index}`;
  const [hostAddress, address] = [hostAddressOf(index, 1), hostAddressOf(index, 2)];
  const path = `/run/netns/${name}`;
  // nsenter instead of `ip netns exec`, which remounts /sys and hides the cgroups.
  const inside = (command: readonly string[]): string[] => ["nsenter", `--net=${path}`, "--", ...command];
  await linked([
    `netns add ${name}`,
    `link add ${veth} type veth peer name up0 netns ${name}`,
    `addr add ${hostAddress}/30 dev ${veth}`,
    `link set ${veth} up`,
  ]);
  await linked(
    ["link set lo up", `addr add ${address}/30 dev up0`, "link set up0 up", `route add default via ${hostAddress}`],
    inside,
  );
  const close = async (): Promise<void> => {
    await run(["ip", "link", "del", veth]);
    await run(["ip", "netns", "del", name]);
  };
  return { name, path, hostAddress, address, isOwn: true, inside, close };
}

/** Runs commands of ip(8) in one process, up to the first that fails. */
async function linked(commands: readonly string[], inside = HERE.inside): Promise<void> {
  await must(inside(["ip", "-batch", "-"]), { input: `${commands.join("\n")}\n` });
}

/** The test's own namespace, for engines that do not touch the machine's network. */
export const HERE: Netns = {
  name: "",
  path: "/proc/self/ns/net",
  hostAddress: "127.0.0.1",
  address: "127.0.0.1",
  isOwn: false,
  inside: (command) => [...command],
  close: async () => {},
};

/** One of the 16,384 /30 networks of 10.213.0.0/16 that is not in use on this machine. */
async function freeIndex(): Promise<number> {
  const used = await must(["ip", "-o", "addr"]);
  for (;;) {
    const index = Math.floor(Math.random() * 16_384);
    if (!used.includes(` ${hostAddressOf(index, 1)}/`)) return index;
  }
}

function hostAddressOf(index: number, host: number): string {
  return `10.213.${index >> 6}.${(index & 63) * 4 + host}`;
}
