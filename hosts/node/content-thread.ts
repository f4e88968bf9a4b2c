// The program of a thread for content (runtime-linux/content/threads). It has a registry client of its own, so that the
// bytes of layers come to it directly.

import { workerData } from "node:worker_threads";
import { serve } from "../../runtime-linux/content/threads/serve.js";
import { libc } from "../../runtime-linux/kernel/libc.js";
import { Paths } from "../../runtime-linux/paths.js";
import { linuxRegistry, type ThreadData } from "./linux-registry.js";

const { roots, way } = workerData as ThreadData;
serve({ paths: new Paths(roots), kernel: libc, registry: linuxRegistry(way) });
