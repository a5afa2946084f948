import { fakeParameterStore } from "@outrigger/fake-aws";
import { describe, expect, it } from "vitest";
import { pacedStore } from "./paced-store.ts";

function pacedSetup() {
  const clock = { time: 1_700_000_000_000 };
  const times: number[] = [];
  const store = fakeParameterStore({
    around: async (_call, perform) => {
      times.push(clock.time);
      return perform();
    },
  });
  const sleep = async (milliseconds: number) => {
    clock.time += milliseconds;
  };
  return { clock, times, paced: pacedStore(store, 50, { now: () => new Date(clock.time), sleep }) };
}

describe("pacedStore()", () => {
  it("keeps calls of every kind apart, and holds up none that comes late", async () => {
    const { clock, times, paced } = pacedSetup();
    const began = clock.time;
    await paced.putParameter({ name: "/a", value: "x", overwrite: true, tier: "Standard" });
    await paced.getParameters(["/a"]);
    clock.time += 20;
    await paced.getParametersByPath({ path: "/a" });
    clock.time += 500;
    await paced.deleteParameters(["/a"]);
    expect(times.map((time) => time - began)).toEqual([0, 50, 100, 600]);
  });

  it("continues when the clock is set back", async () => {
    const { clock, times, paced } = pacedSetup();
    await paced.getParameters(["/a"]);
    clock.time -= 3_600_000;
    const began = clock.time;
    await paced.getParameters(["/a"]);
    await paced.getParameters(["/a"]);
    expect(times.slice(1).map((time) => time - began)).toEqual([50, 100]);
  });
});
