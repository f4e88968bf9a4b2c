// Recursively read-only mounts: everything mounted below them is read-only, too.

import { engine } from "../../state";

/** mount_setattr(2) came with Linux 5.12; older kernels can only make the mount itself read-only. */
export function canBeDeep(): bool {
  const version = engine.options.machine.kernelVersion.split(".");
  const major = version.length > 1 ? <i32>parseInt(version[0], 10) : 0;
  return major > 5 || (major == 5 && <i32>parseInt(version[1], 10) >= 12);
}
