// Finds programs of the machine.

import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where distributions install them. A service's PATH may lack some of these. */
const PLACES = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/usr/libexec/podman", "/usr/lib/podman"];

/** Looks for a program in PATH and in the system directories; undefined if it is in none. */
export function findProgram(name: string): string | undefined {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined;
  const places = [...(process.env["PATH"] ?? "").split(delimiter), ...PLACES];
  return places
    .filter(isAbsolute)
    .map((place) => join(place, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    if (!existsSync(path)) return false; // without an error, since most directories do not have it
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
