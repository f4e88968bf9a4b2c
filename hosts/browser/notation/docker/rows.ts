// The output of list commands: a table, ids, or the `--format` of each row.

import type { Arguments } from "./arguments.js";
import { formatted } from "./format.js";
import { Wrong } from "./wrong.js";

/** Its fields, by the names in `--format`. */
export type Row = Readonly<Record<string, string>>;

/** The titles of a table's columns, and the fields in them. */
export type Columns = readonly (readonly [title: string, field: string])[];

/** `id`: the field that `--quiet` prints. */
export function listed(args: Arguments, rows: readonly Row[], columns: Columns, id: string): string {
  if (args.flag("quiet")) return [...new Set(rows.map((row) => row[id] ?? ""))].join("\n");
  const format = (args.value("format") ?? "table").replaceAll("\\t", "\t");
  if (format === "table") return table([columns.map(([title]) => title), ...rows.map((row) => cells(row, columns))]);
  if (format === "json") return rows.map((row) => JSON.stringify(row)).join("\n");
  const [, template] = /^table (.*)$/s.exec(format) ?? [];
  const fields = fieldsOf(template ?? format);
  const missing = fields.find((field) => rows[0] !== undefined && rows[0][field] === undefined);
  if (missing !== undefined)
    throw new Wrong(`{{.${missing}}} is not a field here; the fields are ${Object.keys(rows[0]!).join(", ")}`, missing);
  if (template === undefined) return rows.map((row) => formatted(format, row)).join("\n");
  const titles = fields.map((field) => [field, columns.find(([, name]) => name === field)?.[0] ?? field.toUpperCase()]);
  const lines: Row[] = [Object.fromEntries(titles) as Row, ...rows];
  return table(lines.map((row) => formatted(template, row).split("\t")));
}

/** The fields that a template names. */
function fieldsOf(template: string): string[] {
  return Array.from(template.matchAll(/\{\{[^}]*?\.(\w+)/g), ([, field]) => field!);
}

function cells(row: Row, columns: Columns): string[] {
  return columns.map(([, field]) => row[field] ?? "");
}

/** Columns are separated by three blanks. */
function table(lines: readonly (readonly string[])[]): string {
  const width = (at: number): number => Math.max(...lines.map((line) => (line[at] ?? "").length));
  return lines
    .map((line) => line.map((cell, at) => cell.padEnd(width(at) + 3)).join(""))
    .map((line) => line.trimEnd())
    .join("\n");
}

/** An id as lists show it: shortened, unless options say otherwise. */
export function idOf(args: Arguments, id: string): string {
  return args.flag("no-trunc") ? id : id.replace("sha256:", "").slice(0, 12);
}

/** Formats seconds since 1970. */
export function momentAt(seconds: string): string {
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString().replace("T", " ").replace(/\..*$/, " +0000 UTC");
}

/** For example `1.13MB`. */
export function sizeText(bytes: string): string {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log10(Math.max(1, Number(bytes))) / 3)));
  const number = Number((Number(bytes) / 1000 ** power).toPrecision(3));
  return `${number}${["B", "kB", "MB", "GB", "TB"][power]}`;
}
