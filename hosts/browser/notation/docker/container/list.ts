// `docker ps`.

import type { Arguments } from "../arguments.js";
import { fieldOf, filtersOf, get, listOf, one } from "../planned.js";
import { query } from "../query.js";
import { idOf, listed, momentAt, type Columns, type Row } from "../rows.js";

export const LIST = one({
  operands: "",
  about: "List containers",
  takes: { flags: ["all,a", "quiet,q", "latest,l", "size,s", "no-trunc"], values: ["last,n", "filter,f", "format"] },
  plan: (args) => {
    const limit = args.flag("latest") ? "1" : args.value("last");
    const wishes = { all: args.flag("all"), limit, size: args.flag("size"), filters: filtersOf(args) };
    return get(`/containers/json${query(wishes)}`, "list containers");
  },
  prints: (args, [answer]) =>
    listed(
      args,
      listOf(answer).map((one) => rowOf(args, one)),
      COLUMNS,
      "ID",
    ),
});

const COLUMNS: Columns = [
  ["CONTAINER ID", "ID"],
  ["IMAGE", "Image"],
  ["COMMAND", "Command"],
  ["CREATED", "CreatedAt"],
  ["STATUS", "Status"],
  ["PORTS", "Ports"],
  ["NAMES", "Names"],
];

function rowOf(args: Arguments, container: unknown): Row {
  const { Names: names = [], Ports: ports = [], Labels: labels } = container as Listed;
  const command = fieldOf(container, "Command");
  const shown = args.flag("no-trunc") || command.length <= 20 ? command : `${command.slice(0, 19)}…`;
  return {
    ID: idOf(args, fieldOf(container, "Id")),
    Image: fieldOf(container, "Image"),
    Command: `"${shown}"`,
    CreatedAt: momentAt(fieldOf(container, "Created")),
    Status: fieldOf(container, "Status"),
    State: fieldOf(container, "State"),
    Ports: ports.map(portText).join(", "),
    Names: names.map((name) => name.replace(/^\//, "")).join(","),
    Labels: Object.entries(labels ?? {})
      .map((pair) => pair.join("="))
      .join(","),
  };
}

interface Port {
  readonly IP?: string;
  readonly PrivatePort: number;
  readonly PublicPort?: number;
  readonly Type: string;
}

interface Listed {
  readonly Names?: readonly string[];
  readonly Ports?: readonly Port[];
  readonly Labels?: Readonly<Record<string, string>>;
}

function portText({ IP: address = "", PrivatePort: inside, PublicPort: outside, Type: type }: Port): string {
  if (outside === undefined) return `${inside}/${type}`;
  return `${address.includes(":") ? `[${address}]` : address}:${outside}->${inside}/${type}`;
}
