import { OutriggerError } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryCodePoint } from "../../test/support/arbitrary-code-point.ts";
import { applyProxyConfig, defaultProxyConfig, mergeProxyConfig, proxyConfigDifferences } from "./proxy-config.ts";
import { validateProxyConfig } from "./validate-proxy-config.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);
const hostile = fc.oneof(
  fc.string({ unit: arbitraryCodePoint }),
  fc.constantFrom(
    "a: b",
    "\n- x",
    "{{x}}",
    "__proto__",
    "\u2028",
    "\ufffe",
    "\u0085",
    "yes",
    "1e3",
    "&a *a",
    "}",
    "# x",
    "~",
  ),
);
const key = fc.oneof(fc.constantFrom("A", "B", "__proto__", "constructor", "toString"), hostile);
const metadata = fc.array(fc.tuple(key, hostile), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
const config = fc.record(
  {
    concurrency: fc.nat(8),
    proxyMetadata: metadata,
    extraStatTags: fc.array(hostile, { maxLength: 3 }),
    holdApplicationUntilProxyStarts: fc.boolean(),
    meshId: hostile,
    statNameLength: fc.integer({ min: -5, max: 300 }),
    image: fc.record({ imageType: hostile }, { requiredKeys: [] }),
    interceptionMode: fc.constantFrom("REDIRECT", "TPROXY", "NONE", 1),
  },
  { requiredKeys: [] },
);

/** JSON that is YAML too: characters that YAML does not allow, or takes for line breaks, are escaped. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

describe("applyProxyConfig()", () => {
  it("rejects a character that YAML does not allow, as go-yaml does", () => {
    expect(() => applyProxyConfig(defaultProxyConfig, '{"meshId":"\ufffe"}')).toThrow(OutriggerError);
  });

  it("keeps hostile text as the value of its own entry, and nothing else, when it is written as JSON", () => {
    fc.assert(
      fc.property(metadata, (proxyMetadata) => {
        const applied = applyProxyConfig(defaultProxyConfig, jsonOf({ proxyMetadata }));
        const { proxyMetadata: kept, ...others } = applied;
        const { proxyMetadata: _, ...usual } = defaultProxyConfig;
        expect(new Map(Object.entries(kept))).toEqual(new Map(Object.entries(proxyMetadata)));
        expect(others).toEqual(usual);
      }),
      { numRuns },
    );
  });

  it("gives back the same differences when they are applied to the defaults", () => {
    fc.assert(
      fc.property(config, (settings) => {
        const differences = proxyConfigDifferences(applyProxyConfig(defaultProxyConfig, jsonOf(settings)));
        const again = applyProxyConfig(defaultProxyConfig, jsonOf(differences));
        expect(JSON.stringify(proxyConfigDifferences(again))).toBe(JSON.stringify(differences));
      }),
      { numRuns },
    );
  });

  it("leaves its base as it was when that is frozen", () => {
    const base = deepFreeze(structuredClone(defaultProxyConfig));
    fc.assert(
      fc.property(config, config, (first, second) => {
        const once = deepFreeze(applyProxyConfig(base, jsonOf(first)));
        expect(() => applyProxyConfig(once, jsonOf(second))).not.toThrow();
        expect(() => mergeProxyConfig(once, deepFreeze({ ...second }))).not.toThrow();
      }),
      { numRuns },
    );
  });

  it("throws nothing but its own error when the text is arbitrary", () => {
    const text = fc.oneof(
      hostile,
      fc.json(),
      fc.tuple(fc.constantFrom("concurrency", "tracing", "image"), hostile).map((pair) => pair.join(": ")),
    );
    fc.assert(
      fc.property(text, (each) => {
        const problem = validateProxyConfig(each);
        try {
          applyProxyConfig(defaultProxyConfig, each);
        } catch (error) {
          expect(error).toBeInstanceOf(OutriggerError);
          expect(problem).toBe((error as Error).message);
        }
      }),
      { numRuns },
    );
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
