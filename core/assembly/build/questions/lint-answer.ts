// `frontend.lint`: what breaks the rules (`docker build --check`).

import { Json } from "../../json/json";
import { TextBuilder } from "../../text/builder";
import { encodeBase64 } from "../../text/base64";
import { encodeUtf8 } from "../../text/utf8";
import { Finding } from "../lint/findings";
import { Answer, locationOf } from "./answer";
import { writeLines } from "./source-lines";

/** In UTF-16 units: with more, the lines of the file are left out. */
const MOST_TEXT: i32 = 256 * 1024;

/** `error`: why it cannot be built; empty if it can. */
export function lintAnswer(findings: Finding[], error: string, name: string, dockerfile: string): Answer {
  const document = Json.object();
  const warnings = Json.array();
  for (let i = 0; i < findings.length; i++) warnings.push(warningOf(findings[i]));
  document.set("warnings", warnings);
  document.set("sources", sources(name, dockerfile));
  if (error.length > 0) document.set("buildError", buildError(error));
  const answer = new Answer(document, textOf(findings, name, dockerfile));
  const isFine = findings.length == 0 && error.length == 0;
  answer.documents.set("result.statuscode", isFine ? "0" : "1");
  return answer;
}

function warningOf(finding: Finding): Json {
  const warning = Json.object();
  warning.set("ruleName", Json.string(finding.rule.name));
  warning.set("description", Json.string(finding.rule.description));
  warning.set("url", Json.string(finding.rule.url));
  warning.set("detail", Json.string(finding.detail));
  warning.set("location", locationOf(finding.line, finding.endLine));
  return warning;
}

function sources(name: string, dockerfile: string): Json {
  const source = Json.object();
  source.set("filename", Json.string(name));
  source.set("data", Json.string(encodeBase64(encodeUtf8(dockerfile))));
  source.set("language", Json.string("Dockerfile"));
  const all = Json.array();
  all.push(source);
  return all;
}

function buildError(message: string): Json {
  const error = Json.object();
  error.set("message", Json.string(message));
  error.set("location", Json.object());
  return error;
}

function textOf(findings: Finding[], name: string, dockerfile: string): string {
  const lines = dockerfile.split("\n");
  const text = new TextBuilder();
  for (let i = 0; i < findings.length; i++) {
    const finding = findings[i];
    text.text(`\nWARNING: ${finding.rule.name} - ${finding.rule.url}\n${finding.detail}\n`);
    if (text.length < MOST_TEXT) writeLines(text, name, lines, finding.line, finding.endLine);
  }
  return text.toString();
}
