import { fakeParameterStore } from "@outrigger/fake-aws";
import { expect, it } from "vitest";
import { isLarge, writeParameter } from "./write-parameter.ts";

it("isLarge() counts bytes: only an advanced parameter holds more than 4096", () => {
  expect(isLarge("a".repeat(4096))).toBe(false);
  expect(isLarge("a".repeat(4097))).toBe(true);
  expect(isLarge("é".repeat(2048))).toBe(false);
  expect(isLarge("é".repeat(2049))).toBe(true);
  expect(isLarge(undefined)).toBe(false);
});

it("writeParameter() replaces a text, in the tier that holds it, and says which version that is", async () => {
  const store = fakeParameterStore();
  const tierOf = async () => store.service.table().get("/a")?.at(-1);
  expect(await writeParameter(store, { name: "/a", text: "a" })).toBe(1);
  const small = await tierOf();
  expect(await writeParameter(store, { name: "/a", text: "a".repeat(5000) })).toBe(2);
  expect(store.values()["/a"]).toBe("a".repeat(5000));
  expect([small?.tier, (await tierOf())?.tier]).toEqual(["Standard", "Advanced"]);
});
