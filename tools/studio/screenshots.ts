// `node --import tsx tools/studio/screenshots.ts --help` prints the options. Pictures of the studio's pages in both themes for docs/studio.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Locator, type Page } from "playwright-core";
import { buildPage } from "../../test/studio/build-page.ts";
import { chromiumFlags } from "../../test/studio/find-chromium.ts";
import { openDeploymentStudio } from "../../test/studio/open-deployment-studio.ts";
import { openStudio, WORKLOADS } from "../../test/studio/open-studio.ts";
import { toolOptions } from "../support/tool-options.ts";
import { neededChromium } from "./needed-chromium.ts";
import { palettePng } from "./palette-png.ts";

/** The first is that of the pictures in the text. */
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

const [LARGE] = SIZES;

/** Bytes of a picture: the repository keeps every version of each. */
const MAX_BYTES = 150_000;

const { directory = "docs/images/studio" } = toolOptions({
  command: "node --import tsx tools/studio/screenshots.ts",
  says: "Takes pictures of the studio's pages in both themes. Needs a Chromium.",
  arguments: {
    directory: { value: "DIR", optional: true, says: "where they are written; otherwise docs/images/studio" },
  },
  example: "node --import tsx tools/studio/screenshots.ts /tmp/pictures",
});

const executablePath = neededChromium();
mkdirSync(directory, { recursive: true });
await buildPage();
const browser = await chromium.launch({ executablePath, args: [...chromiumFlags] });
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
  studio.runs(WORKLOADS);
  try {
    const page = await studio.visit({ scheme, viewport: LARGE });
    await page.getByText("Impact: 0 of").waitFor();
    await takeSizes(page, `first-${scheme}`);
    await page.setViewportSize(LARGE);
    await page.getByRole("button", { name: "Examples…" }).click();
    await take(page, `examples-${scheme}`);
    const choice = page.getByRole("listitem").filter({ hasText: "Log shipper" });
    await choice.getByRole("button", { name: "Start from this" }).click();
    await page.locator(".origin").getByText("log-shipper:").first().waitFor();
    await page.locator(".toast").getByText("Started").waitFor({ state: "hidden" });
    await page.getByText(/^Impact: [1-9]/).waitFor();
    await take(page, `source-and-preview-${scheme}`);
    await page.getByText(/^Impact: [1-9]/).click();
    await page.locator(".impact summary").first().click();
    await page.locator(".impact details[open] .cm-content").waitFor();
    await take(page.locator(".details"), `impact-${scheme}`);
  } finally {
    await studio.close();
  }
}

async function picturesOfReleases(scheme: "light" | "dark"): Promise<void> {
  const studio = await openDeploymentStudio(browser);
  try {
    const cause = { by: "ann", why: "Debug image" };
    await studio.sendEditsTo("canary");
    await studio.put("values/50-image", "global:\n  tag: 1.31.0-debug\n");
    await studio.ask({ action: "publish", cause });
    const rollout = { next: [50, 100], bake: 1800, alarms: [] };
    await studio.ask({ action: "promote", from: "canary", to: "stable", share: 25, rollout, cause });
    await studio.put("values/60-log-level", "global:\n  logging:\n    level: default:debug\n");
    const page = await studio.visit({ colorScheme: scheme, locale: "en-GB", viewport: LARGE });
    await page.getByRole("link", { name: "Releases" }).click();
    await page.getByText("no worse").waitFor();
    await page.locator(".history li").filter({ hasText: "60-log-level" }).waitFor();
    await takeSizes(page, `releases-${scheme}`);
    await page.setViewportSize(LARGE);
    await page.getByRole("region", { name: "stable" }).getByRole("button", { name: "Go on to 50 %" }).click();
    await page.getByRole("dialog").locator(".diff .cm-content").first().waitFor();
    await take(page, `promote-${scheme}`);
    await page.keyboard.press("Escape");
    await page.locator(".history a").filter({ hasText: "Debug image" }).click();
    await page.locator(".change .impact .cm-content").first().waitFor();
    await takeSizes(page, `change-${scheme}`);
  } finally {
    await studio.close();
  }
}

async function takeSizes(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await take(page, size === LARGE ? name : `${name}-${size.width}`);
  }
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
