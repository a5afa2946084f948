import { beforeEach, describe, expect, it } from "vitest";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { readState } from "./read-state.ts";

const RECORD = { arn: "", revisions: { default: "stable" }, tokens: [] };

let setup: ReturnType<typeof publisherSetup>;
beforeEach(async () => {
  setup = publisherSetup();
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish", channel: "stable" });
  await setup.run({ action: "put-cluster", cluster: "c1", record: RECORD });
});

describe("readState() of a cluster whose record is missing", () => {
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

describe("readState() while readings are behind writes", () => {
  /** The state, and how often it was waited for, where so many readings do not have some parameters. */
  async function readBehind(isHidden: (name: string) => boolean, times: number) {
    let [left, waits] = [times, 0];
    const shown = <Named extends { readonly name: string }>(parameters: readonly Named[]) => {
      const found = parameters.filter(({ name }) => left === 0 || !isHidden(name));
      if (found.length < parameters.length) left -= 1;
      return found;
    };
    const { store } = setup;
    const behind: typeof store = {
      ...store,
      getParameters: async (names) => shown(await store.getParameters(names)),
      async getParametersByPath(...question) {
        const page = await store.getParametersByPath(...question);
        return { ...page, parameters: shown(page.parameters) };
      },
    };
    const sleep = async () => void waits++;
    const state = await readState({ ...setup.dependencies, store: behind, sleep }, { isWholeLog: true });
    return { state, waits };
  }

  const isPart = (name: string) => /\/serve\/\d+$/.test(name);
  const loseObject = (digest = "") => setup.store.objects.deleteObject(layout.snapshot(digest));

  it("does not wait for the mirror where the snapshot's object is there", async () => {
    const whole = await readState(setup.dependencies);
    const { state, waits } = await readBehind(isPart, 3);
    expect([state.snapshot, waits]).toEqual([whole.snapshot, 0]);
  });

  it("waits for the mirror of the snapshot that the head names where its object is lost", async () => {
    const whole = await readState(setup.dependencies);
    await loseObject(whole.head?.digest);
    // A look reads the mirror's parts with the head; the second look comes at once.
    const { state, waits } = await readBehind(isPart, 3);
    expect([state.snapshot, waits]).toEqual([whole.snapshot, 2]);
  });

  it("does not wait for the snapshot of a head that has gone meanwhile", async () => {
    const { head } = await readState(setup.dependencies);
    await loseObject(head?.digest);
    let looks = 0;
    const isHead = (name: string) => name === layout.head && ++looks > 1;
    const { state, waits } = await readBehind((name) => isPart(name) || isHead(name), 100);
    expect([state.head, state.snapshot, waits]).toEqual([undefined, undefined, 0]);
  });

  it("waits until the log has the newest change that a record names", async () => {
    const whole = await readState(setup.dependencies, { isWholeLog: true });
    const { state, waits } = await readBehind((name) => name === layout.change(whole.lastChange), 3);
    expect([state.entries, waits]).toEqual([whole.entries, 2]);
  });

  it("waits until the log has a change between others, where its record is behind too", async () => {
    const whole = await readState(setup.dependencies, { isWholeLog: true });
    const isHidden = (name: string) => name === layout.change(1) || name === layout.channel("stable");
    const { state, waits } = await readBehind(isHidden, 4);
    expect([state.entries, waits]).toEqual([whole.entries, 2]);
  });
});
