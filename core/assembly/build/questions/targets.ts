// `frontend.targets`: the stages that can be built (`docker build --call targets`).

import { Json } from "../../json/json";
import { TextBuilder } from "../../text/builder";
import { Stage } from "../stages/stage";
import { Stages } from "../stages/stages";
import { Answer, locationOf, sourcesOf } from "./answer";
import { descriptionOf } from "./comments";
import { Table } from "./table";

export function targetsAnswer(stages: Stages, dockerfile: string): Answer {
  const lines = dockerfile.split("\n");
  const targets = Json.array();
  const table = new Table(["TARGET", "DESCRIPTION"], 3);
  for (let i = 0; i < stages.all.length; i++) {
    const stage = stages.all[i];
    // Named contexts are no stages of the file.
    if (stage.context.length > 0) continue;
    const isDefault = i == stages.all.length - 1;
    const description = descriptionOf(stage.name, stage.from.line, lines);
    targets.push(targetOf(stage, stages, description, isDefault));
    table.add([shownName(stage.name, isDefault), description]);
  }
  const document = Json.object();
  document.set("targets", targets);
  document.set("sources", sourcesOf(dockerfile));
  const text = new TextBuilder();
  table.write(text);
  return new Answer(document, text.toString());
}

function targetOf(stage: Stage, stages: Stages, description: string, isDefault: bool): Json {
  const target = Json.object();
  if (stage.name.length > 0) target.set("name", Json.string(stage.name));
  if (isDefault) target.set("default", Json.bool(true));
  if (description.length > 0) target.set("description", Json.string(description));
  const base = stage.base >= 0 ? stages.all[stage.base].name : stage.isScratch ? "scratch" : stage.image;
  if (base.length > 0) target.set("base", Json.string(base));
  if (stage.platform.length > 0) target.set("platform", Json.string(stage.platform));
  target.set("location", locationOf(stage.from.line, stage.from.endLine));
  return target;
}

function shownName(name: string, isDefault: bool): string {
  if (!isDefault) return name;
  return name.length == 0 ? "(default)" : `${name} (default)`;
}
