// Contexts of builds by `POST /build` with `version=2` and `remote=upload-request`: another such request, with `buildid`
// `upload-request:ID`, brings the context of the build ID as its body. So docker CLIs before 23.0 build what is piped into them.

import { Call } from "../../../call";
import { internal } from "../../../refusal";
import { sendEmpty, sendRefusal } from "../../../reply";
import { Arrivals, Awaiting, WaitingCall } from "../arrivals";

const PREFIX = "upload-request:";

/** The id of the build whose context the request brings; empty if it is another request. */
export function uploadedFor(id: string): string {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : "";
}

/** A build that waits for its context. */
export interface UploadClient {
  uploadCame(upload: Upload): void;
  uploadMissed(): void;
}

/** The request with the context. It waits for the build, and is answered when the context is no longer needed. */
export class Upload extends WaitingCall<UploadClient> {
  private answered: bool = false;

  /** By it, commands name the body. */
  get request(): u64 {
    return this.call.id;
  }

  arrived(client: UploadClient): void {
    client.uploadCame(this);
  }

  missed(): void {
    this.answered = true;
    sendRefusal(this.call, internal(LATE));
  }

  finish(): void {
    if (this.answered) return;
    this.answered = true;
    sendEmpty(this.call, 200);
  }
}

/** The build's side. */
export class UploadWait extends Awaiting<Upload> {
  constructor(
    id: string,
    readonly client: UploadClient,
  ) {
    super(id, null);
  }

  arrived(upload: Upload): void {
    this.client.uploadCame(upload);
  }

  missed(): void {
    this.client.uploadMissed();
  }
}

export const LATE: string = "context deadline exceeded";

/** Either may come first. One request brings the context of one build, even if others have the same id. */
class Uploads {
  private readonly offered: Arrivals<UploadClient> = new Arrivals<UploadClient>();
  private readonly wanted: Arrivals<Upload> = new Arrivals<Upload>();

  offer(id: string, call: Call): void {
    const upload = new Upload(id, call);
    if (!this.wanted.tellFirst(id, upload)) this.offered.wait(upload);
  }

  want(wait: UploadWait): void {
    if (!this.offered.tellFirst(wait.name, wait.client)) this.wanted.wait(wait);
  }
}

export const uploads: Uploads = new Uploads();
