// `RUN --mount=type=tmpfs`.

import { MountKind, MountPoint } from "../../../container/mounts/mount-point";
import { quoteText } from "../../../text/go-quote";
import { Mount } from "../../evaluation/run-mount";

/** Why a size cannot be read; empty if it can: digits, and perhaps `b`, `k`, `m` or `g`. */
export function sizeProblem(size: string): string {
  if (size.length == 0 || digitsOf(size).length > 0) return "";
  return `invalid size of a tmpfs: ${quoteText(size)}`;
}

export function tmpfsPoint(mount: Mount): MountPoint {
  const point = new MountPoint(MountKind.Tmpfs, mount.target);
  // Builds may run what they write there, unlike containers of clients.
  point.options.push("exec");
  if (mount.readOnly) point.options.push("ro");
  if (mount.size.length > 0) point.options.push(`size=${digitsOf(mount.size)}`);
  if (mount.mode.length > 0) point.options.push(`mode=${mount.mode}`);
  if (mount.owner != 0) point.options.push(`uid=${mount.owner.toString()}`);
  if (mount.group != 0) point.options.push(`gid=${mount.group.toString()}`);
  return point;
}

/** The size as the kernel reads it; empty if it is none. */
function digitsOf(size: string): string {
  const text = size.toLowerCase();
  let end = text.endsWith("b") ? text.length - 1 : text.length;
  const unit = end > 0 && "kmgt".includes(text.charAt(end - 1)) ? text.charAt(end - 1) : "";
  end -= unit.length;
  if (end == 0) return "";
  for (let i = 0; i < end; i++) if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return "";
  return text.slice(0, end) + unit;
}
