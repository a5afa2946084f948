import { describe, expect, test } from "vitest";
import { readTable } from "../../../test/reference/read-reference.ts";
import { imageReference, istioHelpers } from "./istio.ts";

function call(name: keyof typeof istioHelpers, ...args: readonly unknown[]): unknown {
  return istioHelpers[name].run(args, {});
}

describe("otelResourceAttributes()", () => {
  const mesh = {
    extensionProviders: [{ name: "x" }, { opentelemetry: { serviceAttributeEnrichment: "OTEL_SEMANTIC_CONVENTIONS" } }],
  };
  const attributes = (annotations: unknown, labels: unknown, namespace: string, containers: unknown) =>
    call("otelResourceAttributes", mesh, annotations, labels, namespace, containers);

  test("gives nothing when no provider asks for it", () => {
    expect(call("otelResourceAttributes", {}, {}, {}, "ns", [])).toBe("");
  });

  test("takes annotations before labels before what the pod says", () => {
    const containers = [{ name: "app", image: "r:5000/app:1@sha256:ab" }];
    expect(attributes({}, {}, "ns", containers)).toBe(
      "service.namespace=ns,service.version=1@sha256:ab,service.instance.id=ns.$(POD_NAME).app",
    );
    expect(attributes({}, { "app.kubernetes.io/version": "2" }, "", containers)).toBe(
      "service.version=2,service.instance.id=.$(POD_NAME).app",
    );
    const annotations = {
      "resource.opentelemetry.io/service.namespace": "a",
      "resource.opentelemetry.io/service.version": "b",
      "resource.opentelemetry.io/service.instance.id": "c",
    };
    expect(attributes(annotations, undefined, "ns", [])).toBe(
      "service.namespace=a,service.version=b,service.instance.id=c",
    );
  });

  test("names no instance when there is no container", () => {
    expect(attributes({}, {}, "ns", [])).toBe("service.namespace=ns");
  });

  test("takes no version from images when there are several containers", () => {
    expect(
      attributes({}, {}, "ns", [
        { name: "a", image: "a:1" },
        { name: "b", image: "b:1" },
      ]),
    ).toBe("service.namespace=ns,service.instance.id=ns.$(POD_NAME).a");
  });
});

/** Every row of a table of measured behaviour. */
function describeTable<T>(name: string, check: (row: T) => void): void {
  test(`gives what the reference gives in every row of ${name}`, () => {
    readTable<T>(name).forEach(check);
  });
}

describe("excludeInboundPort()", () => {
  describeTable<{ port: unknown; excluded: string; result: string }>(
    "exclude-inbound-port",
    ({ port, excluded, result }) => {
      expect(call("excludeInboundPort", port, excluded), JSON.stringify([port, excluded])).toBe(result);
    },
  );
});

describe("appendMultusNetwork()", () => {
  describeTable<{ existing: string; result: string }>("multus-networks", ({ existing, result }) => {
    expect(call("appendMultusNetwork", existing, "default/istio-cni"), existing).toBe(result);
  });

  test("compares names without namespace when the network has none", () => {
    expect(call("appendMultusNetwork", '[{"name":"a"}]', "a")).toBe('[{"name":"a"}]');
    expect(call("appendMultusNetwork", "[null]", "a")).toBe('[null, {"name": "a"}]');
  });
});

describe("imageReference()", () => {
  describeTable<{ image: string; tag: string; digest: string }>("image-references", ({ image, tag, digest }) => {
    expect(imageReference(image), image).toEqual({ tag, digest });
  });
});
