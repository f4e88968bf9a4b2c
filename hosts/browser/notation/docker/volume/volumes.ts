// Commands about volumes.

import { printedAs } from "../format.js";
import { pairs } from "../container/sizes.js";
import { each, fieldOf, filtersOf, get, listOf, one, post, remove, volume, withBody } from "../planned.js";
import { query } from "../query.js";
import { listed, type Columns, type Row } from "../rows.js";
import { Wrong } from "../wrong.js";

const OF_A_SWARM = [
  ...["availability", "group", "limit-bytes", "required-bytes", "scope", "secret", "sharing", "type"],
  ...["topology-preferred", "topology-required"],
];

export const LIST = one({
  operands: "",
  about: "List volumes",
  takes: { flags: ["quiet,q", "cluster"], values: ["filter,f", "format"] },
  plan: (args) => get(`/volumes${query({ filters: filtersOf(args) })}`, "list volumes"),
  prints: (args, [answer]) => {
    const volumes = listOf((answer as { Volumes?: unknown } | null)?.Volumes);
    return listed(args, volumes.map(rowOf), COLUMNS, "Name");
  },
});

const COLUMNS: Columns = [
  ["DRIVER", "Driver"],
  ["VOLUME NAME", "Name"],
];

function rowOf(one: unknown): Row {
  const fields = ["Name", "Driver", "Scope", "Mountpoint"];
  return Object.fromEntries(fields.map((field) => [field, fieldOf(one, field)]));
}

export const INSPECT = each({
  about: "Show details of volumes",
  prints: (args, answers) => printedAs(args.value("format"), answers),
  takes: { values: ["format,f"] },
  names: "volume",
  plan: (name) => get(volume(name), `inspect ${name}`),
});

export const CREATE = one({
  operands: "[VOLUME]",
  about: "Make a volume",
  takes: { values: ["driver,d", "opt,o", "label", "name", ...OF_A_SWARM], most: 1 },
  fields: new Map([
    ["driver", "Driver"],
    ["opt", "DriverOpts"],
    ["label", "Labels"],
    ["name", "Name"],
  ]),
  plan: (args) => {
    const swarm = OF_A_SWARM.find((option) => args.has(option));
    if (swarm !== undefined)
      throw new Wrong(`--${swarm} is for volumes of a swarm, which this engine's API does not have`, `--${swarm}`);
    const name = args.operands[0] ?? args.value("name");
    const body = {
      ...(name !== null && { Name: name }),
      Driver: args.value("driver") ?? "local",
      ...(args.has("opt") && { DriverOpts: pairs(args.values("opt")) }),
      ...(args.has("label") && { Labels: pairs(args.values("label")) }),
    };
    return withBody(post("/volumes/create", "make a volume"), body);
  },
  prints: (_args, [answer]) => fieldOf(answer, "Name"),
});

export const REMOVE = each({
  about: "Remove volumes",
  takes: { flags: ["force,f"] },
  names: "volume",
  plan: (name, args) => remove(`${volume(name)}${query({ force: args.flag("force") })}`, `remove ${name}`),
});
