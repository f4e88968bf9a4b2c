// `docker ps`.

import type { Arguments } from "../arguments.js";
import { fieldOf, filtersOf, get, listOf, one } from "../planned.js";
import { query } from "../query.js";

export const LIST = one({
  operands: "",
  about: "List containers",
  takes: { flags: ["all,a", "quiet,q", "latest,l", "size,s", "no-trunc"], values: ["last,n", "filter,f", "format"] },
  plan: (args) => {
    const limit = args.flag("latest") ? "1" : args.value("last");
    const wishes = { all: args.flag("all"), limit, size: args.flag("size"), filters: filtersOf(args) };
    return get(`/containers/json${query(wishes)}`, "list containers");
  },
  prints,
});

function prints(args: Arguments, [answer]: readonly unknown[]): string {
  const ids = listOf(answer).map((one) => fieldOf(one, "Id"));
  return ids.map((id) => (args.flag("no-trunc") ? id : id.slice(0, 12))).join("\n");
}
