// The studio of a directory: where a pod is tried, what a first step keeps, and edits that outlive the studio.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryWorkspace, readPage, startStudio } from "@outrigger/cli";
import { readExampleTrees, readSourceTree } from "@outrigger/publisher";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE } from "./build-page.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";

describe.skipIf(chromiumPath === undefined)("the studio of a directory", () => {
  let browser: Browser;
  let directory: string;
  let studio: Awaited<ReturnType<typeof startStudio>>;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-studio-"));
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    studio = await start();
  });
  afterAll(async () => {
    await studio?.close();
    await browser?.close();
    rmSync(directory, { recursive: true });
  });

  async function start() {
    return startStudio({
      page: await readPage(PAGE),
      workspace: directoryWorkspace(directory, () => readSourceTree("templates")),
      examples: () => readExampleTrees("docs/examples"),
    });
  }

  async function visit(): Promise<Page> {
    const page = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await page.goto(studio.url);
    await page.waitForSelector(".changes .added");
    return page;
  }

  it("tries a sample in the namespace that is named, and in its own again", async () => {
    const page = await visit();
    const field = page.getByLabel("Namespace");
    // The sample's own.
    expect(await field.getAttribute("placeholder")).toBe("shop");
    await field.fill("kube-system");
    await page.getByText("Not injected").first().waitFor();
    await field.fill("");
    await page.locator("#preview-panel").getByText("istio-proxy").first().waitFor();
    await page.context().close();
  });

  it("adds a container of one's own beside the proxy", async () => {
    const page = await visit();
    await page.getByRole("button", { name: "Add a container of your own" }).click();
    const panel = page.locator("#preview-panel");
    await page.locator(".entry").filter({ hasText: "config" }).first().click();
    await page.locator("main .cm-content").getByText("defaultTemplates: [sidecar, log-shipper]").waitFor();
    await panel.getByText("fluent-bit").first().waitFor();
    await panel.getByText("istio-proxy").first().waitFor();
    await page.context().close();
  });

  it("finds the edits again when it has been started again, in this tab and in another one", async () => {
    const page = await visit();
    const { origin } = new URL(studio.url);
    await page.getByRole("button", { name: "Add a container of your own" }).click();
    await page.locator(".entry").filter({ hasText: "templates/log-shipper" }).first().waitFor();
    await expect.poll(() => page.evaluate("JSON.stringify(localStorage)")).toContain("log-shipper");
    await studio.close();
    studio = await start();
    expect(new URL(studio.url).origin).toBe(origin);
    const other = await page.context().newPage();
    for (const each of [page, other]) {
      await each.goto(studio.url);
      await each.locator(".entry").filter({ hasText: "templates/log-shipper" }).first().waitFor();
    }
    await page.context().close();
  });
});
