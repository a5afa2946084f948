import { describe, expect, it } from "vitest";
import { quoteText } from "./quote-text.ts";

describe("quoteText()", () => {
  it.each([
    ["labels.a", { metadata: { labels: { a: true } } }, { metadata: { labels: { a: "true" } } }],
    ["annotations.a", { metadata: { annotations: { a: 8080 } } }, { metadata: { annotations: { a: "8080" } } }],
    ["creationTimestamp", { metadata: { creationTimestamp: 2020 } }, { metadata: { creationTimestamp: "2020" } }],
  ])("quotes metadata.%s", (field, pod, expected) => {
    expect(quoteText(pod)).toEqual({ pod: expected, fields: [`metadata.${field}`] });
  });

  it("quotes what is deep in lists, and names each place", () => {
    const container = (value: string | boolean, arg: string | number) => ({
      spec: { containers: [{ name: "a", args: ["-p", arg], env: [{ name: "A", value }] }] },
    });
    expect(quoteText(container(false, 1))).toEqual({
      pod: container("false", "1"),
      fields: ["spec.containers[0].args[1]", "spec.containers[0].env[0].value"],
    });
  });

  it("leaves numbers, quantities, ports, booleans, nulls and unknown fields as they are written", () => {
    const pod = {
      metadata: { labels: null, generation: 1, unknown: { a: 1 } },
      spec: {
        hostNetwork: true,
        priority: 5,
        overhead: { cpu: 2 },
        containers: [{ name: "a", ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { port: 8080 } } }],
      },
    };
    expect(quoteText(pod)).toEqual({ pod, fields: [] });
  });

  it("leaves what has another shape than its type to those who say so", () => {
    const pod = { metadata: 1, spec: { containers: { a: 1 } } };
    expect(quoteText(pod)).toEqual({ pod, fields: [] });
  });
});
