// A link of `HostConfig.Links`: another container on the default bridge, under a name of one's own. The name is one more
// of the other's own names, too: `/parent/alias`.

import { Fields } from "../../records/fields";

export class Link {
  constructor(
    readonly alias: string,
    /** Id of the other. */
    readonly container: string,
    /** What it is called, or was when it was removed; without the slash. */
    public name: string,
  ) {}

  /** What the other is called in files and variables: what stands behind the last slash of the alias. */
  get shortAlias(): string {
    return this.alias.slice(this.alias.lastIndexOf("/") + 1);
  }
}

/** `/parent/alias`, the first slash as one likes. */
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

/** In its container's record. */
export function linkFields(fields: Fields, link: Link | null): Link {
  const alias = fields.text("alias", link === null ? "" : link.alias);
  const container = fields.text("container", link === null ? "" : link.container);
  const name = fields.text("name", link === null ? "" : link.name);
  return link === null ? new Link(alias, container, name) : link;
}
