// Limits of resources keep all 64 bits on their way from the core to an OCI runtime.

import { expect, test } from "vitest";
import { parseLimited, specText, type Limit } from "../../../runtime-linux/launch/spec-text.js";

interface Process {
  env?: string[];
  rlimits?: Limit[];
}

function passed(text: string): string {
  return specText(parseLimited<Process>(Buffer.from(text), ({ rlimits }) => rlimits));
}

function limited(soft: string, hard: string): string {
  return `{"rlimits":[{"type":"RLIMIT_CORE","soft":${soft},"hard":${hard}}]}`;
}

test.each([
  ["0", "1024"],
  ["9007199254740993", "9223372036854775807"],
  ["18446744073709551614", "18446744073709551615"],
  ["1", "18446744073709551615"],
])("limits of %s and %s", (soft, hard) => {
  expect(passed(limited(soft, hard))).toBe(limited(soft, hard));
});

test("texts that look like limits or operands stay as they are", () => {
  const env = ['A="soft":18446744073709551615', 'B="hard":["7"]', 'C="value":["7"]'];
  const process = { env, rlimits: [{ type: "RLIMIT_CORE", soft: 1, hard: 2 }] };
  expect(passed(JSON.stringify(process))).toBe(JSON.stringify(process));
  const text = passed(`{"env":${JSON.stringify(env)},${limited("1", "18446744073709551615").slice(1)}`);
  expect((JSON.parse(text) as Process).env).toEqual(env);
});

test("other errors than exact numbers are not hidden", () => {
  const round: Record<string, unknown> = {};
  round["self"] = round;
  expect(() => specText(round)).toThrow(TypeError);
});
