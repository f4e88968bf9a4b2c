#!/usr/bin/env node
// The command `coracle`, with the threads that a daemon needs.
require("./threads.cjs");
void import("./coracle.mjs");
