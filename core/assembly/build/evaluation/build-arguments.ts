// Build arguments: which a client gives, which the Dockerfile declares, and what their values are.

import { Values } from "./substitution";

/** These need no ARG line, and do not change what a cached step is found by. The two spellings of each are neighbours. */
const PROXIES: string[] = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "FTP_PROXY",
  "ftp_proxy",
  "NO_PROXY",
  "no_proxy",
  "ALL_PROXY",
  "all_proxy",
];

/** The arguments of a build. All its stages share them. */
export class BuildArguments implements Values {
  /** BuildKit gives commands a proxy under both of its names (moby/buildkit, solver/llbsolver/ops/exec.go). */
  pairsProxies: bool = false;
  /** In the order of the client. */
  private readonly names: string[] = [];
  /** Null: declared arguments have their defaults, as if this one had not been given. */
  private readonly given: Map<string, string | null> = new Map<string, string | null>();
  /** Declared before the first FROM, and predefined ones such as `TARGETARCH`. */
  private readonly global: Map<string, string | null> = new Map<string, string | null>();
  private readonly used: Map<string, bool> = new Map<string, bool>();

  /** What the client gives, by the query's `buildargs`. */
  give(name: string, value: string | null): void {
    if (!this.given.has(name)) this.names.push(name);
    this.given.set(name, value);
  }

  /** An ARG before the first FROM: as in Docker it counts as used, and hides a predefined value only by a default. */
  declareForAll(name: string, value: string | null): void {
    this.use(name);
    if (value !== null || !this.global.has(name)) this.global.set(name, value);
  }

  /** A predefined argument. */
  declareGlobal(name: string, value: string | null): void {
    this.global.set(name, value);
  }

  /** The Dockerfile declares it. */
  use(name: string): void {
    this.used.set(name, true);
  }

  /** Names of those before the first FROM, and of predefined ones. */
  get globals(): string[] {
    return this.global.keys();
  }

  /** The value that FROM sees. */
  find(name: string): string | null {
    if (!this.global.has(name) && !PROXIES.includes(name)) return null;
    return this.valueOf(name, this.global.has(name) ? this.global.get(name) : null);
  }

  /** The value of an argument that is declared with this default; null if it has none. */
  valueOf(name: string, byDefault: string | null): string | null {
    const given = this.given.has(name) ? this.given.get(name) : null;
    if (given !== null) return given;
    if (byDefault !== null) return byDefault;
    return this.global.has(name) ? this.global.get(name) : null;
  }

  /** What is given under the other name of a proxy, for a command that gets both; null if there is nothing. */
  twinOf(name: string): string | null {
    const index = PROXIES.indexOf(name);
    if (!this.pairsProxies || index < 0) return null;
    const twin = PROXIES[index ^ 1];
    const value = this.given.has(twin) ? this.given.get(twin) : null;
    return value !== null && value.length > 0 ? value : null;
  }

  /** The names of given arguments that the Dockerfile does not declare, in order of their names. */
  unused(): string[] {
    const unused = this.names.filter((name) => !PROXIES.includes(name));
    const left: string[] = [];
    for (let i = 0; i < unused.length; i++) if (!this.used.has(unused[i])) left.push(unused[i]);
    return left.sort();
  }

  /** What the end of a build tells about them; empty if all are used. */
  warning(): string {
    const unused = this.unused();
    return unused.length == 0 ? "" : `[Warning] One or more build-args [${unused.join(" ")}] were not consumed\n`;
  }
}

/** The arguments that one stage has declared so far. */
export class StageArguments implements Values {
  private readonly names: string[] = [];
  private readonly defaults: Map<string, string | null> = new Map<string, string | null>();

  constructor(readonly all: BuildArguments) {}

  /** `value`: the default; null if there is none. A later declaration replaces an earlier one. */
  add(name: string, value: string | null): void {
    if (!this.defaults.has(name)) this.names.push(name);
    this.defaults.set(name, value);
    this.all.use(name);
  }

  get declared(): string[] {
    return this.names;
  }

  has(name: string): bool {
    return this.defaults.has(name);
  }

  find(name: string): string | null {
    if (this.defaults.has(name)) return this.all.valueOf(name, this.defaults.get(name));
    return PROXIES.includes(name) ? this.all.valueOf(name, null) : null;
  }

  /** Entries `NAME=value` for a RUN, sorted; without variables of the image, which win. */
  entries(image: Values): string[] {
    const names = this.names.concat(PROXIES);
    const entries: string[] = [];
    for (let i = 0; i < names.length; i++) {
      if (i >= this.names.length && this.defaults.has(names[i])) continue;
      const own = this.find(names[i]);
      const value = own !== null ? own : this.all.twinOf(names[i]);
      if (value !== null && image.find(names[i]) === null) entries.push(`${names[i]}=${value}`);
    }
    return entries.sort();
  }

  /** The entries by which a cached step is found: a proxy counts only if the stage declares it. */
  keyEntries(entries: string[]): string[] {
    const key: string[] = [];
    for (let i = 0; i < entries.length; i++) {
      const name = entries[i].slice(0, entries[i].indexOf("="));
      if (this.defaults.has(name) || !PROXIES.includes(name)) key.push(entries[i]);
    }
    return key;
  }
}
