// How long a keystroke takes to show in the preview of the typical pod, and the sizes of the page:
// `npm run studio:figures [-- --keys 200]`. Measured in the page, from the key event to the frame after the preview.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { chromium, type Page } from "playwright-core";
import { buildPage } from "./build-page.ts";
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

/** Each with a browser context of its own, so that nothing is cached. */
const VISITS = 7;

/** Milliseconds from the start of the navigation, its redirect included, to the preview. */
async function firstPreview(page: Page): Promise<number> {
  const marked: number = await page.evaluate('performance.getEntriesByName("previewed")[0].startTime');
  await page.context().close();
  return marked;
}

const { values } = parseArgs({ options: { keys: { type: "string", default: "200" } } });

if (chromiumPath === undefined) {
  console.log("There is no Chromium on this machine: install one, or name it in CHROMIUM");
  process.exit(1);
}
const sizes = (await buildPage()).map(({ file }) => [file, gzipSync(readFileSync(file), { level: 9 }).length] as const);
for (const [file, bytes] of sizes) console.log(`${kilobytes(bytes)} compressed  ${file}`);
console.log(
  `${kilobytes(await injectorBytes())} compressed  of worker.js is the injector; the rest compiles and lints templates`,
);
console.log(`${kilobytes(sizes.reduce((sum, [, bytes]) => sum + bytes, 0))} compressed  the page as a whole`);

const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumFlags] });
const studio = await openStudio(browser);
try {
  const opened: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) opened.push(await firstPreview(await studio.visit()));
  opened.sort((a, b) => a - b);
  const page = await studio.visit();
  console.log(
    `${(opened[VISITS >> 1] ?? 0).toFixed(0)} ms median, ${(opened.at(-1) ?? 0).toFixed(0)} ms at most, of ${VISITS} visits from navigation to the first preview`,
  );
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

/** What the worker would be if it injected only, from releases that are compiled. */
async function injectorBytes(): Promise<number> {
  const contents =
    'export { injectPod } from "./lib/inject/inject-pod.ts"; export { loadRelease } from "./lib/release/load-release.ts";';
  const stdin = { contents, resolveDir: ".", loader: "ts" } as const;
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
