// What the event of an edit writes, with the shipped tree, as people have it. The mirror is most of it.
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { MAX_VALUE } from "@outrigger/aws";
import { compileRelease } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { expect, it } from "vitest";
import { projectRoot } from "../../../scripts/build/bundled-release.ts";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { publishHandler } from "../handler.ts";

const NINE = { [constants.BROTLI_PARAM_QUALITY]: 9 };

it("an edit comes to at most 8 writes to Parameter Store and 3 objects", async () => {
  const shipped = await readSourceTree(join(projectRoot, "templates"));
  const writes: string[] = [];
  const setup = publisherSetup({
    seed: false,
    shipped,
    compile: compileRelease,
    around: async ({ operation, input }, perform) => {
      if (operation === "PutParameter") writes.push(String(input["Name"]));
      return perform();
    },
  });
  const handle = publishHandler({
    ...setup.dependencies,
    stage: "dev",
    version: "1.2.3",
    stackId: "",
    stackStatus: async () => "UPDATE_IN_PROGRESS",
    write: () => undefined,
    sleep: async (milliseconds) => {
      setup.clock.time += milliseconds;
    },
    respond: async () => {},
    canaryToken: `${layout.prefix}/canary/token`,
    makeToken: () => "t".repeat(43),
    putSecret: async () => {},
  });
  await setup.edit("values/10-mine", "global: {hub: registry.example/one}\n");
  await setup.run({ action: "publish" });
  const record = { revisions: { default: "stable" }, arn: "", tokens: [] };
  await setup.run({ action: "put-cluster", cluster: "shop", record });
  await setup.edit("values/10-mine", "global: {hub: registry.example/two}\n");
  const before = (await setup.served()).channels["stable"];
  const { PutObject: objects = 0 } = setup.bucket.objectCalls();
  writes.length = 0;
  await handle({
    source: "aws.ssm",
    "detail-type": "Parameter Store Change",
    time: `${new Date(setup.clock.time).toISOString().slice(0, 19)}Z`,
    detail: { name: layout.sourceParameter("values/10-mine"), operation: "Update", type: "String" },
  });
  expect((await setup.served()).channels["stable"]).not.toBe(before);
  const { parts } = JSON.parse(setup.store.values()[layout.head] ?? "{}");
  expect(writes.map((name) => name.slice(layout.prefix.length))).toEqual([
    "/serve/edit-turn",
    "/serve/changes/000000000003",
    "/channels/stable",
    "/serve/head",
    ...Array.from({ length: parts }, (_, index) => `/serve/${index}`),
  ]);
  // Tests compress quickly: by a quality that is still below the deployed one, the mirror takes one part less.
  const text = brotliCompressSync(JSON.stringify(await setup.served()), { params: NINE }).toString("base64");
  expect(writes.length - parts + Math.ceil(text.length / (MAX_VALUE.Standard - 40))).toBeLessThanOrEqual(8);
  expect((setup.bucket.objectCalls().PutObject ?? 0) - objects).toBe(3);
});
