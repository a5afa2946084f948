import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenPlayground, openPlayground } from "./open-playground.ts";

describe.skipIf(chromiumPath === undefined)("the playground", () => {
  let browser: Browser;
  let playground: OpenPlayground;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    playground = await openPlayground(browser);
  });
  afterAll(async () => {
    await playground?.close();
    await browser?.close();
  });

  const added = (page: Page) => page.locator("#preview-panel .added");

  async function startFrom(page: Page, title: string, button: string): Promise<void> {
    await page.getByRole("button", { name: "Examples…" }).click();
    const choice = page.getByRole("dialog").getByRole("listitem").filter({ hasText: title });
    await choice.getByRole("button", { name: button }).click();
  }

  it("starts from an example, warns before edits are lost, and asks its own folder only", async () => {
    const page = await playground.visit();
    await startFrom(page, "Log shipper", "Start from this");
    await page.getByText("Started from the example: Log shipper").waitFor();
    expect(await page.locator("main h2").textContent()).toBe("templates/log-shipper");
    await added(page).getByText("fluent-bit").first().waitFor();

    // The example as it is: nothing is lost by another one.
    await startFrom(page, "Vault agent", "Start from this");
    await added(page).getByText("vault").first().waitFor();
    await page.locator("main .cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\n# mine\n");
    await page.getByRole("button", { name: "Examples…" }).click();
    await page
      .getByRole("alert")
      .getByText(/^Starting from an example discards \d+ unsaved edits?: copy a link first/)
      .waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    expect(await page.locator("main .cm-content").textContent()).toContain("# mine");

    // The link holds the whole state: another page, without this one's storage, has it.
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied").waitFor();
    // Not page.url(), which is told of an address after the page has it.
    const other = await playground.visit(await page.evaluate<string>("location.hash"));
    await added(other).getByText("vault").first().waitFor();
    expect(await other.locator("main h2").textContent()).toBe("templates/vault-agent");
    expect(await other.locator("main .cm-content").textContent()).toContain("# mine");

    expect(playground.complaints).toEqual([]);
    const names = ["", "chunk.js", "main.css", "main.js", "parts.js", "worker.js"].map(
      (name) => `${playground.origin}/${name}`,
    );
    expect([...new Set(playground.requests.filter((url) => !url.startsWith("data:")))].sort()).toEqual(names);
    // The caret comes to rest after the link is copied: the address is the link all the same.
    await page.keyboard.press("Escape");
    await page.locator("main .cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.getByRole("button", { name: "Copy link" }).dispatchEvent("click");
    const address = () => page.evaluate<string>("location.hash");
    await expect.poll(address).toMatch(/^#s1\./);
    await page.waitForTimeout(1000);
    expect(await address()).toMatch(/^#s1\./);

    const refused = await page.evaluate("fetch('/main.css').then(() => 'answered', () => 'refused')");
    expect(refused).toBe("refused");
  });
});
