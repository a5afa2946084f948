// Random people: two tabs with edits of their own, a command line, a store that takes its time, a studio that is killed. What a person
// confirmed is what is served, or nothing; no edit is lost; and what the pages say comes to be so: with OUTRIGGER_STEPS=200,
// which takes longer, within 5 seconds. cli/test/studio-people.test.ts takes more steps without a page.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pick, randomOf } from "../support/random.ts";
import { servedBy } from "../support/served-by.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { keptOnDisk } from "./kept-on-disk.ts";
import { type OpenDeployment, openDeploymentStudio } from "./open-deployment-studio.ts";

const STEPS = Number(process.env["OUTRIGGER_STEPS"] ?? 6);
const SEED = Number(process.env["OUTRIGGER_SEED"] ?? 1);
/** Milliseconds for which a person tries what a colleague may have made impossible. */
const SOON = 5000;
/** Milliseconds for which a page may say what is not so any more. In passing, a busy machine takes its time. */
const LATER = process.env["OUTRIGGER_STEPS"] === undefined ? 60_000 : SOON;

/** The line that says why what is saved is not served. */
const WAITS = /^saved → (not published|held: |.* is pinned|waits for|has errors).*/;

/** A tab, the entry that its person edits, and the edits that it has and that are not confirmed: path → text. */
interface Tab {
  readonly page: Page;
  readonly path: string;
  edits: ReadonlyMap<string, string>;
}

