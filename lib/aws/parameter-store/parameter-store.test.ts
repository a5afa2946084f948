import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { isCreated } from "./parameter-store.ts";

describe("isCreated()", () => {
  it("is true where the write has made the parameter", async () => {
    expect(await isCreated(Promise.resolve(1))).toBe(true);
  });

  it("is false where there was one", async () => {
    expect(await isCreated(Promise.reject(new OutriggerError("parameter-exists", "it exists")))).toBe(false);
  });

  it.each([new OutriggerError("store-denied", "no"), new TypeError("a bug")])("throws %s on", async (error) => {
    await expect(isCreated(Promise.reject(error))).rejects.toBe(error);
  });
});
