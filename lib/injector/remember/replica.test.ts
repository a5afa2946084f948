import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { renamingTo, sampleOf } from "./replica.ts";

const podWith = (token: string, more: object = {}): Pod =>
  ({ metadata: {}, spec: { containers: [], volumes: [{ name: "a" }, { name: token }], ...more } }) as Pod;
const [ONE, OTHER] = ["kube-api-access-abcde", "kube-api-access-12345"];

describe("sampleOf()", () => {
  it("counts the bytes that objects, fields and texts take at most", () => {
    const bytes = (pod: unknown) => sampleOf(pod as Pod).bytes;
    const [node, field, scalar, text] = [64, 64 + 32 + 2, 24, 32];
    expect(bytes({})).toBe(node);
    expect(bytes({ a: 1, b: true, c: null })).toBe(node + 3 * (field + scalar));
    expect(bytes({ a: "x".repeat(100) })).toBe(node + field + text + 100);
    expect(bytes({ a: "\u0416".repeat(100) })).toBe(node + field + text + 2 * 100);
    expect(bytes({ a: [{ b: "" }] })).toBe(node + field + node + node + field + text);
    expect(bytes({ 7: 1 })).toBe(node + field + 256 + scalar);
  });

  it.each<[string, Pod, string | undefined]>([
    ["the name of a volume", podWith(ONE), ONE],
    ["no generated name", podWith("kube-api-access-abcdef"), undefined],
    ["a name in capitals", podWith("kube-api-access-ABCDE"), undefined],
    ["a name that is a text elsewhere", podWith(ONE, { hostname: ONE }), ONE],
    ["a name that is part of a text", podWith(ONE, { hostname: `${ONE}x` }), undefined],
    ["a name that is a key", podWith(ONE, { nodeSelector: { [ONE]: "" } }), undefined],
    ["a name that is part of a key", podWith(ONE, { nodeSelector: { [`x${ONE}`]: "" } }), undefined],
    ["no volumes", { metadata: {}, spec: { containers: [] } }, undefined],
    ["no spec", {} as Pod, undefined],
  ])("knows the generated name of %s", (_, pod, generated) => {
    expect(sampleOf(pod).generated).toBe(generated);
  });
});

describe("renamingTo()", () => {
  const SAME = { from: "", to: "" };
  it.each<[string, Pod, Pod, object | undefined]>([
    ["an equal pod", podWith(ONE), podWith(ONE), SAME],
    ["a replica", podWith(ONE), podWith(OTHER), { from: ONE, to: OTHER }],
    [
      "a replica that has the name twice",
      podWith(ONE, { hostname: ONE }),
      podWith(OTHER, { hostname: OTHER }),
      { from: ONE, to: OTHER },
    ],
    ["one that has the old name too", podWith(ONE, { hostname: ONE }), podWith(OTHER, { hostname: ONE }), undefined],
    [
      "one that has the new name elsewhere",
      podWith(ONE, { hostname: "x" }),
      podWith(OTHER, { hostname: OTHER }),
      undefined,
    ],
    ["one without a generated name", podWith(ONE), podWith("x"), undefined],
    ["one with a field more", podWith(ONE), podWith(OTHER, { hostname: "x" }), undefined],
    ["one with another field", podWith(ONE, { hostname: "x" }), podWith(OTHER, { subdomain: "x" }), undefined],
    ["one with another value", podWith(ONE, { hostname: "x" }), podWith(OTHER, { hostname: "y" }), undefined],
    ["one with an item more", podWith(ONE, { tolerations: [] }), podWith(OTHER, { tolerations: [{}] }), undefined],
    ["a list in place of an object", podWith(ONE, { dnsConfig: {} }), podWith(OTHER, { dnsConfig: [] }), undefined],
    ["an object in place of a list", podWith(ONE, { tolerations: [] }), podWith(OTHER, { tolerations: {} }), undefined],
    [
      "one with fields in another order",
      podWith(ONE, { hostname: "x", subdomain: "y" }),
      podWith(ONE, { subdomain: "y", hostname: "x" }),
      undefined,
    ],
  ])("of %s", (_, before, after, expected) => {
    expect(renamingTo(after, sampleOf(before))).toEqual(expected);
  });
});
