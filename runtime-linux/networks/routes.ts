// The machine's IPv4 routes, which the subnets of new networks must avoid.

import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";

/**
 * Destinations of the main routing table in CIDR form, without default routes (proc(5): hexadecimal, in the machine's
 * byte order). `root`: of the machine's files. Empty if the kernel has no such table.
 */
export function routesOf(root = "/"): string[] {
  const routes = tableIn(root)
    .split("\n")
    .flatMap((line) => {
      const columns = line.split("\t");
      const [destination = "", mask = ""] = [columns[1], columns[7]];
      if (!/^[0-9A-F]{8}$/.test(destination) || mask === "00000000") return [];
      const prefix = Number.parseInt(mask, 16).toString(2).replaceAll("0", "").length;
      const bytes = [...Buffer.from(destination, "hex")];
      return [`${(endianness() === "LE" ? bytes.reverse() : bytes).join(".")}/${prefix}`];
    });
  return [...new Set(routes)];
}

/** /proc/thread-self shows the network namespace in which the engine works. Old kernels do not have it. */
function tableIn(root: string): string {
  for (const file of ["proc/thread-self/net/route", "proc/net/route"]) {
    try {
      const table = readFileSync(join(root, file), "utf8");
      if (table !== "") return table;
    } catch {
      // It is not there: the next one is tried.
    }
  }
  return "";
}
