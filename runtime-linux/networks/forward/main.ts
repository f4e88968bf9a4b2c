// The process that forwards published ports (see `forwards.ts`).

import { runFollower } from "../../followers/follower.js";
import { ForwardFiles } from "./forward-files.js";
import { Inherited } from "./inherited.js";
import { ForwardService } from "./service.js";

const [directory = ".", program = "", sockets = "0"] = process.argv.slice(2);
const service = new ForwardService(new ForwardFiles(directory), new Inherited(Number(sockets)));
void runFollower(directory, program, service);
