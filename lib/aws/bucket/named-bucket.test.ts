import { fakeParameterStore } from "@outrigger/fake-aws";
import { describe, expect, it } from "vitest";
import { layoutOf } from "../values/parameter-layout.ts";
import { namedBucket } from "./named-bucket.ts";
import { signedObjectReader } from "./signed-object-store.ts";

const layout = layoutOf("/outrigger/dev");
const HOSTILE = ["evil.example", "a/../b", "x@y", "-a-", "UPPER", "a", "", "a".repeat(64), "bucket\n", 1, null, ["a"]];

async function storeWith(head: string | undefined) {
  const store = fakeParameterStore();
  const put = (value: string) =>
    store.putParameter({ name: layout.head, value, overwrite: true, tier: "Standard" as const });
  if (head !== undefined) await put(head);
  store.forgetCalls();
  return { ...store, put };
}

describe("namedBucket()", () => {
  it("finds the name in serve/head, once", async () => {
    const store = await storeWith('{"bucket":"team-releases"}');
    const name = namedBucket(store, layout);
    expect([await name(), await name()]).toEqual(["team-releases", "team-releases"]);
    expect(store.calls()).toEqual({ GetParameters: 1 });
  });

  it("gives nothing before the first publication, and the name after it", async () => {
    const store = await storeWith(undefined);
    const name = namedBucket(store, layout);
    expect(await name()).toBeUndefined();
    await store.put('{"bucket":"team-releases"}');
    expect(await name()).toBe("team-releases");
  });

  it("throws what reading came to, and reads again the next time", async () => {
    const table = (await storeWith('{"bucket":"team-releases"}')).table();
    let fault: { readonly kind: "error"; readonly name: string } | undefined = {
      kind: "error",
      name: "ThrottlingException",
    };
    const name = namedBucket(fakeParameterStore({ table, fault: () => fault }), layout);
    await expect(name()).rejects.toMatchObject({ code: "store-unavailable" });
    fault = undefined;
    expect(await name()).toBe("team-releases");
  });

  it.each([...HOSTILE.map((bucket) => JSON.stringify({ bucket })), "nonsense", "[]", "{}"])(
    "asks no host for what is no bucket's name: %s",
    async (head) => {
      const hosts: string[] = [];
      const reader = signedObjectReader({
        env: { AWS_REGION: "eu-west-1" },
        bucket: namedBucket(await storeWith(head), layout),
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
