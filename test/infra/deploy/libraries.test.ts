// The packed libraries, used from an empty folder outside of the checkout.
import { expect, it } from "vitest";
import { turnOf } from "../../support/in-turn.ts";
import { tryLibraries } from "../support/try-libraries.ts";

// The other package is the command's: installed.test.ts.
it.runIf(turnOf("Installed packages", 2).has(1))(
  "type-checks and runs what other projects write with each package, and injects a pod",
  async () => {
    const lines = await tryLibraries();
    expect(lines[0]).toMatch(/^inject runs from an empty folder: .*istio-proxy/);
    expect(lines.length).toBeGreaterThan(10);
  },
);
