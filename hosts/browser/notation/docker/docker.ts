// Docker commands: the requests that the docker command line sends for them.

import type { Parsed, PlannedRequest } from "../notation.js";
import { readArguments } from "./arguments.js";
import { GROUPS, SINGLE, commandOf, verbsOf } from "./commands.js";
import { helpOf } from "./help.js";
import { didYouMean } from "./nearest.js";
import { Wrong } from "./wrong.js";

type Environment = ReadonlyMap<string, string>;

/** Parses the words of a command that begins with `docker`. `environment` holds the variables that it sees. */
export function parseDocker(words: readonly string[], version: string, environment: Environment): Parsed {
  try {
    return planOf(words.slice(1), version, environment);
  } catch (error) {
    if (error instanceof Wrong) return { ok: false, message: error.message, at: error.at };
    throw error;
  }
}

function planOf(all: readonly string[], version: string, environment: Environment): Parsed {
  const { words, remarks, isVersion } = withoutGlobals(all);
  const asked = isVersion ? ["version"] : words;
  const help = helpAsked(asked);
  if (help !== null) return shown(help, remarks);
  const found = commandOf(asked);
  if (found === null) throw unknownCommand(asked);
  const args = readArguments(found.name, asked.slice(found.length), found.command.takes, version).told(environment);
  const planned = found.command.plan(args, version);
  const { prints, exits, refused } = found.command;
  return {
    ok: true,
    notation: "docker",
    requests: planned.requests.map((request) => versioned(request, version)),
    remarks: [...remarks, ...(planned.remarks ?? [])],
    ...(prints && { prints: (answers) => prints(args, answers) }),
    ...(exits && { exits }),
    ...(refused !== undefined && { refused }),
    ...(prints && args.has("format") && { formats: true }),
  };
}

function versioned(request: PlannedRequest, version: string): PlannedRequest {
  const target = `/v${version}${request.target}`;
  return { ...request, target, ...(request.pull && { pull: versioned(request.pull, version) }) };
}

/** Options before the command that take a value. They only say how to reach the engine. */
const GLOBAL_WITH_VALUE =
  /^(-H|--host|-c|--context|-l|--log-level|--config|--tlscacert|--tlscert|--tlskey)(=.*)?$|^-H.+$/;
const GLOBAL_FLAG = /^(-D|--debug|--tls|--tlsverify)(=.*)?$/;

function withoutGlobals(all: readonly string[]): { words: string[]; remarks: string[]; isVersion: boolean } {
  const words = [...all];
  const remarks: string[] = [];
  let isVersion = false;
  for (let [word] = words; word?.startsWith("-") && word !== "--help" && word !== "-h"; [word] = words) {
    words.shift();
    if (word === "-v" || word === "--version") isVersion = true;
    else if (GLOBAL_WITH_VALUE.test(word)) {
      const isWhole = word.includes("=") || /^-H./.test(word);
      const value = isWhole ? word.replace(/^--[^=]*=|^-.=?/, "") : words.shift();
      if (value === undefined) throw new Wrong(`docker: ${word} needs a value`, word);
      if (/^(-H|--host|-c|--context)/.test(word))
        remarks.push(`${value} is left out: all requests go to the engine of this page.`);
    } else if (!GLOBAL_FLAG.test(word)) {
      throw new Wrong(
        `docker does not know ${word}${didYouMean(word, ["--host", "--context", "--debug", "--help"])}`,
        word,
      );
    }
  }
  return { words, remarks, isVersion };
}

/** The words after a request for help; null if there is none. */
function helpAsked(words: readonly string[]): readonly string[] | null {
  if (words.length === 0 || words[0] === "--help" || words[0] === "-h") return [];
  if (words[0] === "help") return words.slice(1);
  if (GROUPS.includes(words[0]!) && (words.length === 1 || words[1] === "--help")) return [words[0]!];
  const found = commandOf(words);
  if (found === null) return null;
  const rest = words.slice(found.length);
  const end = found.command.takes.stops ? rest.findIndex((word) => !word.startsWith("-")) : rest.indexOf("--");
  return (end < 0 ? rest : rest.slice(0, end)).includes("--help") ? words.slice(0, found.length) : null;
}

function shown(words: readonly string[], remarks: readonly string[]): Parsed {
  const text = helpOf(words);
  if (text === null) throw unknownCommand(words);
  return { ok: true, notation: "docker", requests: [], remarks, text };
}

function unknownCommand(words: readonly string[]): Wrong {
  const [first = "", second = ""] = words;
  const isOfGroup = GROUPS.includes(first);
  const name = isOfGroup ? second : first;
  if (first === "volume" && second === "update")
    return new Wrong("docker volume update is for volumes of a swarm, which this engine's API does not have", second);
  if (ELSEWHERE.has(first)) return new Wrong(`docker ${first} is not part of this engine's API`, first);
  const [whole, known] = isOfGroup ? [`docker ${first}`, verbsOf(first)] : ["docker", [...SINGLE, ...GROUPS, "help"]];
  const list = isOfGroup ? `; it knows ${known.join(", ")}` : "; docker help lists what it knows";
  return new Wrong(`${whole} does not know ${name}${didYouMean(name, known) || list}`, name || first);
}

const ELSEWHERE = new Set(
  "swarm node service stack secret config plugin trust manifest context checkpoint buildx compose".split(" "),
);
