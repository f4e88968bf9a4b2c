// Seccomp profiles from clients, in Docker's JSON form. They are read at each start, and refused in the words of Docker
// and of the OCI runtime. The host gets a checked profile with only the fields of this table.

import { asU64, Json } from "../../json/json";
import { jsonError, parseJson } from "../../json/reader";
import { normalise, schemaError } from "../../json/schema";
import { Field, FieldType, Table } from "../../json/table";
import { jsonBytes } from "../../json/writer";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8";
import { kernelVersionProblem } from "./kernel-version";

const FILTER = new Table("Filter", [
  new Field("caps", FieldType.Strings, null),
  new Field("arches", FieldType.Strings, null),
  new Field("minKernel", FieldType.String, null),
]);

const ARGUMENT = new Table("LinuxSeccompArg", [
  new Field("index", FieldType.UInt64, "0").typed("uint"),
  new Field("value", FieldType.UInt64, "0"),
  new Field("valueTwo", FieldType.UInt64, null),
  new Field("op", FieldType.String, '""').typed("specs.LinuxSeccompOperator"),
]);

const CALL = new Table("Syscall", [
  new Field("name", FieldType.String, null),
  new Field("names", FieldType.Strings, null),
  new Field("action", FieldType.String, '""').typed("specs.LinuxSeccompAction"),
  new Field("errnoRet", FieldType.UInt64, null).typed("uint").pointed(),
  new Field("args", FieldType.Structs, null).of(ARGUMENT).typed("*specs.LinuxSeccompArg"),
  new Field("includes", FieldType.Struct, null).of(FILTER).typed("seccomp.Filter"),
  new Field("excludes", FieldType.Struct, null).of(FILTER).typed("seccomp.Filter"),
]);

const ARCHITECTURE = new Table("Architecture", [
  new Field("architecture", FieldType.String, '""').typed("specs.Arch"),
  new Field("subArchitectures", FieldType.Strings, null).typed("[]specs.Arch"),
]);

const PROFILE = new Table(
  "Seccomp",
  [
    new Field("defaultAction", FieldType.String, '""').typed("specs.LinuxSeccompAction"),
    new Field("defaultErrnoRet", FieldType.UInt64, null).typed("uint").pointed(),
    new Field("archMap", FieldType.Structs, null).of(ARCHITECTURE).typed("seccomp.Architecture"),
    new Field("architectures", FieldType.Strings, null).typed("[]specs.Arch"),
    new Field("flags", FieldType.Strings, null).typed("[]specs.LinuxSeccompFlag"),
    new Field("syscalls", FieldType.Structs, null).of(CALL).typed("*seccomp.Syscall"),
  ],
  "seccomp.Seccomp",
);

/** A client's profile as the host gets it, or why no filter can be made of it. */
export class CheckedProfile {
  constructor(
    readonly text: string,
    /** Empty if there is none. */
    readonly problem: string,
  ) {}
}

export function checkProfile(text: string): CheckedProfile {
  const document = parseJson(encodeUtf8(text));
  // Docker reads the profile with another decoder of Go's, which has a different text for this error.
  if (document === null) return undecoded(jsonError().endsWith("EOF") ? "unexpected end of JSON input" : jsonError());
  const profile = normalise(document, PROFILE);
  if (profile === null) return undecoded(schemaError());
  const kernels = kernelsProblem(profile);
  if (kernels.length > 0) return undecoded(kernels);
  // A profile without rules filters nothing.
  if (asksForNothing(profile)) return new CheckedProfile("unconfined", "");
  const problem = problemOf(profile);
  return new CheckedProfile(problem.length > 0 ? "" : decodeUtf8(jsonBytes(profile)), problem);
}

function undecoded(why: string): CheckedProfile {
  return new CheckedProfile("", `Decoding seccomp profile failed: ${why}`);
}

function kernelsProblem(profile: Json): string {
  const calls = listOf(profile, "syscalls");
  for (let i = 0; i < calls.length; i++) {
    for (let j = 0; j < FILTERS.length; j++) {
      const filter = calls[i].find(FILTERS[j]);
      const version = filter === null ? "" : filter.stringOf("minKernel");
      const problem = version.length == 0 ? "" : kernelVersionProblem(version);
      if (problem.length > 0) return problem;
    }
  }
  return "";
}

