// What the console line needs to complete, understand and run what is typed: fetched when the line is first used.

export { complete } from "../../notation/complete.js";
export { Wrong } from "../../notation/docker/wrong.js";
export { readLine } from "../../notation/parse.js";
export { writtenFor } from "../../notation/plan.js";
export { runAlone, runScript } from "../../notation/shell/run.js";
