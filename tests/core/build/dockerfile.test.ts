// How a Dockerfile is read: lines, continuations, arguments, here-documents, and what is refused in which words.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor, randomFrom } from "../support/door.js";

interface Instruction {
  keyword: string;
  lines: string;
  words: string[];
  flags?: string[];
  json?: true;
  original: string;
  heredocs?: { name: string; expand: boolean; chomp: boolean; content: string; text: string }[];
  trigger?: Instruction;
}

interface Read {
  problem?: string;
  instructions: Instruction[];
  warnings: string[];
}

let door: Door;
beforeAll(async () => {
  door = await openDoor("build-door");
}, 60_000);

const read = (text: string, name = "") => door.call("dockerfile", text, name) as Read;
/** The instruction after `FROM scratch`. */
const second = (line: string) => read(`FROM scratch\n${line}\n`).instructions[1];

describe("a file that is refused", () => {
  test.each([
    ["", "the Dockerfile (Dockerfile) cannot be empty"],
    ["# only\n", "failed to parse Dockerfile: file with no instructions"],
    ["\n \n", "failed to parse Dockerfile: file with no instructions"],
    ["ENV a=b\n", "no build stage in current context"],
    ["ARG a\n", "no build stage in current context"],
    ["# escape=x\nFROM a\n", "failed to parse Dockerfile: invalid escape token 'x' does not match ` or \\"],
    ["# escape=`\n#escape=`\nFROM a", "failed to parse Dockerfile: only one escape parser directive can be used"],
    ["FROM a\nENV a\n", "failed to parse Dockerfile: ENV must have two arguments"],
    ["FROM a\nLABEL a\n", "failed to parse Dockerfile: LABEL must have two arguments"],
    [
      "FROM a\nENV a=b c\n",
      'failed to parse Dockerfile: Syntax error - can\'t find = in "c". Must be of the form: name=value',
    ],
    [
      'FROM a\nCMD ["a", 1]\n',
      "failed to parse Dockerfile: when using JSON array syntax, arrays must be comprised of strings only",
    ],
    ["FROM a\nRUN <<EOF\nx\n", "failed to parse Dockerfile: unterminated heredoc"],
  ])("%j: %s", (text, problem) => {
    expect(read(text).problem).toBe(problem);
  });

  test("its name is told", () => {
    expect(read("", "a/b").problem).toBe("the Dockerfile (a/b) cannot be empty");
    expect(read("#", "a/b").problem).toBe("failed to parse a/b: file with no instructions");
  });

  test("a line may have 65535 bytes, and a file 2 MiB", () => {
    const tooLong = "failed to parse Dockerfile: dockerfile line greater than max allowed size of 65535";
    expect(read(`FROM a\nENV a ${"x".repeat(65_529)}\n`).problem).toBeUndefined();
    expect(read(`FROM a\nENV a ${"x".repeat(65_530)}\n`).problem).toBe(tooLong);
    expect(read(`FROM a\nENV a ${"ä".repeat(32_765)}`).problem).toBe(tooLong);
    expect(read(`FROM a\nRUN <<E\n${"x".repeat(65_536)}\nE\n`).problem).toBe(tooLong);
    const line = `#${"x".repeat(1022)}\n`;
    expect(read(`FROM a\n${line.repeat(2047)}${"#".repeat(1017)}`).problem).toBeUndefined();
    expect(read(`FROM a\n${line.repeat(2047)}${"#".repeat(1018)}`).problem).toBe(
      "the Dockerfile (Dockerfile) is larger than 2097152 bytes",
    );
  });

  test("a mistake in the form of any line comes before all others", () => {
    expect(read("FOO\nFROM a\nENV a\n").problem).toBe("failed to parse Dockerfile: ENV must have two arguments");
    expect(read("ENV a=b\nFROM\n").problem).toBe("no build stage in current context");
    expect(read("FOO\nFROM\n").problem).toBe(
      "dockerfile parse error on line 1: unknown instruction: FOO (did you mean FROM?)",
    );
  });
});

