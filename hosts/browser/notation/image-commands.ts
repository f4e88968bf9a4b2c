// Commands about images.

import type { Arguments } from "./arguments.js";
import { each, filterText, get, one, post, pulling, reference } from "./planned.js";
import type { Command, Planned } from "./planned.js";
import { query } from "./query.js";

export const IMAGE_COMMANDS: Readonly<Record<string, Command>> = {
  images: one({ flags: ["all,a", "quiet,q", "digests", "no-trunc"], values: ["filter,f"], most: 1 }, (args) =>
    get(
      `/images/json${query({ all: args.flag("all"), digests: args.flag("digests"), filters: imageFilters(args) })}`,
      "list images",
    ),
  ),
  pull: { takes: { flags: ["all-tags,a", "quiet,q"], values: ["platform"], least: 1, most: 1 }, plan: pull },
  push: one({ least: 1, most: 1 }, ({ operands: [name] }) => {
    const { repository, tag } = reference(name!);
    return post(`/images/${repository}/push${query({ tag })}`, `push ${name}`);
  }),
  tag: one({ least: 2, most: 2 }, ({ operands: [from, to] }) => {
    const { repository, tag } = reference(to!);
    return post(`/images/${from}/tag${query({ repo: repository, tag })}`, `give ${from} another name`);
  }),
  rmi: each({ flags: ["force,f", "no-prune"], least: 1 }, (name, args) => ({
    ...post(`/images/${name}${query({ force: args.flag("force"), noprune: args.flag("no-prune") })}`, `remove ${name}`),
    method: "DELETE",
  })),
  "image inspect": each({ least: 1 }, (name) => get(`/images/${name}/json`, `ask for all about ${name}`)),
  history: one({ least: 1, most: 1 }, ({ operands: [name] }) => get(`/images/${name}/history`, "list its layers")),
  search: one({ values: ["limit"], least: 1, most: 1 }, (args) =>
    get(`/images/search${query({ term: args.operands[0]!, limit: args.value("limit") })}`, "search for images"),
  ),
  commit: one({ flags: ["pause,p"], values: ["author,a", "message,m", "change,c"], least: 1, most: 2 }, (args) => {
    const { repository, tag } = reference(args.operands[1] ?? "");
    const [author, comment] = [args.value("author"), args.value("message")];
    const wishes = { container: args.operands[0]!, repo: repository || null, tag, author, comment };
    const request = post(
      `/commit${query({ ...wishes, changes: args.values("change") })}`,
      "keep its changes as an image",
    );
    return { ...request, headers: [["Content-Type", "application/json"]], body: "{}" };
  }),
};

function pull(args: Arguments): Planned {
  return { requests: [pulling(args.operands[0]!, args.value("platform"), args.flag("all-tags"))] };
}

function imageFilters(args: Arguments): string | null {
  const [pattern] = args.operands;
  return filterText([...args.values("filter"), ...(pattern === undefined ? [] : [`reference=${pattern}`])]);
}
