import { describe, expect, it } from "vitest";
import {
  deleteParameters,
  EMPTY_TABLE,
  labelVersion,
  type ParameterTable,
  type PutInput,
  putParameter,
  type WriteContext,
} from "./parameter-table.ts";

// What any stand-in has to do is in test/store: here is what only the fake promises.

const CONTEXT: WriteContext = { now: 5, user: "me", maxStandard: 2 };

function put(table: ParameterTable, input: Partial<PutInput>): ParameterTable {
  return putParameter(table, { name: "/a", value: "x", type: "String", overwrite: true, ...input }, CONTEXT).table;
}

describe("putParameter()", () => {
  it("counts bytes, not characters, when it measures a value", () => {
    const value = "漢".repeat(1365);
    expect(Buffer.byteLength(value)).toBe(4095);
    expect(put(EMPTY_TABLE, { value }).size).toBe(1);
    expect(() => put(EMPTY_TABLE, { value: `${value}漢` })).toThrow("4096");
  });

  it("takes no more Standard parameters than there may be, and versions and Advanced ones all the same", () => {
    const full = put(put(EMPTY_TABLE, { name: "/a" }), { name: "/b" });
    expect(() => put(full, { name: "/c" })).toThrow(expect.objectContaining({ name: "ParameterLimitExceeded" }));
    expect(put(full, { name: "/c", tier: "Advanced" }).size).toBe(3);
    expect(put(full, { name: "/b" }).get("/b")).toHaveLength(2);
    const roomier = put(full, { name: "/b", tier: "Advanced" });
    expect(put(roomier, { name: "/c" }).size).toBe(3);
  });

  it("refuses a list with an empty item", () => {
    expect(put(EMPTY_TABLE, { type: "StringList", value: "a,b" }).size).toBe(1);
    expect(() => put(EMPTY_TABLE, { type: "StringList", value: "a,,b" })).toThrow("empty items");
  });

  it("keeps a description that a later write leaves out, and says who wrote when", () => {
    const table = put(put(EMPTY_TABLE, { description: "one" }), {});
    expect(table.get("/a")?.at(-1)).toMatchObject({ version: 2, description: "one", modified: 5, user: "me" });
  });

  it("never changes the table that it is given", () => {
    const before = put(EMPTY_TABLE, {});
    const seen = structuredClone(before);
    put(before, { value: "y" });
    labelVersion(before, "/a", 1, ["good"]);
    deleteParameters(before, ["/a"]);
    expect(before).toEqual(seen);
  });
});

describe("labelVersion()", () => {
  it("names the parameter that does not exist, or the version", () => {
    const missing = { name: "ParameterNotFound", message: "Parameter /b not found." };
    expect(() => labelVersion(put(EMPTY_TABLE, {}), "/b", undefined, [])).toThrow(expect.objectContaining(missing));
    const gone = expect.objectContaining({ name: "ParameterVersionNotFound" });
    expect(() => labelVersion(put(EMPTY_TABLE, {}), "/a", 2, ["good"])).toThrow(gone);
  });
});
