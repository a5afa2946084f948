import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
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

  const windows = [
    [360, 800],
    [3840, 2160],
  ] as const;
  /** Every page at the widths between them: `looks.test.ts`. */
  const itInTurn = inTurn(it, turnOf("Looks of the studio", windows.length));

  for (const [width, height] of windows)
    itInTurn(`fits ${width} × ${height}: nothing is wider than the window`, async () => {
      const page = await studio.visit({ viewport: { width, height } });
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow).toBe(0);
      expect(await violations(page)).toEqual([]);
    });

  it("is worked with the keyboard alone: open an entry, edit it, save it", async () => {
    const page = await studio.visit();
    // The editor is loaded behind the first preview.
    await page.locator("main .cm-content").waitFor();
    // From the top of the page: at most ten stops to the editor.
    const isInEditor = () => page.evaluate("document.activeElement.closest('main .cm-content') !== null");
    let stops = 0;
    while (!(await isInEditor()) && stops < 20) {
      await page.keyboard.press("Tab");
      stops += 1;
    }
    expect(stops).toBeLessThanOrEqual(10);
    // Tab leaves the editor, and writes nothing.
    await page.keyboard.press("Tab");
    expect(await isInEditor()).toBe(false);
    await page.getByText("Nothing to save").waitFor();
    // The list of files is one stop, in which arrow keys move.
    await page.getByRole("searchbox").fill("mesh");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    expect(await page.locator("main h2").textContent()).toBe("mesh");
    // The first stop of the page leads past everything.
    await page.reload();
    await page.locator(".changes .added").first().waitFor();
    await page.locator("main .cm-content").waitFor();
    await page.getByRole("button", { name: "Skip to the editor" }).focus();
    await page.keyboard.press("Enter");
    expect(await isInEditor()).toBe(true);
    expect(await page.locator("main h2").textContent()).toBe("mesh");
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\n# by keyboard\n");
    await page.keyboard.press("Control+S");
    await expect.poll(() => studio.read("mesh.yaml")).toContain("# by keyboard");
  });
});
