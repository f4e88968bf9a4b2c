// What instructions ask for, with their variables substituted: the config, Docker's history, runs and copies.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor } from "../support/door.js";

interface Step {
  history: string;
  notes?: string[];
  run?: { argv: string[]; env: string[]; network?: string; mounts?: string[] };
  copy?: { sources: string[]; target: string; more: string };
  directory?: true;
}

interface Evaluated {
  steps: Step[];
  config: Record<string, unknown>;
  author: string;
  warning: string;
}

interface Given {
  /** BuildKit's rules. */
  buildKit?: true;
  from?: object;
  given?: Record<string, string | null>;
  global?: Record<string, string>;
}

let door: Door;
beforeAll(async () => {
  door = await openDoor("build-door");
}, 60_000);

const evaluated = (lines: string, given: Given = {}) => door.call("steps", given, lines) as Evaluated;
const first = (lines: string, given: Given = {}) => evaluated(lines, given).steps[0];
const problem = (lines: string, given: Given = {}) => door.call("steps", given, lines);

describe("the config and its history", () => {
  test.each<[string, object, string]>([
    ['CMD ["a", "b\\"c"]', { Cmd: ["a", 'b"c'] }, 'CMD ["a" "b\\"c"]'],
    ['CMD echo "x" $y', { Cmd: ["/bin/sh", "-c", 'echo "x" $y'] }, 'CMD ["/bin/sh" "-c" "echo \\"x\\" $y"]'],
    ["CMD", { Cmd: ["/bin/sh", "-c"] }, 'CMD ["/bin/sh" "-c"]'],
    ["CMD []", { Cmd: null }, "CMD []"],
    ['CMD ["é","\\u0001\\n"]', { Cmd: ["é", "\u0001\n"] }, 'CMD ["é" "\\x01\\n"]'],
    ['ENTRYPOINT ["a"]', { Entrypoint: ["a"], Cmd: null }, 'ENTRYPOINT ["a"]'],
    ["ENTRYPOINT", { Entrypoint: null, Cmd: null }, "ENTRYPOINT []"],
    ["ENTRYPOINT a", { Entrypoint: ["/bin/sh", "-c", "a"], Cmd: null }, 'ENTRYPOINT ["/bin/sh" "-c" "a"]'],
    ['ENV a=b c="d e"', { Env: ["a=b", "c=d e"] }, "ENV a=b c=d e"],
    ["ENV a 'b c' \"d\" e\\ f", { Env: ["a=b c d e f"] }, "ENV a=b c d e f"],
    ['LABEL a=b "c d"="e f"', { Labels: { a: "b", "c d": "e f" } }, "LABEL a=b c d=e f"],
    ["LABEL $q=x", { Labels: { "": "x" } }, "LABEL =x"],
    ["EXPOSE 80 9/udp", { ExposedPorts: { "80/tcp": {}, "9/udp": {} } }, "EXPOSE 80 9/udp"],
    ["EXPOSE 80/ 5-6/TCP", { ExposedPorts: { "80/tcp": {}, "5/tcp": {}, "6/tcp": {} } }, "EXPOSE 5-6/TCP 80/"],
    ["EXPOSE 127.0.0.1:1:80/tcp", { ExposedPorts: { "80/tcp": {} } }, "EXPOSE 127.0.0.1:1:80/tcp"],
    ["EXPOSE ::80", { ExposedPorts: { "80/tcp": {} } }, "EXPOSE ::80"],
    ["EXPOSE $q", {}, "EXPOSE "],
    ["VOLUME /b /a", { Volumes: { "/b": {}, "/a": {} } }, "VOLUME [/b /a]"],
    ['VOLUME ["/c d", " /e "]', { Volumes: { "/c d": {}, "/e": {} } }, "VOLUME [/c d /e]"],
    ["USER a:b", { User: "a:b" }, "USER a:b"],
    ["USER $q", { User: "" }, "USER "],
    ['USER "a b"', { User: "a b" }, "USER a b"],
    ["STOPSIGNAL term", { StopSignal: "term" }, "STOPSIGNAL term"],
    ["STOPSIGNAL 99", { StopSignal: "99" }, "STOPSIGNAL 99"],
    ["MAINTAINER $q <c@d>", {}, "MAINTAINER $q <c@d>"],
    ["ONBUILD RUN a \\\n  b", { OnBuild: ["RUN a   b"] }, "ONBUILD RUN a   b"],
    ["ONBUILD RUN a \t", { OnBuild: ["RUN a \t"] }, "ONBUILD RUN a \t"],
    ["onbuild run <<A\nx\nA", { OnBuild: ["run <<A\nx\nA"] }, "ONBUILD run <<A\nx\nA"],
    ["HEALTHCHECK CMD x y", { Healthcheck: { Test: ["CMD-SHELL", "x y"] } }, health('"CMD-SHELL" "x y"', "\\x00")],
    ["HEALTHCHECK none", { Healthcheck: { Test: ["NONE"] } }, health('"NONE"', "\\x00")],
    ["HEALTHCHECK --retries=10 CMD a", { Healthcheck: RETRIED }, health('"CMD-SHELL" "a"', "\\n")],
    ["ARG a", {}, "ARG a"],
    ['ARG a=b "c d"="e f" f=', {}, "ARG a=b c d=e f f="],
    ["ARG a='$x'", {}, "ARG a=$x"],
  ])("%s", (lines, config, history) => {
    const result = evaluated(lines);
    expect(result.config).toEqual(config);
    expect(result.steps.map((step) => step.history)).toEqual([`/bin/sh -c #(nop)  ${history}`]);
  });

  test("ports are sorted as they are written", () => {
    expect(evaluated("ENV b=90\nEXPOSE 80 $b").steps[1]?.history).toBe("/bin/sh -c #(nop)  EXPOSE 90 80");
  });

  test("a health check has times, and replaces another one with a note", () => {
    const lines = 'HEALTHCHECK --interval=5s --timeout=3s --start-period=1m --start-interval=2s CMD ["x","y"]\n';
    const { config, steps } = evaluated(`${lines}HEALTHCHECK NONE\nHEALTHCHECK CMD z`);
    // What a line does not say, the image has from the one before it, as in Docker.
    const times = { Interval: 5e9, Timeout: 3e9, StartPeriod: 60e9, StartInterval: 2e9 };
    expect(config["Healthcheck"]).toEqual({ Test: ["CMD-SHELL", "z"], ...times });
    expect(steps.map(({ notes }) => notes)).toEqual([
      undefined,
      ["Note: overriding previous HEALTHCHECK: [CMD x y]\n"],
      undefined,
    ]);
    expect(steps[0]?.history).toBe('/bin/sh -c #(nop)  HEALTHCHECK &{["CMD" "x" "y"] "5s" "3s" "1m0s" "2s" \'\\x00\'}');
    expect(evaluated(lines).config["Healthcheck"]).toEqual({ Test: ["CMD", "x", "y"], ...times });
  });

  test("SHELL is for the commands after it, and for its own history", () => {
    const { config, steps } = evaluated('SHELL ["/bin/a","-c"]\nCMD x\nENTRYPOINT y\nRUN z\nRUN ["z"]\nWORKDIR /w');
    expect(config).toMatchObject({ Shell: ["/bin/a", "-c"], Cmd: ["/bin/a", "-c", "x"] });
    expect(steps.map(({ history }) => history)).toEqual([
      "/bin/a -c #(nop)  SHELL [/bin/a -c]",
      '/bin/a -c #(nop)  CMD ["/bin/a" "-c" "x"]',
      '/bin/a -c #(nop)  ENTRYPOINT ["/bin/a" "-c" "y"]',
      "/bin/a -c z",
      "z",
      "/bin/a -c #(nop) WORKDIR /w",
    ]);
  });

  test("ENTRYPOINT removes a command that is not the stage's own", () => {
    const from = { Cmd: ["old"] };
    expect(evaluated("ENTRYPOINT a", { from }).config["Cmd"]).toBeNull();
    expect(evaluated('CMD ["x"]\nENTRYPOINT a', { from }).config["Cmd"]).toEqual(["x"]);
    expect(evaluated('ENTRYPOINT a\nCMD ["x"]', { from }).config["Cmd"]).toEqual(["x"]);
    expect(evaluated("CMD []\nENTRYPOINT a", { from }).config["Cmd"]).toBeNull();
  });

  test.each([
    ["WORKDIR a", "/a"],
    ["WORKDIR /a\nWORKDIR b/../c", "/a/c"],
    ["WORKDIR /a/../c//d/", "/a/../c//d/"],
    ["WORKDIR ..", "/"],
    ["ENV d=x\nWORKDIR $d/", "/x"],
  ])("%s: %s", (lines, directory) => {
    const { config, steps } = evaluated(lines);
    expect(config["WorkingDir"]).toBe(directory);
    expect(steps.at(-1)).toEqual({ history: `/bin/sh -c #(nop) WORKDIR ${directory}`, directory: true });
  });

  test("what the image has is kept", () => {
    const from = {
      Env: ["a=1", "b=2"],
      Labels: { a: "1" },
      ExposedPorts: { "1/tcp": {} },
      OnBuild: ["RUN x"],
      User: "u",
    };
    const { config } = evaluated("ENV b=3 c=$a\nLABEL b=2\nLABEL a=3\nEXPOSE 2\nONBUILD RUN y", { from });
    expect(config).toEqual({
      ...{ Env: ["a=1", "b=3", "c=1"], Labels: { a: "3", b: "2" }, User: "u" },
      ...{ ExposedPorts: { "1/tcp": {}, "2/tcp": {} }, OnBuild: ["RUN x", "RUN y"] },
    });
  });

  test("the maintainer is the author", () => {
    expect(evaluated("MAINTAINER $q <c@d>").author).toBe("$q <c@d>");
  });
});

