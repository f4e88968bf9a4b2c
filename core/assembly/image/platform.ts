// Platforms of images: notation, normal form, and the choice of the best match (surface §4.6).

import { Json } from "../json/json";

export class Platform {
  constructor(
    public os: string,
    public architecture: string,
    public variant: string = "",
  ) {}

  /** `linux/arm/v7` */
  get text(): string {
    const text = this.os + "/" + this.architecture;
    return this.variant == "" ? text : text + "/" + this.variant;
  }

  /** The platform in its normal form, for comparisons. */
  normalised(): Platform {
    const os = this.os.toLowerCase();
    return normalise(os == "macos" ? "darwin" : os, this.architecture.toLowerCase(), this.variant.toLowerCase());
  }

  /** Whether both have the same normal form. */
  equals(other: Platform): bool {
    return this.normalised().text == other.normalised().text;
  }
}

/** Reads `os`, `arch`, `os/arch` or `os/arch/variant`; missing parts are the host's. Null: see `platformError`. */
export function parsePlatform(text: string, host: Platform): Platform | null {
  lastError = "";
  const parts = text.split("/");
  if (parts.length > 3) return fail(`"${text}": cannot parse platform specifier: invalid argument`);
  for (let i = 0; i < parts.length; i++) {
    if (isComponent(parts[i])) continue;
    return fail(
      `"${parts[i]}" is an invalid component of "${text}": ` +
        'platform specifier component must match "^[A-Za-z0-9_.-]+$": invalid argument',
    );
  }
  if (parts.length > 1) return new Platform(parts[0], parts[1], parts.length == 3 ? parts[2] : "").normalised();
  const word = parts[0].toLowerCase();
  if (SYSTEMS.includes(word)) return new Platform(word, host.architecture, host.variant).normalised();
  const platform = new Platform(host.os, word).normalised();
  if (ARCHITECTURES.includes(platform.architecture)) return platform;
  return fail(`"${text}": unknown operating system or architecture: invalid argument`);
}

/** Reads `{"os", "architecture", "variant"}`, of which the first two are required. Null: see `platformError`. */
export function readPlatform(value: Json): Platform | null {
  lastError = "";
  const os = value.stringOf("os");
  const architecture = value.stringOf("architecture");
  if (os == "" || architecture == "") return fail("both OS and Architecture must be provided");
  return new Platform(os, architecture, value.stringOf("variant")).normalised();
}

/** Why the last platform was invalid. */
export function platformError(): string {
  return lastError;
}

/** Platforms that would run on the wanted one, best first. */
export function platformChain(wanted: Platform): Platform[] {
  const first = wanted.normalised();
  const chain: Platform[] = [first];
  const os = first.os;
  const level = levelOf(first.variant);
  if (first.architecture == "amd64") {
    for (let i = level - 1; i >= 1; i--) chain.push(new Platform(os, "amd64", i == 1 ? "" : "v" + i.toString()));
    chain.push(new Platform(os, "386"));
  } else if (first.architecture == "arm") {
    addArm(chain, os, level - 1);
  } else if (first.architecture == "arm64") {
    addArm64(chain, os, first.variant);
    addArm(chain, os, 8);
  }
  return chain;
}

/**
 * Index of the best candidate, -1 if none fits. A null candidate (an
 * entry without a platform) fits, but any other match is better.
 */
export function bestPlatform(candidates: (Platform | null)[], wanted: Platform): i32 {
  const chain = platformChain(wanted);
  for (let rank = 0; rank < chain.length; rank++) {
    for (let i = 0; i < candidates.length; i++) {
      const candidate = candidates[i];
      if (candidate !== null && candidate.equals(chain[rank])) return i;
    }
  }
  return candidates.indexOf(null);
}

/** Whether an image for one platform can be used for the wanted one. */
export function platformFits(candidate: Platform, wanted: Platform): bool {
  return bestPlatform([candidate], wanted) == 0;
}

let lastError: string = "";

const SYSTEMS: string[] = (
  "aix android darwin dragonfly freebsd hurd illumos ios js linux macos nacl netbsd openbsd plan9 solaris " +
  "windows zos"
).split(" ");

const ARCHITECTURES: string[] = (
  "386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc " +
  "ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm"
).split(" ");

function fail(error: string): Platform | null {
  lastError = error;
  return null;
}

function normalise(os: string, architecture: string, variant: string): Platform {
  if (architecture == "x86_64" || architecture == "x86-64" || architecture == "amd64") {
    return new Platform(os, "amd64", variant == "v1" ? "" : variant);
  }
  if (architecture == "i386") return new Platform(os, "386", "");
  if (architecture == "aarch64" || architecture == "arm64") return new Platform(os, "arm64", arm64Variant(variant));
  if (architecture == "armhf") return new Platform(os, "arm", "v7");
  if (architecture == "armel") return new Platform(os, "arm", "v6");
  if (architecture != "arm") return new Platform(os, architecture, variant);
  if (variant == "" || variant == "7") return new Platform(os, "arm", "v7");
  return new Platform(os, "arm", variant == "5" || variant == "6" || variant == "8" ? "v" + variant : variant);
}

function arm64Variant(variant: string): string {
  if (variant == "v8" || variant == "8" || variant == "v8.0") return "";
  return variant == "9" || variant == "9.0" || variant == "v9.0" ? "v9" : variant;
}

// `v3` → 3; no variant means the first level.
function levelOf(variant: string): i32 {
  if (variant.length != 2 || variant.charCodeAt(0) != 0x76) return 1;
  const level = variant.charCodeAt(1) - 0x30;
  return level >= 1 && level <= 9 ? level : 1;
}

function addArm(chain: Platform[], os: string, from: i32): void {
  for (let i = from; i >= 5; i--) chain.push(new Platform(os, "arm", "v" + i.toString()));
}

// v9.x includes everything of v8.(x+5).
function addArm64(chain: Platform[], os: string, variant: string): void {
  let minor = arm64Minor(variant);
  if (variant.startsWith("v9")) {
    for (let i = minor - 1; i >= 0; i--) chain.push(new Platform(os, "arm64", i == 0 ? "v9" : "v9." + i.toString()));
    minor = min(minor + 5, 9) + 1;
  }
  for (let i = minor - 1; i >= 0; i--) chain.push(new Platform(os, "arm64", i == 0 ? "" : "v8." + i.toString()));
}

function arm64Minor(variant: string): i32 {
  if (variant.length != 4 || variant.charCodeAt(2) != 0x2e) return 0;
  const minor = variant.charCodeAt(3) - 0x30;
  return minor >= 0 && minor <= 9 ? minor : 0;
}

function isComponent(text: string): bool {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const lower = unit | 0x20;
    const plain = (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
    if (!plain && unit != 0x5f && unit != 0x2e && unit != 0x2d) return false;
  }
  return text.length > 0;
}
