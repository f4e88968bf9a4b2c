// What goes of the builder's cache by itself, by the daemon's flags.
import { expect } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { rawTar } from "../../support/archives/tar.js";

interface Usage {
  BuildCache: { Description: string; InUse: boolean }[];
}

onEngines(
  "the builder's cache with a limit",
  (engine, kind) => {
    const ofOurs = testExcept(kind, { reference: REFERENCE.buildkit });

    /** Builds the image, and removes it: its steps are cache. */
    const build = async (word: string): Promise<void> => {
      const body = `FROM busybox\nRUN echo ${word} > /${word}\nENV A=1\n`;
      const query = `version=2&networkmode=none&t=${word}`;
      await engine().must(200, "POST", `/build?${query}`, rawTar([{ name: "Dockerfile", body }]));
      await engine().must(200, "DELETE", `/images/${word}`);
    };

    ofOurs("loses the oldest step when a later build is over", async () => {
      await build("first");
      const steps = async (): Promise<string> => {
        const { BuildCache } = await engine().read<Usage>("/system/df", { version: "1.41" });
        return BuildCache.map(({ Description }) => Description).join("\n");
      };
      expect(await steps()).toContain("echo first");
      await build("second");
      const left = await steps();
      expect(left).not.toContain("echo first");
      expect(left).toContain("echo second");
    });
  },
  { ownFlags: ["--builder-gc-reserved-space", "1"] },
);
