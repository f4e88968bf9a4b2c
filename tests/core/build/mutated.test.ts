// Real Dockerfiles with random mistakes: each is refused in words, or built as far as the core alone can. None makes
// the core trap. `CORACLE_TEST_DOCKERFILES` sets how many, `CORACLE_TEST_DOCKERFILES_SEED` the seed, which a run prints.

import { expect, test } from "vitest";
import { DOCKERFILES } from "../../http/builds/dockerfiles/all.js";
import { recipeOf } from "../../http/builds/dockerfiles/recipe.js";
import { randomFrom } from "../../support/random.js";
import { ImageWorld } from "../support/image-world.js";
import { beginBuild } from "./beginning.js";

const COUNT = Number(process.env["CORACLE_TEST_DOCKERFILES"] ?? 1000);
const SEED = Number(process.env["CORACLE_TEST_DOCKERFILES_SEED"] ?? Date.now() % 1_000_000);
const MOST_MISTAKES = 6;

const TEXTS = DOCKERFILES.map((one) => recipeOf(one).file);
const PIECES = [
  ..."\"'`\\$#=[]{}<>,:;@/*?!-~|&()%\0\u0001\ud800\u2028é \t\r\n",
  ...[
    "FROM ",
    "AS ",
    "ARG ",
    "ENV ",
    "RUN ",
    "COPY ",
    "ADD ",
    "ONBUILD ",
    "SHELL ",
    "HEALTHCHECK ",
    "EXPOSE ",
    "USER ",
  ],
  ...[
    "--from=",
    "--mount=",
    "--platform=",
    "--chmod=",
    "--exclude=",
    "--network=",
    "--link",
    "type=cache,target=",
    "id=",
  ],
  ...[
    "<<EOF\n",
    "<<-'E' ",
    "EOF\n",
    "\\\n",
    "# escape=`\n",
    "${a:-",
    "${a#*",
    "${a//",
    "$1",
    "%25",
    "..",
    "0777",
    "-1",
  ],
  ...["99999999999999999999", "http://", "git@", ".git#", "sha256:", "scratch", "\ufeff", "x".repeat(70_000)],
];

// The bound is about the time of a processor. On a busy machine a processor may be given to others for minutes.
test(`${COUNT} of them`, { timeout: 1_200_000 + COUNT * 400 }, () => {
  console.log(`mutated Dockerfiles: seed ${SEED}`);
  const random = randomFrom(SEED);
  const tally = { refused: 0, begun: 0 };
  const before = process.cpuUsage();
  for (let at = 0; at < COUNT; at += 1) tally[outcomeOf(new ImageWorld(), mutated(random))] += 1;
  console.log(JSON.stringify(tally));
  expect(milliseconds(process.cpuUsage(before))).toBeLessThan(60_000 + COUNT * 20);
  expect(Math.min(tally.refused, tally.begun)).toBeGreaterThan(COUNT / 20);
});

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

/** What is refused has an error that names no line that is not there. */
function outcomeOf(world: ImageWorld, text: string): "refused" | "begun" {
  const told = `seed ${SEED}: ${JSON.stringify(text.slice(0, 5000))}`;
  let id: bigint;
  try {
    id = beginBuild(world, text, `buildargs=${encodeURIComponent('{"a":"b"}')}`);
  } catch (error) {
    throw new Error(told, { cause: error });
  }
  const answer = world.answer(id);
  const error = answer.text.match(/"(?:message|error)":"((?:[^"\\]|\\.)+)"/)?.[1];
  const steps = answer.text.includes('"stream":"Step 1');
  expect(error !== undefined || steps || !answer.over, told).toBe(true);
  const line = Number(/\bline:? (\d+)/.exec(error ?? "")?.[1] ?? 1);
  expect(line, `${error}, ${told}`).toBeLessThanOrEqual(text.split("\n").length);
  expect(line, `${error}, ${told}`).toBeGreaterThan(0);
  return error === undefined ? "begun" : "refused";
}

/** One of the texts with a few random changes, or none. */
function mutated(random: (limit: number) => number): string {
  let text = TEXTS[random(TEXTS.length)] ?? "";
  for (let left = random(MOST_MISTAKES + 1); left > 0; left -= 1) text = changed(text, random);
  return text;
}

function changed(text: string, random: (limit: number) => number): string {
  const at = random(text.length + 1);
  const piece = PIECES[random(PIECES.length)] ?? "";
  const lines = text.split("\n");
  const [one, other] = [random(lines.length), random(lines.length)];
  switch (random(7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + random(8));
    case 1:
      return text.slice(0, at) + piece + text.slice(at + 1);
    case 2:
      return text.slice(0, at);
    case 3:
      [lines[one], lines[other]] = [lines[other] ?? "", lines[one] ?? ""];
      return lines.join("\n");
    case 4:
      lines.splice(one, 0, lines[other] ?? "");
      return lines.join("\n");
    case 5:
      return `${text}\n${TEXTS[random(TEXTS.length)] ?? ""}`;
    default:
      return text.slice(0, at) + piece + text.slice(at);
  }
}
