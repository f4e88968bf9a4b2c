// Rules about single instructions.

import { Form, formOf } from "../dockerfile/keywords";
import { Instruction } from "../dockerfile/instruction";
import { quotedWords } from "../dockerfile/words";
import { quoteText } from "../../text/go-quote";
import { Findings } from "./findings";
import {
  EXPOSE_INVALID_FORMAT,
  EXPOSE_PROTO_CASING,
  JSON_ARGS_RECOMMENDED,
  LEGACY_KEY_VALUE_FORMAT,
  MAINTAINER_DEPRECATED,
  SECRETS_USED_IN_ARG_OR_ENV,
  WORKDIR_RELATIVE_PATH,
} from "./lint-rule";

/** Parts of names that secrets have, between underscores. */
const SECRET_PARTS: string[] = [
  "apikey",
  "auth",
  "credential",
  "credentials",
  "key",
  "password",
  "pword",
  "passwd",
  "secret",
  "token",
];
const PUBLIC = "public";

/** What the instructions of a stage before this one, and those of the stages that it begins with, have set. */
export class StageFacts {
  constructor(
    public hasShell: bool,
    public hasDirectory: bool,
  ) {}
}

export function checkInstruction(instruction: Instruction, escape: i32, facts: StageFacts, findings: Findings): void {
  const keyword = instruction.keyword;
  if (keyword == "MAINTAINER") {
    findings.add(MAINTAINER_DEPRECATED, instruction, "Maintainer instruction is deprecated in favor of using label");
  } else if (keyword == "SHELL") facts.hasShell = true;
  else if (keyword == "WORKDIR") checkDirectory(instruction, facts, findings);
  else if (keyword == "CMD" || keyword == "ENTRYPOINT") checkForm(instruction, facts, findings);
  else if (formOf(keyword) == Form.Pairs) checkPairs(instruction, escape, findings);
  else if (keyword == "ARG") checkNames(instruction, 1, findings);
  else if (keyword == "EXPOSE") checkPorts(instruction, findings);
}

/** Which directory a variable names, nobody knows yet. */
function checkDirectory(instruction: Instruction, facts: StageFacts, findings: Findings): void {
  const path = instruction.words.length > 0 ? instruction.words[0] : "/";
  if (!facts.hasDirectory && !path.startsWith("/") && !path.includes("$")) {
    const detail = `Relative workdir ${quoteText(path)} can have unexpected results if the base image changes`;
    findings.add(WORKDIR_RELATIVE_PATH, instruction, detail);
  }
  facts.hasDirectory = true;
}

/** Who names a shell wants it. */
function checkForm(instruction: Instruction, facts: StageFacts, findings: Findings): void {
  if (instruction.isJson || facts.hasShell || instruction.words.length == 0) return;
  const which = `JSON arguments recommended for ${instruction.keyword}`;
  findings.add(JSON_ARGS_RECOMMENDED, instruction, `${which} to prevent unintended behavior related to OS signals`);
}

/** What variables and quotes stand for, nobody knows yet. */
function checkPorts(instruction: Instruction, findings: Findings): void {
  for (let i = 0; i < instruction.words.length; i++) {
    const port = instruction.words[i];
    if (port.includes("$") || port.includes('"') || port.includes("'")) continue;
    const slash = port.lastIndexOf("/");
    const protocol = slash < 0 ? "" : port.slice(slash + 1);
    if (protocol != protocol.toLowerCase()) {
      const detail = `Defined protocol '${port}' in EXPOSE instruction should be lowercase`;
      findings.add(EXPOSE_PROTO_CASING, instruction, detail);
    }
    const address = slash < 0 ? port : port.slice(0, slash);
    if (address.lastIndexOf(":") <= 0) continue;
    const detail = `EXPOSE instruction should not define an IP address or host-port mapping, found '${port}'`;
    findings.add(EXPOSE_INVALID_FORMAT, instruction, detail);
  }
}

function checkPairs(instruction: Instruction, escape: i32, findings: Findings): void {
  const keyword = instruction.keyword;
  const words = quotedWords(instruction.rest, escape);
  if (words.length > 0 && !words[0].includes("=")) {
    const detail = `"${keyword} key=value" should be used instead of legacy "${keyword} key value" format`;
    findings.add(LEGACY_KEY_VALUE_FORMAT, instruction, detail);
  }
  if (keyword == "ENV") checkNames(instruction, 2, findings);
}

/** `step`: every so many words is a name. */
function checkNames(instruction: Instruction, step: i32, findings: Findings): void {
  for (let i = 0; i < instruction.words.length; i += step) {
    const name = instruction.words[i].split("=")[0];
    if (!isSecret(name)) continue;
    const which = `${instruction.keyword} ${quoteText(name)}`;
    const detail = `Do not use ARG or ENV instructions for sensitive data (${which})`;
    findings.add(SECRETS_USED_IN_ARG_OR_ENV, instruction, detail);
  }
}

function isSecret(name: string): bool {
  const parts = name.toLowerCase().split("_");
  if (parts.includes(PUBLIC)) return false;
  for (let i = 0; i < parts.length; i++) if (SECRET_PARTS.includes(parts[i])) return true;
  return false;
}
