// Copies between files of containers on overlayfs. Needs root.

import { afterEach, beforeEach } from "vitest";
import { linuxFiles } from "../../simulated/linux-files.js";
import { copyingTests } from "../../support/copying/copying.js";
import { describeUnless } from "../../support/on-engines.js";
import { missing, openFixture, type Fixture } from "./content-fixture.js";

let fixture: Fixture;
beforeEach(() => {
  fixture = openFixture();
});
afterEach(() => fixture.close());

describeUnless(missing, "copies on Linux", () => {
  copyingTests(() => ({
    perform: (command) => fixture.perform(command),
    layer: (tar) => fixture.layer(tar),
    mount: async (chain, bare) => {
      const { id, rootfs } = await fixture.mount(chain, bare);
      return { id, files: linuxFiles(rootfs) };
    },
  }));
});
