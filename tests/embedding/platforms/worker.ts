// The story in a worker: whoever started it is sent the result.

import { story } from "./story.js";

void story().then((told) => postMessage(told));
