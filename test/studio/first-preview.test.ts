// What a page waits for before the first preview, in what no load of the machine changes; `node --import tsx tools/studio/keystroke.ts` has the times.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureLoad } from "../../tools/studio/measure-load.ts";
import { PAGE } from "./build-page.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenStudio, openStudio } from "./open-studio.ts";

describe.skipIf(chromiumPath === undefined)("the first preview", () => {
  let browser: Browser;
  let studio: OpenStudio;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    studio = await openStudio(browser);
  });
  afterAll(async () => {
    await studio?.close();
    await browser?.close();
  });

  it("waits for three requests in a row, and for neither the editor nor the worker", async () => {
    const page = await (await browser.newContext()).newPage();
    const { inRow, asked, script } = await measureLoad(page, studio.url);
    expect(asked.toSorted()).toEqual(["/", "/api/workspace", "/chunk.js", "/main.css", "/main.js", "/open"]);
    expect(inRow).toBe(3);
    expect(script).toBeLessThan(256 * 1024);
    expect(script).toBe(["main.js", "chunk.js"].reduce((sum, name) => sum + readFileSync(join(PAGE, name)).length, 0));
    await page.context().close();
  });

  it("comes to a page that may share memory with its worker", async () => {
    const page = await studio.visit();
    expect(await page.evaluate("crossOriginIsolated")).toBe(true);
  });

  it("is what the page's worker makes of the same tree", async () => {
    studio.write("values/10-mine.yaml", "global: {tag: mine}\n");
    const { page, answers } = await listeningPage();
    await page.goto(studio.url);
    await page.waitForSelector("main .cm-content");
    await expect.poll(() => page.evaluate<number>("previews.length")).toBeGreaterThan(0);
    const { key, findings, outcome } = JSON.parse(await page.evaluate("JSON.stringify(previews[0])"));
    const { preview } = JSON.parse(await answers());
    expect({ key, findings, outcome }).toEqual({
      key: preview.key,
      findings: preview.findings,
      outcome: preview.outcome,
    });
    expect(outcome.after).toContain("proxyv2:mine");
    await page.context().close();
  });

  /** A page that keeps what its workers say, in messages for want of shared memory, and the answer to its first question. */
  async function listeningPage() {
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(`globalThis.previews = [];
      Object.defineProperty(globalThis, "crossOriginIsolated", { value: false });
      globalThis.Worker = class extends Worker {
        constructor(...given) {
          super(...given);
          this.addEventListener("message", ({ data }) => data.answer?.key !== undefined && previews.push(data.answer));
        }
      };`);
    const answered = page.waitForResponse((response) => response.url().includes("/api/workspace"));
    return { page, answers: async () => (await answered).text() };
  }
});
