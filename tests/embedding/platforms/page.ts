// Runs in a page; the test waits for the result.

import { story } from "./story.js";

Object.assign(globalThis, { told: story() });
