// `source:destination[:options]` (surface §2.14).

import { cleanPath } from "../text/path";

export class Bind {
  source: string = "";
  destination: string = "";
  /** As given. */
  mode: string = "";
  readOnly: bool = false;
  propagation: string = "";
  /** Why it makes no sense, in Docker's words; or empty. */
  problem: string = "";

  /** A source that is no path is the name of a volume. */
  get named(): bool {
    return !this.source.startsWith("/");
  }
}

const PROPAGATIONS: string[] = ["shared", "rshared", "slave", "rslave", "private", "rprivate"];

export function readBind(text: string): Bind {
  const bind = new Bind();
  const parts = text.split(":");
  if (parts.length < 2 || parts.length > 3 || parts[0].length == 0 || parts[1].length == 0) {
    bind.problem = `invalid volume specification: '${text}'`;
    return bind;
  }
  bind.source = cleanPath(parts[0]);
  bind.destination = cleanPath(parts[1]);
  if (parts.length == 3) readMode(bind, parts[2]);
  if (bind.problem.length == 0) bind.problem = placeProblem(bind, text);
  return bind;
}

function placeProblem(bind: Bind, text: string): string {
  const prefix = `invalid volume specification: '${text}': invalid mount config for type "bind": `;
  if (!bind.destination.startsWith("/")) {
    return `${prefix}invalid mount path: '${bind.destination}' mount path must be absolute`;
  }
  return bind.destination == "/" ? `${prefix}invalid specification: destination can't be '/'` : "";
}

/** One word of each sort at most: access, label, propagation, `nocopy`, consistency. */
function readMode(bind: Bind, mode: string): void {
  bind.mode = mode;
  const seen: string[] = [];
  const words = mode.split(",");
  for (let i = 0; i < words.length; i++) {
    const sort = sortOf(words[i]);
    if (sort.length == 0 || seen.includes(sort)) {
      bind.problem = `invalid mode: ${mode}`;
      return;
    }
    seen.push(sort);
    if (words[i] == "ro") bind.readOnly = true;
    if (sort == "propagation") bind.propagation = words[i];
  }
}

function sortOf(word: string): string {
  if (word == "ro" || word == "rw") return "access";
  if (word == "z" || word == "Z") return "label";
  if (word == "nocopy") return "copy";
  if (word == "consistent" || word == "cached" || word == "delegated" || word == "default") return "consistency";
  return PROPAGATIONS.includes(word) ? "propagation" : "";
}
