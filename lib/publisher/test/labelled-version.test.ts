// Parameters of the publisher whose oldest version has a label: after a hundred versions Parameter Store refuses every write of them.
import { describe, expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";

const record = { revisions: { default: "stable" }, arn: "" };

async function deployed() {
  const setup = publisherSetup({ pack: packFast });
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  await setup.run({ action: "put-cluster", cluster: "shop", record });
  await setup.run({ action: "put-cluster", cluster: "bank", record });
  return setup;
}

/** The label on the oldest version, and 99 versions after it. */
async function blocked(name: string) {
  const setup = await deployed();
  const value = setup.store.values()[name] as string;
  const { service } = setup.store;
  await service.call("LabelParameterVersion", { Name: name, Labels: ["keep"] });
  const first = setup.store.table().get(name)?.at(-1)?.version as number;
  for (let version = 1; version < 100; version++) await setup.put(name, value);
  const oldest = setup.store.table().get(name)?.[0]?.version as number;
  // Those before the labelled one were dropped meanwhile.
  expect([oldest, setup.store.table().get(name)?.length]).toEqual([first, 100]);
  return {
    ...setup,
    takeOff: () => service.call("LabelParameterVersion", { Name: name, ParameterVersion: first + 1, Labels: ["keep"] }),
  };
}

describe.each([layout.channel("stable"), layout.cluster("shop"), layout.mirrorPart(0)])(
  "with a label on the oldest version of %s",
  (name) => {
    it("every request is carried out, says the way out, and the record is written once the label is off", async () => {
      const { run, edit, served, store, takeOff, clock } = await blocked(name);
      await edit("mesh", "b");
      const way = expect.stringContaining(`aws ssm unlabel-parameter-version --name ${name} --parameter-version`);
      const problems = [expect.objectContaining({ path: name, message: way })];
      const requests = [
        { action: "publish" },
        { action: "put-cluster", cluster: "shop", record: { ...record, network: "n1" } },
        { action: "put-cluster", cluster: "bank", record: { ...record, network: "n2" } },
      ] as const;
      const answers = [];
      for (const request of requests) answers.push(await run(request));
      expect(answers.at(-1)).toMatchObject({ ok: true, problems });
      expect(answers.every(({ ok }) => ok)).toBe(true);
      const expected = {
        channels: { stable: digestOfTree({ mesh: "b" }) },
        clusters: { shop: { network: "n1" }, bank: { network: "n2" } },
      };
      expect(await served()).toMatchObject(expected);
      // Long after that, when the log's other entries are gone.
      for (let time = 0; time < 30; time++) {
        clock.time += 3_600_000;
        await run({ action: "put-cluster", cluster: "bank", record: { ...record, network: `m${time}` } });
      }
      expect(await served()).toMatchObject({ ...expected, clusters: { shop: { network: "n1" } } });
      await takeOff();
      expect(await run({ action: "put-cluster", cluster: "bank", record: { ...record, network: "n3" } })).toEqual(
        expect.not.objectContaining({ problems: expect.anything() }),
      );
      expect(await served()).toMatchObject({
        ...expected,
        clusters: { shop: { network: "n1" }, bank: { network: "n3" } },
      });
      if (name === layout.cluster("shop")) expect(store.values()[name]).toContain('"n1"');
    });
  },
);
