// Options about devices, limits and security, which have their own notations.

import { atSign } from "../planned.js";
import { misread } from "../wrong.js";
import { add, put, type Body } from "./body.js";
import { fieldsOf, integerOf, pairs } from "./sizes.js";

export function healthOf(command: string): string[] {
  return ["CMD-SHELL", command];
}

/** `nofile=1024:2048`: the soft limit, then the hard limit. */
export function limitOf(value: string): object {
  const [name, numbers] = atSign(value, "=");
  if (numbers === null) throw misread(value, "limit such as nofile=1024:2048");
  const [soft, hard] = atSign(numbers, ":");
  return { Name: name, Hard: integerOf(hard ?? soft), Soft: integerOf(soft) };
}

/** `/dev/a[:/dev/b][:rwm]`, or the name of a kind of device (CDI). */
export function putDevice(body: Body, values: readonly string[]): void {
  const kinds = values.filter((value) => /^[^/]+\/[^=]+=/.test(value));
  const paths = values.filter((value) => !kinds.includes(value));
  if (paths.length > 0) add(body, "HostConfig.Devices", paths.map(deviceOf));
  if (kinds.length > 0) add(body, "HostConfig.DeviceRequests", [{ Driver: "cdi", DeviceIDs: kinds }]);
}

function deviceOf(value: string): object {
  const [path = "", second, third] = value.split(":");
  const isRights = third === undefined && /^[rwm]{1,3}$/.test(second ?? "");
  const inside = second === undefined || isRights ? path : second;
  return { PathOnHost: path, PathInContainer: inside, CgroupPermissions: (isRights ? second : third) ?? "rwm" };
}

/** `all`, a number, or `device=0,driver=nvidia,capabilities=compute`. */
export function gpusOf(value: string): object[] {
  const request: Body = { Driver: "", Count: 1, Capabilities: [["gpu"]], Options: {} };
  const count = (text: string): number => (text === "all" ? -1 : integerOf(text));
  for (const [name, said] of fieldsOf(value)) {
    if (said === "true") request["Count"] = count(name);
    else if (name === "count") request["Count"] = count(said);
    else if (name === "driver") request["Driver"] = said;
    else if (name === "device") Object.assign(request, { DeviceIDs: said.split(","), Count: 0 });
    else if (name === "capabilities") request["Capabilities"] = [[...said.split(","), "gpu"]];
    else if (name === "options") request["Options"] = pairs(said.split(","));
    else throw misread(name, "part of --gpus: use count, driver, device, capabilities or options");
  }
  return [request];
}

/** Profiles other than the built-in ones are in files. */
export function putSecurity(body: Body, values: readonly string[]): void {
  const file = values.find((value) => /^seccomp[=:](?!unconfined$|builtin$)/.test(value));
  if (file !== undefined) throw misread(file, "profile here: the page has no local files");
  const kept = values.filter((value) => value !== "systempaths=unconfined");
  if (kept.length > 0) put(body, "HostConfig.SecurityOpt", kept);
  if (kept.length === values.length) return;
  put(body, "HostConfig.MaskedPaths", []);
  put(body, "HostConfig.ReadonlyPaths", []);
}
