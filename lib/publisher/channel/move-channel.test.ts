import { expect, it } from "vitest";
import { packFast } from "../../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { runPublisher } from "../run-publisher.ts";

it.each([{}, { dryRun: true }, { share: 5 }])(
  "a promotion reads the release that it is about once: %j",
  async (more) => {
    const setup = publisherSetup({ pack: packFast });
    await setup.publishTwo();
    const read: string[] = [];
    const { objects } = setup.store;
    const getObject: typeof objects.getObject = (key, options) => {
      read.push(key);
      return objects.getObject(key, options);
    };
    const store = { ...setup.store, objects: { ...objects, getObject } };
    const request = {
      action: "promote",
      from: "canary",
      to: "stable",
      cause: { by: "ann", why: "" },
      ...more,
    } as const;
    expect(await runPublisher(request, { ...setup.dependencies, store })).toMatchObject({ ok: true });
    const release = layout.release(digestOfTree({ mesh: "b" }));
    expect(read.filter((key) => key === release)).toEqual([release]);
  },
);
