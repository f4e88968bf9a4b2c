// Mounts of images (surface §3, 1.48): their files, which nobody can change.

import { imageStore } from "../../image/store";
import { notFound } from "../../refusal";
import { Container } from "../container";
import { OTHER_CODE, StartError } from "../start/start-error";
import { MountKind } from "./mount-point";

/** Why a container cannot be started: an image that it mounts was removed by force. Null if all are there. */
export function imageMountProblem(container: Container): StartError | null {
  for (let i = 0; i < container.mounts.length; i++) {
    const mount = container.mounts[i];
    if (mount.kind != MountKind.Image || imageStore.find(mount.source) !== null) continue;
    const text = `No such image: ${mount.source}`;
    return new StartError(text, OTHER_CODE, notFound(text));
  }
  return null;
}
