// What becomes of the result of a build: an image of the store, with names. `moby` is what the docker driver asks for.

import { Image } from "../../image/image";
import { Reference } from "../../image/reference";
import { imageStore } from "../../image/store";
import { giveName, readNewName } from "../../image/tag";
import { Json } from "../../json/json";
import { objectIn } from "./grpc-reply";
import { VertexProgress } from "./progress/vertex-progress";

const BUILT: string[] = ["", "moby"];

export class Output {
  /** What is not built of it; empty if all is. */
  readonly unbuilt: string;
  /** The result becomes an image; otherwise it is only the builder's cache. */
  readonly isImage: bool;
  /** What is wrong with the names; empty if nothing is. */
  problem: string = "";
  /** The names of the image. */
  readonly references: Reference[] = [];

  /** `message`: of Control.Solve. Newer clients may name several outputs. */
  constructor(message: Json) {
    const several = message.find("Exporters");
    const isNew = several !== null && several.isArray && several.length > 0;
    const type = isNew ? several!.items[0].stringOf("Type") : message.stringOf("Exporter");
    const attributes = isNew ? objectIn(several!.items[0], "Attrs") : objectIn(message, "ExporterAttrs");
    if (isNew && several!.length > 1) this.unbuilt = "more than one output";
    else this.unbuilt = BUILT.includes(type) ? "" : `the output of type ${type}`;
    this.isImage = type.length > 0;
    const names = attributes.stringOf("name").split(",");
    for (let i = 0; i < names.length && this.problem.length == 0; i++) if (names[i].length > 0) this.name(names[i]);
  }

  private name(text: string): void {
    const name = readNewName(text, "");
    if (name.reference !== null) this.references.push(name.reference!);
    else this.problem = `failed to parse ${text}: ${name.refusal!.message}`;
  }
}

/** Names the image. A client may have removed it meanwhile: it is put back. */
export function exportImage(image: Image, references: Reference[], progress: VertexProgress): Image {
  progress.internal("exporting to image", "");
  const kept = imageStore.add(image);
  imageStore.show(kept);
  progress.did(`writing image ${kept.id}`);
  for (let i = 0; i < references.length; i++) {
    giveName(kept, references[i]);
    progress.did(`naming to ${references[i].canonical}`);
  }
  progress.end("");
  return kept;
}
