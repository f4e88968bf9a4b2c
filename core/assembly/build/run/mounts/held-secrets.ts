// `RUN --mount=type=secret`: secrets that the host holds for a step, and where the step has them.

import { HeldVariable } from "../../../../../build/bindings/types";
import { Lent } from "../../../container/mounts/lent";
import { MountKind, MountPoint } from "../../../container/mounts/mount-point";
import { Mount } from "../../evaluation/run-mount";

export class HeldSecrets {
  /** Ids of the containers that hold them, by what tells one file from another. */
  private readonly holders: Map<string, string> = new Map<string, string>();

  has(mount: Mount): bool {
    return this.holders.has(keyOf(mount));
  }

  add(mount: Mount, holder: string): void {
    this.holders.set(keyOf(mount), holder);
  }

  /** A file, a variable, or both. As in BuildKit, nobody can change or execute the file. */
  lend(mount: Mount, lent: Lent): void {
    const holder = this.holders.get(keyOf(mount));
    if (mount.variable.length > 0) lent.variables.push(new HeldVariable(mount.variable, holder));
    if (mount.target.length == 0) return;
    const point = new MountPoint(MountKind.Lent, mount.target);
    point.source = `files:${holder}/secret`;
    point.readOnly = true;
    point.options = ["nosuid", "nodev", "noexec"];
    lent.points.push(point);
  }
}

function keyOf(mount: Mount): string {
  return `${mount.owner.toString()} ${mount.group.toString()} ${mount.mode} ${mount.id}`;
}