function health(test: string, retries: string): string {
  return `HEALTHCHECK &{[${test}] "0s" "0s" "0s" '${retries}'}`;
}

const RETRIED = { Test: ["CMD-SHELL", "a"], Retries: 10 };

describe("what cannot be done", () => {
  test.each([
    ["EXPOSE x", "invalid containerPort: x"],
    ["EXPOSE 70000", "invalid containerPort: 70000"],
    ["EXPOSE 80-", "invalid containerPort: 80-"],
    ["EXPOSE 5-3", "invalid containerPort: 5-3"],
    ["EXPOSE b a", "invalid containerPort: a"],
    ["EXPOSE x:80", "invalid hostPort: x"],
    ["EXPOSE 80/foo", "invalid proto: foo"],
    ['ENV p="80 81"\nEXPOSE "$p"', "invalid containerPort: 80 81"],
    ["STOPSIGNAL foo", "invalid signal: foo"],
    ["WORKDIR $q", "cannot normalize nothing"],
    ["VOLUME $q", "VOLUME specified can not be an empty string"],
    ["ENV $q=x", "invalid environment variable: =x"],
    ["ENV a=${b:?no}", 'failed to process "${b:?no}": b: no'],
    ["ENV a b '", 'failed to process "b \'": unexpected end of statement while looking for matching single-quote'],
    ["COPY a b /c", NO_DIRECTORY],
    ["COPY a b .", NO_DIRECTORY],
    ["COPY ../a b", "COPY failed: forbidden path outside the build context: ../a ()"],
    ["RUN --network=foo x", 'unsupported network mode "foo"'],
    ["RUN --mount=type=foo,target=/a x", 'unsupported mount type "foo"'],
    ["RUN --mount=type=cache x", "mount target not specified"],
    ["RUN --mount=target=/a,x=y x", "unexpected key 'x' in 'target=/a,x=y'"],
    ["RUN --mount=target=/a,from=$q x", "'from' doesn't support variable expansion, define alias stage instead"],
    ["COPY <</ /c/\n/", "the name of a here-document is no name of a file: /"],
    ["RUN --mount=target=/a,foo x", "invalid field 'foo' must be a key=value pair"],
  ])("%s: %s", (lines, sentence) => {
    expect(problem(lines)).toBe(sentence);
  });

  // 8 s of a processor: on a machine that is busy otherwise, minutes by the clock.
  test("ports and expanded values have limits", { timeout: 600_000 }, () => {
    expect(problem("EXPOSE 0-65535 0-65535/udp 0-65535/sctp\nEXPOSE 1")).toBe("EXPOSE of more than 196608 ports: 1");
    expect(first("HEALTHCHECK --retries=999999999 CMD x")?.history).toContain("'\ufffd'");
    const work = `ENV a=${"x".repeat(30_000)}y\n${"ENV b=${a#*xxxxxxxxxxxxxxxxxxxxy}\n".repeat(300)}`;
    expect(problem(work)).toBe(
      'failed to process "${a#*xxxxxxxxxxxxxxxxxxxxy}": the pattern in a substitution is too long',
    );
    expect(problem(`ENV a=${"x".repeat(1000)}\n${"ENV a=$a$a\n".repeat(14)}`)).toBe(
      "the values of variables are longer than 4194304 characters together",
    );
  });
});

