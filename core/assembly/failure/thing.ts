// Messages for things that do not exist, exist already, or are of the wrong type.

import { Noun, Oversize, Silence, Thing } from "../../../build/bindings/types";
import { FailureKind } from "./failure-kind";

/** Unknown users and groups count as invalid input, and what the machine itself lacks as unsupported. */
export function missingKind(what: Noun): FailureKind {
  switch (what) {
    case Noun.User:
    case Noun.Group:
    case Noun.AddedGroup:
    case Noun.Device:
    case Noun.RatedDevice:
      return FailureKind.Invalid;
    case Noun.KernelFile:
    case Noun.Tool:
    case Noun.OciRuntime:
    case Noun.InitProgram:
    case Noun.NetworkInterface:
    case Noun.LayerTar:
      return FailureKind.Unsupported;
    case Noun.Container:
    case Noun.Run:
    case Noun.Process:
    case Noun.Exec:
    case Noun.Volume:
    case Noun.Blob:
    case Noun.Layer:
    case Noun.Archive:
    case Noun.Member:
    case Noun.ContainerFile:
    case Noun.FileSystem:
    case Noun.MachineFile:
    case Noun.Secret:
    case Noun.Agent:
      return FailureKind.NotFound;
    default:
      // An answer, or a piece of a tar, is never looked up.
      return FailureKind.Internal;
  }
}

export function missingText(thing: Thing): string {
  const what = thing.what;
  const name = thing.name;
  switch (what) {
    case Noun.Container:
      return `No such container: ${name}`;
    case Noun.Run:
      return `container ${name} is not running`;
    case Noun.Process:
      return "no such process";
    case Noun.Exec:
      return `no such exec: ${name}`;
    case Noun.User:
      return `unable to find user ${name}: no matching entries in passwd file`;
    case Noun.Group:
      return `unable to find group ${name}: no matching entries in group file`;
    case Noun.AddedGroup:
      return `Unable to find group ${name}: no matching entries in group file`;
    default:
      return thingWords(what, name);
  }
}

function thingWords(what: Noun, name: string): string {
  switch (what) {
    case Noun.OciRuntime:
      return `no such runtime: ${name}`;
    case Noun.InitProgram:
      return "the init program of this machine is missing";
    case Noun.Tool:
      return `cannot run ${name}: is it installed?`;
    case Noun.KernelFile:
      return `the kernel has no ${name}`;
    case Noun.NetworkInterface:
      return `no interface ${name}`;
    case Noun.ContainerFile:
      return `no container has a file ${name}`;
    case Noun.FileSystem:
      return `file system of container ${name} is not mounted`;
    case Noun.Member:
      return `"${name}" does not exist`;
    case Noun.LayerTar:
      return `layer ${name} was unpacked before the tars of layers were kept: remove its images and load them again`;
    case Noun.Device:
      return `${GATHERING} "${name}": no such file or directory`;
    case Noun.RatedDevice:
      return `stat ${name}: no such file or directory`;
    default:
      return `${nounOf(what)}${name} does not exist`;
  }
}

function nounOf(what: Noun): string {
  if (what == Noun.Volume) return "volume ";
  if (what == Noun.Layer) return "layer ";
  if (what == Noun.Secret) return "secret ";
  if (what == Noun.Agent) return "agent ";
  return what == Noun.Archive ? "archive " : "";
}

const GATHERING = "error gathering device information while adding custom device";

export function existingText(thing: Thing): string {
  return `${nounOf(thing.what)}${thing.name} exists`;
}

export function wrongKindText(thing: Thing): string {
  switch (thing.what) {
    case Noun.Device:
      return `${GATHERING} "${thing.name}": not a device node`;
    case Noun.RatedDevice:
      return `stat ${thing.name}: not a device node`;
    case Noun.NetworkInterface:
      return `existing interface ${thing.name} is not a bridge`;
    default:
      return `"${thing.name}" is not a file`;
  }
}

/** The setting of the limit for a document. Whether a file is one, only the command that reads it knows. */
export const AS_DOCUMENT = ", as max-document-size allows";

/** A registry's answer without end counts as corrupt. */
export function oversizeKind(what: Noun): FailureKind {
  return what == Noun.Answer ? FailureKind.Corrupt : FailureKind.Invalid;
}

export function oversizeText(thing: Oversize): string {
  const limit = thing.limit.toString();
  if (thing.what == Noun.Answer) return `answer is longer than ${limit} bytes${AS_DOCUMENT}`;
  if (thing.what == Noun.Blob) return `blob ${thing.name} is larger than ${limit} bytes${AS_DOCUMENT}`;
  if (thing.what == Noun.Tool) return `output is longer than ${limit} bytes`;
  if (thing.what == Noun.Holes) return `holes of sparse files make up more than ${limit} bytes`;
  if (thing.what == Noun.Unpacked) return `unpacked, it is larger than ${limit} bytes, as max-unpacked-size allows`;
  if (thing.what == Noun.SparseMap) return `map of a sparse file is larger than ${limit} bytes`;
  return `${thing.name} is larger than ${limit} bytes`;
}

export function silenceText(silence: Silence): string {
  const limit = silence.limit;
  const time = limit % 1000 == 0 ? `${(limit / 1000).toString()} seconds` : `${limit.toString()} milliseconds`;
  const who = silence.what == Noun.OciRuntime ? "OCI runtime" : "it";
  return `${who} did not answer within ${time}`;
}

/** In a dry run this thing is only imagined. */
export function imaginedText(thing: Thing): string {
  switch (thing.what) {
    case Noun.Process:
      return "a dry run started this container: it has no processes to look at";
    case Noun.Member:
      return `${thing.name}: a dry run has thrown it away`;
    case Noun.Archive:
      return `${thing.name}: a dry run does not fetch it`;
    case Noun.Layer:
      return "a dry run cannot look there: the layer was not fetched";
    default:
      return "a dry run cannot look there: it mounts nothing, and this container does not really run";
  }
}
