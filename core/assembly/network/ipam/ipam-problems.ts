// What is wrong with the `IPAM.Config` of a new network, in Docker's words: one line for each mistake (surface §2.24).

import { Json } from "../../json/json";
import { badParameter, Refusal } from "../../refusal";
import { Address } from "../address/address";
import { strictAddress, strictPrefix } from "../address/strict";
import { Prefix, Subnet } from "../address/subnet";
import { listOfProblems } from "../list-of-problems";

const NO_BLOCK = "invalid CIDR block notation";

/** `configs`: a list. IPv6 subnets are not looked at in a network without IPv6. */
export function refuseIpam(configs: Json, ipv6: bool): Refusal | null {
  const problems: string[] = [];
  for (let i = 0; i < configs.items.length; i++) addProblems(problems, configs.items[i], ipv6);
  if (problems.length == 0) return null;
  return badParameter(`invalid network config:\n${listOfProblems(problems)}`);
}

function addProblems(problems: string[], config: Json, ipv6: bool): void {
  const text = config.stringOf("Subnet");
  const prefix: Prefix | null = strictPrefix(text);
  if (prefix === null) {
    problems.push(`invalid subnet ${text}: ${NO_BLOCK}`);
    return;
  }
  const subnet = prefix.subnet;
  if (subnet.isIpv6 && !ipv6) return;
  if (!prefix.isMasked) problems.push(`invalid subnet ${prefix.text}: it should be ${subnet.text}`);
  addRangeProblems(problems, config.stringOf("IPRange"), subnet);
  const gateway = config.stringOf("Gateway");
  const problem = addressProblem(gateway, subnet);
  if (problem.length > 0) problems.push(`invalid gateway ${gateway}: ${problem}`);
  const auxiliary = config.entry("AuxiliaryAddresses");
  if (auxiliary === null) return;
  for (let i = 0; i < auxiliary.keys.length; i++) {
    const other = addressProblem(auxiliary.items[i].text, subnet);
    if (other.length > 0) problems.push(`invalid auxiliary address ${auxiliary.keys[i]}: ${other}`);
  }
}

function addRangeProblems(problems: string[], text: string, subnet: Subnet): void {
  if (text.length == 0) return;
  const about = `invalid ip-range ${text}: `;
  const range: Prefix | null = strictPrefix(text);
  if (range === null) {
    problems.push(about + NO_BLOCK);
    return;
  }
  if (range.subnet.isIpv6 != subnet.isIpv6) {
    problems.push(`${about}parent subnet is an ${familyOf(subnet)} block`);
    return;
  }
  if (range.subnet.prefixLength < subnet.prefixLength) {
    problems.push(`${about}CIDR block is bigger than its parent subnet ${subnet.text}`);
  }
  if (!range.isMasked) problems.push(`${about}it should be ${range.subnet.text}`);
  if (!subnet.overlaps(range.subnet)) problems.push(`${about}parent subnet ${subnet.text} doesn't contain ip-range`);
}

/** Empty for no address, or a valid one. */
function addressProblem(text: string, subnet: Subnet): string {
  if (text.length == 0) return "";
  const address: Address | null = strictAddress(text);
  if (address === null) return "invalid address";
  if (address.isIpv6 != subnet.isIpv6) return `parent subnet is an ${familyOf(subnet)} block`;
  return subnet.contains(address) ? "" : `parent subnet ${subnet.text} doesn't contain this address`;
}

function familyOf(subnet: Subnet): string {
  return subnet.isIpv6 ? "IPv6" : "IPv4";
}