const NO_DIRECTORY =
  "When using COPY with more than one source file, the destination must be a directory and end with a /";

describe("build arguments", () => {
  const env = (lines: string, given: Given = {}) => evaluated(lines, given).config["Env"];

  test.each<[string, Given, string[]]>([
    ["ARG a=b\nENV x=$a y=${a:-z} z=${b:-q}", {}, ["x=b", "y=b", "z=q"]],
    ["ARG a=b\nENV a=c\nENV d=$a", {}, ["a=c", "d=c"]],
    ["ENV a=c\nARG a=b\nENV d=$a", {}, ["a=c", "d=c"]],
    ["ARG a=b\nENV x=$a", { given: { a: "over" } }, ["x=over"]],
    ["ENV x=$a", { given: { a: "over" } }, ["x="]],
    ["ARG n=b\nENV x=$n", { given: { n: null } }, ["x=b"]],
    ["ARG n\nENV x=${n:-unset}", { given: { n: null } }, ["x=unset"]],
    ["ARG a=1 b=$a\nENV y=$b", {}, ["y="]],
    ["ARG a=1\nARG b=$a\nENV y=$b", {}, ["y=1"]],
    ["ARG v=1\nARG v\nENV y=$v", {}, ["y="]],
    ["ARG v=1\nARG v=2\nENV y=$v", {}, ["y=2"]],
    ["ENV x=$v", { global: { v: "g" } }, ["x="]],
    ["ARG v\nENV x=$v", { global: { v: "g" } }, ["x=g"]],
    ["ARG v=own\nENV x=$v", { global: { v: "g" } }, ["x=own"]],
    ["ENV x=$HTTP_PROXY", { given: { HTTP_PROXY: "p" } }, ["x=p"]],
    ["ENV a=1\nENV a=2 b=$a", {}, ["a=2", "b=1"]],
  ])("%s %j", (lines, given, variables) => {
    expect(env(lines, given)).toEqual(variables);
  });

  test("that no stage declares are told; proxies need no declaration", () => {
    const given = { u: "1", a: "2", n: null, HTTP_PROXY: "p" };
    expect(evaluated("ARG a", { given }).warning).toBe("[Warning] One or more build-args [n u] were not consumed\n");
    expect(evaluated("ARG a", { given: { a: "1", no_proxy: "x" } }).warning).toBe("");
  });
});

