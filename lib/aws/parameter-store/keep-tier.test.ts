import { OutriggerError } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { keepTier } from "./keep-tier.ts";
import type { ParameterWrite } from "./parameter-store.ts";

/** Refuses each write with the error that is next, and then takes it. */
function refusing(...errors: readonly unknown[]) {
  const left = [...errors];
  const written: ParameterWrite[] = [];
  const put = async (write: ParameterWrite) => {
    written.push(write);
    if (left.length > 0) throw left.shift();
    return written.length;
  };
  return { put, tiers: () => written.map(({ tier }) => tier), written };
}

const refused = (message: string) => new OutriggerError("parameter-refused", message);
const downgrade = () => new OutriggerError("parameter-downgrade", "You can't downgrade a parameter");
const WRITE: ParameterWrite = { name: "/p", value: "x", overwrite: true, tier: "Standard" };

describe("keepTier()", () => {
  it("writes once where nothing is refused", async () => {
    const store = refusing();
    expect(await keepTier(WRITE, store.put)).toBe(1);
    expect(store.written).toEqual([WRITE]);
  });

  it("writes a parameter that is advanced already on that tier, and changes nothing else of the write", async () => {
    const store = refusing(downgrade());
    expect(await keepTier(WRITE, store.put)).toBe(2);
    expect(store.written).toEqual([WRITE, { ...WRITE, tier: "Advanced" }]);
  });

  it.each([
    ["of another refusal", WRITE, refused("ParameterLimitExceeded: the Region has 10,000 parameters")],
    ["of words that only sound like it", WRITE, refused("ValidationException: a downgrade is no value")],
    ["of a value that is too long", WRITE, refused("ValidationException: 4096 characters are the maximum")],
    ["of a new parameter", { ...WRITE, overwrite: false }, downgrade()],
    ["of what is advanced anyway", { ...WRITE, tier: "Advanced" }, downgrade()],
    ["of a fault of the service", WRITE, new OutriggerError("store-unavailable", "You can't downgrade")],
    ["of an error that is not the port's", WRITE, new Error("You can't downgrade")],
  ] as const)("makes nothing advanced because %s", async (_why, write, error) => {
    const store = refusing(error);
    await expect(keepTier(write, store.put)).rejects.toBe(error);
    expect(store.tiers()).toEqual([write.tier]);
  });

  it("tries the other tier once, and gives its error", async () => {
    const second = refused("ParameterLimitExceeded");
    const store = refusing(downgrade(), second);
    await expect(keepTier(WRITE, store.put)).rejects.toBe(second);
    expect(store.tiers()).toEqual(["Standard", "Advanced"]);
  });
});
