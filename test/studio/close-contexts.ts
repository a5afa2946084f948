// Browser contexts are closed though their pages go on asking, and a test's own answers are on their way.
import type { BrowserContext } from "playwright-core";

/**
 * Closes contexts and their pages. An answer that a test is making for one of them then is needed no more: that it fails is no fault. Nor is it
 * one that a page has gone, or is going, when it is asked to answer for itself again: what was routed is let go of before that.
 */
export async function closeContexts(contexts: readonly BrowserContext[]): Promise<void> {
  const pages = contexts.flatMap((context) => context.pages());
  await Promise.allSettled(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
  await Promise.all(contexts.map((context) => context.close()));
}
