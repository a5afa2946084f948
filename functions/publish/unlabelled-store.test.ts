import { SSMClient } from "@aws-sdk/client-ssm";
import { ssmParameterStore } from "@outrigger/aws";
import { fakeObjectStore, type fakeParameterStore, startFakeServer } from "@outrigger/fake-aws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packFast } from "../../test/support/pack-quickly.ts";
import { digestOfTree, layout, publisherSetup } from "../../test/support/publisher-setup.ts";
import { takeOffLabels } from "./parameter-history.ts";
import { unlabelledStore } from "./unlabelled-store.ts";

const HEAD = layout.head;
const B = digestOfTree({ mesh: "b" });

let close: () => Promise<void>;
let client: SSMClient;
let table: ReturnType<ReturnType<typeof fakeParameterStore>["table"]>;

/** A head with a label on the oldest of its 100 versions, behind the fake's own HTTP. */
beforeAll(async () => {
  const setup = publisherSetup({ pack: packFast });
  await setup.edit("mesh", "a");
  await setup.run({ action: "publish" });
  await setup.store.service.call("LabelParameterVersion", { Name: HEAD, Labels: ["keep", "audit"] });
  const value = setup.store.values()[HEAD] as string;
  for (let version = 1; version < 100; version++) await setup.put(HEAD, value);
  await setup.edit("mesh", "b");
  table = setup.store.table();
  const server = await startFakeServer({ table });
  client = new SSMClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    maxAttempts: 1,
  });
  close = server.close;
});
afterAll(async () => {
  client.destroy();
  await close();
});

describe("takeOffLabels()", () => {
  it("lets the publisher write a head whose oldest version has a label, and reports it", async () => {
    const reports: string[] = [];
    const store = unlabelledStore(ssmParameterStore(client, fakeObjectStore()), takeOffLabels(client), (line) =>
      reports.push(line),
    );
    const { run } = publisherSetup({ pack: packFast });
    expect(await run({ action: "publish" }, { store })).toMatchObject({ ok: true, release: B });
    expect(reports).toEqual([
      `Took the label "keep", "audit" off version 1 of ${HEAD}: it was the oldest of 100 versions, and blocked the next one`,
    ]);
    const [head] = await store.getParameters([HEAD]);
    expect(head?.version).toBeGreaterThan(100);
    await expect(takeOffLabels(client)(HEAD)).rejects.toThrow("no label");
  });
});

describe("unlabelledStore() without the permission", () => {
  it("refuses the publication and says the way out, once: the request is carried out when it is asked again", async () => {
    const denied = async () => {
      throw new Error("AccessDenied");
    };
    const setup = publisherSetup({ table, pack: packFast });
    const store = unlabelledStore(setup.store, denied, () => {});
    const request = { action: "publish", id: "request-1" } as const;
    const way = `aws ssm unlabel-parameter-version --name ${HEAD} --parameter-version 1`;
    const error = { code: "parameter-refused", message: expect.stringContaining(way) };
    expect(await setup.run(request, { store })).toMatchObject({ ok: false, error });
    expect((await setup.served()).channels).not.toEqual({ stable: B });
    const off = { Name: HEAD, ParameterVersion: 1, Labels: ["keep", "audit"] };
    await setup.store.service.call("UnlabelParameterVersion", off);
    expect(await setup.run(request)).toMatchObject({ ok: true, release: B });
    expect((await setup.served()).channels).toEqual({ stable: B });
  });
});
