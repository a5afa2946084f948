import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenStudio, openStudio } from "./open-studio.ts";
import { violations } from "./violations.ts";

describe.skipIf(chromiumPath === undefined)("the studio's accessibility", () => {
  let browser: Browser;
  let studio: OpenStudio;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    studio = await openStudio(browser);
    studio.write("values/10-mine.yaml", "global:\n  prxy: {}\n");
    studio.write("partials/proxy-args.hbs", "{{#if values}}\n- a\n{{/if}}\n");
  });
  afterAll(async () => {
    await studio?.close();
    await browser?.close();
  });

  it.each(["light", "dark"] as const)("axe finds nothing in the %s theme", async (scheme) => {
    const page = await studio.visit({ scheme });
    await page.locator(".findings li").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("tab", { name: "Diff" }).click();
    expect(await violations(page)).toEqual([]);
  });

  it.each([
    [360, 800],
    [3840, 2160],
  ])("fits %d × %d: nothing is wider than the window", async (width, height) => {
    const page = await studio.visit({ viewport: { width, height } });
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(overflow).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  it("is worked with the keyboard alone: open an entry, edit it, save it", async () => {
    const page = await studio.visit();
    await page.getByRole("button", { name: /^mesh/ }).focus();
    await page.keyboard.press("Enter");
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate("document.activeElement.closest('main .cm-content') !== null")) break;
    }
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\n# by keyboard\n");
    await page.keyboard.press("Control+S");
    await expect.poll(() => studio.read("mesh.yaml")).toContain("# by keyboard");
  });
});