function asksForNothing(profile: Json): bool {
  return profile.stringOf("defaultAction").length == 0 && listOf(profile, "syscalls").length == 0;
}

function problemOf(profile: Json): string {
  const mapped = listOf(profile, "archMap");
  const architectures = profile.stringsOf("architectures");
  if (mapped.length > 0 && architectures.length > 0) return twice("architectures", "archMap");
  for (let i = 0; i < mapped.length; i++) {
    architectures.push(mapped[i].stringOf("architecture"));
    const below = mapped[i].stringsOf("subArchitectures");
    for (let j = 0; j < below.length; j++) architectures.push(below[j]);
  }
  for (let i = 0; i < architectures.length; i++) {
    if (!isKnown(ARCHITECTURES, "SCMP_ARCH_", architectures[i])) return unknown("architecture", architectures[i]);
  }
  const action = profile.stringOf("defaultAction");
  if (!isKnown(ACTIONS, "SCMP_ACT_", action)) return unknown("action", action);
  const problem = codeProblem(profile, "defaultErrnoRet", action);
  return problem.length > 0 ? problem : callsProblem(profile);
}

function callsProblem(profile: Json): string {
  const calls = listOf(profile, "syscalls");
  for (let i = 0; i < calls.length; i++) {
    if (calls[i].stringOf("name").length > 0 && calls[i].find("names") !== null) return twice("name", "names");
    const action = calls[i].stringOf("action");
    if (!isKnown(ACTIONS, "SCMP_ACT_", action)) return unknown("action", action);
    let problem = codeProblem(calls[i], "errnoRet", action);
    if (problem.length == 0) problem = conditionsProblem(listOf(calls[i], "args"));
    if (problem.length > 0) return problem;
  }
  return "";
}

function conditionsProblem(conditions: Json[]): string {
  for (let i = 0; i < conditions.length; i++) {
    const operator = conditions[i].stringOf("op");
    if (!isKnown(OPERATORS, "SCMP_CMP_", operator)) return unknown("operator", operator);
    const index = conditions[i].find("index")!;
    if (asU64(index) > LAST_ARGUMENT) return `seccomp: syscalls only have up to 6 arguments (${index.text} given)`;
  }
  return "";
}

/** Runtimes cut larger codes to 16 bits, which gives another code; libseccomp then refuses most of them. */
function codeProblem(json: Json, field: string, action: string): string {
  const code = json.find(field);
  const most = action == "SCMP_ACT_ERRNO" ? ERRNO_MOST : action == "SCMP_ACT_TRACE" ? MESSAGE_MOST : u64.MAX_VALUE;
  return code === null || asU64(code) <= most ? "" : `seccomp: ${field} ${code.text} is above ${most.toString()}`;
}

function listOf(json: Json, name: string): Json[] {
  const list = json.find(name);
  return list === null ? [] : list.items;
}

function isKnown(names: string[], prefix: string, text: string): bool {
  return text.startsWith(prefix) && names.includes(text.substring(prefix.length));
}

function unknown(what: string, text: string): string {
  return `seccomp: unknown ${what} ${text}`;
}

function twice(one: string, other: string): string {
  return `both '${one}' and '${other}' are specified in the seccomp profile, use either '${one}' or '${other}'`;
}

const FILTERS: string[] = ["includes", "excludes"];
const LAST_ARGUMENT: u64 = 5;
/** The largest error that libseccomp accepts. */
const ERRNO_MOST: u64 = 4094;
/** The kernel gives a tracer 16 bits. */
const MESSAGE_MOST: u64 = u16.MAX_VALUE;

// The actions of seccomp(2), by libseccomp's names.
const ACTIONS: string[] = "KILL KILL_THREAD KILL_PROCESS TRAP ERRNO TRACE LOG ALLOW".split(" ");
const OPERATORS: string[] = "NE LT LE EQ GE GT MASKED_EQ".split(" ");
const ARCHITECTURES: string[] = (
  "X86 X86_64 X32 ARM AARCH64 LOONGARCH64 M68K MIPS MIPS64 MIPS64N32 MIPSEL MIPSEL64 MIPSEL64N32 " +
  "PPC PPC64 PPC64LE S390 S390X SH SHEB PARISC PARISC64 RISCV64"
).split(" ");
