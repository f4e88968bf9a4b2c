// What a build lends to the container of a step, and takes back after its run.

import { HeldVariable } from "../../../../build/bindings/types";
import { MountPoint } from "./mount-point";

export class Lent {
  readonly points: MountPoint[] = [];
  /** In place of the container's own of the same names. */
  readonly variables: HeldVariable[] = [];
}
