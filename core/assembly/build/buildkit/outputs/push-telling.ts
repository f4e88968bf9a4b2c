// What a push tells the client of a build, in the words of BuildKit.

import { Call } from "../../../call";
import { ProgressStream, StreamWriter } from "../../../image/progress-stream";
import { Reference } from "../../../image/reference";
import { VertexProgress } from "../progress/vertex-progress";

/** Waits for a push. */
export interface PushClient {
  /** `digest`: of the manifest. */
  pushed(digest: string): void;
  pushFailed(why: string): void;
}

export class PushTelling extends ProgressStream {
  private digest: string = "";
  private ended: bool = false;

  constructor(
    call: Call,
    private readonly reference: Reference,
    private readonly progress: VertexProgress,
    private readonly client: PushClient,
  ) {
    super(call);
    // Layers are not told one by one.
    this.quiet = true;
  }

  /** The build knows when its client leaves. */
  begin(_writer: StreamWriter): void {}

  get finished(): bool {
    return this.ended;
  }

  pushed(_tag: string, digest: string, _size: i32): void {
    this.digest = digest;
    this.progress.did(`pushing manifest for ${this.reference.canonical}@${digest}`);
  }

  fail(message: string): void {
    if (this.ended) return;
    this.ended = true;
    this.client.pushFailed(message);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.client.pushed(this.digest);
  }
}
