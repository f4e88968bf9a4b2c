// The form of the Dockerfiles that both builders must treat alike.

import { sha256 } from "../../../support/archives/images.js";
import { rawTar, type RawEntry } from "../../../support/archives/tar.js";

/** A Dockerfile, what lies beside it, and what its client asks for. */
export interface Recipe {
  readonly file: string;
  /** `CONTEXT` if not given. */
  readonly files?: readonly RawEntry[];
  /** Parameters of `POST /build`. */
  readonly query?: string;
  /** Our error, where the reference's is not to be equal, and why. */
  readonly ours?: { readonly error: string; readonly why: string };
}

/** Of sentences that have the engine's own paths in the reference. */
export const PATHS = "clients are not told where the engine has its files";

/** `FROM busybox` stands in front of a text that has no FROM. */
export function recipeOf(one: string | Recipe): Recipe {
  if (typeof one !== "string") return one;
  return { file: `${/^FROM\b/m.test(one) ? "" : "FROM busybox\n"}${one}\n` };
}

/** `buildargs` of a query. */
export function withArguments(values: Readonly<Record<string, string | null>>): string {
  return new URLSearchParams({ buildargs: JSON.stringify(values) }).toString();
}

/** What tells a recipe from the others. */
export function keyOf({ file, files, query = "" }: Recipe): string {
  const beside = files === undefined ? "" : ` ${sha256(rawTar(files)).slice(0, 8)}`;
  return `${JSON.stringify(file)}${query === "" ? "" : ` ${query}`}${beside}`;
}