describe.skipIf(chromiumPath === undefined)("people with the studio", () => {
  let browser: Browser;
  let studio: OpenDeployment;
  let state: string;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    state = mkdtempSync(join(tmpdir(), "outrigger-state-"));
    studio = await openDeploymentStudio(browser, state);
    await studio.sendEditsTo("canary");
  });
  afterAll(async () => {
    await studio?.close();
    await browser?.close();
    rmSync(state, { recursive: true, force: true });
  });

  it(`are promised what is kept in ${STEPS} random steps`, { timeout: 60_000 + STEPS * 20_000 }, async () => {
    const random = randomOf(SEED);
    // The network has chances of its own: how often it is asked is no matter of the seed.
    const latency = randomOf(SEED + 1);
    const counts: Record<string, number> = {};
    let number = 0;
    /** The text of each entry that was typed last, in whichever tab, and is not saved: the studio keeps it. */
    const typed = new Map<string, string>();
    for (const path of ["values/10-a", "values/20-b"]) await studio.put(path, "a: 0\n");
    const tabs: readonly Tab[] = [
      { page: await studio.visit(), path: "values/10-a", edits: new Map() },
      { page: await studio.visit(), path: "values/20-b", edits: new Map() },
    ];
    for (const { page } of tabs) {
      page.on("dialog", (dialog) => void dialog.accept().catch(() => {}));
      // Answers take their time, so that what two people do overlaps.
      await page.route("**/api/**", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, latency() * 200));
        await route.continue().catch(() => {});
      });
    }

    async function show(page: Page, name: "Edit" | "Releases"): Promise<void> {
      await page.getByRole("link", { name, exact: true }).click();
    }

    async function edit(tab: Tab): Promise<void> {
      const { page, path } = tab;
      await show(page, "Edit");
      await page.locator(".entry").filter({ hasText: path }).first().click();
      const mine = page.getByRole("button", { name: "Keep mine" });
      if (await mine.isVisible()) await mine.click();
      await page.locator("main .cm-content").first().click();
      await page.keyboard.press("Control+A");
      await page.keyboard.press("Delete");
      number += 1;
      const text = `a: ${number}\n`;
      tab.edits = new Map(tab.edits).set(path, text);
      typed.set(path, text);
      await page.keyboard.insertText(text);
      await page.keyboard.press("Control+S");
    }

    /** Confirms the sheet, or cancels it where it offers nothing: whether it was carried out, and why it would be. */
    async function decide(page: Page): Promise<string | undefined> {
      const sheet = page.getByRole("dialog");
      number += 1;
      const why = `change ${number}`;
      await sheet.getByLabel(/^Why/).fill(why);
      const act = sheet.locator(".sheet-foot .primary, .sheet-foot .danger");
      const isOffered = await expect
        .poll(() => act.isEnabled(), { timeout: SOON })
        .toBe(true)
        .then(
          () => true,
          () => false,
        );
      // A colleague may be faster than the click.
      if (isOffered) await act.click({ timeout: SOON }).catch(() => {});
      // A person waits while it is carried out, however long that takes.
      const isBusy = async () => (await act.getAttribute("aria-busy", { timeout: SOON }).catch(() => null)) === "true";
      await expect.poll(async () => (await sheet.isVisible()) && (await isBusy()), { timeout: 12 * SOON }).toBe(false);
      const isDone = isOffered && !(await sheet.isVisible());
      if (!isDone) await sheet.getByRole("button", { name: "Cancel" }).click();
      counts[isDone ? "confirmed" : "refused"] = (counts[isDone ? "confirmed" : "refused"] ?? 0) + 1;
      return isDone ? why : undefined;
    }

    async function publish(tab: Tab): Promise<void> {
      const review = tab.page.getByRole("button", { name: /^Review & publish \d edits?…$/ });
      if (tab.edits.size === 0 || !(await review.isVisible())) return;
      await review.click();
      const why = await decide(tab.page);
      if (why === undefined) return;
      const { saved, channels, unpublished } = await studio.state();
      const { pinned, share } = channels["canary"] ?? {};
      // What was written is what is saved; and it is served, or the page has said that it only saves.
      for (const [path, text] of tab.edits) {
        expect(saved[path]).toBe(text);
        expect(pinned === true || share !== undefined || !unpublished.includes(path)).toBe(true);
      }
      for (const [path, text] of typed) if (saved[path] === text) typed.delete(path);
      // What is saved is nobody's edit any more.
      for (const each of tabs) each.edits = new Map([...each.edits].filter(([path, text]) => saved[path] !== text));
    }

    async function move({ page }: Tab): Promise<void> {
      await show(page, "Releases");
      const stable = page.getByRole("region", { name: "stable" });
      const buttons = page
        .locator(".flow-arrow .primary:enabled")
        .or(stable.locator(".actions .danger, .actions .primary"));
      const count = await buttons.count();
      if (count === 0) return;
      // What is offered may be gone before the click: a colleague was faster.
      const clicked = buttons.nth(Math.floor(random() * count)).click({ timeout: SOON });
      const isOpen = await clicked.then(
        () => true,
        () => false,
      );
      if (!isOpen) return;
      const promised = await page
        .getByRole("dialog")
        .locator(".served span[title]")
        .last()
        .getAttribute("title", { timeout: SOON })
        .catch(() => null);
      const why = await decide(page);
      if (why === undefined || promised === null) return;
      expect(servedBy(await studio.record("stable"), why)).toContain(promised);
    }

    async function commandLine(): Promise<void> {
      const cause = { by: "bob", why: "by hand" };
      number += 1;
      await pick(random, [
        () => studio.put("mesh", `accessLogFile: /dev/${number}\n`),
        () => studio.put("values/20-b", `a: ${number}\n`),
        () => studio.ask({ action: "publish", cause }),
        () => studio.ask({ action: "promote", from: "canary", to: "stable", cause }),
        () => studio.ask({ action: "unpin", channel: "stable", cause }),
      ])().catch(() => {});
    }

    /** The edits that the studio keeps, beside those that a browser does: path → text. */
    function keptEdits(): ReadonlyMap<string, string> {
      return new Map(keptOnDisk(state).map(({ path, text }) => [path, text ?? ""]));
    }

    /** Ends the studio and starts it again, where it was or at another port: then a tab finds what was kept of both. */
    async function kill(): Promise<void> {
      const isElsewhere = random() < 0.5;
      const isOverdue = tabs.some((tab) => [...tab.edits].some((edit) => isStale(tab, edit)));
      const found = isElsewhere || isOverdue ? await lastKept() : new Map<string, string>();
      const url = await studio.restart(isElsewhere ? 0 : undefined);
      const { saved } = await studio.state();
      const kept = new Map([...found].filter(([path, text]) => saved[path] !== text));
      for (const tab of tabs) tab.edits = isElsewhere ? kept : withLatest(tab, kept);
      for (const { page } of tabs) await page.goto(url);
    }

    /** Whether an edit of a tab is one that the other tab, whose entry it is, has typed over. */
    function isStale(tab: Tab, [path, text]: readonly [string, string]): boolean {
      return path !== tab.path && typed.get(path) !== text;
    }

    /** A tab that is loaded again has what was typed over its edits, and none that was published. */
    function withLatest(tab: Tab, kept: ReadonlyMap<string, string>): Tab["edits"] {
      return new Map(
        [...tab.edits].flatMap((edit) => {
          const latest = kept.get(edit[0]);
          return !isStale(tab, edit) ? [edit] : latest === undefined ? [] : [[edit[0], latest] as const];
        }),
      );
    }

    /** Within a while, what was typed last is kept, whatever else is. */
    async function lastKept(): Promise<ReadonlyMap<string, string>> {
      const { saved } = await studio.state();
      const unkept = () => [...typed].filter(([path, text]) => saved[path] !== text && keptEdits().get(path) !== text);
      await expect.poll(unkept, { timeout: LATER }).toEqual([]);
      return keptEdits();
    }

    /** Within a while, each page says what is so, and has its edits. */
    async function look(): Promise<void> {
      for (const { page, edits } of tabs) {
        // Both are read again: what is so may change meanwhile, as edits are published by themselves, and a page comes up.
        const differs = async () => {
          const isEdit = await page.locator("main.pane").isVisible();
          const said = isEdit ? await saidOfEdits(page) : await saidOfChannels(page);
          const so = isEdit ? await soOfEdits(edits) : await soOfChannels();
          return isDeepStrictEqual(said, so) ? undefined : { said, so };
        };
        await expect.poll(differs, { timeout: LATER }).toBeUndefined();
      }
    }

    async function saidOfEdits(page: Page) {
      return {
        edits: await page.locator(".head .primary").innerText(),
        whereabouts: (await page.getByTestId("whereabouts").innerText()).replace(WAITS, "saved → …"),
      };
    }

    async function soOfEdits(edits: Tab["edits"]) {
      const { saved, channels, unpublished, publishTo } = await studio.state();
      const count = [...edits].filter(([path, text]) => saved[path] !== text).length;
      const some = count === 1 ? "1 edit" : `${count} edits`;
      const digest = channels[publishTo]?.release.slice(0, 8);
      const whereabouts =
        count > 0
          ? `${some} on this machine only`
          : unpublished.length === 0
            ? `saved → published ${digest} → ${publishTo} serves it`
            : "saved → …";
      return { edits: count > 0 ? `Review & publish ${some}…` : "Nothing to save", whereabouts };
    }

    async function saidOfChannels(page: Page) {
      return {
        served: await page.locator(".channel p.quiet > code").allInnerTexts(),
        pinned: await page.locator(".channel .badge").getByText("pinned").count(),
      };
    }

    async function soOfChannels() {
      const { flow, channels } = await studio.state();
      const all = flow.map((name) => channels[name]);
      return {
        served: all.map((record) => record?.release),
        pinned: all.filter((record) => record?.pinned === true).length,
      };
    }

    for (let step = 0; step < STEPS; step += 1) {
      const tab = pick(random, tabs);
      const what = random();
      if (what < 0.35) await edit(tab);
      else if (what < 0.6) await publish(tab);
      else if (what < 0.75) await move(tab);
      else if (what < 0.93) await commandLine();
      else await kill();
      await look();
      const isTold = process.env["OUTRIGGER_STEPS"] !== undefined && (step + 1) % 10 === 0;
      if (isTold) process.stdout.write(`${step + 1} steps ${JSON.stringify(counts)}\n`);
    }
    if (STEPS >= 50) expect(counts["confirmed"]).toBeGreaterThan(0);
    // To the letter.
    for (const { page, edits } of tabs) {
      await show(page, "Edit");
      for (const [path, text] of edits) {
        await page.locator(".entry").filter({ hasText: path }).first().click();
        await expect.poll(() => page.locator("main .cm-content").first().innerText()).toContain(text.trim());
      }
    }
    expect(studio.complaints).toEqual([]);
  });
});
