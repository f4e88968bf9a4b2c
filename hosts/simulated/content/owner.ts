// The owner that a command names, looked up in the files that get it.

import { identify } from "../../shared/index.js";
import type { MountedFiles } from "../files/mounted-files.js";

export interface Owner {
  uid: number;
  gid: number;
}

/** Looks the user up in the container's own passwd and group files. */
export function ownerIn(files: MountedFiles, user: string): Owner {
  const [passwd = "", group = ""] = ["/etc/passwd", "/etc/group"].map((path) => {
    try {
      return new TextDecoder().decode(files.read(path));
    } catch {
      return "";
    }
  });
  const { uid, gid } = identify(user, [], passwd, group);
  return { uid, gid };
}
