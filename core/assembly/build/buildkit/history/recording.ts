// A build on its way into the history.

import { Json } from "../../../json/json";
import { engine } from "../../../state";
import { withoutUsers } from "../../run/web/shown";
import { CallError, objectIn, shortened } from "../grpc-reply";
import { News } from "../progress/news";
import { BuildRecord, RecordedOutput, Texts } from "./build-record";
import { history } from "./history";

/** In UTF-16 units. A build with a longer ref is not recorded. */
const LONGEST_REF: i32 = 1024;

export class Recording {
  private over: bool = false;

  constructor(private readonly build: BuildRecord) {
    history.begin(build);
  }

  /** What the client asks of the frontend, unless the call that began the build said so. */
  asked(frontend: string, options: Json): void {
    const build = this.build;
    if (build.frontend.length > 0 || build.options.names.length > 0) return;
    build.frontend = shortened(frontend);
    takeTexts(build.options, options);
  }

  /** `told`: what those were told who watched. */
  done(facts: Map<string, string>, told: News[]): void {
    if (this.over) return;
    const names = facts.keys();
    for (let i = 0; i < names.length; i++) this.build.answer.add(names[i], facts.get(names[i]));
    this.end(told);
  }

  failed(error: CallError, told: News[]): void {
    if (this.over) return;
    this.build.code = error.code;
    this.build.error = shortened(withoutUsers(error.message));
    this.end(told);
  }

  private end(told: News[]): void {
    this.over = true;
    this.build.steps.take(told);
    history.complete(this.build);
  }
}

/** Null if the client wants no record of the build. `message`: of Control.Solve, without its secrets. */
export function recordingOf(ref: string, message: Json): Recording | null {
  if (message.boolOf("Internal") || ref.length > LONGEST_REF) return null;
  const build = new BuildRecord(engine.ids.next(), ref, engine.now.wall);
  build.frontend = shortened(message.stringOf("Frontend"));
  takeTexts(build.options, objectIn(message, "FrontendAttrs"));
  takeOutputs(build, message);
  return new Recording(build);
}

/** Newer clients name all their outputs, and the first of them for older engines again. */
function takeOutputs(build: BuildRecord, message: Json): void {
  const several = message.find("Exporters");
  if (several === null || !several.isArray || several.length == 0) {
    return takeOutput(build, message.stringOf("Exporter"), objectIn(message, "ExporterAttrs"), 1);
  }
  for (let i = 0; i < several.length; i++) {
    takeOutput(build, several.items[i].stringOf("Type"), objectIn(several.items[i], "Attrs"), several.length);
  }
}

function takeOutput(build: BuildRecord, type: string, attributes: Json, among: i32): void {
  if (type.length == 0) return;
  const output = new RecordedOutput(shortened(type), among);
  takeTexts(output.attributes, attributes);
  build.outputs.push(output);
}

function takeTexts(texts: Texts, given: Json): void {
  for (let i = 0; i < given.keys.length; i++) texts.add(given.keys[i], withoutUsers(given.items[i].text));
}
