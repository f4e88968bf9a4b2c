// PUT /containers/{id}/archive (surface §2.13): unpacks a tar into a directory of a container.

import {
  BodyTag,
  ContentCommandExtract,
  EntriesSourceBody,
  Extract,
  Failure,
  FileStat,
  Outcome,
} from "../../../../build/bindings/types";
import { flagOf } from "../../api/parameters";
import { abandon, askContent } from "../../ask";
import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { failureText } from "../../failure/text";
import { Ignored } from "../../ignored";
import { brokenTar } from "../../image/archive/archive-reader";
import { tarLimits } from "../../image/limits";
import { Members } from "../../json/members";
import { badParameter, internal, Refusal } from "../../refusal";
import { sendEmpty } from "../../reply";
import { Container } from "../container";
import { containerSizes } from "../usage/sizes";
import { archiveSubject, PathWork } from "./archive";
import { isDirectory } from "./file-mode";
import { FIRST_STEP } from "./files-work";

export function writeArchive(call: Call): Refusal | null {
  const subject = archiveSubject(call);
  const container = subject.container;
  if (container !== null) new Writing(call, container).begin();
  return subject.refusal;
}

/** Cancels unpacking when the container is removed: the clients may never send the rest of their tars. */
export function abandonExtracts(container: Container): void {
  const extracts = container.extracts.splice(0);
  for (let i = 0; i < extracts.length; i++) abandon(new Ignored(), 0, extracts[i]);
}

class Writing extends PathWork {
  private op: u64 = 0;

  protected get follows(): bool {
    return true;
  }

  protected found(stat: FileStat): void {
    if (!isDirectory(stat.mode)) return this.refuse(badParameter("extraction point is not a directory"));
    if (stat.readOnly || (stat.place == "/" && hasReadOnlyRoot(this.container))) {
      const what = stat.place == "/" ? "container rootfs" : "mounted volume";
      return this.refuse(badParameter(`${what} is marked read-only`));
    }
    if (this.call.request.body.tag == BodyTag.None) return this.written();

    containerSizes.outdate(this.container);
    const keepKinds = flagOf(this.call.query, "noOverwriteDirNonDir");
    const extract = new Extract(
      this.at(),
      new EntriesSourceBody(this.call.id),
      keepKinds,
      this.owner(),
      tarLimits(),
      false,
    );
    this.op = askContent(this, FIRST_STEP + 1, new ContentCommandExtract(extract));
    this.container.extracts.push(this.op);
  }

  protected followed(_outcome: Outcome | null, failure: Failure | null): void {
    const extracts = this.container.extracts;
    const at = extracts.indexOf(this.op);
    if (at >= 0) extracts.splice(at, 1);
    // The files of a running container change all the time: they are counted after the run, or on request.
    if (!this.container.running) containerSizes.changed(this.container);
    if (failure === null) return this.written();
    this.refuse(internal(brokenTar(failureText(failure))));
  }

  private written(): void {
    emitContainer(this.container, "extract-to-dir");
    this.close();
    sendEmpty(this.call, 200);
  }

  /** The owner of the unpacked files; null for the owners in the tar. */
  private owner(): string | null {
    if (!flagOf(this.call.query, "copyUIDGID")) return null;
    const user = new Members(this.container.config).tree("User");
    return user === null || user.text.length == 0 ? null : user.text;
  }
}

function hasReadOnlyRoot(container: Container): bool {
  const flag = new Members(container.hostConfig).tree("ReadonlyRootfs");
  return flag !== null && flag.bool;
}
