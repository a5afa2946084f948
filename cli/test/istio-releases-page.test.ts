// Holds the tables of docs/istio-releases.md against the code.
import { readFileSync } from "node:fs";
import { describeSkew, ISTIO_RELEASES, isIstioRelease } from "@outrigger/mesh";
import { readSourceTree } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { NEWEST_PATCH } from "../../test/support/newest-patch.ts";

const PAGE = readFileSync("docs/istio-releases.md", "utf8");
describe("docs/istio-releases.md", () => {
  it("names the default, the releases and their image tags", async () => {
    const shipped = await readSourceTree("templates");
    expect(shipped["config"]).toContain('\nistio: "1.31"\n');
    expect(PAGE).toContain("The default is 1.31");
    const cells = (text: string) => text.split("|").map((cell) => cell.trim());
    const rows = PAGE.split("\n")
      .filter((line) => line.startsWith("| "))
      .map(cells);
    expect(rows[0]?.slice(2, -1)).toEqual(ISTIO_RELEASES);
    expect(rows.find(([, what]) => what?.includes("global.tag"))?.slice(2, -1)).toEqual(Object.values(NEWEST_PATCH));
  });

  it("says of skew what describeSkew() says", () => {
    const rows = [...PAGE.matchAll(/^\| (1\.\d+) \| (1\.\d+) \| (.*) \|$/gm)];
    expect(rows).toHaveLength(4);
    for (const [, proxies, istiod = "", says = ""] of rows) {
      if (!isIstioRelease(proxies)) throw new Error(`${proxies} is no release`);
      const { kind } = describeSkew(proxies, `${istiod}.0`);
      expect(kind === "none" || kind === "supported").toBe(!says.startsWith("not supported"));
    }
  });
});
