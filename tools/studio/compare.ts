// `node --import tsx tools/studio/compare.ts --help` prints the options. How fast the studio opens and answers a key, beside another version of it.
// Both are built (`npm run build -- cli studio`). Visits and keys take turns, so that a loaded machine slows both down: the ratios count.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { PATIENCE, readerFlags } from "../../test/studio/find-chromium.ts";
import { toolOptions } from "../support/tool-options.ts";
import { WATCH } from "./measure-load.ts";
import { neededChromium } from "./needed-chromium.ts";
import { openPartial, typeLetter } from "./type-letter.ts";

const OWN = "dist/outrigger.mjs";

/** The first keys, which compile the page's own code: they are not counted. */
const COMPILING = 20;

/** Milliseconds after the editor is there in which the rest is loaded. */
const QUIET = 2000;

/** The time of the last and largest paint before anybody has touched the page. */
const LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true });
})`;

/** What was measured of a version: times in milliseconds, the bytes of what it loads compressed. */
interface Measured {
  readonly name: string;
  readonly url: string;
  readonly painted: number[];
  readonly shown: number[];
  readonly keys: number[];
  first: number;
  all: number;
}

const { other, visits, keys } = toolOptions({
  command: "node --import tsx tools/studio/compare.ts",
  says: [
    "Prints how fast the studio opens and answers a key, next to that of another version. Build both before, by",
    "`npm run build -- cli studio`. Needs a Chromium.",
  ].join("\n"),
  arguments: { other: { value: "OTHER/dist/outrigger.mjs", says: "the command of the other version" } },
  options: {
    visits: { type: "integer", least: 1, value: "N", default: 9, says: "visits of each, of which the median counts" },
    keys: { type: "integer", least: COMPILING + 1, value: "N", default: 100, says: "keys that are typed in each" },
  },
  example: "node --import tsx tools/studio/compare.ts ../last-release/dist/outrigger.mjs --visits 3",
});
const executablePath = neededChromium();
const running = await Promise.all([other, OWN].map(start));
const browser = await chromium.launch({ executablePath, args: [...readerFlags] });
try {
  const all = running.map(
    ({ name, url }): Measured => ({ name, url, painted: [], shown: [], keys: [], first: 0, all: 0 }),
  );
  for (let visit = 0; visit < visits; visit += 1) for (const one of all) await measureVisit(browser, one);
  const typing = [];
  for (const one of all) typing.push({ one, ...(await openPartial(await visitOf(browser, one.url))) });
  for (let key = 0; key < keys; key += 1)
    for (const { one, page, image } of typing) {
      await page.bringToFront();
      one.keys.push(await typeLetter(page, key, image));
    }
  for (const { name, ...one } of all) {
    console.log(name);
    console.log(
      `  ${median(one.painted)} ms to the largest contentful paint, ${median(one.shown)} ms to the first preview`,
    );
    console.log(`  ${kilobytes(one.first)} compressed until the first preview, ${kilobytes(one.all)} in all`);
    console.log(`  ${median(one.keys.slice(COMPILING))} ms from a key to its preview on the screen`);
  }
} finally {
  await browser.close();
  for (const { stop } of running) stop();
}

/** Starts the studio of a build on an empty directory. */
async function start(path: string) {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-compare-"));
  const env = { ...process.env, XDG_STATE_HOME: join(directory, "state") };
  const child = spawn(process.execPath, [path, "studio", "--dir", directory, "--port", "0"], { env });
  const stop = () => {
    child.kill();
    rmSync(directory, { recursive: true, force: true });
  };
  for (const stream of [child.stdout, child.stderr]) stream.on("error", () => {});
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`${path} has ended: build it`)));
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on("line", (line) => {
        const found = /http:\/\/\S+key=\S+/.exec(line);
        if (found !== null) resolve(found[0]);
      });
  });
  return { name: path, url, stop };
}

/** A page with a browser context of its own, so that nothing is cached. */
async function visitOf(browser: Browser, url: string, watch: (page: Page) => void = () => {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(WATCH);
  watch(page);
  await page.goto(url);
  await page.waitForSelector(".changes .added");
  return page;
}

async function measureVisit(browser: Browser, one: Measured): Promise<void> {
  const bodies: Promise<number>[] = [];
  const page = await visitOf(browser, one.url, (opened) => {
    opened.on("response", (response) => {
      const isStream = response.headers()["content-type"]?.includes("event-stream") === true;
      if (!isStream && response.status() === 200) bodies.push(response.body().then(compressed, () => 0));
    });
  });
  one.shown.push(await page.evaluate<number>("shown.then(([, done]) => done)"));
  one.first = await sum(bodies);
  await page.locator("main .cm-content").waitFor();
  // The worker's script comes last, and measures: versions say differently that it has.
  await page.waitForTimeout(QUIET);
  one.all = await sum(bodies);
  one.painted.push(await page.evaluate<number>(LARGEST_PAINT));
  await page.context().close();
}

async function sum(bytes: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(bytes)).reduce((all, each) => all + each, 0);
}

function compressed(body: Buffer): number {
  return gzipSync(body, { level: 9 }).length;
}

function median(times: readonly number[]): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(0);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
