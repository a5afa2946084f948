import { valueRules } from "@outrigger/mesh";
import { describe, expect, it } from "vitest";
import { valueProblem, valuesSchema } from "./values-rules.ts";

describe("valuesSchema()", () => {
  it("is a schema of draft 2020-12 that knows every key of the values, by its rule or by its type", () => {
    const text = (use: string, form: string | undefined, value: unknown) => ({
      type: ["string", "number", "null"],
      pattern: form,
      description: use,
      default: value,
    });
    const { tag, quantity, pullPolicy, network } = valueRules;
    expect(
      valuesSchema({
        global: {
          tag: "a",
          network: "",
          imagePullPolicy: "Never",
          imagePullSecrets: [],
          proxy: { resources: { limits: { cpu: "1" } } },
          sts: { servicePort: 0 },
          own: true,
        },
        list: [1],
        count: 1,
        empty: {},
      }),
    ).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Outrigger values",
      type: ["object", "null"],
      properties: {
        global: {
          type: ["object", "null"],
          properties: {
            tag: text(tag.use, "^\\w[\\w.-]*$", "a"),
            network: text(network.use, network.form, ""),
            imagePullPolicy: { enum: pullPolicy.choices, description: pullPolicy.use, default: "Never" },
            imagePullSecrets: {
              type: ["array", "null"],
              items: { type: ["string", "number", "null"], description: valueRules.secretName.use },
              default: [],
            },
            proxy: {
              type: ["object", "null"],
              properties: {
                resources: {
                  type: ["object", "null"],
                  properties: {
                    limits: {
                      type: ["object", "null"],
                      properties: { cpu: text(quantity.use, "^[-+.0-9A-Za-z]+$", "1") },
                    },
                  },
                },
              },
            },
            sts: {
              type: ["object", "null"],
              properties: { servicePort: text(valueRules.portOrNone.use, "^[^\\p{L}.;:/,+-]+$", 0) },
            },
            own: { type: ["boolean", "null"], default: true },
          },
        },
        list: { type: ["array", "null"] },
        count: { type: ["number", "null"], default: 1 },
        empty: { type: ["object", "null"] },
      },
    });
  });
});

describe("valueProblem()", () => {
  const problem = (path: string, value: Parameters<typeof valueProblem>[1], isOverShipped = true) =>
    valueProblem(path.split("."), value, isOverShipped);

  it("finds what no image can be made of, whatever lies below the tree, and what Istio's chart means only above it", () => {
    for (const path of ["global.hub", "global.tag"]) expect(problem(path, "a b", false)).toContain('cannot be "a b"');
    expect(problem("global.variant", "a b", false)).toBeUndefined();
    expect(problem("global.variant", "a b")).toContain('cannot be "a b"');
    expect(problem("mine", "a b")).toBeUndefined();
  });

  it.each(["InitialDelaySeconds", "PeriodSeconds", "FailureThreshold"])("has a rule for readiness%s", (name) => {
    expect(problem(`global.proxy.readiness${name}`, -1)).toContain("use a whole number from 0 to 4294967295");
    expect(problem(`global.proxy.readiness${name}`, 3)).toBeUndefined();
  });

  it("has a rule for each request and limit", () => {
    for (const list of ["requests", "limits"]) {
      expect(problem(`global.proxy.resources.${list}.storage`, "lots")).toContain("use a quantity");
      expect(problem(`global.proxy.resources.${list}`, {})).toBeUndefined();
    }
  });

  it("names the first item that is wrong", () => {
    expect(problem("global.imagePullSecrets", ["a", "B", "C"])).toContain('has an item that cannot be "B"');
    expect(problem("global.imagePullSecrets", ["a", "b"])).toBeUndefined();
    expect(problem("global.imagePullSecrets", [])).toBeUndefined();
  });
});
