import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseRegionName, parseReplicas } from "./names.ts";

const { regions } = JSON.parse(readFileSync("test/infra/facts/endpoints.json", "utf8"));

describe("parseReplicas()", () => {
  it("takes a stage, and a stage in each of AWS's Regions", () => {
    expect(parseReplicas("prod-b")).toEqual([{ stage: "prod-b" }]);
    expect(Object.keys(regions)).toContain("eusc-de-east-1");
    for (const region of Object.keys(regions)) {
      expect(parseReplicas(`prod-b@${region}`)).toEqual([{ stage: "prod-b", region }]);
      expect(parseRegionName(region)).toBe(region);
    }
  });

  it.each(["prod b", "@eu-west-1", "prod-b@europe", "prod-b@eu-west-1,", ""])("refuses %j", (text) => {
    expect(() => parseReplicas(text)).toThrow("Name replicas as STAGE@REGION");
  });
});
