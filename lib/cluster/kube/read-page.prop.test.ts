// A page that is read object by object has the objects that it has as a whole, whatever is in them.
import { type JsonObject, objectsOf } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPage, wholeObjects } from "./read-page.ts";

const TRAPS = ['},{"metadata":', '"items":[', "]}", '"', "\\", "},{", '{"metadata":{}}', "ä", "€"];
const text = fc.oneof(fc.constantFrom(...TRAPS), fc.string());
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom("metadata", "items", "spec"), text), tie("value"), { maxKeys: 3 }),
  ),
}));
/** A list as an API server writes it: its own fields first, in an order of their own. */
const object = fc
  .tuple(fc.constantFrom("metadata", "apiVersion"), value, fc.dictionary(text, value, { maxKeys: 3 }))
  .map(([first, own, rest]) => ({ [first]: own, ...rest }));
const items = fc.oneof(fc.array(object, { maxLength: 5 }), fc.array(value, { maxLength: 5 }));
const page = fc.tuple(value, items, fc.boolean()).map(([metadata, own, isLast]): object => {
  const list = { kind: "List", metadata };
  return isLast ? { ...list, items: own } : { items: own, ...list };
});

const read = (given: string) => {
  let whole = 0;
  const { list, objects } = readPage(
    given,
    () => {
      whole += 1;
      return JSON.parse(given);
    },
    wholeObjects,
  );
  return { list, objects: [...objects], whole };
};

describe("readPage()", () => {
  it("gives the objects of the whole page, and its metadata", () => {
    fc.assert(
      fc.property(page, fc.constantFrom(0, 1), fc.constantFrom("", "\n"), (made, indent, end) => {
        const given = JSON.stringify(made, null, indent) + end;
        const all = JSON.parse(given) as JsonObject;
        const { list, objects } = read(given);
        expect(objects).toEqual(objectsOf(all["items"]));
        expect(list["metadata"]).toEqual(all["metadata"]);
      }),
      { numRuns: 3000 },
    );
  });

  it("reads no page of an API server's as a whole", () => {
    const pods = ["a", "b", "c"].map((name) => ({
      metadata: { name },
      spec: { containers: [{ name: TRAPS.join() }] },
    }));
    const { objects, whole } = read(
      `${JSON.stringify({ kind: "PodList", metadata: { continue: "x" }, items: pods })}\n`,
    );
    expect([objects, whole]).toEqual([pods, 0]);
  });

  it.each([
    ['{"items":[{"a":1},{"a":2}'],
    ['{"items":[{"a":1}]]}'],
    ['{"items":[{"a":1}],"x":[}'],
    ['{"items":[{"a":1},{"a":]}'],
  ])("says what is wrong with %s", (given) => {
    expect(() => read(given)).toThrow(SyntaxError);
  });
});