describe("an instruction that is refused", () => {
  const twoArguments =
    "requires at least two arguments, but only one was provided. Destination could not be determined";
  test.each([
    ["foo x", "unknown instruction: foo (did you mean from?)"],
    ["NOTHING x", "unknown instruction: NOTHING"],
    ["FROM", "FROM requires either one or three arguments"],
    ["FROM a b", "FROM requires either one or three arguments"],
    ["FROM a b c", "FROM requires either one or three arguments"],
    ["FROM a as 9", 'invalid name for build stage: "9", name can\'t start with a number or contain symbols'],
    ["FROM a as -", 'invalid name for build stage: "-", name can\'t start with a number or contain symbols'],
    ["FROM --foo=x a", "unknown flag: --foo"],
    ["FROM --platform a", "missing a value on flag: --platform"],
    ["ENV", "ENV requires at least one argument"],
    ["ENV =b", "ENV names can not be blank"],
    ["ENV a=b =c", "ENV names can not be blank"],
    ["LABEL", "LABEL requires at least one argument"],
    ["LABEL =c", "LABEL names can not be blank"],
    ["ADD", `ADD ${twoArguments}`],
    ["COPY a", `COPY ${twoArguments}`],
    ['COPY ["a"]', `COPY ${twoArguments}`],
    ["COPY -- a", `COPY ${twoArguments}`],
    ["COPY a <<EOF\nEOF", "COPY cannot accept a heredoc as a destination"],
    ["COPY --foo=x a b", "unknown flag: --foo (did you mean from?)"],
    ["COPY --chmd=x a b", "unknown flag: --chmd (did you mean chmod?)"],
    ["FROM --platfrom=x a", "unknown flag: --platfrom (did you mean platform?)"],
    ["RUNX x", "unknown instruction: RUNX (did you mean RUN?)"],
    ["copyy a b", "unknown instruction: copyy (did you mean copy?)"],
    ["Entrypiont x", "unknown instruction: Entrypiont (did you mean entrypoint?)"],
    ["ADD --from=x a b", "unknown flag: --from"],
    ["COPY --from a b", "missing a value on flag: --from"],
    ["COPY --from=x --from=y a b", "duplicate flag specified: --from"],
    ["COPY --link=x a b", "expecting boolean value for flag --link, not: x"],
    ["COPY --link= a b", "missing a value on flag: --link"],
    ["RUN --foo x", "unknown flag: --foo"],
    ["CMD --x a", "unknown flag: --x"],
    ["EXPOSE", "EXPOSE requires at least one argument"],
    ["VOLUME", "VOLUME requires at least one argument"],
    ["VOLUME []", "VOLUME requires at least one argument"],
    ['VOLUME ["/a"," "]', "VOLUME specified can not be an empty string"],
    ["WORKDIR", "WORKDIR requires exactly one argument"],
    ["USER", "USER requires exactly one argument"],
    ["STOPSIGNAL", "STOPSIGNAL requires exactly one argument"],
    ["MAINTAINER", "MAINTAINER requires exactly one argument"],
    ["ONBUILD", "ONBUILD requires at least one argument"],
    ["ONBUILD FROM x", "FROM isn't allowed as an ONBUILD trigger"],
    ["ONBUILD maintainer x", "MAINTAINER isn't allowed as an ONBUILD trigger"],
    ["ONBUILD ONBUILD RUN x", "Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed"],
    ["SHELL", "SHELL requires at least one argument"],
    ["SHELL []", "SHELL requires at least one argument"],
    ["SHELL x", "SHELL requires the arguments to be in JSON form"],
    ["ARG", "ARG requires at least one argument"],
    ["ARG =x", "ARG names can not be blank"],
    ["HEALTHCHECK", "HEALTHCHECK requires at least one argument"],
    ["HEALTHCHECK NONE x", "HEALTHCHECK NONE takes no arguments"],
    ["HEALTHCHECK FOO x", 'Unknown type "FOO" in HEALTHCHECK (try CMD)'],
    ["HEALTHCHECK CMD", "Missing command after HEALTHCHECK CMD"],
    ["HEALTHCHECK CMD []", "Missing command after HEALTHCHECK CMD"],
    ["HEALTHCHECK --foo CMD x", "unknown flag: --foo"],
    ["HEALTHCHECK --interval=x CMD x", 'time: invalid duration "x"'],
    ["HEALTHCHECK --interval=5 CMD x", 'time: missing unit in duration "5"'],
    ["HEALTHCHECK --interval=1m5x CMD x", 'time: unknown unit "x" in duration "1m5x"'],
    ["HEALTHCHECK --timeout=1us CMD x", 'Interval "timeout" cannot be less than 1ms'],
    ["HEALTHCHECK --start-interval=-1s CMD x", 'Interval "start-interval" cannot be less than 1ms'],
    ["HEALTHCHECK --retries=x CMD x", 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["HEALTHCHECK --retries=-1 CMD x", "--retries cannot be negative (-1)"],
  ])("%s: %s", (line, problem) => {
    expect(read(`FROM scratch\n\n${line}\n`).problem).toBe(`dockerfile parse error on line 3: ${problem}`);
  });
});

describe("an instruction that is valid", () => {
  test.each<[string, string[]]>([
    ["ENV a=b c=d", ["a", "b", "c", "d"]],
    ["ENV a=\"b c\" d='e f' g=h\\ i", ["a", '"b c"', "d", "'e f'", "g", "h\\ i"]],
    ["ENV a b  c", ["a", "b  c"]],
    ["ENV a b=c", ["a", "b=c"]],
    ["ENV a\t b", ["a", "b"]],
    ["ENV a=b=c", ["a", "b=c"]],
    ["ENV a=", ["a", ""]],
    ["LABEL a.b=c", ["a.b", "c"]],
    ["ARG a", ["a"]],
    ['ARG a=b "c d"=e', ["a=b", '"c d"=e']],
    ["CMD", []],
    ["CMD echo  hi ", ["echo  hi"]],
    ["CMD -- --x a", ["--x a"]],
    ['CMD [ "a", "b c" ]', ["a", "b c"]],
    ["CMD []", []],
    ['CMD ["a",', ['["a",']],
    ["CMD ['a']", ["['a']"]],
    ["RUN [ -f /a ]", ["[ -f /a ]"]],
    ['CMD ["a", "b]\\"c"] # d', ["a", 'b]"c']],
    ['CMD ["a"', ['["a"']],
    ['SHELL ["/bin/bash", "-c"]', ["/bin/bash", "-c"]],
    ['COPY "a b" c', ['"a', 'b"', "c"]],
    ['COPY ["a b", "c"]', ["a b", "c"]],
    ["EXPOSE 80\t81/udp  $a", ["80", "81/udp", "$a"]],
    ["USER a b", ["a b"]],
    ["WORKDIR a  b", ["a  b"]],
    ["MAINTAINER A B <c@d>", ["A B <c@d>"]],
    ["HEALTHCHECK NONE", ["NONE"]],
    ["HEALTHCHECK --foo none", ["none"]],
    ["HEALTHCHECK --interval=0 --retries=0 CMD  curl x", ["CMD", "curl x"]],
    ['HEALTHCHECK CMD ["a", "b"]', ["CMD", "a", "b"]],
    ["ONBUILD run x y", ["RUN"]],
    ["ONBUILD FOO x", ["FOO"]],
    ["COPY a<<b c", ["a<<b", "c"]],
  ])("%s", (line, words) => {
    expect(second(line)?.words).toEqual(words);
  });

  test("its arguments are a JSON list, or are not", () => {
    const lines = ['CMD ["a"]', "CMD []", 'HEALTHCHECK CMD ["a"]', 'VOLUME ["a"]', "CMD a", 'CMD ["a"', "CMD {}"];
    expect(lines.map((line) => second(line)?.json ?? false)).toEqual([true, true, true, true, false, false, false]);
  });

  test.each<[string, string[], string[]]>([
    ["COPY --from=a --chown=b c d", ["--from=a", "--chown=b"], ["c", "d"]],
    ['COPY --from="a b" c d', ["--from=a b"], ["c", "d"]],
    ["COPY --from=a\\ b c d", ["--from=a b"], ["c", "d"]],
    ["COPY a --from=b c", [], ["a", "--from=b", "c"]],
    ["COPY --link --parents=true --exclude=a --exclude=b c d", LONG, ["c", "d"]],
    ["RUN --mount=type=cache,target=/a --mount=type=tmpfs,target=/b x", MOUNTS, ["x"]],
    ["COPY -a b", [], ["-a", "b"]],
  ])("flags: %s", (line, flags, words) => {
    expect([second(line)?.flags ?? [], second(line)?.words]).toEqual([flags, words]);
  });

  test("a trigger is read like an instruction", () => {
    const trigger = second("onbuild copy --from=a b c")?.trigger;
    expect(trigger).toMatchObject({ keyword: "COPY", words: ["b", "c"], flags: ["--from=a"], lines: "2-2" });
    expect(trigger?.original).toBe("copy --from=a b c");
  });
});

const LONG = ["--link", "--parents=true", "--exclude=a", "--exclude=b"];
const MOUNTS = ["--mount=type=cache,target=/a", "--mount=type=tmpfs,target=/b"];

describe("lines", () => {
  const originals = (text: string) => read(text).instructions.map(({ lines, original }) => `${lines} ${original}`);

  test("are joined at an escape; comments and empty lines between them are dropped", () => {
    expect(originals("FROM a\nRUN b \\\n  c\\ \t\n # no\n#no\n\n d\nRUN e\n")).toEqual([
      "1-1 FROM a",
      "2-7 RUN b   c d",
      "8-8 RUN e",
    ]);
  });

  test("empty ones between continuations give a warning", () => {
    const text = "FROM a\nRUN b \\\n\n c\nRUN d \\\n # no\n e\n";
    expect(read(text).warnings).toEqual(["2 NoEmptyContinuation: RUN b  c"]);
    expect(door.call("continuations", text)).toBe(
      "[WARNING]: Empty continuation line found in:\n    RUN b  c\n" +
        "[WARNING]: Empty continuation lines will become errors in a future release.\n",
    );
    expect(door.call("continuations", "FROM a\nRUN d \\\n # no\n e\n")).toBe("");
  });

  test("an escaped escape does not continue a line", () => {
    expect(originals("FROM a\nRUN b\\\\\nRUN c")).toEqual(["1-1 FROM a", "2-2 RUN b\\\\", "3-3 RUN c"]);
  });

  test("a file may end in a continuation", () => {
    expect(originals("FROM a\nRUN b \\")).toEqual(["1-1 FROM a", "2-2 RUN b"]);
    expect(originals("\\\nFROM a")).toEqual(["1-2 FROM a"]);
  });

  test("a byte order mark, CRLF and white space in front are nothing", () => {
    expect(originals("\ufeff  from a\r\n\tenv a=b \\\r\n c=d\r\n")).toEqual(["1-1 from a", "2-3 env a=b  c=d"]);
  });

  test("keywords have any case", () => {
    expect(read("from a As B\nRuN x").instructions.map(({ keyword }) => keyword)).toEqual(["FROM", "RUN"]);
  });
});

describe("parser directives", () => {
  const words = (text: string) => read(text).instructions.map((one) => one.words);

  test("choose the escape, whatever other directives precede it", () => {
    const expected = [["a"], ["b   c \\"]];
    expect(words("# escape=`\nFROM a\nRUN b `\n  c \\\n")).toEqual(expected);
    expect(words("#syntax=x\n#check=skip=all\n#  ESCAPE = ` \nFROM a\nRUN b `\n  c \\\n")).toEqual(expected);
    expect(words("# escape=`\nFROM a\nENV b=c` d\\ e=f\n")).toEqual([["a"], ["b", "c` d\\", "e", "f"]]);
  });

  test("are comments after anything else", () => {
    const expected = [["a"], ["b   c"]];
    expect(words("#\n# escape=`\nFROM a\nRUN b \\\n  c\n")).toEqual(expected);
    expect(words("# other=x\n# escape=`\nFROM a\nRUN b \\\n  c\n")).toEqual(expected);
    expect(words("\n# escape=`\nFROM a\nRUN b \\\n  c\n")).toEqual(expected);
    expect(words("FROM a\n# escape=`\nRUN b \\\n  c\n")).toEqual(expected);
  });
});

describe("here-documents", () => {
  test("have a name, perhaps in quotes, and lines", () => {
    const run = second("RUN <<EOF\n# b\n c \\\nEOF \nEOF\n");
    expect(run).toMatchObject({ words: ["<<EOF"], lines: "2-6", original: "RUN <<EOF" });
    const content = "# b\n c \\\nEOF \n";
    expect(run?.heredocs).toEqual([{ name: "EOF", expand: true, chomp: false, content, text: content }]);
    const names = ["<<'E'", '<<"E"', "<<\\E", "<<E", '3<<"E"'];
    expect(names.map((name) => second(`COPY ${name} /a\nx\nE`)?.heredocs?.[0]?.expand)).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  test("lose their tabs after <<-", () => {
    const heredoc = second("COPY <<-E /a\n\t\tx\n \ty\n\tE\n")?.heredocs?.[0];
    expect(heredoc).toEqual({ name: "E", expand: true, chomp: true, content: "\t\tx\n \ty\n", text: "x\n \ty\n" });
  });

  test("are several, in order", () => {
    const copy = second("COPY <<A <<B /c/\n1\nA\n2\nB\n");
    expect(copy?.heredocs?.map(({ name, content }) => name + content)).toEqual(["A1\n", "B2\n"]);
  });

  test("keep line ends, and end at a name with CRLF", () => {
    expect(second("COPY <<A /c\r\n1\r\nA\r\n")?.heredocs?.[0]?.content).toBe("1\r\n");
  });

  test.each([
    ['RUN echo "<<A"'],
    ["RUN cat <<<A"],
    ["RUN a<<A"],
    ["RUN << A"],
    ['RUN ["<<A"]'],
    ["CMD <<A"],
    ["RUN echo '<<A"],
    ["ONBUILD CMD <<A"],
  ])("are none: %s", (line) => {
    expect(
      read(`FROM a\n${line}\nENV b=c`)
        .instructions.map(({ keyword }) => keyword)
        .at(-1),
    ).toBe("ENV");
  });

  test("belong to a trigger, too", () => {
    const onbuild = second("ONBUILD RUN <<A\n1\nA");
    expect(onbuild?.heredocs).toBeUndefined();
    expect(onbuild?.trigger?.heredocs?.[0]?.content).toBe("1\n");
    expect(onbuild?.trigger?.lines).toBe("2-4");
  });
});

test("a trigger of an image is one instruction", () => {
  const trigger = (text: string) => door.call("trigger", text) as Read;
  expect(trigger("RUN <<A\n1\nA").instructions[0]).toMatchObject({ keyword: "RUN", lines: "1-3" });
  expect(trigger("RUN a\nRUN b").problem).toBe("onbuild trigger should be a single expression");
  expect(trigger("FROM a").problem).toBe("*instructions.Stage is not a command type");
  expect(trigger("FOO a").problem).toBe("unknown instruction: FOO (did you mean FROM?)");
  expect(trigger("ENV a").problem).toBe("ENV must have two arguments");
});

test("what is surely not meant is told, with its line", () => {
  const lines = [
    "FROM a AS Context",
    "CMD a",
    "ENTRYPOINT b",
    "CMD c",
    "CMD d",
    "RUN ['e']",
    "RUN [ -f /f ]",
    'CMD ["g"]',
  ];
  expect(read([...lines, "FROM b", "CMD h", "HEALTHCHECK NONE", "HEALTHCHECK CMD i"].join("\n")).warnings).toEqual([
    '1 ReservedStageName: Stage name should not use the same name as reserved stage "context"',
    ...[2, 4].map((line) => `${line} ${several("CMD")}`),
    "6 InvalidJSONList: RUN looks like a JSON list, but is none, so it is run by the shell",
    `5 ${several("CMD")}`,
    `11 ${several("HEALTHCHECK")}`,
  ]);
});

function several(keyword: string): string {
  const which = `Multiple ${keyword} instructions should not be used in the same stage`;
  return `MultipleInstructionsDisallowed: ${which} because only the last one will be used`;
}

test("no text makes the parser trap", () => {
  const pieces = [
    "FROM a\n",
    "RUN ",
    "COPY ",
    "<<E",
    "<<-'E' ",
    "E\n",
    "\\\n",
    "#",
    "# escape=`\n",
    "`\n",
    "[",
    '"',
    "'",
  ];
  pieces.push(
    "]",
    ",",
    "--",
    "=",
    " ",
    "\t",
    "\r\n",
    "ENV ",
    "a",
    "$",
    "{",
    "ONBUILD ",
    "\u2028",
    "ä",
    "HEALTHCHECK ",
    "\\",
  );
  const random = randomFrom(4711);
  for (let i = 0; i < 1500; i++) {
    let text = i % 2 === 0 ? "FROM a\n" : "";
    for (let length = random(60); length > 0; length--) text += pieces[random(pieces.length)] ?? "";
    const { problem, instructions } = read(text);
    expect(problem === undefined ? instructions.length : problem.length, text).toBeGreaterThan(0);
  }
});

test.each([
  ["words", "ENV a=b", " c=d", ""],
  ["flags", "COPY", " --exclude=a", " a b"],
  ["quotes", "ENV a=", "'\"", ""],
  ["strings", "CMD [", '"a",', '"b"]'],
  ["continuations", "RUN a", "\\\n", "b"],
  ["empty continuations", "RUN a\\", "\n", "b"],
  ["comments in a line", "RUN a\\\n", "#\n", "b"],
  ["instructions", "", "RUN a\n", ""],
  ["here-documents", "RUN ", "<<# ", `\n${"#\n".repeat(4_000)}`],
  ["lines of a here-document", "RUN <<-A\n", "\tb\n", "A"],
  ["white space", "RUN a", " \t", "b"],
])("the work for many %s grows with the text only", (_, head, piece, tail) => {
  const work = (count: number) => {
    const before = door.steps;
    expect(read(`FROM a\n${head}${piece.repeat(count)}${tail}`).problem).toBeUndefined();
    return door.steps - before;
  };
  expect(work(4_000)).toBeLessThan(2.5 * work(2_000));
});
