// What clients of BuildKit ask about a Dockerfile without building it, and what builds tell of it, as seen by the core.

import { describe, expect, test } from "vitest";
import { ImageWorld, makeImage, resolved } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";
import { commands, direct, drop, openSession, solve, watch } from "./solving.js";

interface Finding {
  ruleName: string;
  detail: string;
  url: string;
  location: { ranges: { start: { line: number } }[] };
}

/** The documents of an answer, by their names. */
function ask(
  dockerfile: string,
  requestid: string,
  more: Record<string, string> = {},
  ignored: string | null = null,
): Record<string, string> {
  const world = new ImageWorld();
  openSession(world);
  solve(world, { Frontend: "" });
  const FrontendOpt = { requestid, "force-network-mode": "none", ...more };
  const asked = direct(world, "Solve", { Frontend: "dockerfile.v0", FrontendOpt });
  if (requestid !== "frontend.subrequests.describe") sendDefinition(world, dockerfile, ignored);
  drop(world);
  const { text, status } = world.answer(asked);
  expect(status, text).toBe(200);
  expect(commands(world)).toEqual([]);
  const { result } = JSON.parse(text) as { result: { ref: { id: string }; metadata: Record<string, string> } };
  expect(result.ref.id).toBe("");
  return Object.fromEntries(
    Object.entries(result.metadata).map(([name, value]) => [name, Buffer.from(value, "base64").toString()]),
  );
}

function lint(dockerfile: string, more: Record<string, string> = {}, ignored: string | null = null): string[] {
  const answer = ask(dockerfile, "frontend.lint", more, ignored)["result.json"]!;
  const { warnings } = JSON.parse(answer) as { warnings: Finding[] };
  return warnings.map(({ ruleName, detail, location }) => `${location.ranges[0]!.start.line} ${ruleName}: ${detail}`);
}

