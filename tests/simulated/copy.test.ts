// Copies between files of simulated containers.

import { afterEach, beforeEach } from "vitest";
import { copyingTests } from "../support/copying/copying.js";
import { Fixture } from "./content-fixture.js";

let fixture: Fixture;
beforeEach(() => {
  fixture = new Fixture();
});
afterEach(() => fixture.time.close());

copyingTests(() => fixture);
