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

describe("ports of containers", () => {
  const containers = [
    { name: "app", ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "TCP" }] },
    { name: "dns", ports: [{ containerPort: 53, protocol: "UDP" }, { containerPort: 54, protocol: "SCTP" }, {}] },
    { name: "none" },
    { name: "istio-proxy", ports: [{ containerPort: 15090 }] },
    null,
  ];

  test("are all of TCP, with the proxy's or without", () => {
    expect(call("includeInboundPorts", containers)).toBe("80,81,0,15090");
    expect(call("applicationPorts", containers)).toBe("80,81,0");
    for (const none of [undefined, null, []]) expect(call("applicationPorts", none)).toBe("");
  });
});

test.each<[unknown, string, unknown, string]>([
  [{ annotations: { a: "x" } }, "a", "y", "x"],
  [{ annotations: { a: "" } }, "a", "y", ""],
  [{ annotations: { a: 5 } }, "a", "y", "5"],
  [{ annotations: { a: null } }, "a", "y", "y"],
  [{ annotations: {} }, "a", 5, "5"],
  [{ annotations: {} }, "a", null, ""],
  [{ annotations: {} }, "constructor", "y", "y"],
  [{}, "a", "y", "y"],
  [null, "a", "y", "y"],
])("annotation() of %j for %s or %j is %j", (metadata, name, otherwise, text) => {
  expect(call("annotation", metadata, name, otherwise)).toBe(text);
});

test.each([
  ["15020", "80, 90 ,", "80,90,15020"],
  [" 15020 ", "", "15020"],
  ["90", "80,90", "80,90"],
  ["", " 80 ,", " 80 ,"],
  ["0", "80", "80"],
  [15020, "15020", "15020"],
])("excludeInboundPort() adds %j to %j: %j", (port, excluded, text) => {
  expect(call("excludeInboundPort", port, excluded)).toBe(text);
});

test.each([
  ["", "a/b", "a/b"],
  ["a", "b", "a, b"],
  ["a, b", "b", "a, b"],
  ["a,b/c", "b/c", "a,b/c"],
  ['[{"name": "a"}]', "b/c", '[{"name": "a"}, {"name": "c", "namespace": "b"}]'],
  ['[{"name": "a"}] ', "c", '[{"name": "a"}, {"name": "c"}] '],
  ['[{"name": "c", "namespace": "b"}]', "b/c", '[{"name": "c", "namespace": "b"}]'],
  ['[{"name": "c", "namespace": "x"}]', "b/c", '[{"name": "c", "namespace": "x"}, {"name": "c", "namespace": "b"}]'],
  ['[{"name": "c"}]', "b/c", '[{"name": "c"}, {"name": "c", "namespace": "b"}]'],
  // What is no list of networks stays.
  ["a]", "b", "a]"],
  ["[1]", "b", "[1]"],
  ['["a"]', "b", '["a"]'],
])("appendMultusNetwork() to %j adds %j: %j", (existing, network, text) => {
  expect(call("appendMultusNetwork", existing, network)).toBe(text);
});

test.each([
  ["a", "", ""],
  ["a:1", "1", ""],
  ["r:5000/a", "", ""],
  ["r:5000/a:1", "1", ""],
  ["a@sha256:0", "", "sha256:0"],
  ["r:5000/a:1@sha256:0", "1", "sha256:0"],
  ["", "", ""],
])("imageReference() of %j has the tag %j and the digest %j", (image, tag, digest) => {
  expect(imageReference(image)).toEqual({ tag, digest });
});

test.each([
  ["a:1", "service.version=1,"],
  ["a@sha256:0", "service.version=sha256:0,"],
  ["a:1@sha256:0", "service.version=1@sha256:0,"],
  ["a", ""],
])("otelResourceAttributes() takes the version of the image %s of the only container", (image, version) => {
  const mesh = { extensionProviders: [{ opentelemetry: { serviceAttributeEnrichment: "OTEL_SEMANTIC_CONVENTIONS" } }] };
  expect(call("otelResourceAttributes", mesh, null, null, "ns", [{ name: "c", image }])).toBe(
    `service.namespace=ns,${version}service.instance.id=ns.$(POD_NAME).c`,
  );
  const other = { extensionProviders: [{ opentelemetry: { serviceAttributeEnrichment: "OTHER" } }] };
  expect(call("otelResourceAttributes", other, null, null, "ns", [{ name: "c", image }])).toBe("");
});
