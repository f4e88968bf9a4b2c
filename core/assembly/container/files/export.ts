// GET /containers/{id}/export (surface §1.2): a container's own files as a tar, without anything mounted over them.

import { ExportSource, Failure, Outcome, SourceExport } from "../../../../build/bindings/types";
import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { conflict, Refusal } from "../../refusal";
import { headersOf, openReply, splice } from "../../reply";
import { Status } from "../lifecycle";
import { containerStore } from "../store";
import { Reader } from "./archive";
import { FilesWork, waitForFiles } from "./files-work";

export function exportContainer(call: Call): Refusal | null {
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.status == Status.Dead) return conflict(`You cannot export container ${container.id} which is Dead`);
  if (container.status == Status.Removing) {
    return conflict(`You cannot export container ${container.id} which is being removed`);
  }
  if (container.between) {
    waitForFiles(container, call);
    return null;
  }
  new Exporting(call, container).begin();
  return null;
}

class Exporting extends FilesWork {
  protected ready(): void {
    if (this.gone) return this.close();
    const container = this.container;
    const headers = `${headersOf(this.call).all}\nContent-Type: application/octet-stream`;
    openReply(this.call, 200, headers, new Reader(this));
    splice(this.call, new SourceExport(new ExportSource(container.id, container.chain)));
    emitContainer(container, "export");
  }

  protected answered(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}
}
