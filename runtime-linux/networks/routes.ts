// The machine's routes of both families, which the subnets of new networks must avoid.

import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";

/**
 * Destinations of the routing tables in CIDR form, without default routes and those of single links. `root`: of the
 * machine's files. Empty if the kernel has no such tables.
 */
export function routesOf(root = "/"): string[] {
  return [...new Set([...ipv4Routes(tableIn(root, "route")), ...ipv6Routes(tableIn(root, "ipv6_route"))])];
}

/** Of `/proc/net/route` (proc(5)): hexadecimal, in the machine's byte order. */
function ipv4Routes(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const columns = line.split("\t");
    const [destination = "", mask = ""] = [columns[1], columns[7]];
    if (!/^[0-9A-F]{8}$/.test(destination) || mask === "00000000") return [];
    const prefix = Number.parseInt(mask, 16).toString(2).replaceAll("0", "").length;
    const bytes = [...Buffer.from(destination, "hex")];
    return [`${(endianness() === "LE" ? bytes.reverse() : bytes).join(".")}/${prefix}`];
  });
}

/** Of `/proc/net/ipv6_route`: 32 hexadecimal digits, length of the prefix, eighth column after it the flags. */
function ipv6Routes(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const [digits = "", length = ""] = line.split(/ +/);
    const [flags = "0", link = ""] = line.trim().split(/ +/).slice(-2);
    const isOfMachine = link === "lo" || (Number.parseInt(flags, 16) & (RTF_LOCAL | RTF_ANYCAST)) !== 0;
    if (!/^[0-9a-f]{32}$/.test(digits) || length === "00" || isOfMachine || /^f(e[89ab]|f)/.test(digits)) return [];
    return [`${digits.replace(/(.{4})(?!$)/g, "$1:")}/${Number.parseInt(length, 16)}`];
  });
}

/** Addresses of the machine itself (linux/ipv6_route.h). */
const RTF_LOCAL = 0x8000_0000;
const RTF_ANYCAST = 0x0010_0000;

/** /proc/thread-self shows the network namespace in which the engine works. Old kernels do not have it. */
function tableIn(root: string, name: string): string {
  for (const file of [`proc/thread-self/net/${name}`, `proc/net/${name}`]) {
    try {
      const table = readFileSync(join(root, file), "utf8");
      if (table !== "") return table;
    } catch {
      // It is not there: the next one is tried.
    }
  }
  return "";
}
