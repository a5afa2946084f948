// A reader of Chinese meets no sentence of another language: names, commands and texts that people wrote are what they are.
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenDeployment, openDeploymentStudio } from "./open-deployment-studio.ts";
import { type OpenStudio, openStudio } from "./open-studio.ts";

/** What is shown as it was written: code, files, names, what a command prints, and the button for the other language. */
const AS_WRITTEN = "code, pre, .mono, .cm-editor, .changes, button[lang]";

const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (parentElement.closest(${JSON.stringify(AS_WRITTEN)}) === null && parentElement.checkVisibility()) found.push(textContent);
  }
  return found;
})()`;

/**
 * The texts of the page with three words of Latin letters one after the other. What is between quotation marks is a command or a value, and
 * words that all have a comma behind them are names.
 */
async function latinSentences(page: Page): Promise<readonly string[]> {
  const texts: readonly string[] = await page.evaluate(TEXTS);
  const isLatin = (text: string) => /[a-z]+,? [A-Za-z'’-]{2,} [A-Za-z'’-]{2,}/.test(text.replace(/"[^"]*"/g, ""));
  return texts.filter(isLatin).map((text) => text.trim());
}

describe.skipIf(chromiumPath === undefined)("the studio in Chinese", () => {
  let browser: Browser;
  let directory: OpenStudio;
  let deployment: OpenDeployment;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    directory = await openStudio(browser, "my-templates");
    deployment = await openDeploymentStudio(browser);
  });
  afterAll(async () => {
    await directory?.close();
    await deployment?.close();
    await browser?.close();
  });

  /** That each text has its translation is a test of its own: a commit looks at one page. */
  const itInTurn = inTurn(it, turnOf("Ways through the studio", 3));

  itInTurn(
    "edits without a sentence of another language: examples, the decision, findings, impact, who gets it",
    async () => {
      // One entry too large, and one that no template reads.
      directory.write("values/10-mine.yaml", "global:\n  prxy: {}\n");
      const page = await directory.visit({ locale: "zh-CN" });
      const all: string[] = [];
      const see = async () => all.push(...(await latinSentences(page)));
      await page.getByRole("button", { name: "示例…" }).click();
      const choice = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "Fluent Bit" });
      await choice.getByText("为每个 Pod 添加 Fluent Bit").waitFor();
      await see();
      await choice.getByRole("button").click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.locator(".entry").filter({ hasText: "templates/log-shipper" }).first().click();
      await page.getByRole("region", { name: "谁会得到它" }).waitFor();
      await see();
      for (const toggle of await page.locator(".status-line button.toggle").all()) {
        await toggle.click();
        await see();
      }
      // Pods that are not injected, and one that is refused.
      await page.getByTestId("pod").click();
      await page.locator(".choice .entry").filter({ hasText: "清单" }).click();
      for (const [spec, verdict] of [
        ["metadata: {annotations: {inject.istio.io/templates: nobody}}\nspec: {", "bad"],
        ["metadata: {labels: {sidecar.istio.io/inject: 'false'}}\nspec: {", "warn"],
        ["metadata: {name: a}\nspec: {hostNetwork: true, ", "warn"],
      ]) {
        await page.locator("textarea.manifest").fill(`kind: Pod\n${spec}containers: [{name: a, image: a:1}]}\n`);
        await page.locator(`.decision .badge.strong.${verdict}`).waitFor();
        await see();
      }
      await page.locator(".decision summary").click();
      await see();
      await page.context().close();
      expect(all).toEqual([]);
    },
  );

  itInTurn("releases without a sentence of another language: channels, shares, moves, changes, restart", async () => {
    const cause = { by: "ann", why: "调试镜像" };
    await deployment.sendEditsTo("canary");
    await deployment.put("values/50-image", "global:\n  tag: 1.31.0-debug\n");
    await deployment.ask({ action: "publish", cause });
    const rollout = { next: [50, 100], bake: 1800, alarms: [] };
    await deployment.ask({ action: "promote", from: "canary", to: "stable", share: 25, rollout, cause });
    const all: string[] = [];
    const page = await deployment.visit({ locale: "zh-CN" });
    const see = async () => all.push(...(await latinSentences(page)));
    await see();
    await page.locator("nav.pages a").last().click();
    await page.locator(".rollout .badge").first().waitFor();
    await see();
    await page.locator(".rollout").getByText("412 个 Pod 中没有变差的").waitFor();
    for (const button of await page.locator(".flow .actions button, .channel .actions button").all()) {
      await button.click();
      await page.getByRole("dialog").locator(".sheet-foot button").first().waitFor();
      await page.getByRole("dialog").locator(".impact, .served").first().waitFor();
      await see();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    }
    await page.locator(".history a").first().click();
    await page.locator(".change").waitFor();
    await see();
    // What a publication comes to, and that it is done; what holds an edit.
    await page.locator("nav.pages a").first().click();
    await page.locator("main .cm-content").click();
    await page.keyboard.insertText("# 注释\n");
    await page.getByRole("button", { name: "检查并发布 1 处修改…" }).click();
    await page.getByRole("dialog").locator(".impact, .served").first().waitFor();
    await see();
    await page.getByRole("dialog").getByRole("button", { name: "将 1 处修改发布到 canary" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByRole("status").getByText("已完成").waitFor();
    await see();
    expect(all).toEqual([]);
  });
});
