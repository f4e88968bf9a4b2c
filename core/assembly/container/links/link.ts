// A link of `HostConfig.Links`: another container on the default bridge, under a name of one's own. The name is one more
// of the other's own names, too: `/parent/alias`.

import { Json } from "../../json/json";
import { JsonWriter } from "../../json/writer";

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

export function writeLinkRecords(json: JsonWriter, links: Link[]): void {
  if (links.length == 0) return;
  json.key("links");
  json.beginArray();
  for (let i = 0; i < links.length; i++) {
    json.beginObject();
    json.stringField("alias", links[i].alias);
    json.stringField("container", links[i].container);
    json.stringField("name", links[i].name);
    json.endObject();
  }
  json.endArray();
}

export function readLinkRecord(json: Json): Link {
  return new Link(json.stringOf("alias"), json.stringOf("container"), json.stringOf("name"));
}
