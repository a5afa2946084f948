import { beforeEach, describe, expect, it } from "vitest";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { settle } from "./settle.ts";

const A = digestOfTree({ mesh: "a" });
const AT_WORK = 10_000;
const CLUSTER = { revisions: { default: "stable" }, arn: "", tokens: [] };

let setup: ReturnType<typeof publisherSetup>;
beforeEach(async () => {
  setup = publisherSetup();
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  await setup.run({ action: "put-cluster", cluster: "c1", record: CLUSTER });
});

const damage = (name: string) => setup.put(name, "nonsense");
const derivedAgain = { message: "What is served was missing or damaged, and was derived again", changes: [] };

describe("settle()", () => {
  it("writes nothing where what is served is what was declared", async () => {
    setup.clock.time += AT_WORK;
    const before = setup.store.values();
    for (const _ of ["a look at the whole", "one at what has changed since"]) {
      expect(await settle(setup.dependencies)).toMatchObject({ edits: "stable", age: 0, problems: [] });
      const { [layout.settled]: __, ...values } = setup.store.values();
      expect(values).toEqual(before);
    }
  });

  it("leaves a difference to the publisher that is at work, for ten seconds", async () => {
    await damage(layout.head);
    const before = setup.store.values();
    const settled = await settle(setup.dependencies);
    expect(settled.age).toBeGreaterThan(0);
    expect(settled).not.toHaveProperty("finished");
    expect(setup.store.values()).toEqual(before);
  });

  it("derives again what is damaged, and nothing is left then", async () => {
    await damage(layout.head);
    setup.clock.time += AT_WORK;
    expect(await settle(setup.dependencies)).toMatchObject({ age: 0, finished: derivedAgain, problems: [] });
    expect((await setup.served()).channels).toEqual({ stable: A });
    expect(await settle(setup.dependencies)).not.toHaveProperty("finished");
  });

  it("replaces a head that a person has written as a SecureString, which cannot be overwritten", async () => {
    const { store } = setup;
    await store.deleteParameters([layout.head]);
    const secret = { Name: layout.head, Value: "nonsense", Type: "SecureString" };
    expect(await store.service.call("PutParameter", secret)).toMatchObject({ kind: "answer" });
    setup.clock.time += AT_WORK;
    expect(await settle(setup.dependencies)).toMatchObject({ age: 0, finished: derivedAgain, problems: [] });
    expect((await setup.served()).channels).toEqual({ stable: A });
    expect(await settle(setup.dependencies)).not.toHaveProperty("finished");
  });

  it("finishes what it can, and says since when the rest is left", async () => {
    await damage(layout.head);
    await damage(layout.cluster("c1"));
    setup.clock.time += AT_WORK;
    const settled = await settle(setup.dependencies);
    expect(settled).toMatchObject({ finished: derivedAgain, problems: [{ path: layout.cluster("c1") }] });
    expect(settled.age).toBeGreaterThanOrEqual(AT_WORK);
  });
});
