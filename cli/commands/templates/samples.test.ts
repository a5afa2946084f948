import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";

describe("outrigger samples", () => {
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(() => {
    cli = fakeCli(fakeAws().connect, SHIPPED);
  });
  afterEach(() => cli.remove("."));
  const refused = async (line: string) => {
    const { code, out, err } = await cli.run(`samples ${line}`.trim());
    expect([code, out]).toEqual([2, ""]);
    return err;
  };

  it("needs a cluster, or several", async () => {
    const message = "Name the cluster whose pods are read, with --cluster or --context, or several with --clusters\n";
    expect(await refused("")).toBe(message);
    expect(await refused("tree --dry-run")).toBe(message);
  });

  it("prunes by all pods of the clusters, and by no fewer", async () => {
    const message = (option: string) =>
      `Cannot use --prune with ${option}: whether any pod needs a sample, only all of them say\n`;
    expect(await refused("--cluster shop --prune -n shop")).toBe(message("--namespace"));
    expect(await refused("--all --prune -l app=web")).toBe(message("--selector"));
    expect(await refused("--all --prune -l app=web -n shop")).toBe(message("--namespace"));
  });
});
