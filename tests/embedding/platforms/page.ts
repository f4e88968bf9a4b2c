// The story in a page: whoever opened it waits for the result.

import { story } from "./story.js";

Object.assign(globalThis, { told: story() });