describe("rules", () => {
  const RECOMMENDED = "to prevent unintended behavior related to OS signals";
  test.each<[string, string, string[]]>([
    [
      "a name of a stage in upper case",
      "FROM scratch AS One",
      ["1 StageNameCasing: Stage name 'One' should be lowercase"],
    ],
    ["another case of as", "FROM scratch as one", ["1 FromAsCasing: 'as' and 'FROM' keywords' casing do not match"]],
    ["the same case of as", "from scratch as one", []],
    [
      "another case of one keyword",
      "FROM scratch\nENV A=1\nenv B=1",
      ["3 ConsistentInstructionCasing: Command 'env' should match the case of the command majority (uppercase)"],
    ],
    [
      "lower case as the majority",
      "from scratch\nenv A=1\nEnv B=1",
      ["3 ConsistentInstructionCasing: Command 'Env' should match the case of the command majority (lowercase)"],
    ],
    ["an empty continuation", "FROM scratch\nENV A=1 \\\n\n B=2", ["2 NoEmptyContinuation: Empty continuation line"]],
    [
      "a name twice",
      "FROM scratch AS a\nFROM scratch AS a",
      ['2 DuplicateStageName: Duplicate stage name "a", stage names should be unique'],
    ],
    [
      "a reserved name",
      "FROM scratch AS context",
      ['1 ReservedStageName: Stage name should not use the same name as reserved stage "context"'],
    ],
    [
      "a command for the shell",
      "FROM busybox\nCMD a",
      [`2 JSONArgsRecommended: JSON arguments recommended for CMD ${RECOMMENDED}`],
    ],
    ["a command for a shell that is named", 'FROM busybox AS a\nSHELL ["sh"]\nFROM a\nENTRYPOINT a', []],
    [
      "a maintainer",
      "FROM scratch\nMAINTAINER me",
      ["2 MaintainerDeprecated: Maintainer instruction is deprecated in favor of using label"],
    ],
    ["a base that no ARG names", "FROM a$B", ["1 UndefinedArgInFrom: FROM argument 'B' is not declared"]],
    ["a base that an ARG names", "ARG B=b\nFROM a$B\nFROM --platform=$BUILDPLATFORM a", []],
    [
      "a base that needs an argument",
      "ARG TAG\nFROM busybox:${TAG}",
      ["2 InvalidDefaultArgInFrom: Default value for ARG busybox:${TAG} results in empty or invalid base image name"],
    ],
    [
      "a relative directory",
      "FROM busybox\nWORKDIR a\nWORKDIR b",
      ['2 WorkdirRelativePath: Relative workdir "a" can have unexpected results if the base image changes'],
    ],
    ["a relative directory in an absolute one", "FROM busybox AS a\nWORKDIR /a\nFROM a\nWORKDIR b", []],
    [
      "two commands",
      'FROM busybox\nCMD ["a"]\nCMD ["b"]',
      [
        "2 MultipleInstructionsDisallowed: Multiple CMD instructions should not be used in the same stage because only the last one will be used",
      ],
    ],
    [
      "the older form of ENV",
      "FROM scratch\nENV a b",
      ['2 LegacyKeyValueFormat: "ENV key=value" should be used instead of legacy "ENV key value" format'],
    ],
    [
      "the platform that it has anyway",
      "FROM --platform=$TARGETPLATFORM busybox",
      [
        "1 RedundantTargetPlatform: Setting platform to predefined $TARGETPLATFORM in FROM is redundant as this is the default behavior",
      ],
    ],
    [
      "one platform for ever",
      "FROM --platform=linux/amd64 busybox",
      ['1 FromPlatformFlagConstDisallowed: FROM --platform flag should not use constant value "linux/amd64"'],
    ],
    ["one platform, in a stage that is named so", "FROM --platform=linux/amd64 busybox AS for_amd64", []],
    [
      "secrets",
      "FROM scratch\nARG AWS_SECRET_X\nENV MY_TOKEN=1 TOKENS=2 PUBLIC_KEY=3",
      [
        '2 SecretsUsedInArgOrEnv: Do not use ARG or ENV instructions for sensitive data (ARG "AWS_SECRET_X")',
        '3 SecretsUsedInArgOrEnv: Do not use ARG or ENV instructions for sensitive data (ENV "MY_TOKEN")',
      ],
    ],
    ["a variable that nothing sets", "FROM scratch\nENV MODE=$B", ["2 UndefinedVar: Usage of undefined variable '$B'"]],
    [
      "a variable that is spelled otherwise",
      "FROM busybox\nARG VERSION=1\nLABEL v=${VERSON:-2}",
      ["3 UndefinedVar: Usage of undefined variable '$VERSON' (did you mean $VERSION?)"],
    ],
    [
      "an argument of another name for a base",
      "ARG TAG=1\nFROM busybox:$TAGS",
      ["2 UndefinedArgInFrom: FROM argument 'TAGS' is not declared (did you mean TAG?)"],
    ],
    [
      "variables of the image, of arguments without a value and of the stage before",
      "FROM busybox AS a\nARG X\nENV P=$PATH Y=$X\nFROM a\nENV Z=$Y$X$P\nRUN echo $NONE",
      [],
    ],
    [
      "variables on an image that is not here, of which nobody knows",
      "FROM nobody:1 AS a\nENV MODE=$B\nFROM a\nENV MODE=$C\nFROM scratch\nENV MODE=$D",
      ["6 UndefinedVar: Usage of undefined variable '$D'"],
    ],
    [
      "an argument that ends with its stage",
      "FROM scratch AS a\nARG X=1\nFROM scratch\nENV MODE=$X",
      ["4 UndefinedVar: Usage of undefined variable '$X'"],
    ],
    [
      "ports",
      "FROM scratch\nEXPOSE 80/TCP 127.0.0.1:81:81 :82 53/udp $P/TCP",
      [
        "2 ExposeProtoCasing: Defined protocol '80/TCP' in EXPOSE instruction should be lowercase",
        "2 ExposeInvalidFormat: EXPOSE instruction should not define an IP address or host-port mapping, found '127.0.0.1:81:81'",
      ],
    ],
  ])("%s", (_what, dockerfile, found) => {
    expect(lint(dockerfile)).toEqual(found);
  });

  test("about files that the client does not send", () => {
    const dockerfile = "FROM busybox AS a\nCOPY tmp/a b.log c /x/\nADD ./tmp /y\nFROM busybox\nCOPY --from=a tmp /z\n";
    expect(lint(dockerfile, {}, "tmp\n*.log\n")).toEqual([
      '2 CopyIgnoredFile: Attempting to Copy file "tmp/a" that is excluded by .dockerignore',
      '2 CopyIgnoredFile: Attempting to Copy file "b.log" that is excluded by .dockerignore',
      '3 CopyIgnoredFile: Attempting to Add file "tmp" that is excluded by .dockerignore',
    ]);
    expect(lint(dockerfile)).toEqual([]);
  });

  test("that are experiments count only if the file asks for them", () => {
    const file =
      "# A is first\nARG B=1 C=2\n# base is it\nFROM scratch AS base\n# not of D\n\nARG D\n#\nARG E\n# last\nARG F\n";
    expect(lint(file)).toEqual([]);
    expect(lint(`# check=skip=all;experimental=InvalidDefinitionDescription\n${file}`)).toEqual([
      "3 InvalidDefinitionDescription: Comment for ARG should follow the format: `# <arg_key> <description>`",
      "12 InvalidDefinitionDescription: Comment for ARG should follow the format: `# F <description>`",
    ]);
    expect(lint("# check=experimental=all\nARG A\nFROM scratch\n")).toEqual([]);
  });

  test("of a build are about what the target needs", () => {
    const file = "FROM scratch AS one\nENV MODE=$B\nFROM scratch AS two\nENV MODE=$D\n";
    expect(lint(file, { target: "one" })).toEqual(["2 UndefinedVar: Usage of undefined variable '$B'"]);
    expect(lint(file)).toHaveLength(2);
  });

  test("that a file or a client skips are not kept", () => {
    const broken = "FROM scratch AS One\nMAINTAINER me\n";
    const rules = (found: string[]): string[] => found.map((line) => line.split(/[ :]/)[1]!);
    expect(rules(lint(`# check=skip=StageNameCasing,Other\n${broken}`))).toEqual(["MaintainerDeprecated"]);
    expect(rules(lint(`# check=skip=all;error=true\n${broken}`))).toEqual([]);
    const BUILDKIT_DOCKERFILE_CHECK = "skip=MaintainerDeprecated";
    const more = { "build-arg:BUILDKIT_DOCKERFILE_CHECK": BUILDKIT_DOCKERFILE_CHECK };
    expect(rules(lint(`# check=skip=all\n${broken}`, more))).toEqual(["StageNameCasing"]);
  });

  test("show no more than two hundred findings", () => {
    expect(lint(`FROM scratch\n${"env A=1\nENV A=1\nENV A=1\n".repeat(300)}`)).toHaveLength(200);
  });
});

