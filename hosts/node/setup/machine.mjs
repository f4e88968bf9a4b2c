// The system packages that Coracle needs, and how to install missing ones.

import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Each package with files that prove its presence. One of them is enough, and it may come from elsewhere. */
const DAEMON_PACKAGES = [
  {
    name: "crun",
    proof: ["/usr/bin/crun", "/usr/local/bin/crun", "/usr/bin/runc", "/usr/local/bin/runc", "/usr/sbin/runc"],
  },
  { name: "conmon", proof: ["/usr/bin/conmon", "/usr/local/bin/conmon"] },
  {
    name: "tini",
    proof: ["/usr/bin/docker-init", "/usr/local/bin/docker-init", "/usr/bin/tini-static", "/usr/bin/catatonit"],
  },
  { name: "iptables", proof: ["/usr/sbin/iptables", "/sbin/iptables"] },
  { name: "nftables", proof: ["/usr/sbin/nft", "/sbin/nft"] },
  { name: "busybox-static", proof: ["/bin/busybox", "/usr/bin/busybox"], isProof: isStatic },
];

/** Other clients, a registry and the reference engine for the tests, and tools that tests use. */
const TEST_PACKAGES = [
  { name: "iproute2", proof: ["/sbin/ip", "/usr/sbin/ip", "/usr/bin/ip"] },
  { name: "curl", proof: ["/usr/bin/curl"] },
  { name: "openssh-client", proof: ["/usr/bin/ssh-add"] },
  { name: "openssl", proof: ["/usr/bin/openssl"] },
  // The daemon works without it, too.
  { name: "libisal2", proof: ["/usr/lib/x86_64-linux-gnu/libisal.so.2", "/usr/lib/aarch64-linux-gnu/libisal.so.2"] },
  { name: "zstd", proof: ["/usr/bin/zstd"] },
  // Builds from git repositories need the program; tests also serve repositories with it.
  { name: "git", proof: ["/usr/lib/git-core/git-http-backend"] },
  // The daemon needs one of them. The tests run both.
  { name: "crun", proof: ["/usr/bin/crun", "/usr/local/bin/crun"] },
  { name: "runc", proof: ["/usr/sbin/runc", "/usr/bin/runc"] },
  { name: "docker.io", proof: ["/usr/sbin/dockerd", "/usr/bin/dockerd"] },
  { name: "docker-registry", proof: ["/usr/bin/docker-registry"] },
  { name: "docker-compose", proof: ["/usr/bin/docker-compose"] },
  { name: "python3-docker", proof: ["/usr/lib/python3/dist-packages/docker/__init__.py"] },
  { name: "golang-go", proof: ["/usr/bin/go", "/usr/local/bin/go", "/usr/local/go/bin/go"] },
  {
    name: "golang-github-docker-docker-dev",
    proof: ["/usr/share/gocode/src/github.com/docker/docker/client/client.go"],
  },
  { name: "skopeo", proof: ["/usr/bin/skopeo"] },
  { name: "buildah", proof: ["/usr/bin/buildah"] },
  { name: "apache2-utils", proof: ["/usr/bin/htpasswd"] },
  { name: "wabt", proof: ["/usr/share/wabt/wasm2c/wasm-rt-impl.c"] },
  { name: "gcc", proof: ["/usr/bin/gcc"] },
  { name: "libc6-dev", proof: ["/usr/include/stdlib.h"] },
  { name: "strace", proof: ["/usr/bin/strace"] },
  { name: "debootstrap", proof: ["/usr/sbin/debootstrap"] },
  { name: "chromium-headless-shell", proof: ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] },
];

/**
 * Installs missing packages; does nothing if none is missing. True if all are there afterwards; otherwise it has
 * printed what to run. `withTests` includes packages that only tests need.
 */
export function installMissingPackages({ withTests = false } = {}) {
  const table = withTests ? [...DAEMON_PACKAGES, ...TEST_PACKAGES] : DAEMON_PACKAGES;
  const missing = table.filter((one) => !isThere(one)).map((one) => one.name);
  if (missing.length === 0) return true;
  const install = `apt-get install --no-install-recommends -y ${missing.join(" ")}`;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    console.error(`Some system packages are missing. Please run, as root:\n  apt-get update && ${install}`);
    return false;
  }
  console.log(`Installing system packages: ${missing.join(", ")}`);
  if (withoutStartingServices(() => run("apt-get -qq update") && run(`${install} -qq`))) return true;
  console.error(`The installation failed. Please make sure that this command works:\n  apt-get update && ${install}`);
  return false;
}

/** If this Node is older than package.json requires (`>=MAJOR.MINOR`), says what to do and ends the process. */
export function requireNode(root) {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const oldest = engines.node.slice(">=".length);
  const [major, minor] = oldest.split(".").map(Number);
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  console.error(`Coracle needs Node ${oldest} or newer; this is ${process.version} (${process.execPath})`);
  process.exit(1);
}

function isThere({ proof, isProof = () => true }) {
  return proof.some((file) => existsSync(file) && isProof(file));
}

/** Whether a program runs in an image without other files. The head of a dynamic one names its loader. */
function isStatic(file) {
  const head = Buffer.alloc(4096);
  const fd = openSync(file, "r");
  readSync(fd, head);
  closeSync(fd);
  return !/\/ld-(linux|musl)/.test(head.toString("latin1"));
}

/**
 * A reference engine that is installed only for tests must not start by itself: in policy-rc.d(8), 101 forbids that.
 */
function withoutStartingServices(install) {
  const policy = "/usr/sbin/policy-rc.d";
  const own = !existsSync(policy);
  if (own) writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    return install();
  } finally {
    if (own) rmSync(policy);
  }
}

/** Prints nothing unless it fails. */
function run(command) {
  const [program, ...args] = command.split(" ");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) console.error(`${stdout}${stderr}`.trim());
  return status === 0;
}
