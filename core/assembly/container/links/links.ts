// Links: read at create, kept on both containers, shown with their current names, and removed by `DELETE
// /containers/{parent}/{alias}?link=1` or together with the parent (surface §2.19).

import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { jsonBytes } from "../../json/writer";
import { badParameter, Refusal } from "../../refusal";
import { cleanPath } from "../../text/path";
import { Container } from "../container";
import { networkOwner } from "../endpoint/shared-network";
import { containerStore } from "../store";
import { Link, parseLinkName } from "./link";

/** The links that a client asks for, or the reason for refusing them. */
export class LinkWishes {
  links: Link[] = [];
  refusal: Refusal | null = null;
}

/** A second link with the same alias is ignored. */
export function readLinks(hostConfig: Json): LinkWishes {
  const wishes = new LinkWishes();
  const texts = hostConfig.stringsOf("Links");
  for (let i = 0; i < texts.length && wishes.refusal === null; i++) readLink(wishes, texts[i]);
  return wishes;
}

/** What is wrong with a link that cannot be read. */
export function linkProblem(text: string): string {
  return text.length == 0 ? "empty string specified for links" : `bad format for links: ${text}`;
}

/** `name:alias`, `name`, or the form that inspect shows: `/name:/parent/alias`. */
function readLink(wishes: LinkWishes, text: string): void {
  const parts = text.split(":");
  if (text.length == 0 || parts.length > 2) {
    wishes.refusal = badParameter(linkProblem(text));
    return;
  }
  const name = parts[0];
  const shown = name.startsWith("/") && parts.length == 2;
  const alias = parts.length < 2 ? name : shown ? parts[1].slice(parts[1].lastIndexOf("/") + 1) : parts[1];
  const lookup = containerStore.lookUp(name);
  if (lookup.container === null) {
    const why = name.length > 0 ? lookup.refusal!.message : 'invalid name or ID supplied: ""';
    wishes.refusal = badParameter(`could not get container for ${name}: ${why}`);
    return;
  }
  // A container on another's network is reached there.
  const other = networkOwner(lookup.container!);
  if (other.networkMode == "host") wishes.refusal = badParameter(WITH_HOST);
  else addLink(wishes.links, cleanPath(`/${alias}`).slice(1), other);
}

export const WITH_HOST: string =
  "conflicting options: host type networking can't be used with links. This would result in undefined behavior";

function addLink(links: Link[], alias: string, other: Container): void {
  if (alias.length == 0) return;
  for (let i = 0; i < links.length; i++) if (links[i].alias == alias) return;
  links.push(new Link(alias, other.id, other.name));
}

/** Registers the container with those it links to: at create, and after records have been read. */
export function tieLinks(container: Container): void {
  for (let i = 0; i < container.links.length; i++) {
    const other = containerStore.find(container.links[i].container);
    if (other === null || other.linkedBy.includes(container)) continue;
    other.linkedBy.push(container);
    other.listed = null;
  }
}

/** The container is being removed: its aliases for others end. Containers linked to it keep its name in their links. */
export function untieLinks(container: Container): void {
  for (let i = 0; i < container.links.length; i++) untie(container, container.links[i].container);
}

/** Names that other containers' links give it: `parent/alias`, without the leading slash. */
export function linkNamesOf(container: Container): string[] {
  const names: string[] = [];
  for (let i = 0; i < container.linkedBy.length; i++) {
    const parent = container.linkedBy[i];
    for (let j = 0; j < parent.links.length; j++) {
      if (parent.links[j].container == container.id) names.push(`${parent.name}/${parent.links[j].alias}`);
    }
  }
  return names;
}

/** One end of the link was renamed. */
export function renameLinks(container: Container): void {
  for (let i = 0; i < container.links.length; i++) {
    const other = containerStore.find(container.links[i].container);
    if (other !== null) other.listed = null;
  }
  showLinks(container);
  for (let i = 0; i < container.linkedBy.length; i++) {
    const links = container.linkedBy[i].links;
    for (let j = 0; j < links.length; j++) if (links[j].container == container.id) links[j].name = container.name;
    showLinks(container.linkedBy[i]);
  }
}

/** Writes the form that inspect shows into `HostConfig`: `/name:/parent/alias`. */
export function showLinks(container: Container): void {
  const hostConfig = parseKept(container.hostConfig)!;
  const shown: string[] = [];
  for (let i = 0; i < container.links.length; i++) {
    shown.push(`/${container.links[i].name}:/${container.name}/${container.links[i].alias}`);
  }
  hostConfig.set("Links", shown.length > 0 ? Json.strings(shown) : Json.null());
  container.hostConfig = jsonBytes(hostConfig);
  container.touch();
}

/** The container that has a link of this name, `/parent/alias`; null if there is none. */
export function parentOf(text: string): Container | null {
  const name = parseLinkName(text);
  if (name === null) return null;
  const parent = containerStore.find(containerStore.idOf(name.parent));
  return parent !== null && parent.linkTo(name.alias) !== null ? parent : null;
}

/** Removes one link. */
export function removeLink(parent: Container, text: string): void {
  const name = parseLinkName(text);
  const link: Link | null = name === null ? null : parent.linkTo(name.alias);
  if (link === null) return;
  untie(parent, link.container);
  parent.links.splice(parent.links.indexOf(link), 1);
  // Another link may lead to the same container.
  tieLinks(parent);
  showLinks(parent);
}

function untie(parent: Container, id: string): void {
  const other = containerStore.find(id);
  if (other === null) return;
  other.listed = null;
  const at = other.linkedBy.indexOf(parent);
  if (at >= 0) other.linkedBy.splice(at, 1);
}
