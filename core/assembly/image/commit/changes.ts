// Applies Dockerfile lines to a config: the `changes` of commit (surface §2.22).

import { Json } from "../../json/json";
import { MembersByName } from "../../json/members-by-name";
import { TextBuilder } from "../../text/builder";
import { decimalOf } from "../../text/decimal";
import { followPath } from "../../text/path";
import { Variables } from "../../text/variables";
import { expandWord, isBlank, jsonWords, splitWords } from "./dockerfile-words";
import { readHealthcheck } from "./healthcheck";

/** Number of ports of all three protocols. */
const MAX_PORTS: i32 = 3 * 65536;
/** Limit for all expanded variables together, in UTF-16 units: each change may double the one before. */
const MAX_EXPANDED: i32 = 4 * 1024 * 1024;
const DEFAULT_SHELL: string[] = ["/bin/sh", "-c"];

/** Applies the lines to a `Config`; returns what is wrong with them, or empty. */
export function applyChanges(config: Json, changes: string[]): string {
  const applied = new Changes(config);
  for (let i = 0; i < changes.length; i++) {
    const lines = logicalLines(changes[i]);
    for (let j = 0; j < lines.length; j++) {
      const error = applied.apply(lines[j]);
      if (error.length > 0) return error;
      if (applied.expanded > MAX_EXPANDED) return `changes are longer than ${MAX_EXPANDED.toString()} characters`;
    }
  }
  applied.finish();
  return "";
}

// Values that grow from line to line are read from the config
// once and written back at the end: there may be 50,000 lines.
class Changes {
  /** Length of all words so far after expansion, in UTF-16 units. */
  expanded: i32 = 0;
  private commandGiven: bool = false;
  private ports: i32 = 0;
  private readonly variables: Variables;
  private variablesChanged: bool = false;
  private readonly maps: Map<string, MembersByName> = new Map<string, MembersByName>();
  private builds: string[] | null = null;
  private directory: string[] | null = null;

  constructor(private readonly config: Json) {
    this.variables = new Variables(config.stringsOf("Env"));
  }

  finish(): void {
    if (this.variablesChanged) this.config.set("Env", Json.strings(this.variables.entries));
    const builds = this.builds;
    if (builds !== null) this.config.set("OnBuild", Json.strings(builds));
    const directory = this.directory;
    if (directory !== null) this.config.set("WorkingDir", Json.string("/" + directory.join("/")));
  }

  apply(line: string): string {
    let end = 0;
    while (end < line.length && !isBlank(line.charCodeAt(end))) end++;
    const word = line.slice(0, end).toUpperCase();
    const rest = line.slice(end).trim();
    switch (CHANGES.indexOf(word)) {
      case 0:
        return this.command(rest);
      case 1:
        return this.entrypoint(rest);
      case 2:
        return this.environment(rest);
      case 3:
        return this.expose(rest);
      case 4:
        return this.healthcheck(rest);
      case 5:
        return this.labels(rest);
      case 6:
        return this.onBuild(rest);
      case 7:
        return this.text("StopSignal", "STOPSIGNAL", rest);
      case 8:
        return this.text("User", "USER", rest);
      case 9:
        return this.volumes(rest);
      case 10:
        return this.workingDirectory(rest);
      default:
        return `${word.toLowerCase()} is not a valid change command`;
    }
  }

  private command(rest: string): string {
    this.config.set("Cmd", this.commandLine(rest));
    this.commandGiven = true;
    return "";
  }

  /** The arguments belong to the old program: they are removed unless the same changes contain `CMD`. */
  private entrypoint(rest: string): string {
    const words = this.commandLine(rest);
    this.config.set("Entrypoint", words);
    if (!this.commandGiven) this.config.set("Cmd", Json.null());
    return "";
  }

  private environment(rest: string): string {
    const pairs = this.pairs(rest);
    if (pairs.length == 0) return "ENV requires at least one argument";
    for (let i = 0; i < pairs.length; i++) {
      const equals = pairs[i].indexOf("=");
      if (equals < 0) return "ENV must have two arguments";
      if (equals == 0) return "ENV names can not be blank";
      this.variables.set(pairs[i]);
    }
    this.variablesChanged = true;
    return "";
  }

  private labels(rest: string): string {
    const pairs = this.pairs(rest);
    if (pairs.length == 0) return "LABEL requires at least one argument";
    const labels = this.map("Labels");
    for (let i = 0; i < pairs.length; i++) {
      const equals = pairs[i].indexOf("=");
      if (equals < 0) return "LABEL must have two arguments";
      if (equals == 0) return "LABEL names can not be blank";
      labels.set(pairs[i].slice(0, equals), Json.string(pairs[i].slice(equals + 1)));
    }
    return "";
  }

