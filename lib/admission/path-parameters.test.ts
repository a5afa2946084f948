import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePathParameters } from "./path-parameters.ts";

const TABLE = join(process.env["OUTRIGGER_CONFORMANCE"] ?? "../shared/conformance", "tables/paths.json");

describe("parsePathParameters()", () => {
  it("reads cluster and network when a path names them", () => {
    expect(parsePathParameters("/inject/cluster/c/net/n")).toEqual({
      ISTIO_META_CLUSTER_ID: "c",
      ISTIO_META_NETWORK: "n",
    });
  });

  it("ignores a last name without a value and an empty name when a path ends early", () => {
    expect(parsePathParameters("/inject/cluster/c/net")).toEqual({ ISTIO_META_CLUSTER_ID: "c" });
    expect(parsePathParameters("/inject//x")).toEqual({});
  });

  it("puts slashes back when a value holds --slash--", () => {
    expect(parsePathParameters("/inject/net/a--slash--b")).toEqual({ ISTIO_META_NETWORK: "a/b" });
  });

  it("makes an own entry of a name when it is __proto__", () => {
    const parameters = parsePathParameters("/inject/:ENV:__proto__=x");
    expect(Object.entries(parameters)).toEqual([["__PROTO__", "x"]]);
    expect(Object.getPrototypeOf(parameters)).toBe(Object.prototype);
  });

  it.skipIf(!existsSync(TABLE))(`agrees with every row when the table is at ${TABLE}`, () => {
    const rows = JSON.parse(readFileSync(TABLE, "utf8")) as readonly { path: string; env: Record<string, string> }[];
    expect(rows.length).toBeGreaterThan(0);
    for (const { path, env } of rows) expect({ path, env: parsePathParameters(path) }).toEqual({ path, env });
  });
});