describe("a run", () => {
  test.each<[string, Given, string, string[]]>([
    ["RUN echo a  b \\\n  c $d", {}, "/bin/sh -c echo a  b   c $d", []],
    ['RUN ["sh","-c","echo \\"x y\\""]', {}, 'sh -c echo "x y"', []],
    ["RUN", {}, "/bin/sh -c", []],
    ["ARG b=2\nARG a=1\nARG c\nRUN x", {}, "|2 a=1 b=2 /bin/sh -c x", ["a=1", "b=2"]],
    ["ARG a\nRUN x", { given: { a: "y z" } }, "|1 a=y z /bin/sh -c x", ["a=y z"]],
    ["ENV a=x\nARG a=b\nRUN x", {}, "/bin/sh -c x", ["a=x"]],
    ["RUN x", { given: { HTTP_PROXY: "p" } }, "|0 /bin/sh -c x", ["HTTP_PROXY=p"]],
    ['RUN ["x"]', { given: { HTTP_PROXY: "p" } }, "|0 x", ["HTTP_PROXY=p"]],
    ["ARG HTTP_PROXY\nRUN x", { given: { HTTP_PROXY: "p" } }, "|1 HTTP_PROXY=p /bin/sh -c x", ["HTTP_PROXY=p"]],
    ["RUN <<E\nx\n\ty\nE", {}, "/bin/sh -c x\n\ty\n", []],
    ["RUN <<-E\nx\n\ty\n\tE", {}, "/bin/sh -c x\ny\n", []],
    ["RUN cat <<A <<-B\n1\nA\n\t2\nB", {}, "/bin/sh -c cat <<A <<-B\n1\nA\n\t2\nB", []],
    ["RUN --network=none x", {}, "--network=none /bin/sh -c x", []],
  ])("%s %j", (lines, given, history, env) => {
    const step = evaluated(lines, given).steps.at(-1);
    expect([step?.history, step?.run?.env]).toEqual([history, env]);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["RUN x", { HTTP_PROXY: "p" }, ["HTTP_PROXY=p", "http_proxy=p"]],
    ["RUN x", { no_proxy: "p" }, ["NO_PROXY=p", "no_proxy=p"]],
    ["RUN x", { HTTP_PROXY: "p", http_proxy: "q" }, ["HTTP_PROXY=p", "http_proxy=q"]],
    ["RUN x", { HTTP_PROXY: "" }, ["HTTP_PROXY="]],
    ["ENV http_proxy=i\nRUN x", { HTTP_PROXY: "p" }, ["HTTP_PROXY=p", "http_proxy=i"]],
    ["ARG http_proxy\nRUN x", { HTTP_PROXY: "p" }, ["HTTP_PROXY=p", "http_proxy=p"]],
  ])("%s with %j has proxies under both names in BuildKit", (lines, given, env) => {
    expect(evaluated(lines, { given, buildKit: true }).steps.at(-1)?.run?.env.toSorted()).toEqual(env);
  });

  test("a bind is read-only unless the client says otherwise, in any order", () => {
    const mounts = (fields: string) => first(`RUN --mount=${fields} x`)?.run?.mounts;
    expect(mounts("target=/a")).toEqual(["0 :/a  ro"]);
    expect(mounts("rw,target=/a,type=bind")).toEqual(["0 :/a "]);
    expect(mounts("target=/a,type=tmpfs")).toEqual(["2 :/a "]);
  });

  test("a variable adds no field to a mount", () => {
    const run = evaluated("ENV T=/a,rw\nRUN --mount=target=$T x").steps[1]?.run;
    expect(run?.mounts).toEqual(["0 :/a,rw  ro"]);
  });

  test("a here-document may name its interpreter", () => {
    const run = first("RUN --mount=target=/m <<-E\n#!/usr/bin/python3\n\tprint(1)\n\tE")?.run;
    expect(run?.argv).toEqual(["/bin/sh", "-c", "/dev/pipes/E"]);
    expect(run?.mounts).toEqual(["0 :/m  ro", "0 E:/dev/pipes  ro#!/usr/bin/python3\nprint(1)\n"]);
    const longer = first("RUN <<E cat\n#!x\nE")?.run;
    expect([longer?.argv.at(-1), longer?.mounts]).toEqual(["<<E cat\n#!x\nE", undefined]);
  });

  test("mounts", () => {
    const lines =
      "WORKDIR /w\nRUN --mount=target=a,from=build,source=/x,rw --mount=type=cache,target=/c,mode=0700,ro " +
      '--mount=type=tmpfs,target=/t --mount=type=secret,id=a/key,required "--mount=type=secret,env=K,id=k" ' +
      "--mount=type=ssh --network=host x";
    const run = evaluated(lines).steps[1]?.run;
    expect(run?.mounts).toEqual([
      "0 /x:/w/a  from build",
      "1 :/c /c ro mode 0700",
      "2 :/t ",
      "3 :/run/secrets/key a/key required",
    ]);
    expect(run?.network).toBeUndefined();
  });
});

