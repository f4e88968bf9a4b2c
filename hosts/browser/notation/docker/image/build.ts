// docker build: sends the folder of the page, or names an address.

import type { PlannedRequest } from "../../notation.js";
import type { Arguments } from "../arguments.js";
import { limitOf } from "../container/machine-options.js";
import { bytesOf, integerOf } from "../container/sizes.js";
import { atSign, post, type Command } from "../planned.js";
import { query } from "../query.js";
import { Wrong } from "../wrong.js";

/** Options by the parameters that say the same; a short name follows a comma. */
const FLAGS = { nocache: "no-cache", pull: "pull", forcerm: "force-rm", squash: "squash", q: "quiet,q" };
const TEXTS = {
  dockerfile: "file,f",
  target: "target",
  platform: "platform",
  networkmode: "network",
  cgroupparent: "cgroup-parent",
  cpusetcpus: "cpuset-cpus",
  cpusetmems: "cpuset-mems",
  isolation: "isolation",
};
const NUMBERS = { cpuperiod: "cpu-period", cpuquota: "cpu-quota", cpushares: "cpu-shares,c" };
const SIZES = { memory: "memory,m", memswap: "memory-swap", shmsize: "shm-size" };
const LISTS = ["tag,t", "build-arg", "label", "cache-from", "add-host", "security-opt", "ulimit"];
/** They change only what the command does with its files. */
const OWN = { flags: ["compress", "disable-content-trust"], values: ["iidfile"] };

export const BUILD: Command = {
  operands: "PATH | URL",
  about: "Build an image from a Dockerfile and a folder",
  takes: {
    flags: [...Object.values(FLAGS), "rm", ...OWN.flags],
    values: [...[TEXTS, NUMBERS, SIZES].flatMap((options) => Object.values(options)), ...LISTS, ...OWN.values],
    least: 1,
    most: 1,
  },
  plan: (args) => {
    const [source = ""] = args.operands;
    if (/^(https?|git):\/\/|^git@/.test(source)) return { requests: [building(args, source)] };
    if (source !== "." && source !== "./") throw new Wrong(`${source} is not here: the page has one folder, .`, source);
    return {
      requests: [{ ...building(args, null), headers: [["Content-Type", "application/x-tar"]], takesFolder: true }],
      remarks: ["The folder . holds the files that you see in the request. You can change them there."],
    };
  },
};

function building(args: Arguments, remote: string | null): PlannedRequest {
  const wishes = {
    ...read(FLAGS, (option) => args.flag(option)),
    ...read(TEXTS, (option) => args.value(option)),
    ...read(NUMBERS, (option) => told(args.value(option), integerOf)),
    ...read(SIZES, (option) => told(args.value(option), bytesOf)),
    t: args.values("tag"),
    extrahosts: args.values("add-host"),
    securityopt: args.values("security-opt"),
    ulimits: args.has("ulimit") ? JSON.stringify(args.values("ulimit").map(limitOf)) : null,
    buildargs: pairsText(args.values("build-arg")),
    labels: pairsText(args.values("label")),
    cachefrom: args.has("cache-from") ? JSON.stringify(args.values("cache-from")) : null,
    rm: args.has("rm") && !args.flag("rm") ? "0" : null,
  };
  return post(`/build${query({ ...wishes, remote })}`, "build the image");
}

/** The parameters of a table, each with the value of its option. */
function read<T>(table: Readonly<Record<string, string>>, value: (option: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [name, value(atSign(option, ",")[0])]));
}

function told(text: string | null, read: (text: string) => number): string | null {
  return text === null ? null : String(read(text));
}

/** `A=1` and `B` as the API's JSON. A name alone has no value, because the page has no environment to take it from. */
function pairsText(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : JSON.stringify(Object.fromEntries(texts.map((one) => atSign(one, "="))));
}
