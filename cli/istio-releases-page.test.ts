// Runs docs/istio-releases.md from top to bottom, with the shipped tree, and holds its table against the code.
import { readFileSync } from "node:fs";
import type { SourceTree } from "@outrigger/injector";
import { describeSkew, ISTIO_RELEASES, isIstioRelease } from "@outrigger/mesh";
import { readSourceTree } from "@outrigger/publisher";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws } from "../test/cli/fake-aws.ts";
import { fakeCli } from "../test/cli/fake-cli.ts";
import { pattern, settled, stepsOf, wordsOf } from "../test/cli/page-steps.ts";
import { NEWEST_PATCH } from "../test/support/newest-patch.ts";

const PAGE = readFileSync("docs/istio-releases.md", "utf8");
const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";

describe("docs/istio-releases.md", () => {
  let shipped: SourceTree;
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeAll(async () => {
    // Fewer samples, because the tree is compiled with every step.
    const whole = Object.entries(await readSourceTree("templates"));
    shipped = Object.fromEntries(whole.filter(([path]) => !/^samples\/(gateway|grpc|deployment)/.test(path)));
    aws = fakeAws({}, shipped);
    cli = fakeCli(aws.connect, shipped);
    cli.write("pod.yaml", POD);
    await cli.run("publish");
    const record = { revisions: { default: "stable" }, arn: "", kubernetesVersion: "1.33", tokens: [] };
    await aws.put(aws.layout.cluster("shop"), JSON.stringify(record));
  });
  afterAll(() => cli.remove("."));

  it("prints what it says", { timeout: 180_000 }, async () => {
    const steps = stepsOf("istio-releases.md");
    expect(steps.length).toBeGreaterThan(5);
    for (const { command, shown } of steps) {
      const file = /^cat > (\S+) <<END$/.exec(command)?.[1];
      if (file !== undefined) {
        cli.write(file, shown.slice(0, shown.indexOf("END\n")));
        continue;
      }
      const [tool, first = "", ...words] = wordsOf(command);
      expect(tool).toBe("outrigger");
      const { out, err } = await cli.run(first, ...words);
      expect(`$ ${command}\n${settled(out + err)}`).toMatch(pattern(`$ ${command}\n${settled(shown)}`));
    }
  });

  it("names the default, the releases and their image tags", () => {
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
