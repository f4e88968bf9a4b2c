// The resolver process: answers the DNS queries of an engine's containers.

import { runFollower } from "../../followers/follower.js";
import { processMemory } from "../../kernel/memory.js";
import { TableFiles } from "../table-files.js";
import { Service } from "./service.js";

/** Longer than any message. */
const LARGE_BYTES = 1 << 17;

processMemory.bound(LARGE_BYTES);
const [directory = ".", program = ""] = process.argv.slice(2);
void runFollower(directory, program, new Service(new TableFiles(directory)));
