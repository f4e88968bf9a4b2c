// Door to the rules of core/assembly/network that need no engine.

import { canonicalAddress } from "../../../core/assembly/network/address/address";
import { EVERY_IPV4, EVERY_IPV6, overlap } from "../../../core/assembly/network/address/wildcard";
import {
  portKeysOf,
  PortWish,
  readPortWishes,
  refusePorts,
  unbuiltPorts,
} from "../../../core/assembly/network/ports/port-wishes";
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

/** Bindings → why they are refused, or empty. */
export function refusal(): void {
  const problem = refusePorts(argument(0));
  answerText(problem === null ? unbuiltPorts(argument(0)) : problem);
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
