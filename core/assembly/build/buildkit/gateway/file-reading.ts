// LLBBridge.ReadFile: the bytes of a file of a result, or a part of them.

import {
  ContentCommand,
  ContentCommandReadFile,
  FileAt,
  FilePart,
  Outcome,
  OutcomeBytes,
  ReadFile,
} from "../../../../../build/bindings/types";
import { Call } from "../../../call";
import { Json } from "../../../json/json";
import { JsonWriter } from "../../../json/writer";
import { base64Length } from "../../../text/base64";
import { int64In, unknownError } from "../grpc-reply";
import { FileQuestion, LARGEST } from "./file-question";

export class FileReading extends FileQuestion {
  /** None: all of the file. */
  private readonly range: Json | null;

  constructor(call: Call, message: Json) {
    super(call, message, message.stringOf("FilePath"), "open");
    const range = message.find("Range");
    this.range = range !== null && range.isObject ? range : null;
  }

  /** Go's libraries read from no place before a file. */
  protected ask(): void {
    const range = this.range;
    if (range === null || int64In(range, "Offset") >= 0) return super.ask();
    this.fail(unknownError(`readat ${this.path}: negative offset`));
  }

  protected command(at: FileAt): ContentCommand {
    return new ContentCommandReadFile(new ReadFile(at, LARGEST, this.part()));
  }

  protected told(outcome: Outcome): void {
    const bytes = (<OutcomeBytes>outcome).value;
    const json = new JsonWriter(false, base64Length(bytes) + 64).beginObject();
    json.key("Data").base64(bytes);
    this.answer(json.endObject());
  }

  /** Nothing is as long as less than nothing. */
  private part(): FilePart | null {
    const range = this.range;
    if (range === null) return null;
    return new FilePart(<u64>int64In(range, "Offset"), <u64>max(<i64>0, int64In(range, "Length")));
  }
}
