import { OutriggerError } from "@outrigger/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryCodePoint } from "../../../test/support/arbitrary-code-point.ts";
import { validateAnnotations } from "./validate-annotations.ts";

const numRuns = Number(process.env["OUTRIGGER_PROPERTY_RUNS"] ?? 1000);
const keys = fc.constantFrom(
  "proxy.istio.io/config",
  "sidecar.istio.io/proxyMemory",
  "sidecar.istio.io/interceptionMode",
  "traffic.sidecar.istio.io/includeOutboundIPRanges",
  "traffic.sidecar.istio.io/includeInboundPorts",
  "traffic.sidecar.istio.io/kubevirtInterfaces",
  "prometheus.istio.io/merge-metrics",
  "__proto__",
);
const values = fc.oneof(
  fc.string({ unit: arbitraryCodePoint, maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom("1", "0", ".", "/", ":", ",", " ", "e", "m", "\n", "{", "}", "[", "-", "&", "*", "'"),
  }),
);

describe("validateAnnotations()", () => {
  it("passes or denies with one short printable line when annotations are arbitrary", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, values), { maxLength: 4 }), (entries) => {
        try {
          validateAnnotations(Object.freeze(Object.fromEntries(entries)));
        } catch (error) {
          expect(error).toBeInstanceOf(OutriggerError);
          const { code, message } = error as OutriggerError;
          expect(code).toBe("annotation-invalid");
          expect(message.length).toBeLessThan(500);
          expect(message).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
        }
      }),
      { numRuns },
    );
  });
});
