import { describe, expect, it } from "vitest";
import { describeSkew, type Skew } from "./describe-skew.ts";

describe("describeSkew()", () => {
  it.each<[string, string, Skew["kind"], string]>([
    ["1.31", "1.31.0", "none", "are of Istio 1.31"],
    ["1.30", "v1.30.3", "none", "are of Istio 1.30"],
    ["1.30", "1.30-alpha.abc", "none", "are of Istio 1.30"],
    ["1.30", "1.31.0-distroless", "supported", "move the channel to 1.31"],
    ["1.31", "1.30.3", "proxies-ahead", 'or set istio: "1.30" in config.yaml'],
    ["1.28", "1.31.0", "proxies-behind", "are 3 releases behind istiod 1.31"],
    ["development", "1.31.0", "proxies-ahead", 'set istio: "1.31" in config.yaml'],
    ["1.30", "latest", "unknown", 'istiod\'s version "latest" names no release'],
    ["1.30", "", "unknown", "names no release"],
    ["1.30", "11.30.1", "unknown", "names no release"],
    ["1.31.2-distroless", "1.32.0", "supported", "Proxies of Istio 1.31 are one release behind istiod 1.32"],
    ["latest", "1.31.0", "unknown", 'version "latest" names no release'],
  ])("says of proxies %s and istiod %s: %s", (release, version, kind, text) => {
    const skew = describeSkew(release, version);
    expect(skew.kind).toBe(kind);
    expect(skew.message).toContain(text);
  });
});
