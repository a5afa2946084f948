// Pictures of the studio's pages in both themes for docs/studio.md: `npm run studio:screenshots [-- DIR]`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Locator, type Page } from "playwright-core";
import { buildPage } from "./build-page.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { openDeploymentStudio } from "./open-deployment-studio.ts";
import { openStudio } from "./open-studio.ts";
import { palettePng } from "./palette-png.ts";

const VIEWPORT = { width: 1180, height: 720 };

/** Bytes of a picture: the repository keeps every version of each. */
const MAX_BYTES = 150_000;

const directory = process.argv[2] ?? "docs/images/studio";

if (chromiumPath === undefined) {
  console.log("There is no Chromium on this machine: install one, or name it in CHROMIUM");
  process.exit(1);
}
mkdirSync(directory, { recursive: true });
await buildPage();
const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumFlags] });
try {
  for (const scheme of ["light", "dark"] as const) {
    await picturesOfEditing(scheme);
    await picturesOfReleases(scheme);
  }
} finally {
  await browser.close();
}

async function picturesOfEditing(scheme: "light" | "dark"): Promise<void> {
  const studio = await openStudio(browser, "my-templates");
  try {
    const page = await studio.visit({ scheme, viewport: VIEWPORT });
    await page.getByRole("button", { name: "Examples…" }).click();
    await take(page, `examples-${scheme}`);
    const choice = page.getByRole("listitem").filter({ hasText: "Log shipper" });
    await choice.getByRole("button", { name: "Start from this" }).click();
    await page.locator(".cm-origins").getByText("log-shipper:").first().waitFor();
    await page.locator("main .cm-written").first().click();
    await page.locator("#preview-panel .cm-activeLine").hover();
    await page.locator(".origin-tooltip").waitFor();
    await page.locator(".impact summary").first().waitFor();
    await take(page, `source-and-preview-${scheme}`);
    await page.getByRole("tab", { name: "Diff" }).click();
    await page.locator("#preview-panel .plus").first().waitFor();
    await take(page, `diff-${scheme}`);
    await page.setViewportSize({ ...VIEWPORT, height: 3200 });
    await page.locator(".impact summary").last().click();
    await page.locator(".impact h2").scrollIntoViewIfNeeded();
    await take(page.locator(".impact"), `impact-${scheme}`);
  } finally {
    await studio.close();
  }
}

async function picturesOfReleases(scheme: "light" | "dark"): Promise<void> {
  const studio = await openDeploymentStudio(browser);
  try {
    const page = await studio.visit();
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(VIEWPORT);
    await studio.sendEditsTo("canary");
    await saveAtEnd(page, "mesh", "accessLogFile: /dev/stdout\n");
    await page.getByRole("button", { name: "Releases" }).click();
    await page.getByRole("region", { name: "canary" }).getByText("mesh@1").waitFor();
    await page.getByText("Source differs").waitFor({ state: "detached" });
    await page.setViewportSize({ ...VIEWPORT, height: 480 });
    await take(page, `releases-${scheme}`);
  } finally {
    await studio.close();
  }
}

async function saveAtEnd(page: Page, entry: string, text: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`^${entry}`) }).click();
  await page.locator("main .cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Control+S");
  await page.getByText("Nothing to save").waitFor();
}

/** @throws Error if the picture is too large to be kept */
async function take(page: Page | Locator, name: string): Promise<void> {
  const path = join(directory, `${name}.png`);
  const picture = palettePng(await page.screenshot({ animations: "disabled", caret: "hide" }));
  writeFileSync(path, picture);
  const size = picture.length;
  console.log(`${path}  ${(size / 1024).toFixed(0)} KB`);
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MAX_BYTES}: make the window smaller`);
}
