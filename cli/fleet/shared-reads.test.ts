import { expect, it } from "vitest";
import type { Deployment } from "../connect/deployment.ts";
import { sharedReads } from "./shared-reads.ts";

it("sharedReads() makes each read once, one that fails again, and every write", async () => {
  const calls: string[] = [];
  let isDown = true;
  const called = (name: string) => async (given: unknown) => {
    calls.push(`${name} ${JSON.stringify(given)}`);
    if (name === "getParametersByPath" && isDown) throw new Error("throttled");
    return [];
  };
  const names = ["getParameters", "getParametersByPath", "putParameter"] as const;
  const store = Object.fromEntries(names.map((name) => [name, called(name)]));
  const { store: shared } = sharedReads({ store } as unknown as Deployment);
  await Promise.all([shared.getParameters(["/a"]), shared.getParameters(["/a"]), shared.getParameters(["/b"])]);
  expect(calls).toEqual(['getParameters ["/a"]', 'getParameters ["/b"]']);
  const path = { path: "/a", limit: 10 };
  await expect(shared.getParametersByPath(path)).rejects.toThrow("throttled");
  isDown = false;
  for (const _ of [1, 2]) await shared.getParametersByPath(path);
  const put = { name: "/a", value: "x", overwrite: true, tier: "Standard" } as const;
  for (const _ of [1, 2]) await shared.putParameter(put);
  const count = (name: string) => calls.filter((call) => call.startsWith(`${name} `)).length;
  expect(names.map(count)).toEqual([2, 2, 2]);
});
