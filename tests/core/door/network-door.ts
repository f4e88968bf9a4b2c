// Door to the rules of core/assembly/network that need no engine.

import { Address, canonicalAddress, parseAddress } from "../../../core/assembly/network/address/address";
import { AddressPool } from "../../../core/assembly/network/address/address-pool";
import { strictAddress, strictPrefix } from "../../../core/assembly/network/address/strict";
import { parseSubnet, Subnet } from "../../../core/assembly/network/address/subnet";
import { SubnetSet } from "../../../core/assembly/network/address/subnet-set";
import { EVERY_IPV4, EVERY_IPV6, overlap } from "../../../core/assembly/network/address/wildcard";
import { portKeysOf, PortWish, readPortWishes, refusePorts } from "../../../core/assembly/network/ports/port-wishes";
import { answer, answerBool, answerText, argument, text } from "./exchange";
import { Json } from "./json";

export { allocate, collect, outputLength, outputStart } from "./exchange";

export function canonical(): void {
  answerText(canonicalAddress(text(0)));
}

export function overlapping(): void {
  answerBool(overlap(text(0), text(1)));
}

export function keys(): void {
  answer(Json.strings(portKeysOf(text(0))));
}

/** Bindings → why they are refused; empty if they are not. */
export function refusal(): void {
  const problem = refusePorts(argument(0));
  answerText(problem === null ? "" : problem);
}

/** HostConfig, Config, IPv6 → `FIRST-LAST on ADDRESS… to PORT/PROTOCOL` of each binding. */
export function wishes(): void {
  const found: PortWish[] = readPortWishes(
    argument(0),
    argument(1),
    argument(2).bool ? [EVERY_IPV4, EVERY_IPV6] : [EVERY_IPV4],
  );
  const told: string[] = [];
  for (let i = 0; i < found.length; i++) {
    const wish = found[i];
    const range = `${wish.firstPort.toString()}-${wish.lastPort.toString()}`;
    told.push(`${range} on ${wish.addresses.join(" ")} to ${wish.containerPort.toString()}/${wish.protocol}`);
  }
  answer(Json.strings(told));
}

/** Subnet → its base, its last address, and the address after that. */
export function ends(): void {
  const subnet = parseSubnet(text(0));
  if (subnet === null) return answer(Json.strings([]));
  answer(Json.strings([subnet.base.text, subnet.last.text, subnet.last.plus(1).text]));
}

/** Subnet, address → whether it is inside. */
export function contains(): void {
  const subnet = parseSubnet(text(0));
  const address = parseAddress(text(1));
  answerBool(subnet !== null && address !== null && subnet.contains(address));
}

/** Two subnets → whether they have an address in common. */
export function share(): void {
  const one = parseSubnet(text(0));
  const other = parseSubnet(text(1));
  answerBool(one !== null && other !== null && one.overlaps(other));
}

/** Subnets, of which the set has the first half from the start → of each other one, whether it overlaps those before it. */
export function gather(): void {
  const all = argument(0)
    .strings()
    .map<Subnet>((text) => parseSubnet(text)!);
  const half = all.length / 2;
  const set = new SubnetSet(all.slice(0, half));
  const told: string[] = [];
  for (let i = half; i < all.length; i++) {
    const isTaken = set.overlaps(all[i]);
    if (!isTaken) set.add(all[i]);
    told.push(isTaken ? "taken" : "free");
  }
  answer(Json.strings(told));
}

/** Address or block, as strictly as a network's configuration is read → its canonical form; empty if it is invalid. */
export function strict(): void {
  if (!text(0).includes("/")) {
    const address: Address | null = strictAddress(text(0));
    return answerText(address === null ? "" : address.text);
  }
  const prefix = strictPrefix(text(0));
  answerText(prefix === null ? "" : prefix.text);
}

/** Subnet, range, and what is done, `take`, `fixed ADDRESS` or `free ADDRESS` → what `take` and `fixed` gave. */
export function pool(): void {
  const made = new AddressPool(parseSubnet(text(0))!, parseSubnet(text(1))!);
  const told: string[] = [];
  const deeds = argument(2).strings();
  for (let i = 0; i < deeds.length; i++) {
    const words = deeds[i].split(" ");
    if (words[0] == "take") {
      const taken = made.take("somebody");
      told.push(taken === null ? "none" : taken.text);
    } else if (words[0] == "fixed") {
      told.push(made.takeFixed(parseAddress(words[1])!, "somebody") ? "taken" : "refused");
    } else made.free(parseAddress(words[1])!, "somebody");
  }
  told.push(made.available.toString());
  answer(Json.strings(told));
}
