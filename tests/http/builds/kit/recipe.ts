// The form of the Dockerfiles that the BuildKit of both engines must treat alike.

import type { RawEntry } from "../../../support/archives/tar.js";
import { CONTEXT } from "../dockerfiles/files.js";
import { PLACES } from "./differences.js";

/** A Dockerfile, what lies beside it, and what its client asks for. */
export interface KitRecipe {
  readonly file: string;
  /** `KIT_CONTEXT` if not given. */
  readonly files?: readonly RawEntry[];
  /** Options of the frontend: `target`, `build-arg:NAME`. */
  readonly options?: Readonly<Record<string, string>>;
  /** What is another in our answer, and why: lines of the reference's with ours, null for none; or the whole answer. */
  readonly ours?: {
    readonly lines?: Readonly<Record<string, string | null>>;
    readonly answer?: readonly string[];
    readonly why: string;
  };
}

/** Clients of BuildKit send all files as root's. The reference's BuildKit copies hard links wrongly. */
export const KIT_CONTEXT: readonly RawEntry[] = CONTEXT.filter(({ flag }) => flag !== "1").map((entry) => ({
  ...entry,
  ...{ uid: 0, gid: 0 },
}));

/** `FROM busybox` stands in front of a text that has no FROM. */
export function kitRecipeOf(one: string | KitRecipe): KitRecipe {
  if (typeof one !== "string") return one;
  return { file: `${/^FROM\b/m.test(one) ? "" : "FROM busybox\n"}${one}\n` };
}

/** A Dockerfile of whose mounts the reference keeps these directories. */
export function placed(file: string, ...directories: readonly string[]): KitRecipe {
  const lines = Object.fromEntries(directories.map((name) => [`${name} directory 755 0:0  now `, null]));
  return { ...kitRecipeOf(file), ours: { lines, why: PLACES } };
}

/** A Dockerfile that both engines refuse, each in its own words. */
export function refused(file: string, error: string, why: string): KitRecipe {
  return { ...kitRecipeOf(file), ours: { answer: [error], why } };
}
