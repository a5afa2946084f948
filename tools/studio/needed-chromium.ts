// The Chromium without which a tool of this folder can do nothing.
import { chromiumPath } from "../../test/studio/find-chromium.ts";

/** Returns the path of a Chromium on this machine; without one, says so and ends the process with 1. */
export function neededChromium(): string {
  if (chromiumPath !== undefined) return chromiumPath;
  console.log("There is no Chromium on this machine: install one, or name it in CHROMIUM");
  process.exit(1);
}
