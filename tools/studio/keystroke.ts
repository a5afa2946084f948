// `node --import tsx tools/studio/keystroke.ts --help` prints the options. How long the first preview and a keystroke take to show, and the sizes of
// the page. Measured in the page, from the key's own time to the end of the frame that shows the preview; with the processor time of the page and its workers, which
// other work on the machine changes less.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type CDPSession, chromium } from "playwright-core";
import { buildPage } from "../../test/studio/build-page.ts";
import { readerFlags } from "../../test/studio/find-chromium.ts";
import { openStudio, WORKLOADS } from "../../test/studio/open-studio.ts";
import { toolOptions } from "../support/tool-options.ts";
import { measureLoad, WATCH } from "./measure-load.ts";
import { neededChromium } from "./needed-chromium.ts";
import { echoTimes } from "./time-key.ts";
import { LETTERS, openPartial, typeLetter } from "./type-letter.ts";

/** The visits that are measured, each with a browser context of its own, so that nothing is cached. */
const VISITS = 9;

/** Milliseconds of processor time that pages and their workers have taken since the browser was started. */
async function pageTime(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const pages = processInfo.filter(({ type }) => type === "renderer");
  return pages.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
}

function ascending(times: readonly number[]): readonly number[] {
  return [...times].sort((a, b) => a - b);
}

const { keys } = toolOptions({
  command: "node --import tsx tools/studio/keystroke.ts",
  says: "Builds the studio, and prints its sizes and how long its first preview and a key take to show. Needs a Chromium.",
  options: { keys: { type: "integer", least: 1, value: "N", default: 200, says: "how many keys it types" } },
  example: "node --import tsx tools/studio/keystroke.ts --keys 20",
});

const executablePath = neededChromium();
const sizes = (await buildPage()).map(({ file }) => [file, gzipSync(readFileSync(file), { level: 9 }).length] as const);
for (const [file, bytes] of sizes) console.log(`${kilobytes(bytes)} compressed  ${file}`);
console.log(
  `${kilobytes(await injectorBytes())} compressed  of worker.js is the injector; the rest compiles and lints templates`,
);
console.log(`${kilobytes(sizes.reduce((sum, [, bytes]) => sum + bytes, 0))} compressed  the page as a whole`);

const browser = await chromium.launch({ executablePath, args: [...readerFlags] });
const studio = await openStudio(browser);
studio.runs(WORKLOADS);
try {
  const session = await browser.newBrowserCDPSession();
  const opened: number[] = [];
  const worked: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const before = await pageTime(session);
    const page = await studio.visit({ script: WATCH });
    // Milliseconds from the start of the navigation, its redirect included.
    opened.push(await page.evaluate("shown.then(([, done]) => done)"));
    worked.push((await pageTime(session)) - before);
    await page.context().close();
  }
  const [shown, work] = [ascending(opened), ascending(worked)];
  console.log(
    `${at(shown, 0.5)} ms median, ${at(shown, 1)} ms at most, of ${VISITS} visits from navigation to the first preview on the screen; about ${at(work, 0.5)} ms of processor time`,
  );
  const load = await measureLoad(await (await browser.newContext()).newPage(), studio.url);
  console.log(
    `${load.inRow} requests in a row, ${load.asked.length} in all, and ${kilobytes(load.script)} of scripts before the first preview`,
  );
  const page = await studio.visit();
  const { image } = await openPartial(page);
  // The first ones compile the page's own code.
  for (let key = 0; key < LETTERS; key += 1) await typeLetter(page, key, image);
  const before = await pageTime(session);
  const times: number[] = [];
  for (let key = 0; key < keys; key += 1) times.push(await typeLetter(page, LETTERS + key, image));
  const each = ((await pageTime(session)) - before) / times.length;
  const typed = ascending(times);
  console.log(
    `${at(typed, 0.5)} ms median, ${at(typed, 0.95)} ms at 95 %, of ${times.length} keystrokes from the key to the updated preview on the screen; ${each.toFixed(0)} ms of processor time each`,
  );
  for (const isWorker of [false, true]) {
    const echoed = ascending(await echoTimes(await browser.newPage(), times.length, isWorker));
    console.log(
      `${at(echoed, 0.5)} ms median, ${at(echoed, 0.95)} ms at 95 %, of a page that only repeats the key${isWorker ? ", as a worker's answer" : ""}: what this machine takes itself`,
    );
  }
} finally {
  await studio.close();
  await browser.close();
}

/** Returns the bytes of a worker that only injects, from releases that are compiled. */
async function injectorBytes(): Promise<number> {
  const contents = 'export { injectPod, loadRelease } from "@outrigger/injector";';
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

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0).toFixed(0);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
