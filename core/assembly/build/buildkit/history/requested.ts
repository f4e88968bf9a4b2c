// A build by `POST /build` with `version=2` on its way into the history. Its client knows no name for it there; what it asks
// for stands under the names that clients with calls have for that (moby/moby, builder-next).

import { engine } from "../../../state";
import { BuildOptions } from "../../options";
import { withoutUsers } from "../../run/web/shown";
import { RecordedOutput, BuildRecord, Texts } from "./build-record";
import { Recording } from "./recording";

const FRONTEND = "dockerfile.v0";
/** As long as those of BuildKit. */
const REF_LENGTH: i32 = 25;

/** `names`: of the image, with commas between them. */
export function recordRequested(options: BuildOptions, names: string): Recording {
  const build = new BuildRecord(engine.ids.next(), engine.ids.next().slice(0, REF_LENGTH), engine.now.wall);
  build.frontend = FRONTEND;
  writeOptions(build.options, options);
  const output = new RecordedOutput("moby");
  if (names.length > 0) output.attributes.add("name", names);
  build.outputs.push(output);
  return new Recording(build);
}

function writeOptions(texts: Texts, options: BuildOptions): void {
  const address = options.remote;
  const git = options.git;
  if (address !== null) texts.add("context", address.shown);
  if (git !== null) texts.add("context", git.shown);
  if (options.dockerfile != "Dockerfile") texts.add("filename", options.dockerfile);
  if (options.target.length > 0) texts.add("target", options.target);
  if (!options.useCache) texts.add("no-cache", "");
  const args = options.buildArgs;
  for (let i = 0; i < args.keys.length; i++) texts.add(`build-arg:${args.keys[i]}`, withoutUsers(args.items[i].text));
  const labels = options.labels;
  for (let i = 0; i < labels.keys.length; i++) texts.add(`label:${labels.keys[i]}`, withoutUsers(labels.items[i].text));
}
