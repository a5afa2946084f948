import { describe, expect, it } from "vitest";
import { arityOf, type HelperTable, withOfFirst } from "./helper.ts";
import { helpers } from "./helpers.ts";
import { LOOKUP_DOC } from "./lookup-doc.ts";

const TABLE: HelperTable = helpers;
const DOCS = { ...TABLE, lookup: { doc: LOOKUP_DOC } };

it("a helper's documentation has a name and a meaning of every argument, each name once in a call", () => {
  for (const [helper, { doc }] of Object.entries(DOCS)) {
    const { args } = doc;
    for (const [name, , meaning] of args) {
      expect([helper, name]).toEqual([helper, expect.stringMatching(/^[a-z]\w*(…\??|\?)?$/i)]);
      expect([helper, name, meaning]).toEqual([helper, name, expect.stringMatching(/^[a-z]/i)]);
    }
    expect(new Set(args.map(([name]) => name)).size).toBe(args.length);
  }
});

describe("arityOf()", () => {
  const ANY = Number.POSITIVE_INFINITY;
  const ARITIES: readonly (readonly [least: number, most: number, names: string])[] = [
    [0, ANY, "list dict strdict"],
    [
      1,
      1,
      "not empty trim toLower lower toUpper upper directory base first last initial rest reverse len uniq compact keys sorted sortAlpha omitNil int string bool add1 toJson toJSON structToJSON fromJson fromJSON b64dec b64enc sha256sum nospace deepCopy fail includeInboundPorts applicationPorts formatDuration",
    ],
    [
      1,
      ANY,
      "and or all any coalesce cat quote squote printf concat merge mergeMaps mergeOverwrite add mul max min toJsonMap",
    ],
    [
      2,
      2,
      "ne lt le gt ge div mod sub default valueOrDefault required isset contains hasPrefix hasSuffix trunc repeat trimAll trimPrefix trimSuffix regexMatch join split splitList append prepend has pluck get hasKey excludeInboundPort appendMultusNetwork",
    ],
    [2, 3, "slice"],
    [2, ANY, "eq without index omit pick"],
    [3, 3, "ternary replace regexReplaceAll annotation"],
    [3, ANY, "dig"],
    [5, 5, "otelResourceAttributes"],
  ];

  it.each(ARITIES)("is %d to %d arguments for %s", (least, most, names) => {
    for (const name of names.split(" "))
      expect([name, arityOf(TABLE[name]?.doc.args ?? [])]).toEqual([name, [least, most]]);
  });

  it("is 2 for lookup", () => {
    expect(arityOf(LOOKUP_DOC.args)).toEqual([2, 2]);
  });
});

describe("withOfFirst()", () => {
  it("calls with all arguments as it does when all but the first are known", () => {
    const { run, ofFirst } = withOfFirst((others) => (first) => [first, ...others]);
    expect(run([1, 2, 3], {})).toEqual([1, 2, 3]);
    expect(ofFirst?.([2, 3])(1)).toEqual([1, 2, 3]);
  });
});
