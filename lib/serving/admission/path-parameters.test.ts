import { describe, expect, it } from "vitest";
import { readTable } from "../../../test/reference/read-reference.ts";
import { parsePathParameters } from "./path-parameters.ts";

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

  it("agrees with every measured row", () => {
    for (const { path, env } of readTable<{ path: string; env: Record<string, string> }>("paths"))
      expect({ path, env: parsePathParameters(path) }).toEqual({ path, env });
  });
});
