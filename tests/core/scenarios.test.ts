// The core's stories: each file is played, and the output must match the file. UPDATE=1 rewrites them, only by hand.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { play } from "./scenario/scenario.js";

const FOLDER = new URL("./scenarios/", import.meta.url);

for (const name of readdirSync(FOLDER).sort()) {
  test(name.replace(".txt", "").replaceAll("-", " "), () => {
    const file = new URL(name, FOLDER);
    const text = readFileSync(file, "utf8");
    const played = play(text);
    if (process.env.UPDATE === "1" && process.env.CI !== "true") writeFileSync(file, played);
    else expect(played).toBe(text);
  });
}
