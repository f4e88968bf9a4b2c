// The example of a web shop, and published ports that a visitor opens on the page.

import { expect, test } from "vitest";
import { WEB_SHOP } from "../../hosts/browser/lessons/examples.js";
import { onPages } from "./on-pages.js";
import { PATIENCE } from "./visitor.js";

onPages("a published port", (browser) => {
  test("the web shop comes up, and its page is made of what the others say", async () => {
    const { page, complaints } = await browser().open();
    await page.getByLabel("Speed").selectOption("10");
    await page.getByRole("button", { name: WEB_SHOP.label }).click();
    const containers = page.getByRole("region", { name: "Containers" });
    await expect.poll(() => containers.innerText(), PATIENCE).toMatch(/stock.*running.*prices.*running.*web.*running/s);
    const web = page.locator("details.thing", { hasText: /^web/ });
    await web.locator("summary").click();
    const answer = page.getByLabel("localhost:8080", { exact: true });
    const opened = async (): Promise<string> => {
      await page.getByRole("button", { name: "Open localhost:8080" }).click();
      await expect.poll(() => answer.innerText(), PATIENCE).not.toBe("…");
      return answer.innerText();
    };
    await expect.poll(opened, PATIENCE).toMatch(/^HTTP\/1.1 200 OK.*Welcome to the shop\n12 apples\n3 coins each\n?$/s);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
