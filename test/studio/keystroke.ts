// How long a keystroke takes to show in the preview of the typical pod, and the sizes of the page:
// `npm run studio:figures [-- --keys 200]`. Measured in the page, from the key event to the frame after the preview.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { buildStudio } from "../../scripts/build-studio.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { openStudio } from "./open-studio.ts";

/** In the page: types a letter, and waits for its preview and the frame that shows it. Milliseconds. */
const TYPE_A_KEY = `(async () => {
  const isPreviewed = new Promise((resolve) => {
    new PerformanceObserver((_list, observer) => { observer.disconnect(); resolve(); }).observe({ type: "mark" });
  });
  const at = performance.now();
  document.execCommand("insertText", false, "x");
  await isPreviewed;
  await new Promise((resolve) => requestAnimationFrame(resolve));
  return performance.now() - at;
})()`;

const { values } = parseArgs({ options: { keys: { type: "string", default: "200" } } });

if (chromiumPath === undefined) {
  console.log("There is no Chromium on this machine: install one, or name it in CHROMIUM");
  process.exit(1);
}
const sizes = (await buildStudio()).map(
  ({ file }) => [file, gzipSync(readFileSync(file), { level: 9 }).length] as const,
);
for (const [file, bytes] of sizes) console.log(`${kilobytes(bytes)} compressed  ${file}`);
console.log(`${kilobytes(sizes.reduce((sum, [, bytes]) => sum + bytes, 0))} compressed  the page as a whole`);

const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumFlags] });
const studio = await openStudio(browser);
try {
  const started = performance.now();
  const page = await studio.visit();
  console.log(`${(performance.now() - started).toFixed(0)} ms  from opening the page to the first preview`);
  await page.getByRole("button", { name: /^proxy-image/ }).click();
  await page.locator("main .cm-content").click();
  await page.keyboard.press("Control+End");
  const times: number[] = [];
  for (let key = 0; key < Number(values.keys) + 20; key += 1) {
    const time: number = await page.evaluate(TYPE_A_KEY);
    // The first ones compile the page's own code.
    if (key >= 20) times.push(time);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  console.log(`${at(0.5)} ms median, ${at(0.95)} ms at 95 %, of ${times.length} keystrokes to the updated preview`);
} finally {
  await studio.close();
  await browser.close();
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
