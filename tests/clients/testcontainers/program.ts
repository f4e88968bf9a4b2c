// What users of testcontainers do, a story a function. A program of its own, since the library looks for its engine once
// in a process: it is started with DOCKER_HOST, sent a story's name and arguments, and sends back what came of it.
import { OPTIONS } from "./options.js";
import { USING } from "./using.js";
import { WAITING } from "./waiting.js";

export type Outcome = { readonly told: unknown } | { readonly failed: string };

const STORIES = { ...WAITING, ...USING, ...OPTIONS };

process.on("message", ([name, ...args]: [string, ...string[]]) => {
  const story = STORIES[name];
  const telling = story === undefined ? Promise.reject(new Error(`there is no story "${name}"`)) : story(...args);
  telling.then(
    (told) => answer({ told }),
    (error: Error) => answer({ failed: error.stack ?? error.message }),
  );
});

function answer(outcome: Outcome): void {
  process.send?.(outcome);
}
