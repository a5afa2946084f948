import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
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

  /** What the first test does as well, in another state of the deployment: a commit takes a third. */
  const itInTurn = inTurn(it, turnOf("Ways through the studio", 3));

  async function open(page: Page): Promise<void> {
    await page.getByRole("searchbox").fill("partials/proxy-image");
    await page.locator(".entry").filter({ hasText: "partials/proxy-image" }).click();
    await page.getByRole("searchbox").fill("");
  }

  async function confirm(page: Page, name: RegExp, why: string): Promise<void> {
    const sheet = page.getByRole("dialog");
    await sheet
      .getByText(/pods? (would|do not|does not) |No pod changes|not known/)
      .first()
      .waitFor();
    await sheet.getByLabel(/^Why/).fill(why);
    await sheet.getByRole("button", { name }).click();
    await sheet.waitFor({ state: "detached" });
  }

  it("saves an edit, publishes it to a canary, promotes it and rolls it back, and the webhook serves it", async () => {
    const page = await studio.visit();
    await studio.sendEditsTo("canary");
    const whereabouts = page.getByTestId("whereabouts");
    const editor = page.locator("main .cm-content");
    await open(page);
    await editor.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText("image: registry.example/canary:1\n");
    // What a deployment saves it serves: a key keeps the edit on this machine.
    await page.keyboard.press("Control+S");
    await page.getByText("Kept on this machine.").waitFor();
    await whereabouts.getByText("1 edit on this machine only").waitFor();
    await page.getByRole("button", { name: "Review & publish 1 edit…" }).click();
    // It says where, what that does and what changes.
    await page.getByRole("heading", { name: "Publish your edits to canary" }).waitFor();
    await confirm(page, /^Publish 1 edit to canary$/, "a canary's image");
    await whereabouts.getByText(/^saved → published [0-9a-f]{8} → canary serves it$/).waitFor();

    await page.getByRole("link", { name: "Releases" }).click();
    const canary = page.getByRole("region", { name: "canary" });
    const source = page.getByRole("region", { name: "Source" });
    await canary.locator(".release").getByText("a canary's image").waitFor();
    // Nothing is left to publish, and nothing offers it.
    await source.getByText("What is saved is published").waitFor();
    expect(await source.getByRole("button").count()).toBe(0);
    expect(await studio.served()).not.toContain("registry.example/canary:1");

    // What the pod becomes against what each channel serves.
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("tab", { name: "My edit" }).click();
    const base = page.getByTestId("base");
    const served = await base.locator("option", { hasText: /^stable, / }).getAttribute("value");
    await base.selectOption(served);
    await page.locator("#preview-panel .changes").getByText("registry.example/canary:1").first().waitFor();
    await base.selectOption({ value: "canary" });
    await page.getByText("Your edits change nothing in this pod").waitFor();
    await page.getByRole("link", { name: "Releases" }).click();

    const promoteTo = page.locator(".flow-arrow").getByRole("button", { name: "Promote…" });
    await promoteTo.click();
    const sheet = page.getByRole("dialog");
    await sheet.getByText(/^Promote [0-9a-f]{8} to 5 %$/).waitFor();
    // All at once is chosen twice, and says why.
    await sheet.getByLabel("100 %").check();
    const toAll = sheet.getByRole("button", { name: /^Promote [0-9a-f]{8} to all of stable$/ });
    await sheet.getByLabel(/^Why/).fill("it works");
    expect(await toAll.isDisabled()).toBe(true);
    await sheet.getByLabel("All workloads at once").check();
    // What happens: not what this studio's own templates would make of the two trees.
    const diff = sheet.locator(".diff").first();
    await diff.locator(".cm-changedLine").getByText("image: registry.example/canary:1").waitFor();
    expect(await diff.locator(".cm-deletedChunk").allTextContents()).not.toContain("registry.example/newer");
    await diff.locator(".cm-content").focus();
    await page.keyboard.press("F7");
    await diff.locator(".cm-activeLine").getByText("image: registry.example/canary:1").waitFor();
    await confirm(page, /^Promote [0-9a-f]{8} to all/, "it works");
    const stable = page.getByRole("region", { name: "stable" });
    const history = page.locator(".history li");
    await expect.poll(() => studio.served()).toContain("registry.example/canary:1");
    // A promotion that would change nothing is not offered.
    await page.locator(".flow-arrow").getByText("stable serves it already").waitFor();
    expect(await promoteTo.count()).toBe(0);

    // The timeline: who, when, why, and which edits; the clusters, with what they follow and the age of their tokens.
    expect((await history.allTextContents()).join("\n")).toMatch(/a canary's image.*partials\/proxy-image@\d/);
    const change = history.filter({ hasText: "a canary's image" });
    expect(await change.textContent()).toMatch(/canary all of it.*stable all of it.*Promoted to stable/);
    expect(await change.locator("time").getAttribute("datetime")).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(await page.locator("tbody tr").first().textContent()).toMatch(/default → stable.*ago/);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }

    // Found by what was done about it, and by when; what it was is on its page, which has an address.
    await page.getByLabel("Find a change").fill("it works canary's");
    await page.getByRole("button", { name: "2 h" }).click();
    await expect.poll(() => page.locator(".history a").count()).toBe(1);
    await change.getByRole("link", { name: "a canary's image" }).click();
    await page.getByRole("heading", { name: "a canary's image" }).waitFor();
    const what = page.getByRole("region", { name: "What it changes" });
    await what.locator(".diff").getByText("image: registry.example/canary:1").first().waitFor();
    await what
      .getByText(/changes? in this way/)
      .first()
      .waitFor();
    const done = page.getByRole("region", { name: "What was done" });
    expect(await done.textContent()).toMatch(/Promoted to stable.*it works.*Published to canary.*a canary's image/);
    await page.getByText("141 pods in shop with it, of 180").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    const address = await page.evaluate("location.href");
    await page.reload();
    await page.getByRole("heading", { name: "a canary's image" }).waitFor();
    expect(await page.evaluate("location.href")).toBe(address);
    // What was looked for is in the address too, and each step of the browser shows it as it was.
    await page.getByRole("link", { name: "All releases" }).click();
    await expect.poll(() => page.getByLabel("Find a change").inputValue()).toBe("it works canary's");
    expect(await page.getByRole("button", { name: "2 h" }).getAttribute("aria-pressed")).toBe("true");
    await page.getByLabel("Find a change").fill("no such words");
    await page.getByText("No change is found").waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "a canary's image" }).waitFor();
    await page.goForward();
    await page.getByText("No change is found").waitFor();
    await page.getByLabel("Find a change").fill("");

    await stable.getByRole("button", { name: /^Roll back/ }).click();
    await confirm(page, /^Roll back to/, "it does not");
    await stable.getByText("pinned", { exact: true }).waitFor();
    await expect.poll(() => studio.served()).not.toContain("registry.example/canary:1");
    // The running pods keep it: how many, and what replaces them; and nothing leads back to it by the one blue button.
    await stable.getByText(/^31 running pods left with [0-9a-f]{8} in shop\./).waitFor();
    await stable.getByText("outrigger restart --deployment dev --context shop", { exact: true }).waitFor();
    // They are restarted from here, by the command: after its plan is looked at, and until it is stopped.
    await stable.getByRole("button", { name: "Restart them…" }).click();
    const restart = page.getByRole("dialog", { name: "Restart the pods that would come out differently" });
    await restart.getByText("2 workloads with 31 pods").waitFor();
    await restart.getByRole("button", { name: "Cancel" }).click();
    await stable.getByRole("button", { name: "Restart them…" }).click();
    await restart.getByText("Restart 2 workloads of shop?").waitFor();
    expect(await restart.getByText("31 of 31 pods are new").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await restart.getByRole("button", { name: "Restart", exact: true }).click();
    await restart.getByText("31 of 31 pods are new").waitFor();
    // It goes on when no page looks.
    await page.reload();
    await stable.getByRole("button", { name: "Restart them…" }).click();
    await restart.getByText("31 of 31 pods are new").waitFor();
    await restart.getByRole("button", { name: "Begin no more" }).click();
    await restart.getByText("1 done, 1 not begun").waitFor();
    await restart.getByText("ended before all were back").waitFor();
    await restart.locator("footer").getByRole("button", { name: "Close" }).click();
    const arrow = page.locator(".flow-arrow");
    await arrow.getByText("stable took it back").waitFor();
    await arrow.getByRole("button", { name: "Promote it again…" }).waitFor();
    expect(await page.locator(".releases .primary").count()).toBe(0);
    // There is nothing before it: the release that was rolled back is not what a rollback goes to.
    await expect.poll(() => stable.getByRole("button", { name: /^Roll back/ }).count()).toBe(0);
    await stable.getByLabel("More").click();
    const unpin = stable.getByRole("button", { name: "Unpin…" });
    await unpin.focus();
    await page.keyboard.press("Escape");
    await unpin.waitFor({ state: "hidden" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("More");
    await page.keyboard.press("Enter");
    // What is elsewhere closes it, too.
    await page.getByRole("heading", { name: "Channels" }).click();
    await unpin.waitFor({ state: "hidden" });
    await stable.getByLabel("More").click();
    await stable.getByRole("button", { name: "Unpin…" }).click();
    await sheet.getByRole("button", { name: "Unpin stable" }).click();
    await sheet.waitFor({ state: "detached" });

    // A colleague's edit moves canary while its promotion is looked at: what was looked at is not what would be promoted.
    await arrow.getByRole("button", { name: "Promote it again…" }).click();
    const promote = sheet.getByRole("button", { name: /^Promote [0-9a-f]{8} to 5 %$/ });
    await sheet.locator(".diff").first().waitFor();
    const looked = await sheet.locator(".served").textContent();
    await sheet.getByLabel(/^Why/).fill("kept");
    await studio.put("partials/proxy-image", "image: registry.example/broken:1\n");
    await sheet.getByText("Something has moved while you looked.").waitFor();
    expect(await promote.isDisabled()).toBe(true);
    await sheet.getByRole("button", { name: "Review again" }).click();
    await sheet.getByText("registry.example/broken:1").locator("visible=true").first().waitFor();
    expect(await sheet.locator(".served").textContent()).not.toBe(looked);
    expect(await sheet.getByLabel(/^Why/).inputValue()).toBe("kept");
    expect(await studio.served()).not.toContain("registry.example/broken:1");

    // Another colleague makes the same move first: nothing is left to confirm.
    const rollout = { next: [25, 50, 100], alarms: [] };
    const cause = { by: "bob", why: "first" };
    await studio.ask({ action: "promote", from: "canary", to: "stable", share: 5, rollout, cause });
    await sheet.getByText("Something has moved while you looked.").waitFor();
    await sheet.getByRole("button", { name: "Review again" }).click();
    await sheet.getByText("Nothing to do: stable is in this state already.").waitFor();
    expect(await sheet.locator(".served").textContent()).not.toContain("→");
    expect(await sheet.locator("footer").getByRole("button").allTextContents()).toEqual(["Close"]);
    await sheet.locator("footer").getByRole("button").click();

    // What the cluster knows of the share's pods; and that nothing is counted is said, where nothing is.
    await stable.getByRole("row", { name: "pods ready 72 of 72 8 of 9" }).waitFor();
    await stable.getByRole("row", { name: "pods restarted 3 0" }).waitFor();
    expect(await stable.getByText("Nothing is counted since the share began").count()).toBe(0);
    await page.route("**/api/rollout?*", (route) =>
      route.fulfill({ json: { signals: [], counts: { a: { injected: 0 } } } }),
    );
    await page.reload();
    await stable.getByText("Nothing is counted since the share began").waitFor();
    expect(await stable.getByRole("row", { name: "pods ready" }).count()).toBe(0);
    await page.unroute("**/api/rollout?*");

    // Edited behind the page's back, with an error: the page says what is not published, and why.
    await studio.put("partials/proxy-image", "image: {{#if}}\n");
    await page.getByText("What is saved has errors, so it is not published:").waitFor();
    expect(await source.getByRole("button").count()).toBe(0);
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

  itInTurn("shows in the review what was edited and which containers change, and where", async () => {
    const reviewed = await openDeploymentStudio(browser);
    const limits = (memory: string) => `global:\n  proxy:\n    resources:\n      limits:\n        memory: ${memory}\n`;
    await reviewed.put("values/50-mine", limits("1Gi"));
    await reviewed.ask({ action: "publish", cause: { by: "ann", why: "as it was" } });
    const page = await reviewed.visit();
    await page.getByRole("searchbox").fill("values/50-mine");
    await page.locator(".entry").filter({ hasText: "values/50-mine" }).click();
    await page.locator("main .cm-content").getByText("memory: 1Gi").click();
    await page.keyboard.press("End");
    for (const _letter of "1Gi") await page.keyboard.press("Backspace");
    await page.keyboard.insertText("2Gi");
    await page.getByRole("button", { name: "Review & publish 1 edit…" }).click();
    const sheet = page.getByRole("dialog");
    const source = sheet.getByRole("region", { name: "What you edited" });
    await source.locator("summary").getByText("values/50-mine").waitFor();
    await source.locator(".scope").getByText("global › proxy › resources › limits", { exact: true }).waitFor();
    await source.locator(".cm-changedLine").getByText("memory: 2Gi").first().waitFor();
    const impact = sheet.locator(".impact details").first();
    const scopes = impact.locator(".scope");
    await scopes.getByText("spec › initContainers › istio-init › resources › limits", { exact: true }).waitFor();
    await scopes.getByText("spec › initContainers › istio-proxy › resources › limits", { exact: true }).waitFor();
    const fields = (await impact.locator("summary code").allTextContents()).join("\n");
    expect(fields).toContain("istio-init › resources › limits › memory: 1Gi → 2Gi");
    expect(fields).toContain("istio-proxy › resources › limits › memory: 1Gi → 2Gi");
    expect(await violations(page)).toEqual([]);
    await reviewed.close();
  });

  itInTurn("does not offer first to publish what was taken back", async () => {
    const straight = await openDeploymentStudio(browser);
    const page = await straight.visit();
    const cause = { by: "ann", why: "a bad one" };
    await straight.put("values/50-mine", "global:\n  proxy:\n    cpu: 77m\n");
    await straight.ask({ action: "publish", cause });
    await straight.ask({ action: "rollback", channel: "stable", cause });
    await page.getByTestId("whereabouts").getByText("saved → taken back from stable").waitFor();
    await page.getByTestId("whereabouts").click();
    const source = page.getByRole("region", { name: "Source" });
    await source.getByText(/^What is saved was published and taken back from stable/).waitFor();
    await source.getByRole("button", { name: "Publish…" }).waitFor();
    expect(await page.locator(".releases .primary").count()).toBe(0);
    await page
      .getByRole("region", { name: "stable" })
      .getByText(/^31 running pods left with/)
      .waitFor();
    await straight.close();
  });

  itInTurn("publishes to 5 % of the workloads first where no channel is before theirs", async () => {
    const straight = await openDeploymentStudio(browser);
    const page = await straight.visit();
    await straight.ask({ action: "publish", cause: { by: "ann", why: "as it is" } });
    await open(page);
    await page.locator("main .cm-content").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText("image: registry.example/five:1\n");
    await page.getByRole("button", { name: "Review & publish 1 edit…" }).click();
    const sheet = page.getByRole("dialog");
    expect(await sheet.getByLabel("5 %", { exact: true }).isChecked()).toBe(true);
    await sheet.getByText("Edits go to canary from now on").waitFor();
    await sheet.getByLabel("30 min").check();
    expect(await violations(page)).toEqual([]);
    await confirm(page, /^Publish 1 edit to 5 % of stable$/, "five per cent");
    const { channels, publishTo } = await straight.state();
    expect(publishTo).toBe("canary");
    const share = { release: channels["canary"]?.release, percent: 5 };
    expect(channels["stable"]).toMatchObject({ share, rollout: { next: [25, 50, 100], bake: 1800 } });
    expect((await straight.record("stable")).history[0]).toMatchObject({ action: "promote", why: "five per cent" });
    expect(channels["stable"]?.release).not.toBe(share.release);
    // The next edit goes through the canary, with no share of its own.
    await page.locator("main .cm-content").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText("image: registry.example/six:1\n");
    await page.getByRole("button", { name: "Review & publish 1 edit…" }).click();
    await page.getByRole("heading", { name: "Publish your edits to canary" }).waitFor();
    expect(await sheet.getByLabel("5 %", { exact: true }).count()).toBe(0);
    await straight.close();
  });

  it("says what holds an edit until a person accepts it", async () => {
    const held = await openDeploymentStudio(browser);
    const page = await held.visit();
    await held.put("values/50-mine", "global:\n  proxy:\n    privileged: true\n");
    await held.ask({ action: "publish", cause: { by: "ann", why: "It must" } }).catch(() => {});
    const whereabouts = page.getByTestId("whereabouts");
    await whereabouts.getByText("saved → held: privileges-widened").waitFor();
    await whereabouts.click();
    const primary = page.locator(".releases .primary");
    // The page of releases is fetched when it is opened first.
    await primary.first().waitFor();
    expect(await primary.allInnerTexts()).toEqual(["Accept and publish…"]);
    await page.getByRole("region", { name: "stable" }).getByRole("button", { name: "Accept and publish…" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("checkbox").first().check();
    await confirm(page, /^Publish to stable$/, "seen");
    await page.getByRole("link", { name: "Edit" }).click();
    await whereabouts.getByText(/^saved → published [0-9a-f]{8} → stable serves it$/).waitFor();
    await held.close();
  });
});
