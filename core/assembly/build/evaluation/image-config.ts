// The `Config` of an image that is being made. Values that grow from line to line are read once, and written back when
// the config is asked for: a commit may have 50,000 lines of changes.

import { Json } from "../../json/json";
import { MembersByName } from "../../json/members-by-name";
import { followPath } from "../../text/path";
import { Variables } from "../../text/variables";
import { Values } from "./substitution";

const DEFAULT_SHELL: string[] = ["/bin/sh", "-c"];
const DEFAULT_PATH: string = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export class ImageConfig implements Values {
  readonly variables: Variables;
  private variablesChanged: bool = false;
  private readonly maps: Map<string, MembersByName> = new Map<string, MembersByName>();
  private builds: string[] | null = null;
  /** The names of the working directory's path, while relative paths continue it. */
  private names: string[] | null = null;

  /** `document`: changed in place. */
  constructor(private readonly document: Json) {
    this.variables = new Variables(document.stringsOf("Env"));
  }

  /** The config up to now. */
  json(): Json {
    if (this.variablesChanged) this.document.set("Env", Json.strings(this.variables.entries));
    const builds = this.builds;
    if (builds !== null) this.document.set("OnBuild", builds.length == 0 ? Json.null() : Json.strings(builds));
    this.directory();
    return this.document;
  }

  set(field: string, value: Json): void {
    this.document.set(field, value);
  }

  text(field: string): string {
    return this.document.stringOf(field);
  }

  strings(field: string): string[] {
    return this.document.stringsOf(field);
  }

  entry(field: string): Json | null {
    return this.document.entry(field);
  }

  /** An absolute path stays as it is written; a relative one continues the present directory, and is cleaned. */
  changeDirectory(path: string): void {
    if (path.startsWith("/")) {
      this.names = null;
      this.document.set("WorkingDir", Json.string(path));
      return;
    }
    if (this.names === null) {
      this.names = [];
      followPath(this.names!, this.text("WorkingDir"));
    }
    followPath(this.names!, path);
  }

  /** The working directory. */
  directory(): string {
    const names = this.names;
    if (names !== null) this.document.set("WorkingDir", Json.string("/" + names.join("/")));
    return this.text("WorkingDir");
  }

  find(name: string): string | null {
    return this.variables.find(name);
  }

  setVariable(name: string, value: string): void {
    this.variables.set(`${name}=${value}`);
    this.variablesChanged = true;
  }

  /** Every image that a build makes has a `PATH`. */
  addPath(): void {
    if (this.variables.find("PATH") === null) this.setVariable("PATH", DEFAULT_PATH);
  }

  /** Adds a member to an object such as `Labels`. */
  setIn(field: string, name: string, value: Json): void {
    if (!this.maps.has(field)) {
      const member = this.document.entry(field);
      const map = member !== null && member.isObject ? member.copy() : Json.object();
      this.document.set(field, map);
      this.maps.set(field, new MembersByName(map));
    }
    this.maps.get(field).set(name, value);
  }

  /** What precedes a text for the shell. */
  shell(): string[] {
    const shell = this.document.stringsOf("Shell");
    return shell.length > 0 ? shell : DEFAULT_SHELL;
  }

  addTrigger(trigger: string): void {
    if (this.builds === null) this.builds = this.document.stringsOf("OnBuild");
    this.builds!.push(trigger);
  }

  /** The triggers of the image that a stage begins with; the image that it makes has them no more. */
  takeTriggers(): string[] {
    const triggers = this.document.stringsOf("OnBuild");
    if (triggers.length > 0) this.document.set("OnBuild", Json.null());
    return triggers;
  }
}