  private expose(rest: string): string {
    const words = splitWords(rest);
    if (words.length == 0) return "EXPOSE requires at least one argument";
    const ports = this.map("ExposedPorts");
    for (let i = 0; i < words.length; i++) {
      const word = this.expand(words[i]);
      const slash = word.indexOf("/");
      const range = (slash < 0 ? word : word.slice(0, slash)).split("-");
      const protocol = slash < 0 ? "tcp" : word.slice(slash + 1).toLowerCase();
      const first = portOf(range[0]);
      const last = range.length > 1 ? portOf(range[1]) : first;
      const known = protocol == "tcp" || protocol == "udp" || protocol == "sctp";
      if (first < 0 || last < first || range.length > 2 || !known) return `invalid containerPort: ${word}`;
      this.ports += last - first + 1;
      if (this.ports > MAX_PORTS) return `EXPOSE of more than ${MAX_PORTS.toString()} ports: ${word}`;
      for (let port = first; port <= last; port++) ports.set(`${port.toString()}/${protocol}`, Json.object());
    }
    return "";
  }

  private healthcheck(rest: string): string {
    const read = readHealthcheck(rest);
    const check = read.check;
    if (check === null) return read.error;
    this.config.set("Healthcheck", check);
    return "";
  }

  private onBuild(rest: string): string {
    if (rest.length == 0) return "ONBUILD requires at least one argument";
    if (this.builds === null) this.builds = this.config.stringsOf("OnBuild");
    this.builds!.push(rest);
    return "";
  }

  private text(field: string, instruction: string, rest: string): string {
    if (splitWords(rest).length != 1) return `${instruction} requires exactly one argument`;
    this.config.set(field, Json.string(this.expand(rest)));
    return "";
  }

  private volumes(rest: string): string {
    const list = jsonWords(rest);
    const words = list === null ? splitWords(rest) : list.strings();
    if (words.length == 0) return "VOLUME requires at least one argument";
    const volumes = this.map("Volumes");
    for (let i = 0; i < words.length; i++) {
      const path = this.expand(words[i]).trim();
      if (path.length == 0) return "VOLUME specified can not be an empty string";
      volumes.set(path, Json.object());
    }
    return "";
  }

  private workingDirectory(rest: string): string {
    if (rest.length == 0) return "WORKDIR requires exactly one argument";
    const path = this.expand(rest);
    if (this.directory === null) {
      this.directory = [];
      followPath(this.directory!, this.config.stringOf("WorkingDir"));
    }
    followPath(this.directory!, path);
    return "";
  }

  /** A JSON list is used as it is; anything else is for the shell. An empty list means no command. */
  private commandLine(rest: string): Json {
    const list = jsonWords(rest);
    if (list !== null) return list.length == 0 ? Json.null() : list;
    return rest.length == 0 ? Json.null() : Json.strings(this.shell().concat([rest]));
  }

  private shell(): string[] {
    const shell = this.config.stringsOf("Shell");
    return shell.length > 0 ? shell : DEFAULT_SHELL;
  }

  /** `name=value …`, or the older form `name the rest of the line`; expanded. */
  private pairs(rest: string): string[] {
    const words = splitWords(rest);
    const pairs: string[] = [];
    if (words.length > 1 && !words[0].includes("=")) {
      const value = rest.slice(words[0].length).trim();
      pairs.push(`${this.expand(words[0])}=${this.expand(value)}`);
      return pairs;
    }
    for (let i = 0; i < words.length; i++) pairs.push(this.expand(words[i]));
    return pairs;
  }

  private expand(word: string): string {
    const expanded = expandWord(word, this.variables, MAX_EXPANDED - this.expanded);
    // Too long: the caller refuses the line.
    if (expanded === null) this.expanded = MAX_EXPANDED + 1;
    else this.expanded += expanded.length;
    return expanded === null ? word : expanded;
  }

  /** The member as an object to which the changes add. */
  private map(name: string): MembersByName {
    if (!this.maps.has(name)) {
      const member = this.config.entry(name);
      const map = member !== null && member.isObject ? member.copy() : Json.object();
      this.config.set(name, map);
      this.maps.set(name, new MembersByName(map));
    }
    return this.maps.get(name);
  }
}

// prettier-ignore
const CHANGES: string[] = [
  "CMD", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK", "LABEL", "ONBUILD", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
];

/** Lines joined with their continuations, without blank lines and comments. */
function logicalLines(text: string): string[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const result: string[] = [];
  const open = new TextBuilder();
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].trim();
    if (line.startsWith("#")) continue;
    if (line.endsWith("\\")) {
      open.text(line.slice(0, line.length - 1));
      continue;
    }
    addWhole(result, open.text(line));
  }
  addWhole(result, open);
  return result;
}

function addWhole(lines: string[], open: TextBuilder): void {
  const whole = open.toString().trim();
  open.reset();
  if (whole.length > 0) lines.push(whole);
}

/** -1 for an invalid port. */
function portOf(text: string): i32 {
  return decimalOf(text, 65535);
}
