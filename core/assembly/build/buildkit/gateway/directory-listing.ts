// LLBBridge.ReadDir: the files in a directory of a result, by the bytes of their names. A pattern, as of a `.dockerignore`,
// chooses among them.

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
import { Json } from "../../../json/json";
import { JsonWriter } from "../../../json/writer";
import { globMatch, isGlob } from "../../../text/glob";
import { CallError, Code, notBuilt, unknownError } from "../grpc-reply";
import { writeFile } from "./file-description";
import { FileQuestion, LARGEST } from "./file-question";

/** How many files a host is asked for at once. */
const PAGE: u32 = 2000;

export class DirectoryListing extends FileQuestion {
  /** Empty: all files. */
  private readonly pattern: string;
  /** The name that the next page begins after. */
  private after: string = "";
  private readonly json: JsonWriter = new JsonWriter();

  constructor(call: Call, message: Json) {
    super(call, message, message.stringOf("DirPath"), "lstat");
    this.pattern = message.stringOf("IncludePattern");
  }

  protected ask(): void {
    const problem = patternProblem(this.pattern);
    if (problem !== null) return this.fail(problem);
    this.json.beginObject().key("entries").beginArray();
    super.ask();
  }

  protected command(at: FileAt): ContentCommand {
    return new ContentCommandListFiles(new Listing(at, true, this.after, PAGE));
  }

  protected told(outcome: Outcome): void {
    const files = (<OutcomeListed>outcome).value;
    for (let i = 0; i < files.length; i++) if (this.wants(files[i])) writeFile(this.json, files[i]);
    if (this.json.length > LARGEST) return this.fail(tooMany(this.path));
    if (files.length < <i32>PAGE) return this.answer(this.json.endArray().endObject());
    this.after = files[files.length - 1].name;
    this.look();
  }

  private wants(file: ListedFile): bool {
    return this.pattern.length == 0 || globMatch(this.pattern, file.name);
  }
}

/** A pattern of several parts would also choose directories by what is in them. */
function patternProblem(pattern: string): CallError | null {
  if (pattern.includes("/") || pattern.includes("**") || pattern.startsWith("!")) {
    return notBuilt(`the pattern ${pattern}, which is more than one name,`);
  }
  if (isGlob(pattern)) return null;
  return unknownError(`invalid includepatterns: [${pattern}]: syntax error in pattern`);
}

function tooMany(path: string): CallError {
  return new CallError(Code.ResourceExhausted, `${path} has too many files for a message: ask for some by a pattern`);
}
