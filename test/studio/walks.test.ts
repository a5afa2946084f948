// What people come for, counted in clicks; and that the page never says what is not so.
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it as test } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { choosePod } from "./choose-pod.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { openDeploymentStudio } from "./open-deployment-studio.ts";
import { openStudio, WORKLOADS } from "./open-studio.ts";

const it = inTurn(test, turnOf("Walks through the studio", 4));

/** Counts what a hand does: clicks, and choices in a list. Typing is not counted. */
function hand() {
  const counted = { clicks: 0 };
  const click = async (what: Locator) => {
    counted.clicks += 1;
    await what.click();
  };
  return { counted, click };
}

describe.skipIf(chromiumPath === undefined)("walks through the studio", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
  });
  afterAll(() => browser?.close());

  async function type(page: Page, text: string): Promise<void> {
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  }

  it("another tag of the proxy for one namespace, published to a canary: at most 12 clicks; and on to 5 %: 4 from the edit", async () => {
    const studio = await openDeploymentStudio(browser);
    await studio.sendEditsTo("canary");
    const page = await studio.visit();
    const { counted, click } = hand();
    await click(page.getByRole("searchbox"));
    await page.keyboard.insertText("proxy-image");
    await click(page.locator(".entry").filter({ hasText: "partials/proxy-image" }));
    await click(page.locator("main .cm-content"));
    await type(
      page,
      'image: registry.example/proxyv2:{{#if (eq metadata.namespace "shop")}}1.31.0-debug{{else}}1.31.0{{/if}}\n',
    );
    // The sample is a pod of the namespace: the preview shows the tag.
    await page.locator(".changes").getByText("registry.example/proxyv2:1.31.0-debug").first().waitFor();
    const edited = counted.clicks;
    const sheet = page.getByRole("dialog");
    await click(page.getByRole("button", { name: "Review & publish 1 edit…" }));
    await click(sheet.getByRole("button", { name: "Publish 1 edit to canary" }));
    await sheet.waitFor({ state: "detached" });
    expect(counted.clicks).toBeLessThanOrEqual(12);
    expect(await studio.served()).not.toContain("1.31.0-debug");
    await click(page.getByRole("status").getByRole("button", { name: "Promote to stable…" }));
    await click(sheet.getByRole("button", { name: /^Promote [0-9a-f]{8} to 5 %$/ }));
    await sheet.waitFor({ state: "detached" });
    expect(counted.clicks - edited).toBeLessThanOrEqual(4);
    await page.getByRole("link", { name: "Releases" }).click();
    await page.locator(".history li").filter({ hasText: "partials/proxy-image@" }).waitFor();

    // The next share, from the page that is open: 2.
    const stable = page.getByRole("region", { name: "stable" });
    await stable.locator('[aria-current="step"]').getByText("5 %").waitFor();
    const before = counted.clicks;
    await click(stable.getByRole("button", { name: "Go on to 25 %" }));
    await click(sheet.getByRole("button", { name: "Go on to 25 %" }));
    await stable.locator('[aria-current="step"]').getByText("25 %").waitFor();
    expect(counted.clicks - before).toBeLessThanOrEqual(2);
    await studio.close();
  });

  it("what changed in two hours, what it did, and undone: at most 6 clicks", async () => {
    const studio = await openDeploymentStudio(browser);
    await studio.put("values/50-image", "global:\n  tag: 1.31.0-debug\n");
    await studio.ask({ action: "publish", cause: { by: "bob", why: "Debug image for shop" } });
    await expect.poll(() => studio.served()).toContain("1.31.0-debug");
    const page = await studio.visit();
    const { counted, click } = hand();
    await click(page.getByRole("link", { name: "Releases" }));
    await click(page.getByRole("button", { name: "2 h" }));
    await click(page.getByRole("link", { name: "Debug image for shop" }));
    const what = page.getByRole("region", { name: "What it changes" });
    await what.locator(".diff").getByText("1.31.0-debug").first().waitFor();
    await what.locator(".impact .cm-changedLine").getByText("1.31.0-debug").first().waitFor();
    await click(page.getByRole("button", { name: /^Roll back to/ }));
    const sheet = page.getByRole("dialog");
    await sheet
      .getByText(/pods? (would|do not|does not) |changes? in this way/)
      .first()
      .waitFor();
    await sheet.getByLabel(/^Why/).fill("not wanted");
    await click(sheet.getByRole("button", { name: /^Roll back to/ }));
    await sheet.waitFor({ state: "detached" });
    expect(counted.clicks).toBeLessThanOrEqual(6);
    await expect.poll(() => studio.served()).not.toContain("1.31.0-debug");
    // The page is of the same change: where it was taken back, and that it can be served again.
    const journey = page.getByRole("list", { name: "Its way through the channels" });
    await journey.getByText("taken back").waitFor();
    await page.getByRole("button", { name: "Serve it again…" }).click();
    await sheet.getByRole("heading", { name: /^Serve [0-9a-f]{8} from stable again, and pin it$/ }).waitFor();
    await sheet.getByLabel(/^Why/).fill("it was right");
    await sheet.getByRole("button", { name: /^Serve [0-9a-f]{8} again$/ }).click();
    await sheet.waitFor({ state: "detached" });
    await expect.poll(() => studio.served()).toContain("1.31.0-debug");
    await journey.getByText("all of it").waitFor();
    expect(studio.complaints).toEqual([]);
    await studio.close();
  });

  it("Fluent Bit for pods with a label, from nothing to what is served: at most 10 clicks, and no condition is written", async () => {
    const studio = await openDeploymentStudio(browser);
    const page = await studio.visit();
    const { counted, click } = hand();
    await click(page.getByRole("button", { name: "Add a container of your own" }));
    const who = page.getByRole("region", { name: "Who gets it" });
    await who.getByText("every pod", { exact: true }).waitFor();
    await click(who.getByRole("textbox"));
    await page.keyboard.insertText("logs=yes");
    await click(who.getByRole("button", { name: "Add" }));
    await who.getByText("logs: yes").waitFor();
    await who.getByText(/^0 of \d+ samples$/).waitFor();
    await click(who.getByRole("button", { name: "Try it on such a pod" }));
    const panel = page.locator("#preview-panel");
    await panel.getByText("fluent-bit").first().waitFor();
    await panel.getByText("istio-proxy").first().waitFor();
    const sheet = page.getByRole("dialog");
    await click(page.getByRole("button", { name: /^Review & publish \d+ edits…$/ }));
    await click(sheet.getByText("100 %"));
    await click(sheet.getByLabel(/^Why/));
    await page.keyboard.insertText("Logs of the pods that ask for it");
    await click(sheet.getByRole("button", { name: /^Publish \d+ edits to (100 % of )?stable$/ }));
    await sheet.waitFor({ state: "detached" });
    expect(counted.clicks).toBeLessThanOrEqual(10);
    await expect.poll(() => studio.served({ logs: "yes" })).toContain("fluent-bit");
    expect(await studio.served({ logs: "yes" })).toContain("istio-proxy");
    expect(await studio.served()).not.toContain("fluent-bit");
    expect(studio.complaints).toEqual([]);
    await studio.close();
  });

  it("why a pod has no sidecar: at most 4 clicks", async () => {
    const studio = await openStudio(browser);
    const page = await studio.visit();
    const { counted, click } = hand();
    await click(page.getByTestId("pod"));
    await click(page.locator(".choice .entry").filter({ hasText: "manifest" }));
    await click(page.getByRole("textbox", { name: "Manifest" }));
    await page.keyboard.insertText(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: true, containers: [{name: a, image: b}]}\n",
    );
    await page.locator(".decision").getByText("Not injected").waitFor();
    await page.getByText("it uses the network of its host").waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(4);
    await studio.close();
  });

  it("back to what a channel served before: at most 3 clicks", async () => {
    const studio = await openDeploymentStudio(browser);
    await studio.put("mesh", "accessLogFile: /dev/null\n");
    await studio.ask({ action: "publish", cause: { by: "ann", why: "Less logs" } });
    const page = await studio.visit();
    const { counted, click } = hand();
    await click(page.getByRole("link", { name: "Releases" }));
    const stable = page.getByRole("region", { name: "stable" });
    const sheet = page.getByRole("dialog");
    await click(stable.getByRole("button", { name: /^Roll back to [0-9a-f]{8}…$/ }));
    // Why is asked first, and must be said.
    expect(await sheet.getByRole("button", { name: /^Roll back to/ }).isDisabled()).toBe(true);
    await page.keyboard.insertText("Pods restart");
    await click(sheet.getByRole("button", { name: /^Roll back to [0-9a-f]{8}$/ }));
    await stable.getByText("pinned", { exact: true }).waitFor();
    expect(counted.clicks).toBeLessThanOrEqual(3);

    // The channel is pinned now: what is saved is not published, and the page says so.
    await page.getByRole("link", { name: "Edit" }).click();
    await page.locator(".entry").filter({ hasText: "mesh" }).click();
    await page.locator("main .cm-content").click();
    await type(page, "accessLogFile: /dev/stderr\n");
    // What was typed can be undone after another page, and waits in other tabs.
    await page.getByRole("link", { name: "Releases" }).click();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.locator("main .cm-content").getByText("stderr").click();
    await page.keyboard.press("Control+Z");
    await page.locator("main .cm-content").getByText("stderr").waitFor({ state: "detached" });
    await page.keyboard.press("Control+Y");
    await page.locator("main .cm-content").getByText("stderr").waitFor();
    await expect.poll(() => page.evaluate("JSON.stringify(localStorage)")).toContain("stderr");
    const other = await studio.visit();
    await other.getByRole("button", { name: "Review & publish 1 edit…" }).waitFor();
    await other.close();
    await page.getByRole("button", { name: "Review & publish 1 edit…" }).click();
    await sheet.getByText("They are saved, but not published: stable keeps what it serves.").waitFor();
    await sheet.getByLabel(/^Why/).fill("Errors only");
    await sheet.getByRole("button", { name: "Save 1 edit" }).click();
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Releases" }).click();
    await page.getByRole("region", { name: "Source" }).getByText("1 saved file is not published:").waitFor();
    await studio.close();
  });

  // What keeps edits is run by each commit.
  test("without its server, the page says so and keeps the edits; it saves nothing that is not asked for when it is back", async () => {
    const studio = await openStudio(browser);
    const page = await studio.visit();
    await page.getByRole("button", { name: "Use another proxy image" }).click();
    await page.locator(".changes").getByText("1.31.0-debug").first().waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press("Control+S");
    await page.getByText("Not saved: the studio does not answer.").waitFor();
    await page.getByText("The studio does not answer. 1 unsaved edit is kept in this tab.").waitFor();
    await page.context().setOffline(false);
    await page.getByText("The studio does not answer.").first().waitFor({ state: "hidden" });
    expect(readOf(studio, "values/50-image.yaml")).toBe("");
    await page.keyboard.press("Control+S");
    await expect.poll(() => readOf(studio, "values/50-image.yaml")).toContain("1.31.0-debug");
    await page.getByText("Nothing to save").waitFor();
    await studio.close();
  });

  it("shows the same after a reload: file, line, pod, view, language", async () => {
    const studio = await openStudio(browser);
    studio.runs(WORKLOADS);
    const page = await studio.visit();
    await choosePod(page, "shop/Deployment web-7");
    await page.getByRole("searchbox").fill("proxy-args");
    await page.locator(".entry").first().click();
    await page.locator("main .cm-content").click();
    for (const key of ["Control+Home", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    const line = page.locator("main .cm-activeLine");
    const third = await line.innerText();
    await page.locator("#tab-pod").click();
    await page.getByRole("button", { name: "中文" }).click();
    await expect.poll(() => page.url()).toContain("line=3");
    await page.reload();
    await page.getByRole("button", { name: "English" }).waitFor();
    expect(await page.locator("main h2").textContent()).toBe("partials/proxy-args");
    await expect.poll(() => page.getByTestId("pod").textContent()).toContain("shop/Deployment web-7");
    expect(await page.locator("#tab-pod").getAttribute("aria-selected")).toBe("true");
    await expect.poll(() => line.innerText()).toBe(third);
    await studio.close();
  });
});

/** Empty where there is no such file yet. */
function readOf(studio: { readonly read: (file: string) => string }, file: string): string {
  try {
    return studio.read(file);
  } catch {
    return "";
  }
}
