// The studio of a directory: where a pod is tried, what a first step keeps, and edits that outlive the studio.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryWorkspace, draftsIn, readPage, startStudio } from "@outrigger/cli";
import { readExampleTrees, readSourceTree } from "@outrigger/publisher";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { PAGE } from "./build-page.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { keptOnDisk } from "./kept-on-disk.ts";

describe.skipIf(chromiumPath === undefined)("the studio of a directory", () => {
  let browser: Browser;
  let directory: string;
  let state: string;
  let studio: Awaited<ReturnType<typeof startStudio>>;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-studio-"));
    state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    studio = await start({ port: 0 });
  });
  afterAll(async () => {
    await studio?.close();
    await browser?.close();
    for (const each of [directory, state]) rmSync(each, { recursive: true });
  });

  /**
   * @param kept the port, and where edits are kept besides the browser. The studio's own ports are everyone's on a machine:
   * `studio-server.test.ts` has them.
   */
  async function start(kept: { readonly port: number } & Pick<Parameters<typeof startStudio>[0], "drafts">) {
    return startStudio({
      ...kept,
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

  /** What previews and examples have tests of their own for. What keeps edits is no such thing. */
  const itInTurn = inTurn(it, turnOf("Ways through the studio", 3));

  itInTurn("tries a sample in the namespace that is named, and in its own again", async () => {
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

  itInTurn("adds a container of one's own beside the proxy", async () => {
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
    await page.getByRole("button", { name: "Add a container of your own" }).click();
    await page.locator(".entry").filter({ hasText: "templates/log-shipper" }).first().waitFor();
    await expect.poll(() => page.evaluate("JSON.stringify(localStorage)")).toContain("log-shipper");
    const port = Number(new URL(studio.url).port);
    await studio.close();
    studio = await start({ port });
    const other = await page.context().newPage();
    for (const each of [page, other]) {
      await each.goto(studio.url);
      await each.locator(".entry").filter({ hasText: "templates/log-shipper" }).first().waitFor();
    }
    await page.context().close();
  });

  it("finds them at another port and in another browser, with the edits of both tabs, and nothing of them in the tree", async () => {
    const kept = () => JSON.stringify(keptOnDisk(state));
    const tree = readdirSync(directory);
    await studio.close();
    studio = await start({ port: 0, drafts: draftsIn(state) });
    const [first, second] = [await visit(), await visit()];
    for (const [page, path] of [
      [first, "values/10-first"],
      [second, "values/20-second"],
    ] as const) {
      await page.getByRole("button", { name: "+ New" }).click();
      await page.getByLabel("Name of the new entry").fill(path);
      await page.keyboard.press("Enter");
      await page.locator("main .cm-content").click();
      await page.keyboard.insertText(`a: ${path}\n`);
      await expect.poll(kept).toContain(`a: ${path}`);
    }
    // A tab that is loaded again takes nothing of another one away.
    for (const page of [first, second]) await page.reload();
    await first.waitForTimeout(1000);
    for (const path of ["10-first", "20-second"]) expect(kept()).toContain(path);
    await Promise.all([first, second].map((page) => page.context().close()));
    await studio.close();
    studio = await start({ port: 0, drafts: draftsIn(state) });
    const page = await visit();
    for (const path of ["values/10-first", "values/20-second"]) {
      await page.locator(".entry").filter({ hasText: path }).first().click();
      await page.locator("main .cm-content").getByText(`a: ${path}`).waitFor();
    }
    // What is discarded here is not found again.
    await page.getByRole("button", { name: "Delete entry" }).click();
    await expect.poll(kept).not.toContain("second");
    expect(kept()).toContain("10-first");
    expect(readdirSync(directory)).toEqual(tree);
    await expect.poll(() => readdirSync(join(state, "drafts")).length).toBe(1);
    const [name = ""] = readdirSync(join(state, "drafts"));
    expect(statSync(join(state, "drafts", name)).mode & 0o777).toBe(0o600);
    // A file that is damaged is none.
    writeFileSync(join(state, "drafts", name), '{"edits": [{"path": 1}]}');
    await page.context().close();
    await (await visit()).context().close();
  });

  describe("edits of one entry in several tabs", () => {
    const NAME = "values/30-both";
    beforeEach(async () => {
      await studio.close();
      rmSync(join(state, "drafts"), { recursive: true, force: true });
      studio = await start({ port: 0, drafts: draftsIn(state) });
    });

    /** The texts that the studio keeps of the entry, the last kept last. */
    function keptTexts(): readonly string[] {
      return keptOnDisk(state).flatMap(({ path, text }) => (path === NAME && text !== null ? [text] : []));
    }

    async function type(page: Page, text: string): Promise<void> {
      const entry = page.locator(".entry").filter({ hasText: NAME });
      if ((await entry.count()) === 0) {
        await page.getByRole("button", { name: "+ New" }).click();
        await page.getByLabel("Name of the new entry").fill(NAME);
        await page.keyboard.press("Enter");
      } else await entry.first().click();
      await page.locator("main .cm-content").click();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(text);
    }

    async function reads(page: Page, text: string): Promise<void> {
      await page.locator(".entry").filter({ hasText: NAME }).first().click();
      await page.locator("main .cm-content").getByText(text).waitFor();
    }

    it("has the later one when the older tab is loaded again, and so has every other visit", async () => {
      const older = await visit();
      await type(older, "a: older");
      await expect.poll(keptTexts).toEqual(["a: older"]);
      const later = await visit();
      await reads(later, "a: older");
      await type(later, "a: later");
      await expect.poll(keptTexts).toEqual(["a: later"]);
      await later.context().close();
      await older.reload();
      await reads(older, "a: later");
      // It keeps something else: the older text does not come along.
      await older.getByRole("button", { name: "+ New" }).click();
      await older.getByLabel("Name of the new entry").fill("values/40-more");
      await older.keyboard.press("Enter");
      await older.locator("main .cm-content").click();
      await older.keyboard.insertText("b: 1");
      await expect.poll(() => keptOnDisk(state).map(({ text }) => text)).toContain("b: 1");
      expect(keptTexts()).toEqual(["a: later"]);
      const third = await visit();
      await reads(third, "a: later");
      await Promise.all([older, third].map((page) => page.context().close()));
    });

    it.each([
      ["Keep mine", "a: one"],
      ["Take theirs", "a: two"],
    ])("keeps both of two that knew nothing of each other until a person chooses: %s", async (choice, left) => {
      const [one, two] = [await visit(), await visit()];
      await type(one, "a: one");
      await expect.poll(keptTexts).toEqual(["a: one"]);
      await type(two, "a: two");
      await expect.poll(keptTexts).toEqual(["a: one", "a: two"]);
      const banner = (page: Page) =>
        page.getByRole("alert").filter({ hasText: `Another tab has typed in ${NAME} too` });
      await banner(two).waitFor();
      // The first one is told as soon as it is loaded again, and has its own text.
      await one.reload();
      await reads(one, "a: one");
      await banner(one).getByRole("button", { name: "Compare…" }).click();
      const sheet = one.getByRole("dialog");
      await sheet.getByText("two").first().waitFor();
      await sheet.getByRole("button", { name: choice }).click();
      await expect.poll(keptTexts).toEqual([left]);
      await expect.poll(() => banner(one).count()).toBe(0);
      await reads(one, left);
      for (const page of [one, two]) {
        await page.reload();
        await reads(page, left);
        expect(await banner(page).count()).toBe(0);
      }
      await Promise.all([one, two].map((page) => page.context().close()));
    });
  });
});
