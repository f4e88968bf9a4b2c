// The npm packages of package-lock.json.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Installs them if they are not there as the lock says; a no-op otherwise. Exits with npm's code if npm fails. */
export function installDependencies(root) {
  const lock = readFileSync(join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const stamp = join(root, "node_modules/.coracle-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  if (!isInstalled(root, lock)) {
    console.log("Installing npm packages");
    const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (npm.status !== 0) {
      console.error(npm.error?.message ?? "npm ci failed");
      process.exit(npm.status || 1);
    }
  }
  writeFileSync(stamp, hash);
}

/** npm keeps a lock of what it has installed: packages put there by hand need no second installation. */
function isInstalled(root, lock) {
  const installedLock = join(root, "node_modules/.package-lock.json");
  if (!existsSync(installedLock)) return false;
  const installed = JSON.parse(readFileSync(installedLock, "utf8")).packages;
  const wanted = Object.entries(JSON.parse(lock.toString()).packages);
  return wanted.every(([path, one]) => path === "" || one.optional || installed[path]?.version === one.version);
}
