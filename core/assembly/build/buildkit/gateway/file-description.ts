// LLBBridge.StatFile: what a file of a result is. Links are followed, as in BuildKit.

import {
  ContentCommand,
  ContentCommandListFiles,
  FileAt,
  ListedFile,
  Listing,
  Outcome,
  OutcomeListed,
} from "../../../../../build/bindings/types";
import { Call } from "../../../call";
import { fileModeOf, isDirectory } from "../../../container/files/file-mode";
import { Json } from "../../../json/json";
import { JsonWriter } from "../../../json/writer";
import { FileQuestion } from "./file-question";

export class FileDescription extends FileQuestion {
  constructor(call: Call, message: Json) {
    super(call, message, message.stringOf("Path"), "lstat");
  }

  protected command(at: FileAt): ContentCommand {
    return new ContentCommandListFiles(new Listing(at, false, "", 1));
  }

  protected told(outcome: Outcome): void {
    const json = new JsonWriter().beginObject();
    json.key("stat");
    writeFile(json, (<OutcomeListed>outcome).value[0]);
    this.answer(json.endObject());
  }
}

/** As `Stat` (tonistiigi/fsutil, types/stat.proto), without extended attributes. */
export function writeFile(json: JsonWriter, file: ListedFile): void {
  json.beginObject().stringField("path", file.name.length == 0 ? "." : file.name);
  json
    .i64Field("mode", <i64>fileModeOf(file.mode))
    .i64Field("uid", file.owner)
    .i64Field("gid", file.group);
  if (!isDirectory(file.mode)) json.key("size").u64(file.size);
  // As a text: a number of JSON has too few digits.
  json.stringField("modTime", file.modified.toString());
  if (file.target.length > 0) json.stringField("linkname", file.target);
  if (file.major > 0) json.i64Field("devmajor", file.major);
  if (file.minor > 0) json.i64Field("devminor", file.minor);
  json.endObject();
}