describe("an answer about rules", () => {
  test("has a text for people, and a status", () => {
    const answer = ask("FROM scratch\nENV A=1\n\nMAINTAINER me\nENV B=1\nENV C=1\nENV D=1\n", "frontend.lint");
    const url = "https://docs.docker.com/go/dockerfile/rule/maintainer-deprecated/";
    const ruler = "--------------------\n";
    const shown = [
      "   2 |     ENV A=1\n",
      "   3 |     \n",
      "   4 | >>> MAINTAINER me\n",
      "   5 |     ENV B=1\n",
      "   6 |     ENV C=1\n",
    ];
    expect(answer["result.txt"]).toBe(
      `\nWARNING: MaintainerDeprecated - ${url}\nMaintainer instruction is deprecated in favor of using label\n` +
        `Dockerfile:4\n${ruler}${shown.join("")}${ruler}`,
    );
    expect([answer["version"], answer["result.statuscode"]]).toEqual(["1.0.0", "1"]);
    expect(answer["result.json"]).toMatch(/^\{\n {2}"warnings": \[\n {4}\{\n {6}"ruleName": "MaintainerDeprecated",\n/);
    expect(JSON.parse(answer["result.json"]!)).toMatchObject({ warnings: [{ url }] });
  });

  test("of a file without a fault is 0, and of one that cannot be read has its error", () => {
    const fine = ask("FROM scratch\n", "frontend.lint");
    expect([fine["result.txt"], fine["result.statuscode"]]).toEqual(["", "0"]);
    expect(JSON.parse(fine["result.json"]!)).toMatchObject({ warnings: [] });
    const broken = ask("FROM scratch\nNOTHING\n", "frontend.lint");
    expect(broken["result.statuscode"]).toBe("1");
    expect(broken["result.json"]).toContain("unknown instruction: NOTHING");
    const strict = ask("# check=error=true\nFROM scratch AS A\nMAINTAINER me\n", "frontend.lint");
    expect(strict["result.json"]).toContain("lint violation found for rules: MaintainerDeprecated, StageNameCasing");
  });
});

describe("an answer about", () => {
  const DOCKERFILE = [
    "# one is first",
    "# more of it",
    "FROM busybox AS one",
    "# A what it is for",
    "ARG A=1",
    "ARG B=$A",
    "RUN --mount=type=secret,id=key,required --mount=type=ssh --mount=type=cache,target=/c true",
    "FROM scratch AS other",
    "ARG NEVER",
    "FROM one",
    "ARG C",
    "",
  ].join("\n");

  test("targets has all stages", () => {
    const answer = ask(DOCKERFILE, "frontend.targets");
    expect(answer["result.txt"]).toBe("TARGET      DESCRIPTION\none         is first\nother       \n(default)   \n");
    expect(JSON.parse(answer["result.json"]!)).toMatchObject({
      targets: [
        { name: "one", description: "is first", base: "busybox" },
        { name: "other", base: "scratch" },
        { default: true, base: "one", location: { ranges: [{ start: { line: 10 }, end: { line: 10 } }] } },
      ],
      sources: [Buffer.from(DOCKERFILE).toString("base64")],
    });
  });

  test("the outline has what the target can be given", () => {
    const answer = ask(DOCKERFILE, "frontend.outline", { "build-arg:C": "3" });
    expect(answer["result.txt"]).toBe(
      "BUILD ARG   VALUE   DESCRIPTION\nA           1       what it is for\nB           1       \nC           3       \n\n" +
        "SECRET   REQUIRED\nkey      true\n\nSSH       REQUIRED\ndefault   \n\n",
    );
    expect(JSON.parse(answer["result.json"]!)).toMatchObject({
      args: [{ name: "A", value: "1" }, { name: "B" }, { name: "C", value: "3" }],
      secrets: [{ name: "key", required: true }],
      ssh: [{ name: "default" }],
      cache: [{ ID: "/c" }],
    });
    expect(ask(DOCKERFILE, "frontend.outline", { target: "one" })["result.txt"]).toMatch(
      /^TARGET: {6}one\nDESCRIPTION: is first\n\nBUILD ARG/,
    );
  });

  test("what can be asked names all four", () => {
    const answer = ask("", "frontend.subrequests.describe");
    const names = (JSON.parse(answer["result.json"]!) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["outline", "targets", "lint", "subrequests.describe"].map((name) => `frontend.${name}`));
    expect(answer["result.txt"]).toContain(`${"lint".padEnd(23)}1.0.0     Lint a Dockerfile\n`);
  });
});

describe("a build", () => {
  interface Warning {
    vertex: string;
    short: string;
    url: string;
    ranges: object[];
  }

  interface Shown {
    info: { data: string };
  }

  test("tells its watchers what is found, and goes on", () => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world);
    const watching = watch(world);
    sendDefinition(world, "FROM busybox\nENV A 1\n");
    drop(world);
    expect(world.answer(solving)).toMatchObject({ status: 200, over: true });
    const lines = world.answer(watching).text.trim().split("\n");
    const told = lines.flatMap((line) => (JSON.parse(line) as { warnings?: Warning[] }).warnings ?? []);
    expect(told).toMatchObject([{ ranges: [{ start: { line: 2 }, end: { line: 2 } }], level: 1 }]);
    expect(Buffer.from(told[0]!.short, "base64").toString()).toBe(
      'LegacyKeyValueFormat: "ENV key=value" should be used instead of legacy "ENV key value" format (line 2)',
    );
    expect(world.answer(watching).text).toContain(
      `"digest":"${told[0]!.vertex}","name":"[internal] load build definition from Dockerfile"`,
    );
  });

  /** A registry has the image that is asked for. */
  const pull = (world: ImageWorld, Env: string[]): void => {
    const image = makeImage([String(Env)], { config: { Env } });
    world.succeed(world.take("resolve").op, resolved(image.manifest));
    world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    world.succeed(world.take("layer").op, { tag: "size", val: 1n });
  };
  /** What its watchers were told is found. */
  const found = (world: ImageWorld, watching: bigint): string[] => {
    const lines = world.answer(watching).text.trim().split("\n");
    const warnings = lines.flatMap((line) => (JSON.parse(line) as { warnings?: Warning[] }).warnings ?? []);
    return warnings.map(({ short }) => Buffer.from(short, "base64").toString());
  };

  test("tells what only the images show that it pulls, when it has all of them, and nothing twice", () => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world);
    const watching = watch(world);
    sendDefinition(
      world,
      "FROM one AS a\nENV C=$HOME_OF_ONE$NEVER\nFROM a AS b\nENV D 1\nENV E=$C$OTHER\n" +
        "FROM two\nENV E=$HOME_OF_ONE$HOME_OF_TWO\nCOPY --from=b /f /g\n",
    );
    const old =
      'LegacyKeyValueFormat: "ENV key=value" should be used instead of legacy "ENV key value" format (line 4)';
    expect(found(world, watching)).toEqual([old]);
    pull(world, ["HOME_OF_ONE=/"]);
    expect(found(world, watching)).toEqual([old]);
    pull(world, ["HOME_OF_TWO=/"]);
    expect(found(world, watching)).toEqual([
      old,
      "UndefinedVar: Usage of undefined variable '$NEVER' (line 2)",
      "UndefinedVar: Usage of undefined variable '$OTHER' (line 5)",
      "UndefinedVar: Usage of undefined variable '$HOME_OF_ONE' (line 7)",
    ]);
    expect(world.answer(solving).over).toBe(false);
  });

  test("shows the Dockerfile with its warnings until they are long together", () => {
    const world = new ImageWorld();
    openSession(world);
    solve(world);
    const watching = watch(world);
    const text = `FROM one\nENV A 1\nENV B 1\nENV C=$NEVER\n# ${"x".repeat(48 * 1024)}\n`;
    sendDefinition(world, text);
    pull(world, []);
    const lines = world.answer(watching).text.trim().split("\n");
    const told = lines.flatMap((line) => (JSON.parse(line) as { warnings?: Shown[] }).warnings ?? []);
    const lengths = told.map(({ info }) => Buffer.from(info.data, "base64").length);
    expect(lengths).toEqual([text.length, text.length, 0]);
  });

  test("ends because of what only an image shows that it pulls", () => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world);
    sendDefinition(world, "# check=error=true\nFROM one\nENV C=$NEVER\nENV D=$PATH\n");
    expect(world.answer(solving).over).toBe(false);
    pull(world, []);
    drop(world);
    expect(JSON.parse(world.answer(solving).text)).toMatchObject({
      message: "lint violation found for rules: UndefinedVar",
    });
  });

  test.each([
    ["# check=error=true", "lint violation found for rules: LegacyKeyValueFormat"],
    ["# check=colour=red", 'invalid check option "colour"'],
    ["# check=error=perhaps", 'failed to parse check option "error=perhaps"'],
  ])("with %s ends", (directive, words) => {
    const world = new ImageWorld();
    openSession(world);
    const solving = solve(world);
    sendDefinition(world, `${directive}\nFROM busybox\nENV A 1\n`);
    drop(world);
    expect(JSON.parse(world.answer(solving).text)).toMatchObject({ message: words });
  });
});
