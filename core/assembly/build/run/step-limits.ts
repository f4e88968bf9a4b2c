// How many steps a build may have, and how much its images may take. A step makes an image, whose config has the history of
// all steps before it: without limits a small Dockerfile would fill the memory of the engine, in one go.

/** Instructions of all stages, labels of the client, and triggers of base images. */
export const MAX_STEPS: i32 = 1000;
/** Bytes of the configs of all images that a build makes. */
export const MAX_CONFIGS: i32 = 64 << 20;

export class StepLimits {
  private steps: i32 = 0;
  private bytes: i32 = 0;

  /** Returns the sentence for too many steps, or nothing. */
  addSteps(count: i32): string {
    this.steps += count;
    return this.steps > MAX_STEPS ? `a build may have ${MAX_STEPS.toString()} steps, and this one has more` : "";
  }

  /** Returns the sentence for images that are too large together, or nothing. `bytes`: at most `documentLimit`. */
  addConfig(bytes: i32): string {
    this.bytes += bytes;
    if (this.bytes <= MAX_CONFIGS) return "";
    return `the configs of the steps' images are larger than ${MAX_CONFIGS.toString()} bytes together`;
  }
}
