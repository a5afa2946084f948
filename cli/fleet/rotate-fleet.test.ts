import { describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { rotateFleet, rotationOf } from "./rotate-fleet.ts";

describe("rotationOf()", () => {
  it("asks for the registered name, and waits as many minutes as the options say", () => {
    const options = { cluster: "shop-eks", as: "shop", selfTest: true, wait: 15 };
    const request = { cluster: "shop", withSelfTest: true, isRevocation: false, patience: 15 * 60 * 1000 };
    expect(rotationOf(options)).toEqual(request);
    const { as: _, ...unnamed } = options;
    expect(rotationOf({ ...unnamed, selfTest: false, wait: 0, now: true })).toEqual({
      cluster: "shop-eks",
      withSelfTest: false,
      isRevocation: true,
      patience: 0,
    });
  });
});

describe("rotateFleet()", () => {
  it("changes nothing for a cluster outside EKS, and names what does it", async () => {
    const aws = fakeAws();
    const record = { arn: "", revisions: { default: "stable" }, tokens: [], settings: {} };
    await aws.put(aws.layout.cluster("kind"), JSON.stringify(record, null, 1));
    const io = fakeIo({ connect: aws.connect, env: { KUBECONFIG: "no-file" }, isTerminal: true });
    const options = { deployment: "dev", clusters: ["kind"], maxConcurrency: 5, selfTest: true, wait: 15 };
    await expect(rotateFleet(options, io)).rejects.toThrow("1 could not be asked or changed, 0 are well");
    expect(io.out()).toBe(
      "CLUSTER   OLD TOKEN   RESULT\nkind      -           Cannot rotate the token of kind here: it is no cluster of EKS; outrigger token add and retire do it step by step\n",
    );
    expect(io.err()).toBe("");
    expect(aws.asked).toEqual([]);
  });
});
