// Read-only mounts with all that is mounted below them.

import { engine } from "../../state";

/** mount_setattr(2) came with Linux 5.12; before, only the mount itself can be made read-only. */
export function canBeDeep(): bool {
  const version = engine.options.machine.kernelVersion.split(".");
  const major = version.length > 1 ? <i32>parseInt(version[0], 10) : 0;
  return major > 5 || (major == 5 && <i32>parseInt(version[1], 10) >= 12);
}
