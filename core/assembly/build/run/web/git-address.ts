// The address of a git repository: `https://example.org/a.git#REFERENCE:DIRECTORY`.

import { WebFile } from "../../../../../build/bindings/types";
import { WebAddress } from "../../../image/import/web-address";
import { quoteText } from "../../../text/go-quote";
import { pathFrom } from "../../evaluation/work-directory";

const SCHEMES: string[] = ["git://", "git@", "ssh://"];
/** Where Docker takes an address without a scheme for one of a repository. */
const GITHUB = "github.com/";
/** What is in no name of a branch or a tag (git-check-ref-format(1)), or has another meaning in front of one. */
const IN_NO_NAME = " ~^:?*[\\";

/** As Docker tells it from the address of a file. */
export function isGitAddress(given: string): bool {
  for (let i = 0; i < SCHEMES.length; i++) if (given.startsWith(SCHEMES[i])) return true;
  if (!given.startsWith("http://") && !given.startsWith("https://")) return false;
  return withoutFragment(given).endsWith(".git");
}

/** The same for a context, which may be given without a scheme. */
export function isGitContext(given: string): bool {
  return given.startsWith(GITHUB) || isGitAddress(given);
}

export class GitAddress {
  readonly reference: string;
  /** From the root of the repository, without a slash at either end; empty for all of it. */
  readonly directory: string;
  /** Without credentials and fragment. */
  readonly shown: string;
  /** Null for `git@HOST:PATH`, which has no secrets. */
  private readonly web: WebAddress | null;

  constructor(given: string) {
    const text = given.startsWith(GITHUB) ? `https://${given}` : given;
    const address = withoutFragment(text);
    const fragment = text.slice(address.length + 1);
    const colon = fragment.indexOf(":");
    this.reference = colon < 0 ? fragment : fragment.slice(0, colon);
    this.directory = colon < 0 ? "" : pathFrom("/", fragment.slice(colon + 1)).slice(1);
    const web = address.includes("://") ? new WebAddress(address) : null;
    this.web = web;
    this.shown = web === null ? address : web.shown;
  }

  /** For the host. */
  get file(): WebFile {
    const web = this.web;
    return web === null ? new WebFile(this.shown, null) : web.file;
  }

  /** Blanks what is secret, permanently. */
  forget(): void {
    const web = this.web;
    if (web !== null) web.forget();
  }

  /** Why there can be no such commit; empty if there may be. */
  problem(): string {
    const web = this.web;
    if (web !== null && this.shown.startsWith("http")) {
      const problem = web.problem();
      if (problem !== null) return problem.message;
    }
    const name = this.reference;
    let isBad = name.startsWith("-") || name.startsWith("+") || name.includes("..");
    for (let i = 0; i < name.length && !isBad; i++) {
      isBad = name.charCodeAt(i) < 0x20 || IN_NO_NAME.includes(name.charAt(i));
    }
    return isBad ? `invalid git reference ${quoteText(name)}` : "";
  }
}

function withoutFragment(given: string): string {
  const fragment = given.indexOf("#");
  return fragment < 0 ? given : given.slice(0, fragment);
}
