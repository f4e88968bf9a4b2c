// Git repositories in builds: ADD, and as the context.
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { messageOf } from "../../support/engine-client.js";
import { GIT_MISSING, startGitServer, type GitServer } from "./git-server.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { buildOn, builtOf, type Built } from "./building.js";

const LOGIN = "user:pass word";

onEngines(
  "git repositories in builds",
  (engine, kind) => {
    let git: GitServer;
    beforeAll(async () => {
      git = await startGitServer(engine().daemon.netns.hostAddress, LOGIN);
    });
    afterAll(async () => git?.close());

    const build = (dockerfile: string): Promise<Built> => buildOn(engine(), dockerfile);
    const remote = (address: string, query = ""): ReturnType<ReturnType<typeof engine>["call"]> =>
      engine().call("POST", `/build?remote=${encodeURIComponent(address)}&${query}`);
    const run = async (image: string, command: string): Promise<string> =>
      (await engine().run({ Image: image, Entrypoint: ["sh", "-c"], Cmd: [command] })).stdout;

    if (kind === "simulated") {
      test("need the program git", async () => {
        const said = /unable to clone https:\/\/a\.test\/b\.git: the program git is needed for it/;
        expect((await build("FROM busybox\nADD https://u:p@a.test/b.git /d\n")).error?.["error"]).toMatch(said);
        const answer = await remote("https://u:p@a.test/b.git#main");
        expect([answer.status, messageOf(answer)]).toEqual([500, expect.stringMatching(said)]);
      });
      return;
    }

    testExcept(kind, { reference: REFERENCE.ours })("ADD takes a branch, a tag or a commit of one", async () => {
      const first = git.commit("a.git", { "a.txt": "1", "d/run": "#!/bin/sh\necho ran\n", "d/e/f": "f" }, "v1");
      git.commit("a.git", { "a.txt": "2" });
      const address = `${git.url}/a.git`;
      const file = `FROM busybox\nADD ${address} /new\nADD ${address}#v1:d /d\nADD ${address}#${first} ${address}#main:/d/e /two/\n`;
      const built = await build(`${file}ADD --keep-git-dir=true ${address} /kept\n`);
      expect(built.error).toBeNull();
      expect(await run(built.id, "cat /new/a.txt /two/a.txt /two/f; /d/run; ls -A /new; ls -d /kept/.git")).toBe(
        "21fran\na.txt\nd\n/kept/.git\n",
      );
      expect(await run(built.id, "stat -c '%a %u %g' /new/a.txt /d/run /d/e")).toBe("644 0 0\n755 0 0\n755 0 0\n");
      expect((await build(file)).lines.filter((line) => line === "Using cache")).toHaveLength(3);
      git.commit("a.git", { "a.txt": "3" });
      expect((await build(file)).lines).not.toContain("Using cache");
    });

    testExcept(kind, { reference: REFERENCE.ours })(
      "one is the context, with a password that nobody sees",
      async () => {
        git.commit("private.git", { "b/Dockerfile": "FROM busybox\nCOPY . /c\n", "b/x": "x", y: "y" });
        const address = `${git.url.replace("://", "://user:pass%20word@")}/private.git#main:b`;
        const answer = await remote(address, "t=of-git");
        expect(builtOf(answer.text).error).toBeNull();
        expect(answer.text).not.toContain("pass");
        expect(await run("of-git", "ls -A /c")).toBe("Dockerfile\nx\n");
        const refused = await remote(`${git.url}/private.git`);
        expect([refused.status, messageOf(refused)]).toEqual([
          500,
          expect.stringMatching(/^unable to clone http:\/\/.*\/private\.git: git: fatal: /),
        ]);
      },
    );

    testExcept(kind, { reference: REFERENCE.ours })("what cannot be cloned, and files of the machine", async () => {
      git.commit("bad.git", {
        ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = file:///etc\n`,
        Dockerfile: "FROM busybox\n",
      });
      const failed = async (address: string): Promise<unknown> =>
        (await build(`FROM busybox\nADD ${address} /x\n`)).error?.["error"];
      expect(await failed(`${git.url}/none.git`)).toMatch(/^ADD failed: unable to clone .*none\.git: git: fatal: /);
      expect(await failed(`${git.url}/bad.git#none`)).toMatch(/fatal: couldn't find remote ref none/);
      expect(await failed(`${git.url}/bad.git#main:none`)).toMatch(/^ADD failed: /);
      expect(await failed(`${git.url}/bad.git#--upload-pack=x`)).toMatch(/invalid git reference/);
      expect(await failed("git@127.0.0.1:x/y")).toMatch(/unable to clone git@127\.0\.0\.1:x\/y: git: /);
    });
  },
  { missing: GIT_MISSING },
);
