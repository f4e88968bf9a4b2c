// Why a macvlan or ipvlan network cannot be made, in Docker's words and with its statuses (surface §2.24).

import { Failure, FailureCall, FailureNoSuch, FailureTag, Noun, Thing } from "../../../../build/bindings/types";
import { errnoText } from "../../failure/call";
import { failureText } from "../../failure/text";
import { Json } from "../../json/json";
import { internal, Refusal } from "../../refusal";
import { isInterfaceName } from "../bridge-settings";
import { Network } from "../network";
import { networkStore } from "../store";
import { ParentSettings } from "./parent-settings";
import { missingLinkText, missingParentText, Vlan, vlanOf } from "./vlan";

/** `options`: an object whose values are strings, or null. */
export function refuseParentOptions(driver: string, options: Json | null): Refusal | null {
  const keys: string[] = [];
  const values: string[] = [];
  if (options !== null) options.takeTexts(keys, values);
  const settings = new ParentSettings(driver, keys, values);
  if (settings.problem.length > 0) return internal(settings.problem);
  const parent = settings.parent;
  // The kernel has no interface of such a name.
  return parent.length == 0 || isInterfaceName(parent) ? null : internal(missingParentText(parent));
}

/** Whether another network keeps this one from its parent. */
export function refuseParent(network: Network): Refusal | null {
  const settings = network.parentSettings;
  const all = networkStore.all();
  for (let i = 0; i < all.length; i++) {
    if (settings.parent.length == 0 || all[i].driver != network.driver) continue;
    const other = all[i].parentSettings;
    if (other.parent != settings.parent) continue;
    const text = settings.sharesMac ? usedText(all[i], other) : exclusiveText(all[i], other, settings);
    if (text.length > 0) return internal(text);
  }
  return null;
}

function usedText(other: Network, settings: ParentSettings): string {
  return `network ${settings.dummyName(other.id)} is already using parent interface ${settings.parent}`;
}

/** The kernel lets only one interface pass everything through. Empty if neither network does that. */
function exclusiveText(other: Network, settings: ParentSettings, wanted: ParentSettings): string {
  const used = `macvlan network ${other.id} is already using parent interface ${settings.parent}`;
  if (wanted.mode == "passthru") return `cannot use mode passthru, ${used}`;
  return settings.mode == "passthru" ? `${used} in mode passthru` : "";
}

/** Why the host could not make the network. */
export function unmadeText(network: Network, failure: Failure): string {
  if (!network.isOnParent) return failureText(failure);
  const parent = network.parentSettings.parent;
  const vlan: Vlan | null = vlanOf(parent);
  if (failure.tag == FailureTag.NoSuch) {
    const thing: Thing = (<FailureNoSuch>failure).value;
    if (thing.what == Noun.NetworkInterface) {
      return vlan !== null && thing.name == vlan.link ? missingLinkText(vlan.link) : missingParentText(parent);
    }
  }
  if (failure.tag != FailureTag.Call) return failureText(failure);
  const words = errnoText((<FailureCall>failure).value.error);
  return vlan === null ? words : `failed to create ${parent} vlan link: ${words}`;
}
