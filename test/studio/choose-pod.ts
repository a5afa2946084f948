import type { Page } from "playwright-core";

/** Chooses the first pod that a part of a name finds, as a person does. */
export async function choosePod(page: Page, part: string): Promise<void> {
  await page.getByTestId("pod").click();
  await page.locator(".choice input").fill(part);
  await page.locator(".choice .entry").first().click();
}
