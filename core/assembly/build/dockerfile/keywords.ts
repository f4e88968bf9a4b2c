// The instructions of a Dockerfile: the form of their arguments, and the flags they have.

/** How the arguments of an instruction are read. */
export enum Form {
  /** No instruction has this keyword. */
  None,
  /** The whole text is one argument. */
  Text,
  /** Words between white space. */
  Words,
  /** Words, in which quotes and escapes protect white space. */
  Quoted,
  /** `name=value …` or `name value`. */
  Pairs,
  /** A JSON list, or a text for the shell. */
  Command,
  /** A JSON list, or words. */
  List,
  /** `NONE`, or `CMD` and a command. */
  Check,
  /** Another instruction. */
  Trigger,
}

export const KEYWORDS: string[] = [
  "ADD",
  "ARG",
  "CMD",
  "COPY",
  "ENTRYPOINT",
  "ENV",
  "EXPOSE",
  "FROM",
  "HEALTHCHECK",
  "LABEL",
  "MAINTAINER",
  "ONBUILD",
  "RUN",
  "SHELL",
  "STOPSIGNAL",
  "USER",
  "VOLUME",
  "WORKDIR",
];

const FORMS: Form[] = [
  Form.List,
  Form.Quoted,
  Form.Command,
  Form.List,
  Form.Command,
  Form.Pairs,
  Form.Words,
  Form.Words,
  Form.Check,
  Form.Pairs,
  Form.Text,
  Form.Trigger,
  Form.Command,
  Form.Command,
  Form.Text,
  Form.Text,
  Form.List,
  Form.Text,
];

/** Flags with one value. */
const VALUES: string[] = [
  "ADD chown",
  "ADD chmod",
  "ADD checksum",
  "COPY chown",
  "COPY chmod",
  "COPY from",
  "FROM platform",
  "HEALTHCHECK interval",
  "HEALTHCHECK timeout",
  "HEALTHCHECK start-period",
  "HEALTHCHECK start-interval",
  "HEALTHCHECK retries",
  "RUN network",
  "RUN security",
];

/** Flags that may be repeated. */
const REPEATED: string[] = ["ADD exclude", "COPY exclude", "RUN mount", "RUN device"];

/** Flags that are set without a value, or with `=true` or `=false`. */
const SWITCHES: string[] = ["ADD keep-git-dir", "ADD link", "ADD unpack", "COPY link", "COPY parents"];

/** `keyword` in upper case. */
export function formOf(keyword: string): Form {
  const place = KEYWORDS.indexOf(keyword);
  return place < 0 ? Form.None : FORMS[place];
}

/** Whether here-documents can follow the instruction. */
export function takesHeredocs(keyword: string): bool {
  return keyword == "RUN" || keyword == "COPY" || keyword == "ADD";
}

export function hasValueFlag(keyword: string, flag: string): bool {
  return VALUES.includes(`${keyword} ${flag}`);
}

export function hasRepeatedFlag(keyword: string, flag: string): bool {
  return REPEATED.includes(`${keyword} ${flag}`);
}

export function hasSwitch(keyword: string, flag: string): bool {
  return SWITCHES.includes(`${keyword} ${flag}`);
}

/** The names of all its flags. */
export function flagsOf(keyword: string): string[] {
  const start = `${keyword} `;
  const all = VALUES.concat(REPEATED).concat(SWITCHES);
  const names: string[] = [];
  for (let i = 0; i < all.length; i++) if (all[i].startsWith(start)) names.push(all[i].slice(start.length));
  return names;
}
