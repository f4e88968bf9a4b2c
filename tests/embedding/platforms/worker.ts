// Runs in a worker, which sends the result to its parent.

import { story } from "./story.js";

void story().then((told) => postMessage(told));
