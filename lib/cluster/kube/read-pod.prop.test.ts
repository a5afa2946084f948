// What is read of a pod, and what stays text, is the pod, whatever is in it.
import { type JsonObject, objectOf } from "@outrigger/base";
import fc from "fast-check";
import { expect, it } from "vitest";
import { listedPods, readPage } from "./read-page.ts";

const TRAPS = ['},"spec":{', '},"status":{', ',"managedFields":[', '},{"metadata":{', '"', "\\", "]}", "ä"];
const text = fc.oneof(fc.constantFrom(...TRAPS), fc.string());
const key = fc.oneof(fc.constantFrom("spec", "status", "metadata", "managedFields", "name"), text);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
}));
const part = fc.dictionary(key, value, { maxKeys: 4 });
/** A pod as an API server writes it, with its fields in order; and as others may write it. */
const shapes = [
  fc.record({ metadata: withManaged(), spec: part, status: part }),
  fc.record({ status: part, metadata: withManaged(), spec: part }),
  fc.record({ metadata: part }),
  fc.record({ kind: text, metadata: part, spec: part, status: part }),
];
const pods = fc.oneof(
  ...[...shapes, fc.oneof(...shapes)].map(
    (shape): fc.Arbitrary<readonly object[]> => fc.array(shape, { maxLength: 4 }),
  ),
);

function withManaged(): fc.Arbitrary<object> {
  // Its entries have no field that is called like those of a pod.
  const managed = fc.option(fc.array(fc.dictionary(text, text), { maxLength: 2 }), { nil: undefined });
  return fc
    .tuple(part, managed)
    .map(([{ managedFields: _, ...given }, managedFields]) => ({ ...given, managedFields }));
}

it("readPage() gives each pod of a list its metadata, its status, its spec as text, and the whole", () => {
  const pages = fc.tuple(pods, fc.constantFrom(0, 1));
  fc.assert(
    fc.property(pages, ([items, indent]) => {
      const given = JSON.stringify({ kind: "PodList", metadata: { continue: "x" }, items }, null, indent);
      const whole = JSON.parse(given) as { readonly items: readonly JsonObject[] };
      const found = [...readPage(given, () => whole, listedPods).objects];
      expect(found.map((one) => one.whole())).toEqual(whole.items);
      for (const [at, { metadata, spec = {}, status }] of whole.items.entries()) {
        expect(withoutManaged(found[at]?.metadata)).toEqual(withoutManaged(metadata));
        expect(found[at]?.status).toEqual(objectOf(status));
        expect(JSON.parse(found[at]?.specText ?? "")).toEqual(spec ?? {});
      }
    }),
    { numRuns: 3000 },
  );
});

function withoutManaged(metadata: unknown): JsonObject {
  const { managedFields: _, ...own } = objectOf(metadata);
  return own;
}

it("says what is wrong with a list of which a part that stayed text is no JSON", () => {
  const given = '{"kind":"PodList","metadata":{},"items":[{"metadata":{"name":"a"},"spec":{"x":]},"status":{}}]}';
  const [pod] = readPage(given, () => JSON.parse(given), listedPods).objects;
  expect(() => pod?.whole()).toThrow(SyntaxError);
});
