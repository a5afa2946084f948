import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { layoutOf } from "../values/parameter-layout.ts";
import { namedBucket } from "./named-bucket.ts";
import { signedObjectReader } from "./signed-object-store.ts";

const layout = layoutOf("/outrigger/dev");
const HOSTILE = ["evil.example", "a/../b", "x@y", "-a-", "UPPER", "a", "", "a".repeat(64), "bucket\n", 1, null, ["a"]];

/** The one call, and how often it was made; `head` may be written later. */
function storeWith(head: string | undefined) {
  const store = {
    head,
    calls: 0,
    error: undefined as OutriggerError | undefined,
    getParameters: async () => {
      store.calls += 1;
      if (store.error !== undefined) throw store.error;
      return store.head === undefined
        ? []
        : [{ name: layout.head, value: store.head, type: "String" as const, version: 1 }];
    },
  };
  return store;
}

describe("namedBucket()", () => {
  it("finds the name in serve/head, once", async () => {
    const store = storeWith('{"bucket":"team-releases"}');
    const name = namedBucket(store, layout);
    expect([await name(), await name()]).toEqual(["team-releases", "team-releases"]);
    expect(store.calls).toBe(1);
  });

  it("gives nothing before the first publication, and the name after it", async () => {
    const store = storeWith(undefined);
    const name = namedBucket(store, layout);
    expect(await name()).toBeUndefined();
    store.head = '{"bucket":"team-releases"}';
    expect(await name()).toBe("team-releases");
  });

  it("throws what reading came to, and reads again the next time", async () => {
    const store = storeWith('{"bucket":"team-releases"}');
    store.error = new OutriggerError("store-unavailable", "Rate exceeded");
    const name = namedBucket(store, layout);
    await expect(name()).rejects.toMatchObject({ code: "store-unavailable" });
    store.error = undefined;
    expect(await name()).toBe("team-releases");
  });

  it.each([...HOSTILE.map((bucket) => JSON.stringify({ bucket })), "nonsense", "[]", "{}"])(
    "asks no host for what is no bucket's name: %s",
    async (head) => {
      const hosts: string[] = [];
      const reader = signedObjectReader({
        env: { AWS_REGION: "eu-west-1" },
        bucket: namedBucket(storeWith(head), layout),
        credentials: () => ({ accessKeyId: "a", secretAccessKey: "b" }),
        exchange: async (url) => {
          hosts.push(url.host);
          return { status: 200, body: "", tag: "" };
        },
      });
      expect([await reader.getObject(layout.bucketHead), hosts]).toEqual([undefined, []]);
    },
  );
});
