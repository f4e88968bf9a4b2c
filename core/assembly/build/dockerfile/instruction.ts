// One instruction of a Dockerfile, as it is written: nothing is substituted yet.

/** A here-document of RUN, COPY or ADD: `<<NAME`, its lines, and a line with the name alone. */
export class Heredoc {
  constructor(
    /** Without quotes. */
    readonly name: string,
    /** Whether COPY and ADD substitute variables in it: not if the name is quoted. */
    readonly expand: bool,
    /** `<<-`: tabs at the beginning of a line are dropped; `content` still has them, `text()` does not. */
    readonly chomp: bool,
    /** All its lines, each with its line end. */
    readonly content: string,
  ) {}

  /** The content, without the tabs that `<<-` drops. */
  text(): string {
    if (!this.chomp) return this.content;
    const lines = this.content.split("\n");
    for (let i = 0; i < lines.length; i++) lines[i] = withoutTabs(lines[i]);
    return lines.join("\n");
  }
}

/** Without the tabs at the beginning. */
export function withoutTabs(line: string): string {
  let from = 0;
  while (from < line.length && line.charCodeAt(from) == 0x09) from++;
  return line.slice(from);
}

export class Instruction {
  /** First and last line in the file, counted from 1. A trigger has those of its ONBUILD. */
  line: i32 = 0;
  endLine: i32 = 0;
  heredocs: Heredoc[] = [];
  /** Options in front of the arguments, without quotes: `--from=x`. */
  flags: string[] = [];
  /** Whether the arguments are a JSON list. */
  isJson: bool = false;
  /**
   * The arguments:
   *
   * - `FROM`, `COPY`, `ADD`, `VOLUME`, `EXPOSE`: each word, quotes and all; of a JSON list each string.
   * - `ENV`, `LABEL`: each name, followed by its value.
   * - `ARG`: each `NAME` or `NAME=value`.
   * - `RUN`, `CMD`, `ENTRYPOINT`, `SHELL`: each string of a JSON list; or the whole text as one word.
   * - `HEALTHCHECK`: its kind, followed by words as of `CMD`.
   * - `MAINTAINER`, `STOPSIGNAL`, `USER`, `WORKDIR`: the whole text as one word.
   * - `ONBUILD`: the keyword of its trigger.
   */
  words: string[] = [];
  /** Of `ONBUILD`: the instruction for later. */
  trigger: Instruction | null = null;

  constructor(
    /** In upper case. */
    readonly keyword: string,
    /** The keyword as it is written. */
    readonly written: string,
    /** The text after keyword and flags. */
    readonly rest: string,
    /** The whole line, continuations joined, as `Step 1/3 : …` shows it. */
    readonly original: string,
  ) {}

  /** The value of a flag; `missing` if it is not there, empty if it has none. Of several the first. */
  flag(name: string, missing: string = ""): string {
    const values = this.flagValues(name);
    return values.length == 0 ? missing : values[0];
  }

  /** The values of a flag that may be repeated. */
  flagValues(name: string): string[] {
    const values: string[] = [];
    for (let i = 0; i < this.flags.length; i++) {
      if (flagName(this.flags[i]) == name) values.push(flagValue(this.flags[i]));
    }
    return values;
  }

  /** Whether a flag without or with a boolean value is set: `--link`, `--link=true`, but not `--link=false`. */
  isOn(name: string): bool {
    return this.flag(name, "false").toLowerCase() != "false";
  }
}

/** `--from=x` → `from`. */
export function flagName(flag: string): string {
  const equals = flag.indexOf("=");
  return flag.slice(2, equals < 0 ? flag.length : equals);
}

/** `--from=x` → `x`. */
export function flagValue(flag: string): string {
  const equals = flag.indexOf("=");
  return equals < 0 ? "" : flag.slice(equals + 1);
}