const DIGEST = `sha256:${"0".repeat(64)}`;

describe("a copy", () => {
  test.each<[string, string[], string, string, string]>([
    ["COPY a b", ["path a"], "/b", "", "COPY file:HEX in b "],
    ["COPY /a/../b/. ./c/", ["path b"], "/c/", "", "COPY file:HEX in ./c/ "],
    ["COPY . .", ["path "], "/", "", "COPY file:HEX in . "],
    ["WORKDIR /w\nCOPY a b* c/", ["path a", "path b*"], "/w/c/", "", "COPY file:HEX in c/ "],
    ["WORKDIR /w\nCOPY a .", ["path a"], "/w/", "", "COPY file:HEX in . "],
    ["WORKDIR /w\nCOPY a ..", ["path a"], "/", "", "COPY file:HEX in .. "],
    ["ENV z=/q\nCOPY $z ${z}x/", ["path q"], "/qx/", "", "COPY file:HEX in /qx/ "],
    ['COPY ["a b", "/c d/"]', ["path a b"], "/c d/", "", "COPY file:HEX in /c d/ "],
    ["ENV u=1:2\nCOPY --chown=$u a b", ["path a"], "/b", "owner 1:2", "COPY --chown=1:2file:HEX in b "],
    ["COPY --chown=$q a b", ["path a"], "/b", "", "COPY file:HEX in b "],
    ["COPY --from=build --link --chmod=755 ../a b", ["path a"], "/b", ALL, "COPY --chmod=755--linkfile:HEX in b "],
    ["COPY --parents --exclude=*.o a b /c", ["path a", "path b"], "/c", WITHOUT, PARENTS],
    ["ADD a http://x/y git@z:w https://x/y.git#m /d/", SOURCES, "/d/", "unpack", "ADD file:HEX in /d/ "],
    [`ADD --unpack=false --checksum=${DIGEST} http://x b`, ["url http://x"], "/b", DIGEST, PACKED],
    ["COPY http://x/y b", ["path http:/x/y"], "/b", "", "COPY file:HEX in b "],
  ])("%s", (lines, sources, target, more, history) => {
    const step = evaluated(lines).steps.at(-1);
    expect(step?.copy).toEqual({ sources, target, more });
    expect(step?.history).toBe(`/bin/sh -c #(nop) ${history}`);
  });

  test.each([
    ["u", "u:"],
    ["5", "5"],
    ["u:g", "u:g"],
    [":g", ":g"],
  ])("of the owner %s has the user's own group in BuildKit", (owner, told) => {
    const step = evaluated(`COPY --chown=${owner} a b`, { buildKit: true }).steps[0];
    expect(step?.copy?.more).toBe(`owner ${told}`);
    // The directories that it makes may be another's than by the classic builder.
    expect(step?.history).toBe(`/bin/sh -c #(nop) COPY --chown=${told}file:HEX in b # buildkit`);
  });

  test("and a directory that BuildKit makes for a user are kept apart from those of the classic builder", () => {
    const lines = "COPY a b\nWORKDIR /a\nUSER u\nWORKDIR /b";
    const told = (how: { buildKit?: true }): string[] => evaluated(lines, how).steps.map(({ history }) => history);
    const classic = ["COPY file:HEX in b ", "WORKDIR /a", "USER u", "WORKDIR /b"];
    expect(told({}).map((line) => line.replace(/^.*#\(nop\) +/, ""))).toEqual(classic);
    expect(told({ buildKit: true }).map((line) => line.replace(/^.*#\(nop\) +/, ""))).toEqual([
      ...classic.slice(0, 3),
      "WORKDIR /b # buildkit",
    ]);
  });

  test("a here-document's file is the last part of its name", () => {
    expect(first("COPY <<../../e/x /d/\n1\n../../e/x")?.copy?.sources).toEqual(["content x = 1\n"]);
  });

  test("of here-documents, expanded unless the name is quoted", () => {
    const lines = "ENV v=1\nCOPY <<A <<-'B' c /d/\n$v \"x\" '$v' \\$v\nA\n\t$v\nB";
    expect(evaluated(lines).steps[1]?.copy?.sources).toEqual([
      "content A = 1 \"x\" '1' $v\n",
      "content B = $v\n",
      "path c",
    ]);
  });
});

const ALL = "from build, mode 755, link";
const WITHOUT = "parents, without *.o";
const PARENTS = "COPY --parents--exclude=*.ofile:HEX in /c ";
const SOURCES = ["path a", "url http://x/y", "git git@z:w", "git https://x/y.git#m"];
const PACKED = "ADD --unpack=falsefile:HEX in b ";
