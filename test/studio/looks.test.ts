// Every page and dialog in both themes and languages, at three widths: axe finds nothing, nothing is wider than the window, and no
// script complains.
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { openDeploymentStudio } from "./open-deployment-studio.ts";
import { openStudio, WORKLOADS } from "./open-studio.ts";
import { violations } from "./violations.ts";

const WIDTHS = [1440, 1024, 2560, 768, 390] as const;
/** The elements that are clicked and are smaller than 24 pixels, as an expression for the page. A label is clicked with its field. */
const SMALL_TARGETS = `[...document.querySelectorAll("button, a, select, input, textarea, summary")]
  .map((target) => [target, (target.closest("label:has(input)") ?? target).getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 0 && (Math.round(width) < 24 || Math.round(height) < 24))
  .map(([target, { width, height }]) => "small: " + width + " x " + height + " " + target.outerHTML.slice(0, 100))`;

interface Look {
  readonly scheme: "light" | "dark";
  readonly locale: "en-GB" | "zh-CN";
  readonly widths: readonly number[];
}

/** The words for no difference where there are no edits: the page must not say that edits change nothing. */
const NOTHING_INJECTED = { "en-GB": "No difference", "zh-CN": "没有差异" };

/** The looks that are tried: each theme, language and width once. */
const SAMPLE: readonly Look[] = [
  { scheme: "light", locale: "en-GB", widths: [1440, 390] },
  { scheme: "dark", locale: "zh-CN", widths: [1024] },
];
/** A template for some pods, of two groups. */
const WHO = `defaultTemplates:
- sidecar
- name: agent
  match: {podLabels: {tier: [web, api] }, namespaces: [shop] }
- name: agent
  match: {namespaces: [till] }
`;
const ALL = (["light", "dark"] as const).flatMap((scheme) =>
  (["en-GB", "zh-CN"] as const).map((locale): Look => ({ scheme, locale, widths: WIDTHS })),
);
const isAll = process.env["OUTRIGGER_LOOKS"] === "all";
const LOOKS = isAll ? ALL : SAMPLE;

/** The folder into which a picture of each look is written, to be opened. */
const PICTURES = process.env["OUTRIGGER_PICTURES"];

