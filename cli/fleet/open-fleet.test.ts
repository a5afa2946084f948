import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openFleet } from "./open-fleet.ts";

it("openFleet() finds the selected clusters of the deployment, and their contexts in the kubeconfig that is named", async () => {
  const aws = fakeAws();
  const cwd = mkdtempSync(join(tmpdir(), "outrigger-fleet-"));
  const arnOf = (name: string) => `arn:aws:eks:eu-west-1:111122223333:cluster/${name}`;
  for (const name of ["pay", "shop"]) {
    const record = { revisions: { default: "stable" }, arn: arnOf(name), tokens: [], settings: { default: {} } };
    await aws.put(aws.layout.cluster(name), JSON.stringify(record, null, 1));
  }
  const contexts = [arnOf("pay"), "shop"].map((name) => ({ name, context: { cluster: "c", user: "u" } }));
  writeFileSync(join(cwd, "kubeconfig"), JSON.stringify({ contexts }));
  const options = { deployment: "dev", all: true, kubeconfig: "kubeconfig", maxConcurrency: 1 } as const;
  const { deployment, clusters } = await openFleet(options, fakeIo({ cwd, connect: aws.connect }));
  rmSync(cwd, { recursive: true });
  expect(deployment.target.stage).toBe("dev");
  expect(clusters.map(({ name, place }) => [name, place.context])).toEqual([
    ["pay", arnOf("pay")],
    ["shop", "shop"],
  ]);
});
