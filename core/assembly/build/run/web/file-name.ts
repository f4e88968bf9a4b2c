// What a file of a web server is called where it is put: as in Docker's classic builder, by the path of its address, or
// else by what the server says.

import { decodePath } from "../../../text/url";
import { baseName } from "../paths";
import { nameIn } from "./disposition";

/** Docker's name for a file whose destination is its name. */
export const UNNAMED = "__unnamed__";

/** `address`: without query and fragment. Empty if neither the address nor the server gives a name. */
export function fileNameOf(address: string, disposition: string): string {
  const own = lastOf(pathOf(address));
  return own.length > 0 ? own : lastOf(nameIn(disposition));
}

function pathOf(address: string): string {
  const mark = address.indexOf("://");
  const slash = address.indexOf("/", mark < 0 ? 0 : mark + 3);
  const decoded = slash < 0 ? "" : decodePath(address.slice(slash));
  return decoded === null ? "" : decoded;
}

/** The last part of a path, unless it is that of a directory. */
function lastOf(path: string): string {
  const name = baseName(path);
  return name == "." || name == ".." || name.includes("\0") ? "" : name;
}
