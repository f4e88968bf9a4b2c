// Layers of which the disk has lost bytes. A save or a push finds it when it reads them. From then on each of these
// fails by name, and the next pull or load replaces the layer; containers may still be made from it meanwhile.

import {
  ContentCommandMeasureTar,
  Failure,
  FailureCall,
  FailureTag,
  MeasuredTar,
  Outcome,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";
import { Task } from "../../task";
import { layerStore } from "./layer-store";

/** A file that is gone is damage, too. */
export function isDamage(failure: Failure): bool {
  if (failure.tag == FailureTag.Call) return (<FailureCall>failure).value.error == "ENOENT";
  return kindOf(failure) == FailureKind.Corrupt;
}

/** Reads a layer whose bytes may have been what made a reply break off. */
export class LayerCheck extends Task {
  constructor(private readonly chain: string) {
    super();
  }

  begin(): void {
    askContent(this, 0, new ContentCommandMeasureTar(new MeasuredTar(this.chain, true)));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null && isDamage(failure)) layerStore.noteDamage(this.chain);
  }
}

/** What clients are told who want to read it. */
export function damagedText(chain: string): string {
  return `layer ${chain} is damaged on disk: pull or load its image again`;
}
