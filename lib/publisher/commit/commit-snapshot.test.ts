import { OutriggerError } from "@outrigger/base";
import { beforeEach, describe, expect, it } from "vitest";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readState } from "../records/read-state.ts";
import { commitSnapshot } from "./commit-snapshot.ts";
import { planCommit } from "./plan-commit.ts";

let setup: ReturnType<typeof publisherSetup>;
beforeEach(async () => {
  setup = publisherSetup();
  await setup.publishTwo();
});

async function planned() {
  // Served out of order: the same content is committed again.
  const state = { ...(await readState(setup.dependencies)), isInOrder: false };
  const plan = await planCommit(state, undefined, setup.dependencies);
  if (plan.next === undefined) throw new Error("There is nothing to commit");
  return { state, plan, next: plan.next };
}

const bucketHead = () => JSON.parse(setup.bucket.objectTable().get(layout.bucketHead)?.text ?? "{}");

describe("commitSnapshot()", () => {
  it("continues where a publisher stopped after writing the object", async () => {
    const { state, plan, next } = await planned();
    await setup.bucket.putObject({ key: layout.snapshot(next.head.digest), text: next.text });
    expect(await commitSnapshot(plan, state, 3_600_000, setup.dependencies)).toMatchObject({ changed: true });
    expect(bucketHead()).toEqual(next.head);
  });

  it("writes the object, then the head, then the mirror, then the bucket's head", async () => {
    const { state, plan, next } = await planned();
    const written: string[] = [];
    const store: typeof setup.store = {
      ...setup.store,
      putParameter: async (write, options) => {
        written.push(write.name);
        return setup.store.putParameter(write, options);
      },
      objects: {
        ...setup.bucket,
        putObject: async (write, options) => {
          written.push(write.key);
          return setup.bucket.putObject(write, options);
        },
      },
    };
    await commitSnapshot(plan, state, 3_600_000, { ...setup.dependencies, store });
    const mirror = next.parts.map((_, index) => layout.mirrorPart(index));
    expect(written).toEqual([layout.snapshot(next.head.digest), layout.head, ...mirror, layout.bucketHead]);
  });

  it("leaves a later head that another publisher has written to the bucket meanwhile", async () => {
    const { state, plan, next } = await planned();
    const later = { digest: "f".repeat(32), parts: 1, seq: next.head.seq + 1 };
    await setup.bucket.putObject({ key: layout.bucketHead, text: JSON.stringify(later) });
    await commitSnapshot(plan, state, 3_600_000, setup.dependencies);
    expect(bucketHead()).toEqual(later);
  });

  it("replaces an earlier or damaged head that another has written meanwhile", async () => {
    for (const text of [JSON.stringify({ digest: "f".repeat(32), parts: 1, seq: 1 }), "nonsense"]) {
      const { state, plan, next } = await planned();
      await setup.bucket.putObject({ key: layout.bucketHead, text });
      await commitSnapshot(plan, state, 3_600_000, setup.dependencies);
      expect(bucketHead()).toEqual(next.head);
    }
  });

  it("fails where the bucket's head cannot be written: asked again, it is", async () => {
    const { state, plan, next } = await planned();
    const refusing: typeof setup.bucket = {
      ...setup.bucket,
      putObject: async (write, options) => {
        if (write.key === layout.bucketHead) throw new OutriggerError("store-unavailable", "SlowDown");
        return setup.bucket.putObject(write, options);
      },
    };
    const store = { ...setup.store, objects: refusing };
    const failed = commitSnapshot(plan, state, 3_600_000, { ...setup.dependencies, store });
    await expect(failed).rejects.toMatchObject({ code: "store-unavailable" });
    expect(await setup.run({ action: "repair" })).toMatchObject({ ok: true, changed: true });
    expect(bucketHead()).toEqual(next.head);
  });
});
