// Reads the arguments of an instruction, each keyword in its own form.

import { parseJson } from "../../json/reader";
import { quoteText } from "../../text/go-quote";
import { isSpace, afterSpace } from "../../text/space";
import { encodeUtf8 } from "../../text/utf8";
import { Instruction } from "./instruction";
import { blankIn, plainWords, quotedWords } from "./words";
import { Form, formOf } from "./keywords";

const STRINGS_ONLY: string = "when using JSON array syntax, arrays must be comprised of strings only";

/** Fills in the words; returns what is wrong with them. `ONBUILD` is read by its caller. */
export function readArguments(instruction: Instruction, escape: i32): string {
  const rest = instruction.rest;
  switch (formOf(instruction.keyword)) {
    case Form.Text:
      if (rest.length > 0) instruction.words = [rest];
      return "";
    case Form.Words:
      instruction.words = plainWords(rest);
      return "";
    case Form.Quoted:
      instruction.words = quotedWords(rest, escape);
      return "";
    case Form.Pairs:
      return readPairs(instruction, escape);
    case Form.Command:
      return readCommand(instruction, rest);
    case Form.List:
      return readList(instruction, rest);
    case Form.Check:
      return readCheck(instruction);
    default:
      return "";
  }
}

function readCommand(instruction: Instruction, rest: string): string {
  const problem = readJson(instruction, rest);
  if (!instruction.isJson && problem.length == 0 && rest.length > 0) instruction.words.push(rest);
  return problem;
}

function readList(instruction: Instruction, rest: string): string {
  const problem = readJson(instruction, rest);
  if (!instruction.isJson && problem.length == 0) instruction.words = plainWords(rest);
  return problem;
}

/** A text that is no JSON list is not a mistake: it is in the other form. What follows a list is dropped, as in Docker. */
function readJson(instruction: Instruction, rest: string): string {
  if (!rest.startsWith("[")) return "";
  const list = parseJson(encodeUtf8(rest.slice(0, listEnd(rest))));
  if (list === null || !list.isArray) return "";
  const words = list.strings();
  if (words.length != list.length) return STRINGS_ONLY;
  instruction.words = instruction.words.concat(words);
  instruction.isJson = true;
  return "";
}

/** Where the list ends with which the text begins; 0 if it does not end. */
function listEnd(text: string): i32 {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit == 0x5c) i++;
      else if (unit == 0x22) inString = false;
    } else if (unit == 0x22) {
      inString = true;
    } else if (unit == 0x5b) {
      depth++;
    } else if (unit == 0x5d && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

function readCheck(instruction: Instruction): string {
  const rest = instruction.rest;
  let end = 0;
  while (end < rest.length && !isSpace(rest.charCodeAt(end))) end++;
  if (end == 0) return "";
  instruction.words = [rest.slice(0, end)];
  return readCommand(instruction, rest.slice(afterSpace(rest, end)));
}

/** `name=value …`, or the older form `name the rest of the line`. */
function readPairs(instruction: Instruction, escape: i32): string {
  const words = quotedWords(instruction.rest, escape);
  if (words.length == 0) return "";
  if (!words[0].includes("=")) return readOldPair(instruction);
  for (let i = 0; i < words.length; i++) {
    const equals = words[i].indexOf("=");
    if (equals < 0) {
      return `Syntax error - can't find = in ${quoteText(words[i])}. Must be of the form: name=value`;
    }
    instruction.words.push(words[i].slice(0, equals));
    instruction.words.push(words[i].slice(equals + 1));
  }
  return "";
}

function readOldPair(instruction: Instruction): string {
  const rest = instruction.rest;
  const end = blankIn(rest);
  if (end == rest.length) return `${instruction.keyword} must have two arguments`;
  instruction.words = [rest.slice(0, end), rest.slice(afterSpace(rest, end))];
  return "";
}
