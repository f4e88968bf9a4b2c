// What a client wants of the result of a build (docs of buildx, `--output`; moby/buildkit, exporter). `moby` is what the
// docker driver asks for.

import { parseFlag } from "../../../api/parameters";
import { Reference } from "../../../image/reference";
import { readNewName } from "../../../image/tag";
import { Json } from "../../../json/json";
import { quoteText } from "../../../text/go-quote";
import { CallError, Code, notBuilt, objectIn } from "../grpc-reply";

export enum OutputKind {
  /** The result is only the builder's cache. */
  Nothing,
  /** An image of the store. */
  Image,
  /** The files of the result, for a directory of the client. */
  Files,
  /** The files of the result, as a tar. */
  Tar,
  /** An archive of the image, as of `docker save`. */
  Docker,
  /** An archive of the image: an OCI image layout. */
  Oci,
}

const TYPES: string[] = ["", "moby", "image", "local", "tar", "docker", "oci"];
const KINDS: OutputKind[] = [
  OutputKind.Nothing,
  OutputKind.Image,
  OutputKind.Image,
  OutputKind.Files,
  OutputKind.Tar,
  OutputKind.Docker,
  OutputKind.Oci,
];

/** Attributes that would change what comes out. */
const UNBUILT: string[] = [
  "attestation-prefix",
  "compression",
  "dangling-name-prefix",
  "epoch",
  "force-compression",
  "platform-split",
  "push-by-digest",
  "registry.insecure",
  "rewrite-timestamp",
  "tar",
];
/** Values with which they change nothing, besides empty ones. */
const HARMLESS: string[] = [
  "compression=gzip",
  "compression=uncompressed",
  "force-compression=false",
  "platform-split=false",
  "push-by-digest=false",
  "registry.insecure=false",
  "rewrite-timestamp=false",
  "tar=true",
];
const ANNOTATION = "annotation";
const MOST_OUTPUTS: i32 = 16;

export class Output {
  readonly kind: OutputKind;
  /** What is not built of it; empty if all is. */
  unbuilt: string = "";
  /** What is wrong with it; empty if nothing is. */
  problem: string = "";
  /** The names of the image. */
  references: Reference[] = [];
  /** The image also goes to the registries of its names. */
  pushes: bool = false;

  constructor(type: string, attributes: Json) {
    // What `registry` stands for.
    const isPushed = type == "registry";
    const at = isPushed ? 2 : TYPES.indexOf(type);
    this.kind = at < 0 ? OutputKind.Nothing : KINDS[at];
    if (at < 0) this.unbuilt = `the output of type ${type}`;
    for (let i = 0; i < attributes.keys.length && this.isFine; i++) {
      this.take(attributes.keys[i], attributes.items[i].text);
    }
    if (isPushed) this.pushes = true;
    if (this.kind != OutputKind.Image) this.pushes = false;
  }

  /** Why it cannot be pushed; empty if it can, or need not. Names may have come from elsewhere, too. */
  get pushProblem(): string {
    return this.pushes && this.references.length == 0 ? "tag is needed when pushing to registry" : "";
  }

  private get isFine(): bool {
    return this.problem.length == 0 && this.unbuilt.length == 0;
  }

  private take(key: string, value: string): void {
    const pair = `${key}=${value}`;
    if (key == "name") this.name(value);
    else if (key == "push") this.push(value);
    else if (key.startsWith(ANNOTATION)) this.unbuilt = `an output with ${quoteText(key)}`;
    else if (value.length > 0 && UNBUILT.includes(key) && !HARMLESS.includes(pair)) {
      this.unbuilt = `an output with ${quoteText(pair)}`;
    }
  }

  private name(list: string): void {
    const names = list.split(",");
    for (let i = 0; i < names.length && this.problem.length == 0; i++) {
      if (names[i].length == 0) continue;
      const name = readNewName(names[i], "");
      if (name.reference !== null) this.references.push(name.reference!);
      else this.problem = `failed to parse ${names[i]}: ${name.refusal!.message}`;
    }
  }

  /** A boolean as in Go; an empty one is true. */
  private push(value: string): void {
    const flag = parseFlag(value);
    if (value.length > 0 && flag.error.length > 0) this.problem = `non-bool value specified for push: ${value}`;
    this.pushes = value.length == 0 || flag.value;
  }
}

/** `message`: of Control.Solve. Newer clients may name several outputs. */
export function outputsIn(message: Json): Output[] {
  const several = message.find("Exporters");
  if (several === null || !several.isArray || several.length == 0) {
    return [new Output(message.stringOf("Exporter"), objectIn(message, "ExporterAttrs"))];
  }
  const outputs: Output[] = [];
  for (let i = 0; i < min(several.length, MOST_OUTPUTS + 1); i++) {
    outputs.push(new Output(several.items[i].stringOf("Type"), objectIn(several.items[i], "Attrs")));
  }
  return outputs;
}

/** Why they cannot be had; null if they can. */
export function outputsProblem(outputs: Output[]): CallError | null {
  if (outputs.length > MOST_OUTPUTS) return notBuilt(`a build with more than ${MOST_OUTPUTS} outputs`);
  for (let i = 0; i < outputs.length; i++) {
    const output = outputs[i];
    if (output.unbuilt.length > 0) return notBuilt(output.unbuilt);
    const problem = output.problem.length > 0 ? output.problem : output.pushProblem;
    if (problem.length > 0) return new CallError(Code.InvalidArgument, problem);
  }
  return null;
}
