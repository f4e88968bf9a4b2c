// `frontend.outline`: what a client can give to a build of the target (`docker build --call outline`): arguments, secrets,
// ssh agents, and the caches that it has.

import { Json } from "../../json/json";
import { TextBuilder } from "../../text/builder";
import { Instruction } from "../dockerfile/instruction";
import { BuildArguments, StageArguments } from "../evaluation/build-arguments";
import { Budget } from "../evaluation/budget";
import { mountField } from "../evaluation/run-mount";
import { substitute } from "../evaluation/substitution";
import { Stages } from "../stages/stages";
import { Answer, locationOf, sourcesOf } from "./answer";
import { descriptionOf } from "./comments";
import { Table } from "./table";

/** Of all that a client can give, and of all caches together. */
const MOST_TOLD: i32 = 1000;
const DEFAULT_AGENT = "default";
const PLAIN = "$\"'";

/** `args`: with those that the client gives. */
export function outlineAnswer(stages: Stages, args: BuildArguments, escape: i32, dockerfile: string): Answer {
  return new Outline(args, escape, dockerfile).answerFor(stages);
}

class Outline {
  private readonly lines: string[];
  private readonly budget: Budget = new Budget();
  private readonly known: Set<string> = new Set<string>();
  private readonly args: Json = Json.array();
  private readonly secrets: Json = Json.array();
  private readonly agents: Json = Json.array();
  private readonly caches: Json = Json.array();
  private readonly argTable: Table = new Table(["BUILD ARG", "VALUE", "DESCRIPTION"], 3);
  private readonly secretTable: Table = new Table(["SECRET", "REQUIRED"], 3);
  private readonly agentTable: Table = new Table(["SSH", "REQUIRED"], 3);

  constructor(
    private readonly given: BuildArguments,
    private readonly escape: i32,
    private readonly dockerfile: string,
  ) {
    this.lines = dockerfile.split("\n");
  }

  answerFor(stages: Stages): Answer {
    for (let i = 0; i < stages.globals.length; i++) this.takeGlobal(stages.globals[i].instruction);
    for (let i = 0; i < stages.needed.length; i++) this.takeStage(stages.all[stages.needed[i]].instructions);
    const target = stages.all[stages.target];
    const description = descriptionOf(target.name, target.from.line, this.lines);
    const document = Json.object();
    if (target.name.length > 0) document.set("name", Json.string(target.name));
    if (description.length > 0) document.set("description", Json.string(description));
    setIfAny(document, "args", this.args);
    setIfAny(document, "secrets", this.secrets);
    setIfAny(document, "ssh", this.agents);
    setIfAny(document, "cache", this.caches);
    document.set("sources", sourcesOf(this.dockerfile));
    return new Answer(document, this.textFor(target.name, description));
  }

  private takeGlobal(instruction: Instruction): void {
    for (let i = 0; i < instruction.words.length; i++) {
      const name = instruction.words[i].split("=")[0];
      this.addArgument(instruction, name, this.given.find(name));
    }
  }

  private takeStage(instructions: Instruction[]): void {
    const own = new StageArguments(this.given);
    for (let i = 0; i < instructions.length; i++) {
      const instruction = instructions[i];
      if (instruction.keyword == "ARG") this.takeArguments(instruction, own);
      const mounts = instruction.keyword == "RUN" ? instruction.flagValues("mount") : [];
      for (let j = 0; j < mounts.length; j++) this.takeMount(instruction, mounts[j]);
    }
  }

  /** An argument's value is not yet there for others of the same line. */
  private takeArguments(instruction: Instruction, own: StageArguments): void {
    const names: string[] = [];
    const values: (string | null)[] = [];
    for (let i = 0; i < instruction.words.length; i++) {
      const word = instruction.words[i];
      const equals = word.indexOf("=");
      names.push(equals < 0 ? word : word.slice(0, equals));
      if (equals < 0) values.push(null);
      else values.push(substitute(word.slice(equals + 1), own, this.escape, this.budget).text);
    }
    for (let i = 0; i < names.length; i++) own.add(names[i], values[i]);
    for (let i = 0; i < names.length; i++) this.addArgument(instruction, names[i], own.find(names[i]));
  }

  private addArgument(instruction: Instruction, name: string, value: string | null): void {
    if (this.isKnown(`arg ${name}`)) return;
    const description = descriptionOf(name, instruction.line, this.lines);
    const argument = named("name", name);
    if (description.length > 0) argument.set("description", Json.string(description));
    if (value !== null && value.length > 0) argument.set("value", Json.string(value));
    argument.set("location", locationOf(instruction.line, instruction.endLine));
    this.args.push(argument);
    this.argTable.add([name, value === null ? "" : value, description]);
  }

  /** What a variable names is not known. */
  private takeMount(instruction: Instruction, mount: string): void {
    const type = mountField(mount, "type").toLowerCase();
    const id = mountField(mount, "id");
    for (let i = 0; i < PLAIN.length; i++) if (id.includes(PLAIN.charAt(i))) return;
    const target = mountTarget(mount);
    if (type == "secret") this.addClients(instruction, mount, id.length > 0 ? id : baseOf(target), true);
    else if (type == "ssh") this.addClients(instruction, mount, id.length > 0 ? id : DEFAULT_AGENT, false);
    else if (type == "cache") this.addCache(instruction, id.length > 0 ? id : target);
  }

  /** A secret or an agent of the client's. */
  private addClients(instruction: Instruction, mount: string, name: string, isSecret: bool): void {
    if (this.isKnown(`${isSecret ? "secret" : "ssh"} ${name}`)) return;
    const required = isRequired(mount);
    const wanted = named("name", name);
    if (required) wanted.set("required", Json.bool(true));
    wanted.set("location", locationOf(instruction.line, instruction.endLine));
    (isSecret ? this.secrets : this.agents).push(wanted);
    (isSecret ? this.secretTable : this.agentTable).add([name, required ? "true" : ""]);
  }

  private addCache(instruction: Instruction, id: string): void {
    if (this.isKnown(`cache ${id}`)) return;
    const cache = named("ID", id);
    cache.set("location", locationOf(instruction.line, instruction.endLine));
    this.caches.push(cache);
  }

  /** Each is told once. More than ever are meant are as good as known. */
  private isKnown(key: string): bool {
    const known = this.known.has(key) || this.known.size >= MOST_TOLD;
    if (known) return true;
    this.known.add(key);
    return false;
  }

  private textFor(name: string, description: string): string {
    const text = new TextBuilder();
    if (name.length > 0 || description.length > 0) {
      const head = new Table(["TARGET:", name.length > 0 ? name : "(default)"], 1);
      if (description.length > 0) head.add(["DESCRIPTION:", description]);
      head.write(text);
      text.text("\n");
    }
    const tables = [this.argTable, this.secretTable, this.agentTable];
    for (let i = 0; i < tables.length; i++) {
      if (tables[i].isEmpty) continue;
      tables[i].write(text);
      text.text("\n");
    }
    return text.toString();
  }
}

function named(key: string, name: string): Json {
  const value = Json.object();
  value.set(key, Json.string(name));
  return value;
}

function setIfAny(document: Json, key: string, list: Json): void {
  if (list.length > 0) document.set(key, list);
}

function mountTarget(mount: string): string {
  const names = ["target", "dst", "destination"];
  for (let i = 0; i < names.length; i++) {
    const target = mountField(mount, names[i]);
    if (target.length > 0) return target;
  }
  return "";
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function isRequired(mount: string): bool {
  const words = mount.split(",");
  return words.includes("required") || mountField(mount, "required").toLowerCase() == "true";
}
