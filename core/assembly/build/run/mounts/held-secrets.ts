// `RUN --mount=type=secret` and `type=ssh`: secrets and agents that the host holds for a step, and where the step has them.

import { HeldVariable } from "../../../../../build/bindings/types";
import { Lent } from "../../../container/mounts/lent";
import { MountKind, MountPoint } from "../../../container/mounts/mount-point";
import { Mount, MountType } from "../../evaluation/run-mount";

export class HeldSecrets {
  /** Ids of the containers that hold them, by what tells one from another. */
  private readonly holders: Map<string, string> = new Map<string, string>();

  has(mount: Mount): bool {
    return this.holders.has(keyOf(mount));
  }

  add(mount: Mount, holder: string): void {
    this.holders.set(keyOf(mount), holder);
  }

  /** A file, a variable, or both; or a socket. As in BuildKit, nobody can change the file, but the mode of the socket. */
  lend(mount: Mount, lent: Lent): void {
    const holder = this.holders.get(keyOf(mount));
    if (mount.type == MountType.Ssh) return lendFile(mount, `files:${holder}/agent`, false, lent);
    if (mount.variable.length > 0) lent.variables.push(new HeldVariable(mount.variable, holder));
    if (mount.target.length > 0) lendFile(mount, `files:${holder}/secret`, true, lent);
  }
}

function lendFile(mount: Mount, source: string, readOnly: bool, lent: Lent): void {
  const point = new MountPoint(MountKind.Lent, mount.target);
  point.source = source;
  point.readOnly = readOnly;
  point.options = ["nosuid", "nodev", "noexec"];
  lent.points.push(point);
}

function keyOf(mount: Mount): string {
  return `${mount.type.toString()} ${mount.owner.toString()} ${mount.group.toString()} ${mount.mode} ${mount.id}`;
}
