// What OCI runtimes report about themselves.

import { expect, it } from "vitest";
import { parseVersion } from "../../../runtime-linux/launch/runtimes.js";

it("reads the self-description of runtimes", () => {
  const crun = "crun version 1.8.1\ncommit: f8a096be060b22ccd3d5f3ebe44108517fbf6c30\nrundir: /run/crun\nspec: 1.0.0\n";
  expect(parseVersion(crun)).toEqual({
    version: "1.8.1",
    commit: "f8a096be060b22ccd3d5f3ebe44108517fbf6c30",
    kind: "crun",
  });
  const runc = "runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1\nspec: 1.0.2-dev\n";
  expect(parseVersion(runc)).toEqual({ version: "1.1.5+ds1", commit: "1.1.5+ds1-1+deb12u1", kind: "runc" });
  expect(parseVersion("runsc version release-20240101\nspec: 1.1\n")).toMatchObject({
    version: "release-20240101",
    kind: "other",
  });
});
