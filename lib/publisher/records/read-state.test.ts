import { beforeEach, describe, expect, it } from "vitest";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readState } from "./read-state.ts";

const RECORD = { arn: "", revisions: { default: "stable" }, tokens: [] };

describe("readState() of a cluster whose record is missing", () => {
  let setup: ReturnType<typeof publisherSetup>;
  beforeEach(async () => {
    setup = publisherSetup();
    await setup.edit("mesh", "a");
    await setup.run({ action: "publish", channel: "stable" });
    await setup.run({ action: "put-cluster", cluster: "c1", record: RECORD });
  });

  it("takes the record from the log where the log has it last", async () => {
    await setup.store.deleteParameters([layout.cluster("c1")]);
    const { clusters, behind, problems } = await readState(setup.dependencies);
    expect(clusters).toHaveProperty("c1");
    expect(behind.map(({ change }) => change.name)).toEqual(["c1"]);
    expect(problems).toEqual([]);
  });

  it("leaves it out where the log says that it was removed", async () => {
    await setup.run({ action: "remove-cluster", cluster: "c1" });
    const { clusters, behind } = await readState(setup.dependencies, { isWholeLog: true });
    expect([clusters, behind]).toEqual([{}, []]);
  });
});
