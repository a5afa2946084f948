// What axe finds on a page.
import axe from "axe-core";
import type { Page } from "playwright-core";

interface World {
  readonly axe?: typeof axe;
}

/** A line each. axe runs in the page's own world: the page's policy does not bind the test. */
export async function violations(page: Page): Promise<readonly string[]> {
  const isThere = await page.evaluate(() => (globalThis as World).axe !== undefined);
  if (!isThere) await page.evaluate(axe.source);
  // Colours that are on their way from one theme to the other are nobody's.
  await page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))");
  return page.evaluate(async () => {
    // To describe what is right, and to send it here, takes twice as long as to find what is wrong.
    const found = await ((globalThis as World).axe as typeof axe).run({ resultTypes: ["violations"] });
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
  });
}
