// What axe finds on a page.
import axe from "axe-core";
import type { Page } from "playwright-core";

/** A line each. axe runs in the page's own world: the page's policy does not bind the test. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  // Colours that are on their way from one theme to the other are nobody's.
  await page.evaluate("Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))");
  const { violations: found } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}
