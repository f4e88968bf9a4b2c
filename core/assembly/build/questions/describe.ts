// `frontend.subrequests.describe`: what can be asked.

import { Json } from "../../json/json";
import { TextBuilder } from "../../text/builder";
import { Answer } from "./answer";
import { Table } from "./table";

export const LINT: string = "frontend.lint";
export const OUTLINE: string = "frontend.outline";
export const TARGETS: string = "frontend.targets";
export const DESCRIBE: string = "frontend.subrequests.describe";

const NAMES: string[] = [OUTLINE, TARGETS, LINT, DESCRIBE];
const DESCRIPTIONS: string[] = [
  "List all parameters current build target supports",
  "List all targets current build supports",
  "Lint a Dockerfile",
  "List available subrequest types",
];
const PREFIX = "frontend.";
const VERSION = "1.0.0";

export function canBeAsked(name: string): bool {
  return NAMES.includes(name);
}

export function describeAnswer(): Answer {
  const document = Json.array();
  const table = new Table(["NAME", "VERSION", "DESCRIPTION"], 3);
  for (let i = 0; i < NAMES.length; i++) {
    document.push(requestOf(NAMES[i], DESCRIPTIONS[i]));
    table.add([NAMES[i].slice(PREFIX.length), VERSION, DESCRIPTIONS[i]]);
  }
  const text = new TextBuilder();
  table.write(text);
  return new Answer(document, text.toString());
}

function requestOf(name: string, description: string): Json {
  const request = Json.object();
  request.set("name", Json.string(name));
  request.set("version", Json.string(VERSION));
  request.set("type", Json.string("rpc"));
  request.set("description", Json.string(description));
  const metadata = Json.array();
  const documents = name == LINT ? ["result.json", "result.txt", "result.statuscode"] : ["result.json", "result.txt"];
  for (let i = 0; i < documents.length; i++) {
    const document = Json.object();
    document.set("name", Json.string(documents[i]));
    metadata.push(document);
  }
  request.set("opts", name == OUTLINE || name == TARGETS ? optionsOf() : Json.array());
  request.set("metadata", metadata);
  return request;
}

function optionsOf(): Json {
  const target = Json.object();
  target.set("name", Json.string("target"));
  target.set("description", Json.string("Target build stage"));
  const options = Json.array();
  options.push(target);
  return options;
}
