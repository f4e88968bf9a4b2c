// A link from `HostConfig.Links`: another container on the default bridge, known under an alias. The other container
// gets `/parent/alias` as an additional name.

import { Fields } from "../../records/fields";

export class Link {
  constructor(
    readonly alias: string,
    /** Id of the linked container. */
    readonly container: string,
    /** Its name, or the name that it had when it was removed; without the leading slash. */
    public name: string,
  ) {}

  /** The name used in files and variables: the part of the alias after the last slash. */
  get shortAlias(): string {
    return this.alias.slice(this.alias.lastIndexOf("/") + 1);
  }
}

/** `/parent/alias`; the leading slash is optional. */
export class LinkName {
  constructor(
    readonly parent: string,
    readonly alias: string,
  ) {}
}

/** Null for a name without an alias. */
export function parseLinkName(name: string): LinkName | null {
  const path = name.startsWith("/") ? name.slice(1) : name;
  const slash = path.indexOf("/");
  return slash < 0 ? null : new LinkName(path.slice(0, slash), path.slice(slash + 1));
}

/** Reads or writes a link in its container's record. */
export function linkFields(fields: Fields, link: Link | null): Link {
  const alias = fields.text("alias", link === null ? "" : link.alias);
  const container = fields.text("container", link === null ? "" : link.container);
  const name = fields.text("name", link === null ? "" : link.name);
  return link === null ? new Link(alias, container, name) : link;
}
