// Channels that follow one another: what each takes next and what holds it, where a release goes and on its own page.
import type { RingState } from "@outrigger/studio";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenDeployment, openDeploymentStudio } from "./open-deployment-studio.ts";

describe.skipIf(chromiumPath === undefined)("channels that follow one another in the studio", () => {
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

  it("are shown in their order, each with the time and the reason for which it waits", async () => {
    const cause = { by: "ann", why: "debug image" };
    for (const ring of ["z-first", "a-last"]) await studio.ask({ action: "promote", from: "stable", to: ring, cause });
    await studio.follow("z-first", "stable", 86_400);
    await studio.follow("a-last", "z-first", 5400);
    await studio.put("values/50-image", "global:\n  tag: 1.31.0-debug\n");
    await studio.ask({ action: "publish", cause });
    const page = await studio.visit();
    await page.getByRole("link", { name: "Releases" }).click();
    const rings = page.getByRole("list", { name: "Channels that follow another one" }).getByRole("listitem");
    await expect.poll(() => rings.count()).toBe(2);
    await rings
      .nth(0)
      .getByText(/^stable serves [0-9a-f]{12} for .+ more$/)
      .waitFor();
    await rings.nth(0).getByText("follows stable, after 1 day").waitFor();
    await rings.nth(1).getByText("follows z-first, after 90 minutes").waitFor();
    await rings.nth(1).getByText("it serves what z-first serves").waitFor();
    // With a share, its numbers fit into the card of the channel, however many channels there are.
    const rollout = { next: [50, 100], bake: 1800, alarms: [] };
    await studio.ask({ action: "promote", from: "stable", to: "a-last", share: 25, rollout, cause });
    await page.locator(".flow .rollout table").waitFor();
    for (const width of [960, 1024, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const isFit = `[...document.querySelectorAll(".flow .card")].every((card) => card.scrollWidth <= card.clientWidth)
        && document.documentElement.scrollWidth <= document.documentElement.clientWidth`;
      expect({ width, isFit: await page.evaluate(isFit) }).toEqual({ width, isFit: true });
    }
    // The page of the change has its way through all of them.
    await page.locator(".history a").filter({ hasText: "debug image" }).click();
    const journey = page.getByRole("list", { name: "Its way through the channels" });
    await expect
      .poll(() => journey.locator("li > span:first-child").allInnerTexts())
      .toEqual(["stable", "z-first", "a-last"]);
    await rings.nth(0).getByText("waits", { exact: true }).waitFor();
    // A person's word holds what is behind.
    await studio.ask({ action: "pin", channel: "stable", cause });
    await rings
      .nth(0)
      .getByText(/^stable is pinned to [0-9a-f]{12}$/)
      .waitFor();
    // What is due and may not be served is no wait like the others. It takes minutes to come to that, so the answer is ours.
    await page.route(/\/api\/rings/, async (route) => {
      const response = await route.fetch();
      const [, first, ...others] = (await response.json()) as readonly RingState[];
      const verdict = { kind: "wait", why: "there is no alarm cart-errors", stuck: 60 };
      await route.fulfill({ response, json: [{ ...first, verdict }, ...others] });
    });
    await studio.ask({ action: "unpin", channel: "stable", cause });
    await rings.nth(0).locator(".badge.bad").getByText("is held", { exact: true }).waitFor();
    await rings.nth(0).getByText("there is no alarm cart-errors").waitFor();
    expect(studio.complaints).toEqual([]);
  });
});
