import { beforeEach, describe, expect, it } from "vitest";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readState } from "../records/read-state.ts";
import { commitSnapshot } from "./commit-snapshot.ts";
import { planCommit } from "./plan-commit.ts";

describe("commitSnapshot() of a snapshot whose parts are there", () => {
  let setup: ReturnType<typeof publisherSetup>;
  beforeEach(async () => {
    setup = publisherSetup();
    await setup.publishTwo();
  });

  async function planned() {
    // Served out of order: the same content is committed again.
    const state = { ...(await readState(setup.dependencies)), isInOrder: false };
    const plan = await planCommit(state, {}, setup.dependencies);
    if (plan.next === undefined) throw new Error("There is nothing to commit");
    return { state, plan, part: layout.snapshotPart(plan.next.head.digest, 0), value: plan.next.parts[0] as string };
  }

  it("continues where a publisher stopped after writing them", async () => {
    const { state, plan, part, value } = await planned();
    await setup.put(part, value);
    expect(await commitSnapshot(plan, state, 3_600_000, setup.dependencies)).toMatchObject({ changed: true });
  });

  it("stops where they hold something else", async () => {
    const { state, plan, part } = await planned();
    await setup.put(part, "something else");
    const committed = commitSnapshot(plan, state, 3_600_000, setup.dependencies);
    await expect(committed).rejects.toMatchObject({ code: "parameter-exists" });
  });
});
