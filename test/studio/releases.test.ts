import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenDeployment, openDeploymentStudio } from "./open-deployment-studio.ts";
import { violations } from "./violations.ts";

describe.skipIf(chromiumPath === undefined)("the studio of a deployment", () => {
  let browser: Browser;
  let studio: OpenDeployment;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    studio = await openDeploymentStudio(browser);
  });
  afterAll(async () => {
    await studio?.close();
    await browser?.close();
  });

  async function open(page: Page): Promise<void> {
    await page.getByRole("searchbox").fill("partials/proxy-image");
    await page.locator(".entry").filter({ hasText: "partials/proxy-image" }).click();
    await page.getByRole("searchbox").fill("");
  }

  async function confirm(page: Page, name: string, why: string): Promise<void> {
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText(/pods? (do not |does not )?changes?|No pod changes|not known/)
      .first()
      .waitFor();
    await dialog.getByRole("textbox").fill(why);
    await dialog.getByRole("button", { name, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  }

  it("saves an edit, publishes it to a canary, promotes it and rolls it back, and the webhook serves it", async () => {
    const page = await studio.visit();
    await studio.sendEditsTo("canary");
    const editor = page.locator("main .cm-content");
    await open(page);
    await editor.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText("image: registry.example/canary:1\n");
    await page.keyboard.press("Control+S");
    // Saving publishes: it says where, to how many and what that changes, and asks why.
    const saving = page.getByRole("dialog");
    await saving.getByText("Channel canary publishes them to all of its workloads").waitFor();
    await saving
      .getByText(/changes? in this way/)
      .first()
      .waitFor();
    await saving.getByRole("textbox").fill("a canary's image");
    await saving.getByRole("button", { name: "Save", exact: true }).click();
    await page
      .getByText("Saved. Channel canary publishes it within seconds, unless it is held for a person.")
      .waitFor();

    await page.getByRole("link", { name: "Releases" }).click();
    const canary = page.getByRole("region", { name: "canary" });
    // An edit is published by itself; then nothing is left to publish, and nothing offers it.
    await canary.getByText("What is saved is published").waitFor();
    expect(await canary.getByRole("button", { name: "Publish…" }).isDisabled()).toBe(true);
    expect(await studio.served()).not.toContain("registry.example/canary:1");

    // What the pod becomes against what each channel serves.
    await page.getByRole("link", { name: "Edit" }).click();
    const base = page.getByTestId("base");
    const served = await base.locator("option", { hasText: /^stable, / }).getAttribute("value");
    await base.selectOption(served);
    await page.locator("#preview-panel .changes").getByText("registry.example/canary:1").first().waitFor();
    await base.selectOption({ value: "release/canary" });
    await page.getByText("No difference").waitFor();
    await page.getByRole("link", { name: "Releases" }).click();

    await canary.getByRole("button", { name: "Promote…" }).click();
    await page.getByLabel("Workloads").selectOption({ label: "all at once" });
    await page
      .getByRole("dialog")
      .getByText(/changes? in this way/)
      .first()
      .waitFor();
    // What happens: not what this studio's own templates would make of the two trees.
    await page.getByRole("dialog").locator("summary").first().click();
    const changes = await page.getByRole("dialog").locator(".diff").first().locator("span").allTextContents();
    expect(changes).toContain("+    image: registry.example/canary:1");
    expect(changes.filter((line) => /^- {4}image: (?!registry\.example\/newer)/.test(line))).not.toEqual([]);
    await confirm(page, "Promote", "it works");
    const stable = page.getByRole("region", { name: "stable" });
    await stable.getByText("it works").waitFor();
    const history = page.locator(".history li");
    await expect.poll(() => studio.served(), { timeout: 60_000 }).toContain("registry.example/canary:1");

    // The timeline: who, when, why, and which edits; the clusters, with what they follow and the age of their tokens.
    expect((await history.allTextContents()).join("\n")).toMatch(/a canary's image.*partials\/proxy-image@\d/);
    const promotion = history.filter({ hasText: "it works" });
    expect(await promotion.textContent()).toMatch(/^Promoted .* · stable/);
    expect(await promotion.locator("time").getAttribute("datetime")).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(await promotion.locator(".quiet").first().textContent()).not.toBe("");
    expect(await page.locator("tbody tr").first().textContent()).toMatch(/default → stable.*ago/);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }

    // What a move changed, afterwards.
    await promotion.getByRole("button", { name: "what changed" }).click();
    await page
      .getByRole("dialog")
      .getByText(/changes? in this way/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Close" }).click();

    await stable.getByRole("button", { name: /^Roll back/ }).click();
    await confirm(page, "Roll back", "it does not");
    await stable.getByText("pinned", { exact: true }).waitFor();
    await expect.poll(() => studio.served(), { timeout: 60_000 }).not.toContain("registry.example/canary:1");
    // There is nothing before it: the release that was rolled back is not what a rollback goes to.
    await expect.poll(() => stable.getByRole("button", { name: /^Roll back/ }).count()).toBe(0);
    await stable.getByRole("button", { name: "Unpin…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unpin", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });

    // A colleague's edit moves canary while its promotion is looked at: what was looked at is not what would be promoted.
    await canary.getByRole("button", { name: "Promote…" }).click();
    const dialog = page.getByRole("dialog");
    const promote = dialog.getByRole("button", { name: "Promote", exact: true });
    await dialog
      .getByText(/changes? in this way/)
      .first()
      .waitFor();
    const looked = await dialog.locator(".release").textContent();
    await studio.put("partials/proxy-image", "image: registry.example/broken:1\n");
    await dialog.getByText("Something has moved while you looked.").waitFor();
    expect(await promote.isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Review again" }).click();
    await dialog.getByText("registry.example/broken:1").first().waitFor();
    expect(await dialog.locator(".release").textContent()).not.toBe(looked);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await studio.served()).not.toContain("registry.example/broken:1");

    // Edited behind the page's back, with an error: the page says what is not published, and why.
    await studio.put("partials/proxy-image", "image: {{#if}}\n");
    await page.getByText("What is saved has errors, so it is not published:").waitFor();
    await page
      .getByRole("button", { name: /^partials\/proxy-image, line / })
      .first()
      .click();
    const badges = page.locator(".entry").filter({ hasText: "partials/proxy-image" }).locator(".badge");
    await expect
      .poll(() => badges.allTextContents())
      .toEqual(["replaces shipped", "changed since publishing", "has errors"]);
    expect(studio.complaints).toEqual([]);
  });
});
