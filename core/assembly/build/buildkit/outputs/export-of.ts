// Gives the client of a build its result: an image of the store, also in a registry, or files that go through the session.

import { Image } from "../../../image/image";
import { ExportNeeds, Exporting } from "./exporting";
import { FilesExport } from "./files-export";
import { ImageExport } from "./image-export";
import { ImagesExport } from "./images-export";
import { SeveralExports } from "./several-exports";
import { Output, OutputKind } from "./output";

/** `needs`: of each output. One after the other, as the client may read them one after the other. */
export function exportsOf(image: Image, outputs: Output[], needs: ExportNeeds[]): Exporting {
  const all: Exporting[] = [];
  for (let i = 0; i < outputs.length; i++) {
    if (outputs[i].kind != OutputKind.Nothing) all.push(exportOf(image, outputs[i], needs[i]));
  }
  return all.length == 1 ? all[0] : new SeveralExports(all);
}

export function exportOf(image: Image, output: Output, needs: ExportNeeds): Exporting {
  switch (output.kind) {
    case OutputKind.Files:
    case OutputKind.Tar:
      return new FilesExport(image, output.kind == OutputKind.Tar, needs);
    case OutputKind.Docker:
    case OutputKind.Oci:
      return new ImagesExport(image, output, needs);
    default:
      return new ImageExport(image, output, needs);
  }
}
