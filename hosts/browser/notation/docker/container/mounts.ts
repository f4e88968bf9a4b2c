// `--mount`: source, target and options of a mount, field by field.

import { didYouMean } from "../nearest.js";
import { atSign } from "../planned.js";
import { Wrong, misread } from "../wrong.js";
import { bytesOf, fieldsOf } from "./sizes.js";
import { put, type Body } from "./body.js";

type Read = (mount: Body, value: string) => void;

const yes = (value: string): boolean => !/^(false|0)$/i.test(value);
const to =
  (path: string, read: (value: string) => unknown = (value) => value): Read =>
  (mount, value) =>
    put(mount, path, read(value));
const pair =
  (path: string): Read =>
  (mount, value) => {
    const [name, text] = atSign(value, "=");
    put(mount, path, { ...(at(mount, path) as object | undefined), [name]: text ?? "" });
  };

const FIELDS: Readonly<Record<string, Read>> = {
  type: to("Type", (value) => value.toLowerCase()),
  source: to("Source"),
  src: to("Source"),
  target: to("Target"),
  dst: to("Target"),
  destination: to("Target"),
  readonly: to("ReadOnly", yes),
  ro: to("ReadOnly", yes),
  consistency: to("Consistency"),
  "bind-propagation": to("BindOptions.Propagation"),
  "bind-nonrecursive": to("BindOptions.NonRecursive", yes),
  "bind-recursive": recursive,
  "volume-subpath": to("VolumeOptions.Subpath"),
  "volume-nocopy": to("VolumeOptions.NoCopy", yes),
  "volume-label": pair("VolumeOptions.Labels"),
  "volume-driver": to("VolumeOptions.DriverConfig.Name"),
  "volume-opt": pair("VolumeOptions.DriverConfig.Options"),
  "image-subpath": to("ImageOptions.Subpath"),
  "tmpfs-size": to("TmpfsOptions.SizeBytes", bytesOf),
  "tmpfs-mode": to("TmpfsOptions.Mode", octal),
};

export function mountOf(text: string): Body {
  const mount: Body = { Type: "volume" };
  for (const [name, value] of fieldsOf(text)) {
    const read = FIELDS[name];
    if (read === undefined)
      throw new Wrong(`--mount does not know ${name}${didYouMean(name, Object.keys(FIELDS))}`, text);
    read(mount, value);
  }
  if (mount["Target"] === undefined) throw new Wrong("--mount needs a target", text);
  return mount;
}

function recursive(mount: Body, value: string): void {
  if (value === "disabled") put(mount, "BindOptions.NonRecursive", true);
  else if (value === "writable") put(mount, "BindOptions.ReadOnlyNonRecursive", true);
  else if (value === "readonly") put(mount, "BindOptions.ReadOnlyForceRecursive", true);
  else if (value !== "enabled") throw misread(value, "way to bind: use enabled, disabled, writable or readonly");
}

function octal(value: string): number {
  if (!/^[0-7]+$/.test(value)) throw misread(value, "mode such as 1770");
  return parseInt(value, 8);
}

function at(body: Body, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, name) => (inner as Body | undefined)?.[name], body);
}
