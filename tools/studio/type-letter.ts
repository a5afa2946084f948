// Typing in an entry whose every letter changes the preview.
import type { Page } from "playwright-core";
import { timeKey } from "./time-key.ts";

/** Letters that a tag is typed with before it is removed: no text occurs twice, and none is longer than a tag may be. */
export const LETTERS = 50;

/** Opens the partial with the proxy's image, with the caret behind the image. */
export async function openPartial(page: Page): Promise<{ readonly page: Page; readonly image: string }> {
  await page.getByRole("searchbox").fill("proxy-image");
  await page.locator(".entry").filter({ hasText: "partials/proxy-image" }).click();
  await page.locator("main .cm-content").click();
  await page.keyboard.press("Control+End");
  // The last line closes a block; the one before it has the image.
  for (const key of ["ArrowUp", "ArrowUp", "End"]) await page.keyboard.press(key);
  const row = page.locator(".changes .change-row").filter({ hasText: "image:" }).first();
  return { page, image: await row.locator(".value").innerText() };
}

/**
 * Types a letter into the tag of the proxy's image: milliseconds until its preview is on the screen.
 *
 * @param image as the tree has it
 */
export async function typeLetter(page: Page, key: number, image: string): Promise<number> {
  const typed = key % LETTERS;
  if (key > 0 && typed === 0) {
    await page.keyboard.press("Control+Shift+ArrowLeft");
    await page.keyboard.press("Delete");
    await page.locator(".changes .value").getByText(image, { exact: true }).first().waitFor();
  }
  // People do not type in step with the screen.
  await page.waitForTimeout((key * 37) % 50);
  const letter = String.fromCharCode(97 + (Math.floor(key / LETTERS) % 26));
  return timeKey(page, letter, { selector: ".preview .changes", text: image + letter.repeat(typed + 1) });
}
