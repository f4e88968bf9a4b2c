// Options of a tmpfs: Docker's defaults, then the client's. Of options that set the same thing only the last one is
// passed on, as mount(8) would choose: OCI runtimes would apply all of them, and accept only one for propagation.

import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { internal } from "../../refusal";
import { quoteText } from "../../text/go-quote";
import { Container } from "../container";
import { OTHER_CODE, StartError } from "../start/start-error";

const DEFAULTS: string[] = ["noexec", "nosuid", "nodev", "rprivate"];

/** The words of a row set the same thing. */
const CHOICES: string[][] = [
  ["noexec", "exec"],
  ["nosuid", "suid"],
  ["nodev", "dev"],
  ["ro", "rw"],
  ["sync", "async"],
  ["dirsync"],
  ["mand", "nomand"],
  ["noatime", "atime"],
  ["nodiratime", "diratime"],
  ["relatime", "norelatime"],
  ["strictatime", "nostrictatime"],
  ["private", "rprivate", "shared", "rshared", "slave", "rslave", "unbindable", "runbindable"],
];

/** Options with a value (tmpfs(5)). */
const VALUES: string[] = ["size", "mode", "uid", "gid", "nr_inodes", "nr_blocks", "mpol"];

/** Asks for the defaults; OCI runtimes may not know the word. */
const NO_CHANGE: string = "defaults";

/** The options of a mount. `given`: must all be known. */
export function tmpfsOptions(given: string[]): string[] {
  const asked = DEFAULTS.concat(given);
  const settled = new Set<string>();
  const options: string[] = [];
  for (let i = asked.length - 1; i >= 0; i--) {
    const setting = settingOf(asked[i]);
    if (setting.length == 0 || settled.has(setting)) continue;
    settled.add(setting);
    options.push(asked[i]);
  }
  return options.reverse();
}

/** The words of `HostConfig.Tmpfs` as the client wrote them. */
export function tmpfsWords(text: string): string[] {
  return text.length > 0 ? text.split(",") : [];
}

/** Why a container cannot be started with its `HostConfig.Tmpfs`, or null. */
export function tmpfsProblem(container: Container): StartError | null {
  const tmpfs = new Members(container.hostConfig).tree("Tmpfs");
  if (tmpfs === null) return null;
  for (let i = 0; i < tmpfs.items.length; i++) {
    const text = unknownOption(tmpfs.items[i]);
    if (text.length > 0) return new StartError(text, OTHER_CODE, internal(text));
  }
  return null;
}

/** Docker's error for the last unknown option, printed as Go prints a list; empty if all are known. */
function unknownOption(value: Json): string {
  const words = tmpfsWords(value.text);
  for (let i = words.length - 1; i >= 0; i--) {
    if (words[i] == NO_CHANGE || settingOf(words[i]).length > 0) continue;
    const equals = words[i].indexOf("=");
    const parts = equals < 0 ? [words[i]] : [words[i].slice(0, equals), words[i].slice(equals + 1)];
    return `invalid tmpfs option [${parts.map<string>((part: string) => quoteText(part)).join(" ")}]`;
  }
  return "";
}

/** The setting that an option changes; empty for an unknown option. */
function settingOf(option: string): string {
  const equals = option.indexOf("=");
  if (equals >= 0) return VALUES.includes(option.slice(0, equals)) ? option.slice(0, equals) : "";
  for (let i = 0; i < CHOICES.length; i++) if (CHOICES[i].includes(option)) return CHOICES[i][0];
  return "";
}
