// Prints the results, on platforms with a console.

import { story } from "./story.js";

for (const line of await story()) console.log(JSON.stringify(line));
