// Holds the tables of docs/istio-releases.md against the code. UPDATE_GOLDEN=1 npx vitest run --project unit cli/istio-releases-page
import { readFileSync } from "node:fs";
import { describeSkew, ISTIO_RELEASES, isIstioRelease } from "@outrigger/mesh";
import { readSourceTree } from "@outrigger/publisher";
import { describe, expect, it } from "vitest";
import { imageTagOf } from "../../test/reference/measured-releases.ts";
import { expectRows } from "../../test/support/page-rows.ts";

const PAGE = readFileSync("docs/istio-releases.md", "utf8");
describe("docs/istio-releases.md", () => {
  it("names the default", async () => {
    const shipped = await readSourceTree("templates");
    expect(shipped["config"]).toContain('\nistio: "1.31"\n');
    expect(PAGE).toContain("The default is 1.31");
  });

  it("names the releases and their image tags", () => {
    const rows = ISTIO_RELEASES.map((release) => [release, imageTagOf(release)]);
    const headings = ["release", "`values.global.tag`, unless your values say it"];
    expectRows({ page: "docs/istio-releases.md", name: "releases", headings, rows });
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