describe.skipIf(chromiumPath === undefined)("the studio's looks", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
  });
  afterAll(() => browser?.close());

  /** Looks at what is shown, at each width. */
  async function look(page: Page, what: string, { scheme, locale, widths }: Look): Promise<readonly string[]> {
    const found: string[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      if (PICTURES !== undefined)
        await page.screenshot({ path: join(PICTURES, `${what}-${scheme}-${locale}-${width}.png`) });
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (overflow !== 0) found.push(`${what} at ${width}: ${overflow} px wider than the window`);
      const wrong = [...(await violations(page)), ...(await page.evaluate<readonly string[]>(SMALL_TARGETS))];
      found.push(...wrong.map((violation) => `${what} at ${width}: ${violation}`));
    }
    await page.setViewportSize({ width: WIDTHS[0], height: 900 });
    return found;
  }

  /** Each commit sees every page, in one of the looks. */
  const itInTurn = inTurn(it, turnOf("Looks of the studio", LOOKS.length, isAll || undefined));
  const inLooks = (what: string, run: (look: Look) => Promise<void>) => {
    for (const one of LOOKS) itInTurn(`${what}, ${one.scheme}, ${one.locale}`, () => run(one));
  };

  inLooks("the page Edit", async (each) => {
    const { scheme, locale } = each;
    const studio = await openStudio(browser, "my-templates");
    studio.runs(WORKLOADS);
    const found: string[] = [];
    const page = await studio.visit({ scheme, locale });
    found.push(...(await look(page, "first", each)));
    await page.locator(".head .actions button").first().click();
    await page.locator("dialog").waitFor();
    found.push(...(await look(page, "examples", each)));
    await page.keyboard.press("Escape");
    // Each verdict in its tone: not injected, refused.
    await page.locator(".empty .link").last().click();
    await page.locator(".decision .badge.strong.warn").waitFor();
    found.push(...(await look(page, "skipped", each)));
    expect(await page.locator(".panel .message").innerText()).toBe(NOTHING_INJECTED[locale]);
    await page.locator("#tab-manifest").click();
    await page
      .locator("textarea.manifest")
      .fill(
        "kind: Pod\nmetadata: {annotations: {inject.istio.io/templates: nobody}}\nspec: {containers: [{name: a}]}\n",
      );
    await page.locator(".decision .badge.strong.bad").waitFor();
    found.push(...(await look(page, "refused", each)));
    await page.getByTestId("pod").click();
    found.push(...(await look(page, "picker", each)));
    await page.locator(".choice .entry").first().click();
    await page.locator(".decision .badge.strong.good").waitFor();
    await page.locator(".decision-row summary").click();
    await page.locator(".files .section button").click();
    await page.locator("#tab-pod").click();
    await page.locator(".cm-origins span:visible").first().waitFor();
    found.push(...(await look(page, "pod", each)));
    studio.write("config.yaml", WHO);
    studio.write("templates/agent.hbs", "metadata:\n  annotations:\n    agent: here\n");
    await page.locator(".entry").filter({ hasText: "templates/agent" }).first().click();
    await page.locator(".who .chip").first().waitFor();
    await page.getByTestId("reach").waitFor();
    found.push(...(await look(page, "who gets it", each)));
    studio.write("values/10-mine.yaml", "global:\n  prxy: {}\n  tag: other\n");
    studio.write("templates/bad.hbs", "{{#if}}\n");
    await page.locator(".toggle.error").click();
    await page.locator(".findings li").first().waitFor();
    await page.locator("#tab-manifest").click();
    found.push(...(await look(page, "errors", each)));
    expect(found).toEqual([]);
    expect(studio.complaints).toEqual([]);
    await studio.close();
  });

  inLooks("a conflict", async (each) => {
    const { scheme, locale } = each;
    const studio = await openStudio(browser, "my-templates");
    studio.runs(WORKLOADS);
    studio.write("mesh.yaml", "accessLogFile: /dev/null\n");
    const page = await studio.visit({ scheme, locale });
    await page.locator("main .cm-content").click();
    await page.keyboard.insertText("# mine\n");
    studio.write("mesh.yaml", "accessLogFile: /dev/stdout\n");
    await page.locator(".conflict .cm-content").first().waitFor();
    expect(await look(page, "conflict", each)).toEqual([]);
    // Not "has errors": there are none.
    const badge = { "en-GB": "changed by another user", "zh-CN": "已被他人修改" }[locale];
    expect(await page.locator('.entry[aria-current="true"] .badge').allTextContents()).toContain(badge);
    expect(await page.locator(".badge.bad").count()).toBe(1);
    expect(studio.complaints).toEqual([]);
    await studio.close();
  });

  inLooks("the page Releases", async (each) => {
    const { scheme, locale } = each;
    const studio = await openDeploymentStudio(browser);
    const cause = { by: "ann", why: "Debug image" };
    await studio.sendEditsTo("canary");
    await studio.put("values/50-image", "global:\n  tag: 1.31.0-debug\n");
    await studio.ask({ action: "publish", cause });
    const rollout = { next: [50, 100], bake: 1800, alarms: [] };
    await studio.ask({ action: "promote", from: "canary", to: "stable", share: 25, rollout, cause });
    const found: string[] = [];
    const page = await studio.visit({ colorScheme: scheme, locale, viewport: { width: 1440, height: 900 } });
    await page.locator(".pages a").last().click();
    await page.locator(".rollout table").waitFor();
    await page.locator(".releases-side summary").click();
    found.push(...(await look(page, "releases", each)));
    const region = (name: string) => page.getByRole("region", { name });
    for (const [what, button] of [
      ["take back", region("stable").locator(".actions .danger")],
      ["go on", region("stable").locator(".actions .primary")],
      ["roll back", region("canary").locator(".danger")],
    ] as const) {
      await button.click();
      await page.locator("dialog .diff .cm-content, dialog .impact p, dialog .bad").first().waitFor();
      found.push(...(await look(page, what, each)));
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    }
    await page.locator(".history a").first().click();
    await page.locator(".change .diff .cm-content").first().waitFor();
    found.push(...(await look(page, "change", each)));
    expect(found).toEqual([]);
    expect(studio.complaints).toEqual([]);
    await studio.close();
  });
});
