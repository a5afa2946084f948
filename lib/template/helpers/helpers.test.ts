import { OutriggerError } from "@outrigger/base";
import { describe, expect, test } from "vitest";
import type { HelperTable } from "./helper.ts";
import { helpers } from "./helpers.ts";

const TABLE: HelperTable = helpers;

function call(name: string, ...args: readonly unknown[]): unknown {
  return TABLE[name]?.run(args, {});
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

describe("helpers", () => {
  test.each<[name: string, args: readonly unknown[], result: unknown]>([
    ["eq", ["a", "a"], true],
    ["eq", [1, 2, 1], true],
    ["eq", ["1", 1], false],
    ["eq", [null, undefined], true],
    ["eq", [{ a: [1] }, { a: [1] }], true],
    ["eq", [undefined, ""], false],
    ["ne", ["a", "b"], true],
    ["ne", [undefined, "b"], true],
    ["ne", [2, 2], false],
    ["lt", [1, 2], true],
    ["lt", [1.2, 1.7], true],
    ["le", ["b", "a"], false],
    ["gt", ["10", 9], true],
    ["ge", [2, 2], true],
    ["and", [1, 0, 2], 0],
    ["and", [1, {}], {}],
    ["or", ["", 0, "x"], "x"],
    ["or", ["", {}], {}],
    ["not", [{}], true],
    ["not", ["x"], false],
    ["empty", [[]], true],
    ["empty", [[0]], false],
    ["default", ["x", ""], "x"],
    ["default", ["x", 0], "x"],
    ["default", ["x", "y"], "y"],
    ["valueOrDefault", [0, "x"], 0],
    ["valueOrDefault", ["", "x"], "x"],
    ["coalesce", [null, "", "c"], "c"],
    ["coalesce", ["", 0], undefined],
    ["ternary", ["a", "b", true], "a"],
    ["ternary", ["a", "b", ""], "b"],
    ["contains", ["/", "a/b"], true],
    ["contains", ["/", undefined], false],
    ["hasPrefix", ["a", "ab"], true],
    ["hasSuffix", ["a", "ab"], false],
    ["trunc", [2, "abc"], "ab"],
    ["trunc", [5, "abc"], "abc"],
    ["trunc", [-2, "abc"], "bc"],
    ["trunc", [1, "😀"], ""],
    ["trunc", [2, "😀x"], "😀"],
    ["trunc", [-2, "😀x"], "x"],
    ["trim", [" a \n"], "a"],
    ["trimAll", ["-_.", "-._a-b._-"], "a-b"],
    ["trimAll", ["-", "---"], ""],
    ["trimAll", ["-", "a--"], "a"],
    ["trimAll", ["-", ""], ""],
    ["trimAll", ["😀", "😃a😀"], "😃a"],
    ["trimPrefix", ["v", "v1"], "1"],
    ["trimSuffix", [".x", "a.x"], "a"],
    ["trimSuffix", ["", "a"], "a"],
    ["toLower", ["AbC"], "abc"],
    ["upper", ["AbC"], "ABC"],
    ["replace", [".", "$&", "a.b.c"], "a$&b$&c"],
    ["join", [",", ["a", 1, true]], "a,1,true"],
    ["join", [",", undefined], ""],
    ["splitList", [",", "a,b"], ["a", "b"]],
    ["split", [",", "a,b"], { _0: "a", _1: "b" }],
    ["quote", ['a"b', null, 1], '"a\\"b" "1"'],
    ["squote", ["a"], "'a'"],
    ["printf", ["%05d|%5d|%-5d|%+d|%+05d|%.3d", 42, 42, 42, 42, -42, 7], "00042|   42|42   |+42|-0042|007"],
    ["printf", ["%8s|%-8s|%.2s|%8.2s|%6q", "abc", "abc", "abc", "abc", "a"], '     abc|abc     |ab|      ab|   "a"'],
    ["printf", ["%x|%X|%08x|%o|%b|%x|%c", 255, 255, 255, 8, 5, "hé", 65], "ff|FF|000000ff|10|101|68c3a9|A"],
    [
      "printf",
      ["%f|%.2f|%8.1f|%08.1f|%6v|%-6v|", 1.5, 2.345, 3.14, -3.14, 7, true],
      "1.500000|2.35|     3.1|-00003.1|     7|true  |",
    ],
    ["printf", ["%s-%d-%v-%t-%q%%", "a", 5, [1, 2], true, "b"], 'a-5-[1 2]-true-"b"%'],
    ["directory", ["/etc/certs/ca.pem"], "/etc/certs/"],
    ["directory", ["ca.pem"], ""],
    ["list", [1, "a"], [1, "a"]],
    ["append", [["a"], "b"], ["a", "b"]],
    ["append", [undefined, "b"], ["b"]],
    ["prepend", [["a"], "b"], ["b", "a"]],
    ["concat", [["a"], undefined, ["b"]], ["a", "b"]],
    ["first", [["a", "b"]], "a"],
    ["last", [["a", "b"]], "b"],
    ["first", [undefined], undefined],
    ["len", [["a", "b"]], 2],
    ["len", [{ a: 1 }], 1],
    ["len", ["abc"], 3],
    ["len", [undefined], 0],
    ["index", [{ "a.b/c": ["x", "y"] }, "a.b/c", 1], "y"],
    ["index", [["x"], "__proto__"], undefined],
    ["index", [{}, "constructor"], undefined],
    ["has", ["a", ["b", "a"]], true],
    ["has", ["a", undefined], false],
    ["uniq", [["a", "b", "a", { c: 1 }, { c: 1 }]], ["a", "b", { c: 1 }]],
    ["uniq", [[{ c: 1 }, '{"c":1}']], [{ c: 1 }, '{"c":1}']],
    ["without", [["a", "b", "c"], "a", "c"], ["b"]],
    ["compact", [["a", "", 0, "b"]], ["a", "b"]],
    ["pluck", ["name", [{ name: "a" }, {}, "b"]], ["a"]],
    ["pluck", [1, [["a", "b"], ["c"]]], ["b"]],
    ["pluck", ["1", [["a", "b"]]], ["b"]],
    ["pluck", [true, [["a", "b"]]], []],
    ["pluck", ["length", ["ab", 3, null]], []],
    ["dict", ["a", 1, "b"], { a: 1, b: "" }],
    ["strdict", ["a", 1, "b"], { a: "1", b: "" }],
    ["keys", [{ b: 1, a: 2 }], ["a", "b"]],
    ["keys", [{ "\uffee": 1, "😀": 2 }], ["\uffee", "😀"]],
    ["get", [{ a: 1 }, "b"], undefined],
    ["hasKey", [{ a: null }, "a"], true],
    ["isset", [{ a: "" }, "a"], true],
    ["isset", [{ a: "" }, "toString"], false],
    ["isset", [undefined, "a"], false],
    ["isset", ["text", "length"], false],
    [
      "merge",
      [
        { a: 1, c: { d: 1 } },
        { a: 2, b: 2, c: { e: 2 } },
      ],
      { a: 1, b: 2, c: { d: 1, e: 2 } },
    ],
    ["mergeMaps", [{ a: 1 }, { a: 2, b: 2 }], { a: 2, b: 2 }],
    ["omit", [{ a: 1, b: 2 }, "a"], { b: 2 }],
    ["pick", [{ a: 1, b: 2 }, "a", "c"], { a: 1 }],
    ["omitNil", [{ a: null, b: { c: null }, d: [null, 1], e: {} }], { d: [1], e: {} }],
    ["omitNil", [{ a: null }], undefined],
    ["int", ["5"], 5],
    ["int", [" -7 "], -7],
    ["int", [undefined], undefined],
    ["int", [""], undefined],
    ["string", [5], "5"],
    ["string", [false], "false"],
    ["string", [undefined], undefined],
    ["bool", ["true"], true],
    ["bool", ["f"], false],
    ["bool", [undefined], undefined],
    ["add", [1, "2", 3], 6],
    ["sub", [5, 7], -2],
    ["toJson", [{ b: 1, a: { d: [2, { z: 1, y: 2 }], c: null } }], '{"a":{"c":null,"d":[2,{"y":2,"z":1}]},"b":1}'],
    ["toJson", [undefined], "null"],
    ["toJSON", [undefined], "{}"],
    ["structToJSON", [[]], "[]"],
    ["structToJSON", [undefined], "{}"],
    ["toJsonMap", [{ b: "1" }, undefined, { a: "2", b: "3" }], '{"a":"2","b":"3"}'],
    ["fromJson", ['{"a":[1]}'], { a: [1] }],
    ["fromJson", [undefined], undefined],
    ["formatDuration", ["45s"], "45s"],
    ["formatDuration", ["90s"], "1m30s"],
    ["formatDuration", ["3600s"], "1h0m0s"],
    ["formatDuration", ["0s"], "0s"],
    ["formatDuration", ["0.005s"], "5ms"],
    ["formatDuration", ["1.500s"], "1.5s"],
    ["formatDuration", ["0.0000015s"], "1.5µs"],
    ["formatDuration", ["-0.000000001s"], "-1ns"],
    ["annotation", [{ annotations: { a: "x" } }, "a", "y"], "x"],
    ["annotation", [{ annotations: { a: "" } }, "a", "y"], ""],
    ["annotation", [{}, "a", 15020], "15020"],
    ["annotation", [undefined, "constructor", true], "true"],
    ["annotation", [{ annotations: {} }, "a", undefined], ""],
    ["excludeInboundPort", [15020, "80, 90,"], "80,90,15020"],
    ["includeInboundPorts", [[{ ports: [{ containerPort: 1 }, { containerPort: 2, protocol: "UDP" }] }, {}]], "1"],
    [
      "applicationPorts",
      [
        [
          { name: "istio-proxy", ports: [{ containerPort: 1 }] },
          { name: "a", ports: [{ containerPort: 2, protocol: "TCP" }] },
        ],
      ],
      "2",
    ],
  ])("%s%j gives %j", (name, args, result) => {
    expect(call(name, ...freeze(args))).toEqual(result);
  });

  test.each<[name: string, args: readonly unknown[], reason: RegExp]>([
    ["int", ["1.5"], /integer/],
    ["int", [1.5], /integer/],
    ["int", ["99999999999999999999"], /integer/],
    ["int", [[]], /integer/],
    ["bool", ["maybe"], /true or false/],
    ["lt", [{}, 1], /order/],
    ["join", [",", "text"], /list/],
    ["keys", ["text"], /map/],
    ["fromJson", ["{"], /JSON/],
    ["printf", ["%s"], /verbs/],
    ["printf", ["x", 1], /verbs/],
    ["printf", ["%e", 1], /%e/],
    ["printf", ["100%"], /verb/],
    ["printf", ["%05", 1], /verb/],
    ["printf", ["%c", -1], /character/],
    ["printf", ["%.200f", 1], /digits/],
    ["formatDuration", ["1m"], /duration/],
  ])("%s%j is an error that does not show the value", (name, args, reason) => {
    expect(() => call(name, ...args)).toThrow(OutriggerError);
    expect(() => call(name, ...args)).toThrow(reason);
  });

  test("take maps and lists that are 100 levels deep, and none that are deeper", () => {
    const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
      let value: unknown = "x";
      for (let level = 0; level < levels; level++) value = wrap(value);
      return value;
    };
    const inMap = (inner: unknown) => ({ a: inner });
    expect(call("merge", nested(101, inMap), nested(101, inMap))).toEqual(nested(101, inMap));
    expect(() => call("merge", nested(102, inMap), nested(102, inMap))).toThrow("the maps are nested too deeply");
    const inList = (inner: unknown) => [inner];
    expect(call("upper", nested(101, inList))).toBe(`${"[".repeat(101)}X${"]".repeat(101)}`);
    expect(() => call("upper", nested(102, inList))).toThrow("the value is nested too deeply");
    for (const wrap of [inMap, inList]) {
      expect(call("omitNil", nested(100, wrap))).toEqual(nested(100, wrap));
      expect(() => call("omitNil", nested(101, wrap))).toThrow("the value is nested too deeply");
    }
  });

  test("repeat a text to 65,536 characters, and to no more", () => {
    expect(call("repeat", 32_768, "ab")).toBe("ab".repeat(32_768));
    expect(() => call("repeat", 32_769, "ab")).toThrow("a text is repeated to more than 65536 characters");
  });

  test("make `__proto__` an entry like any other", () => {
    const hostile = JSON.parse('{"__proto__":{"x":1},"a":2}');
    for (const [name, ...args] of [
      ["mergeMaps", hostile],
      ["merge", hostile, {}],
      ["sorted", hostile],
      ["omit", hostile, "a"],
      ["pick", hostile, "__proto__"],
      ["dict", "__proto__", { x: 1 }],
    ] as const) {
      const map = call(name, ...args) as object;
      expect(Object.keys(map)).toContain("__proto__");
      expect("x" in map).toBe(false);
    }
    expect(call("toJson", hostile)).toBe('{"__proto__":{"x":1},"a":2}');
  });

  test("sorted() gives the entries in the order of their keys' bytes", () => {
    expect(Object.keys(call("sorted", { b: 1, "😀": 3, "\uffee": 2, B: 0 }) as object)).toEqual([
      "B",
      "b",
      "\uffee",
      "😀",
    ]);
  });

  test.each(["eq", "ne", "isset", "annotation"])(
    "%s gives the same when all arguments but the first are known",
    (name) => {
      const firsts = [
        undefined,
        null,
        "",
        "a",
        1,
        { a: "x" },
        { annotations: { a: "x", b: null } },
        [],
        { annotations: { a: 5 } },
      ];
      for (const first of firsts) {
        for (const others of [
          ["a", "b"],
          ["b", undefined],
          [1, 2],
          ["toString", "x"],
        ]) {
          expect(TABLE[name]?.ofFirst?.(others)(first)).toEqual(call(name, first, ...others));
        }
      }
    },
  );
});
