// Ports that a program forwards, as files: one for each container's connection to a network.

import { FollowedFiles } from "../../followers/followed-files.js";
import type { Place } from "./forwarder.js";

/** What arrives at a port of the machine goes to a container, at an address of any family. */
export interface Forward {
  protocol: "tcp" | "udp";
  from: Place;
  to: Place;
}

export interface ForwardFile {
  forwards: { forwards: Forward[] };
}

export class ForwardFiles extends FollowedFiles<ForwardFile> {
  constructor(directory: string) {
    super(directory, ["forwards"]);
  }
}
