// The process that forwards published ports (see `forwards.ts`).

import { runFollower } from "../../followers/follower.js";
import { ForwardFiles } from "./forward-files.js";
import { ForwardService } from "./service.js";

const [directory = ".", program = ""] = process.argv.slice(2);
void runFollower(directory, program, new ForwardService(new ForwardFiles(directory)));
