// The machine's architecture under Go's names, which images and the Docker API use.

import { arch, endianness } from "node:os";

export interface Architecture {
  /** `amd64` */
  architecture: string;
  /** `v8`, or empty. */
  variant: string;
}

export function goArchitecture(): Architecture {
  const name = arch();
  if (name === "arm64") return { architecture: "arm64", variant: "v8" };
  if (name === "arm") {
    const { arm_version: version } = process.config.variables as { arm_version?: string };
    return { architecture: "arm", variant: version ? `v${version}` : "" };
  }
  return { architecture: GO_NAMES[name] ?? name, variant: "" };
}

/** Go's names that differ from Node's. */
const GO_NAMES: Record<string, string> = {
  x64: "amd64",
  ia32: "386",
  ppc64: endianness() === "LE" ? "ppc64le" : "ppc64",
  mipsel: "mipsle",
};
