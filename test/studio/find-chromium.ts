// A Chromium on this machine: CHROMIUM, or one at a place where packages put it.
import { existsSync } from "node:fs";

const PLACES: readonly string[] = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export const chromiumPath = [process.env["CHROMIUM"], ...PLACES].find((path) => path && existsSync(path));

/**
 * Features of the browser itself. Those that call home; and the page behind its address bar, which took as much processor time
 * for each new window as the studio; and a process that waits for a page of another site, of which there is none. Playwright's own list is
 * replaced by this one.
 */
const WITHOUT: readonly string[] = [
  "DialMediaRouteProvider",
  "GlobalMediaControls",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "OptimizationHints",
  "SpareRendererForSitePerProcess",
  "Translate",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxPopup",
];

/** Milliseconds that a test waits for what it expects of a page. A machine that has other things to do measures 700 pods in half a minute. */
export const PATIENCE = 150_000;

/** The browser as a reader has it, but that it must not call home: the tests talk to loopback only. */
export const readerFlags: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${WITHOUT.join(",")}`,
];

/** For tests, whose pages live for seconds: scripts that are compiled well took an eighth more of the processors than they spared. */
export const chromiumFlags: readonly string[] = [...readerFlags, "--js-flags=--no-opt --no-maglev"];
