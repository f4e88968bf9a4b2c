// The folder of the page: what `docker build .` sends, and that equal files give equal archives.

import { expect, test } from "vitest";
import { archiveOf } from "../../hosts/browser/session/archive.js";
import { FIRST_FILES } from "../../hosts/browser/session/folder.js";
import { withFiles } from "../../hosts/browser/session/request.js";
import { opened, ran, typed } from "./typed-session.js";

const EVENING = [FIRST_FILES[0]!, { name: "greeting", text: "Good evening\n" }];

test("docker build sends the first files, and then those of the newest request that has some", async () => {
  const session = await opened();
  const [first] = await typed(session, "docker build -t greeter .");
  expect(first!.request.files).toEqual(FIRST_FILES);
  session.add(withFiles("POST", "/v1.41/build", EVENING));
  const [second] = await typed(session, "docker build -t greeter ./");
  expect(second!.request.files).toEqual(EVENING);
  expect(await ran(session, "docker run greeter | head -n 1; docker history greeter | grep -c CreatedBy")).toMatch(
    /^Good evening\n\d/m,
  );
});

test("equal files give equal archives, in whole blocks, with names and texts in any script", () => {
  const files = [{ name: "ordner/größe", text: "½\n" }];
  expect(archiveOf(files)).toEqual(archiveOf(files));
  expect(archiveOf(files).length % 512).toBe(0);
  expect(archiveOf([])).toEqual(new Uint8Array(1024));
});
