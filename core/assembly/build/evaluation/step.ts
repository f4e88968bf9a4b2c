// What an instruction asks for, with all variables substituted. The classic builder makes an image of each step.

import { ModeRule } from "./copy-mode";
import { Mount } from "./run-mount";

/**
 * In the history of steps that BuildKit makes in another way than the classic builder, so that neither builder takes those of
 * the other for its own. BuildKit marks all of its steps so.
 */
export const BUILDKIT_MARK: string = "# buildkit";

export enum StepKind {
  /** Only the config has changed: an image without a layer. */
  Config,
  /** The config has changed, and the working directory is made if the image does not have it. */
  Directory,
  /** Runs `run.argv` in a container, and keeps what it changes. */
  Run,
  /** Copies files: see `copy`. */
  Copy,
}

export class Step {
  /** Docker's sentence if the step cannot be done; the build ends with it. Empty otherwise. */
  problem: string = "";
  /**
   * The command in the image's history and the key of the cache: `["/bin/sh", "-c", "#(nop) ", "CMD [\"x\"]"]`. The
   * history shows it joined by blanks. Of a copy it is only known with the digest of its files: see
   * `CopyStep.commandFor`.
   */
  command: string[] = [];
  /** Lines for the stream of the build, with line ends. */
  notes: string[] = [];
  run: RunStep | null = null;
  copy: CopyStep | null = null;
  /** Of a directory, as `CopyStep.owner`. Empty: root. */
  owner: string = "";

  constructor(readonly kind: StepKind) {}

  /** `created_by` of the history. */
  get history(): string {
    return this.command.join(" ");
  }
}

/** The command of a RUN with mounts. `digest`: of what it mounts, so that it is only found with the same files. */
export function commandWithMounts(command: string[], run: RunStep, digest: string): string[] {
  const at = command.length - run.argv.length;
  return command
    .slice(0, at)
    .concat([`mounts:${digest}`])
    .concat(run.argv);
}

/** A RUN. `Step.command` is `argv`, behind `|N` and N build arguments if there are any. */
export class RunStep {
  /** `--network`: `default`, `none` or `host`. */
  network: string = "default";
  /** `--security`: `sandbox` or `insecure`. */
  security: string = "sandbox";
  mounts: Mount[] = [];
  /** `--device`, as it is written. */
  devices: string[] = [];

  constructor(
    /** The command; the image's entry point is not used. Empty: Docker answers `No command specified`. */
    readonly argv: string[],
    /** Environment: the image's variables, then the build arguments. */
    readonly environment: string[],
  ) {}
}

export enum SourceKind {
  /** A path in the context, or in `from`; it may have wildcards. Relative, without `..`. */
  Path,
  /** `http://` or `https://`; only ADD. */
  Url,
  /** A git repository; only ADD. */
  Git,
  /** A here-document: `text` is the name of the file, `content` what is in it. */
  Content,
}

export class Source {
  /** Of a path: how many of its directories `--parents` leaves out. */
  pivot: i32 = 0;

  constructor(
    readonly kind: SourceKind,
    readonly text: string,
    readonly content: string = "",
  ) {}
}

/** COPY or ADD. */
export class CopyStep {
  sources: Source[] = [];
  /** As it is written, with variables substituted: `.`, `b/`. */
  destination: string = "";
  /** From the root, cleaned; ends with `/` if the files go into this directory. */
  target: string = "";
  /** `--from` as it is written; empty: the context. Stages: see `stages/`. */
  from: string = "";
  /** `--chown`: `user`, `user:group`, by name or number. Empty: root, or what they have in another stage or image. */
  owner: string = "";
  /** `--chmod`: octal, or symbolic as `u=rw,go=r`. Empty: as they are. */
  mode: string = "";
  /** The same as changes; none if the mode is empty. */
  modes: ModeRule[] = [];
  /** `--link`: the layer does not look at what is below it. */
  link: bool = false;
  /** `--parents`: the directories of each source are kept. */
  parents: bool = false;
  /** `--exclude`: patterns as in `.dockerignore`. */
  excludes: string[] = [];
  /** The same, cleaned; an exception begins with `!`. */
  excluded: string[] = [];
  /** `--checksum` of a URL: `sha256:…`. */
  checksum: string = "";
  /** `--keep-git-dir`. */
  keepGit: bool = false;
  /** Whether local tars are unpacked: ADD does, unless `--unpack=false`. */
  unpack: bool = false;
  /** `--unpack=true`: tars from URLs, too. */
  unpackUrls: bool = false;
  /** All directories that are made for the copies get the owner: by BuildKit, but not all of them by the classic builder. */
  ownsAbove: bool = false;

  constructor(
    readonly isAdd: bool,
    /** The image's shell, for the history. */
    private readonly shell: string[],
  ) {}

  /**
   * The command for history and cache. `digest`: `file:HEX`, `dir:HEX` or `multi:HEX`, by what is copied; sha256 over
   * names, modes, owners and contents. Nothing stands between owner and digest, as in Docker.
   */
  commandFor(digest: string): string[] {
    const owner = this.owner.length == 0 ? "" : `--chown=${this.owner}`;
    const mode = this.mode.length == 0 ? "" : `--chmod=${this.mode}`;
    const more = this.options();
    const keyword = this.isAdd ? "ADD" : "COPY";
    const mark = this.ownsAbove ? BUILDKIT_MARK : "";
    return this.shell.concat([`#(nop) ${keyword} ${owner}${mode}${more}${digest} in ${this.destination} ${mark}`]);
  }

  /** Docker's sentence for several files that need a directory; empty if there is one. `count`: of files found. */
  destinationProblem(count: i32): string {
    if (count < 2 || this.parents || this.destination.endsWith("/")) return "";
    const keyword = this.isAdd ? "ADD" : "COPY";
    return `When using ${keyword} with more than one source file, the destination must be a directory and end with a /`;
  }

  /** Options that the classic builder does not have, and that change what is copied. */
  private options(): string {
    const words: string[] = [];
    if (this.link) words.push("--link");
    if (this.parents) words.push("--parents");
    for (let i = 0; i < this.excludes.length; i++) words.push(`--exclude=${this.excludes[i]}`);
    if (this.isAdd && !this.unpack) words.push("--unpack=false");
    if (this.unpackUrls) words.push("--unpack=true");
    return words.join("");
  }
}
