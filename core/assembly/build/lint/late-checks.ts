// The evaluated rules once more, as soon as the images are here that stages begin with: only then is it known which
// variables they set.

import { Image } from "../../image/image";
import { Dockerfile } from "../dockerfile/dockerfile";
import { BuildOptions } from "../options";
import { Stages } from "../stages/stages";
import { checkEvaluated } from "./evaluated-checks";
import { Finding, Findings } from "./findings";

export class LateChecks {
  /** By the index of a stage. */
  private readonly bases: (Image | null)[] = [];
  /** Stages that are built, and of which nobody knows the image yet. */
  private readonly awaited: Set<i32> = new Set<i32>();
  private isOver: bool = false;

  /** `findings`: those that there are without the images. */
  constructor(
    private readonly file: Dockerfile,
    private readonly options: BuildOptions,
    private readonly findings: Findings,
    stages: Stages,
  ) {
    for (let i = 0; i < stages.all.length; i++) {
      this.bases.push(null);
      if (stages.needed.includes(i) && stages.all[i].image.length > 0) this.awaited.add(i);
    }
  }

  /** An image that a stage begins with. Returns what was not found before: something only with the last image. */
  take(stage: i32, image: Image): Finding[] {
    this.bases[stage] = image;
    this.awaited.delete(stage);
    if (this.isOver || this.awaited.size > 0) return [];
    this.isOver = true;
    this.findings.beginAgain();
    checkEvaluated(this.file, this.options, this.findings, this.bases);
    return this.findings.newest;
  }

  /** See `Findings`. */
  get error(): string {
    return this.findings.error;
  }
}
