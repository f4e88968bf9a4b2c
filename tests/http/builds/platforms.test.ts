// Platforms of builds, and `outputs`.
import { expect, test } from "vitest";
import { buildOn, type Built } from "./building.js";
import { messageOf } from "../../support/engine-client.js";
import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import { onEngines } from "../../support/on-engines.js";

onEngines("platforms of builds", (engine, kind) => {
  const make = (dockerfile: string, files: RawEntry[], query = ""): Promise<Built> =>
    buildOn(engine(), dockerfile, files, `forcerm=1&${query}`);

  test("an invalid platform is refused", async () => {
    const context = rawTar([{ name: "Dockerfile", body: "FROM scratch\n" }]);
    const answer = await engine().must(400, "POST", "/build?platform=linux/a/b/c", context);
    expect(messageOf(answer)).toMatch(/platform specifier/);
  });

  if (kind === "linux") otherMachines();
  if (kind !== "reference") outputs();

  function otherMachines(): void {
    test("a program for another machine cannot run, and the error says what to do", async () => {
      const files: RawEntry[] = [{ name: "sh", body: "\u007fELF of another machine", mode: 0o755 }];
      const { error } = await make("FROM scratch\nCOPY sh /bin/sh\nRUN true\n", files, "platform=linux/s390x");
      expect(error?.["error"]).toMatch(
        /the image is for linux\/s390x, and this machine runs linux\/\w+: begin the stage/,
      );
    });
  }

  function outputs(): void {
    test("outputs of the classic builder may ask for an image, and for nothing else", async () => {
      const ask = async (status: number, outputs: unknown): Promise<string> => {
        const context = rawTar([{ name: "Dockerfile", body: "FROM scratch\nLABEL output=1\n" }]);
        const query = `outputs=${encodeURIComponent(JSON.stringify(outputs))}`;
        const answer = await engine().must(status, "POST", `/build?${query}`, context);
        return status === 200 ? answer.text : messageOf(answer);
      };
      expect(await ask(200, null)).toMatch(/Successfully built/);
      expect(await ask(200, [{ Type: "docker", Attrs: { name: "out:1,out:2" } }])).toMatch(
        /tagged out:1.*tagged out:2/s,
      );
      expect(await ask(501, [{ Type: "local", Attrs: { dest: "/x" } }])).toMatch(
        /"local" needs a client .* in a session.*docker save/,
      );
      expect(await ask(501, [{ Type: "docker", Attrs: { dest: "x.tar" } }])).toMatch(/"docker" needs a client/);
      expect(await ask(501, [{ Type: "image", Attrs: { push: "true" } }])).toMatch(/push needs version=2/);
      expect(await ask(400, [{ Type: "cake" }])).toMatch(/unknown output "cake"/);
      expect(await ask(400, {})).toMatch(/must be a list/);
      expect(await ask(400, ["docker"])).toMatch(/must be an object/);
    });
  }
});
