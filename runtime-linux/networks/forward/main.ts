// The process that forwards published ports (see `forwards.ts`).

import { runFollower } from "../../followers/follower.js";
import { ForwardFiles } from "./forward-files.js";
import { readInherited } from "./inherited.js";
import { ForwardService } from "./service.js";

const [directory = ".", program = "", inherited] = process.argv.slice(2);
const service = new ForwardService(new ForwardFiles(directory), readInherited(directory, inherited));
void runFollower(directory, program, service);
