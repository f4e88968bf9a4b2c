// Installs the npm packages of package-lock.json.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Installs what the lock says and does not change it. `npm ci` would refuse it: it also wants the optional packages of
// every other platform in the lock, and not every registry has those.
const INSTALL = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];

/** Installs them unless they are installed as the lock says. Exits with npm's code if npm fails. */
export function installDependencies(root) {
  const lock = readFileSync(join(root, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex");
  const stamp = join(root, "node_modules/.coracle-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  if (!isInstalled(root, lock)) {
    console.log("Installing npm packages");
    const npm = spawnSync("npm", INSTALL, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    if (npm.status !== 0) {
      console.error(npm.error?.message ?? "npm install failed");
      process.exit(npm.status || 1);
    }
  }
  writeFileSync(stamp, hash);
}

/** npm keeps a lock of what it has installed. So packages that were copied by hand need no second installation. */
function isInstalled(root, lock) {
  const installedLock = join(root, "node_modules/.package-lock.json");
  if (!existsSync(installedLock)) return false;
  const installed = JSON.parse(readFileSync(installedLock, "utf8")).packages;
  const wanted = Object.entries(JSON.parse(lock.toString()).packages);
  return wanted.every(([path, one]) => path === "" || one.optional || installed[path]?.version === one.version);
}
