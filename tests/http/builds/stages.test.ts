// Stages that wait for no other are built side by side. The client sees them one after the other, as of Docker's classic
// builder, which builds them so.
import { expect, test } from "vitest";
import { buildOn, type Built } from "./building.js";
import { onEngines } from "../../support/on-engines.js";

onEngines("stages of builds", (engine, kind) => {
  const make = (dockerfile: string, query = ""): Promise<Built> => buildOn(engine(), dockerfile, [], `rm=1&${query}`);

  test("what stages tell is in the order of the file, and the same image comes of it", async () => {
    const file =
      "FROM busybox AS slow\nRUN sleep 0.3; echo slow; echo s > /s\nRUN echo slower\n" +
      "FROM busybox AS fast\nRUN echo fast; echo f > /f\nENV A=1\nRUN echo $A faster\n" +
      "FROM busybox\nCOPY --from=slow /s /s\nCOPY --from=fast /f /f\nRUN cat /s /f\n";
    const { lines, error } = await make(file, "target=&nocache=1");
    expect(error).toBeNull();
    expect(lines).toEqual([
      "Step 1/11 : FROM busybox AS slow",
      "Step 2/11 : RUN sleep 0.3; echo slow; echo s > /s",
      "slow",
      "Step 3/11 : RUN echo slower",
      "slower",
      "Step 4/11 : FROM busybox AS fast",
      "Step 5/11 : RUN echo fast; echo f > /f",
      "fast",
      "Step 6/11 : ENV A=1",
      "Step 7/11 : RUN echo $A faster",
      "1 faster",
      "Step 8/11 : FROM busybox",
      "Step 9/11 : COPY --from=slow /s /s",
      "Step 10/11 : COPY --from=fast /f /f",
      "Step 11/11 : RUN cat /s /f",
      "s",
      "f",
      "Successfully built",
    ]);
    expect(await containers()).toEqual([]);
  });

  test("a stage that fails ends the build with what it told", async () => {
    const file =
      "FROM busybox AS one\nRUN echo first\nFROM busybox\nCOPY --from=one /etc /e\nRUN echo why >&2; exit 7\n";
    const { lines, error } = await make(file, "forcerm=1");
    expect(error).toMatchObject({ errorDetail: { code: 7 } });
    expect(lines.slice(-2)).toEqual(["Step 5/5 : RUN echo why >&2; exit 7", "why"]);
    await expect.poll(containers).toEqual([]);
  });

  if (kind !== "reference") ownTests();
  // The shell of simulated containers has no loops.
  if (kind === "linux") meetingTests();

  function meetingTests(): void {
    // Each of the two waits for the other one: a cache of theirs shows them which files it has made.
    test("two stages run at once", async () => {
      const meet = (mine: string, other: string): string =>
        `FROM busybox AS ${mine}\nRUN --mount=type=cache,id=meet,target=/m touch /m/${mine}; ` +
        `until [ -e /m/${other} ]; do sleep 0.02; done; echo ${mine} saw ${other} | tee /saw\n`;
      const file = `${meet("one", "two")}${meet("two", "one")}FROM busybox\nCOPY --from=one /saw /1\nCOPY --from=two /saw /2\n`;
      const { lines, error } = await make(file);
      expect(error).toBeNull();
      expect(lines.filter((line) => /^\w+ saw/.test(line))).toEqual(["one saw two", "two saw one"]);
      await engine().must(200, "POST", "/build/prune?all=1");
    });

    test("a stage that fails ends one before it, whose output is told up to there", async () => {
      const meet = "--mount=type=cache,id=fails,target=/m";
      const file =
        `FROM busybox AS one\nRUN ${meet} echo waits; touch /m/go; sleep 1000\n` +
        `FROM busybox AS two\nRUN ${meet} until [ -e /m/go ]; do sleep 0.02; done; echo why; exit 7\n` +
        "FROM busybox\nCOPY --from=one /etc /1\nCOPY --from=two /etc /2\n";
      const { lines, error } = await make(file, "forcerm=1");
      expect(error).toMatchObject({ errorDetail: { code: 7 } });
      expect(lines.filter((line) => !line.startsWith("Step 2/"))).toEqual([
        ...["Step 1/7 : FROM busybox AS one", "waits", "Step 3/7 : FROM busybox AS two"],
        `Step 4/7 : RUN ${meet} until [ -e /m/go ]; do sleep 0.02; done; echo why; exit 7`,
        "why",
      ]);
      await expect.poll(containers).toEqual([]);
      await engine().must(200, "POST", "/build/prune?all=1");
    });
  }

  function ownTests(): void {
    test("a step that two stages have in common runs once", async () => {
      const same = "RUN echo x > /id; sleep 0.2\n";
      const file = `FROM busybox AS one\n${same}FROM busybox AS two\n${same}FROM busybox\nCOPY --from=one /id /1\nCOPY --from=two /id /2\n`;
      const { lines, error } = await make(file);
      expect(error).toBeNull();
      expect(lines.filter((line) => line === "Using cache")).toHaveLength(1);
    });

    test("triggers of a base image wait for the stage that they take files from", async () => {
      await make("FROM busybox\nONBUILD COPY --from=late /made /taken\n", "t=triggers");
      const file =
        "FROM busybox AS late\nRUN sleep 0.2; echo here > /made\nFROM triggers AS mid\nRUN cat /taken\n" +
        "FROM busybox\nCOPY --from=late /made /\nCOPY --from=mid /taken /\n";
      const { lines, error } = await make(file);
      expect(error).toBeNull();
      expect(lines).toContain("here");
    });

    test("a quiet build tells what a stage told when it fails", async () => {
      const file =
        "FROM busybox AS one\nRUN echo good\nFROM busybox AS two\nRUN echo bad; exit 3\n" +
        "FROM busybox\nCOPY --from=one /etc /1\nCOPY --from=two /etc /2\n";
      const { lines, error } = await make(file, "q=1&forcerm=1");
      expect(error).toMatchObject({ errorDetail: { code: 3 } });
      expect(lines.slice(-2)).toEqual(["Step 4/7 : RUN echo bad; exit 3", "bad"]);
      await expect.poll(containers).toEqual([]);
    });
  }

  async function containers(): Promise<string[]> {
    const listed = await engine().read<{ Id: string }[]>("/containers/json?all=1");
    return listed.map(({ Id }) => Id);
  }
});
