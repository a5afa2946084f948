import { defaultMeshConfig } from "@outrigger/mesh";
import { helpers } from "@outrigger/template";
import { describe, expect, it } from "vitest";
import { injectionHelpers } from "./injection-helpers.ts";

const call = (name: keyof typeof injectionHelpers, ...values: readonly unknown[]) =>
  injectionHelpers[name].run(values, {});

describe("injectionHelpers", () => {
  it("has the general helpers too", () => {
    expect(injectionHelpers).toMatchObject(helpers);
  });

  it("protoToJSON prints what differs from the defaults, the same every time", () => {
    const config = { ...defaultMeshConfig.defaultConfig, concurrency: 7 };
    expect(JSON.parse(String(call("protoToJSON", config)))).toEqual({ concurrency: 7 });
    expect(call("protoToJSON", config)).toBe(call("protoToJSON", config));
    expect(call("protoToJSON", defaultMeshConfig.defaultConfig)).toBe("{}");
    for (const none of [undefined, null, "text", 1, [1]]) expect(call("protoToJSON", none)).toBe("{}");
  });

  it("appContainers names all but the proxy", () => {
    expect(call("appContainers", [{ name: "a" }, { name: "istio-proxy" }, "x", { name: "b" }])).toEqual(["a", "b"]);
    for (const none of [undefined, {}, "text"]) expect(call("appContainers", none)).toEqual([]);
  });

  it("podPorts gives all ports, in order", () => {
    const containers = [{ ports: [{ containerPort: 1 }, { containerPort: 2 }] }, {}, { ports: [{ containerPort: 3 }] }];
    expect(call("podPorts", containers)).toEqual([{ containerPort: 1 }, { containerPort: 2 }, { containerPort: 3 }]);
    expect(call("podPorts", undefined)).toEqual([]);
  });
});
