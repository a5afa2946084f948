import { describe, expect, it } from "vitest";
import { validateAnnotations } from "../decide/validate-annotations.ts";
import { proxyImage } from "../render/proxy-image.ts";

describe("the rules of an Istio release", () => {
  it.each([
    "traffic.sidecar.istio.io/excludeInterfaces",
    "traffic.sidecar.istio.io/kubevirtInterfaces",
    "istio.io/reroute-virtual-interfaces",
  ])("validates %s since 1.30", (name) => {
    const validate = (release: "1.29" | "1.30") => () => validateAnnotations({ [name]: "no name" }, { istio: release });
    expect(validate("1.29")).not.toThrow();
    expect(validate("1.30")).toThrow(/names of network interfaces/);
  });

  it("keeps the variant where a ProxyConfig has an image without a type, since 1.31", () => {
    const values = { global: { hub: "h", tag: "1.30.3", variant: "distroless" } };
    const image = (release: "1.30" | "1.31") => proxyImage(values, {}, {}, release);
    expect(image("1.30")).toBe("h/proxyv2:1.30.3");
    expect(image("1.31")).toBe("h/proxyv2:1.30.3-distroless");
    expect(proxyImage(values, undefined, {}, "1.30")).toBe("h/proxyv2:1.30.3-distroless");
  });
});
