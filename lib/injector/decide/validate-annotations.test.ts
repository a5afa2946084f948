import { describe, expect, it } from "vitest";
import { readTable } from "../../../test/reference/read-reference.ts";
import { validateAnnotations } from "./validate-annotations.ts";

function problemOf(name: string, value: string): string | undefined {
  try {
    validateAnnotations({ [name]: value });
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: "annotation-invalid", path: `metadata.annotations["${name}"]` });
    return (error as Error).message;
  }
}

describe("validateAnnotations()", () => {
  it("lets everything pass when no annotation has a rule", () => {
    expect(() => validateAnnotations({})).not.toThrow();
    expect(() =>
      validateAnnotations({ a: "\n", "sidecar.istio.io/bootstrapOverride": "b c", ["__proto__"]: "x" }),
    ).not.toThrow();
  });

  it.each([
    ["sidecar.istio.io/interceptionMode", "redirect", "use REDIRECT, TPROXY or NONE"],
    ["status.sidecar.istio.io/port", "65536", "use a port from 0 to 65535"],
    ["readiness.status.sidecar.istio.io/periodSeconds", "-1", "use a whole number from 0 to 4294967295"],
    ["traffic.sidecar.istio.io/includeOutboundIPRanges", "10.0.0.0", 'use "*" or IP ranges'],
    ["traffic.sidecar.istio.io/excludeOutboundIPRanges", "*", "use IP ranges joined by commas"],
    ["traffic.sidecar.istio.io/includeInboundPorts", "80,,443", 'use "*" or ports from 0 to 65535 joined by commas'],
    ["traffic.sidecar.istio.io/excludeOutboundPorts", "80,70000", "use ports from 0 to 65535 joined by commas"],
    ["traffic.sidecar.istio.io/excludeOutboundPorts", "*", "use ports from 0 to 65535 joined by commas"],
    ["traffic.sidecar.istio.io/includeOutboundPorts", "a", "use ports from 0 to 65535 joined by commas"],
    ["traffic.sidecar.istio.io/excludeInterfaces", "eth 0", "use names of network interfaces"],
    ["prometheus.istio.io/merge-metrics", "yes", "use true or false"],
    ["proxy.istio.io/config", "concurrency: two", "concurrency must be a whole number"],
    ["sidecar.istio.io/proxyCPU", "1KB", "use a quantity"],
    ["sidecar.istio.io/proxyImage", "b c", "use the name of an image"],
    ["sidecar.istio.io/proxyImage", "https://registry.example/a:1", "use the name of an image"],
    ["sidecar.istio.io/proxyImageType", "a b", "use a variant of the image"],
    ["sidecar.istio.io/logLevel", "loud", 'use "", trace, debug, info, warning, warn, error, critical or off'],
    ["sidecar.istio.io/componentLogLevel", "misc", "use levels of Envoy's components"],
    ["sidecar.istio.io/agentLogLevel", "default:loud", "use levels of the agent's scopes"],
  ])("names annotation, value and what is allowed when %s is %s", (name, value, allowed) => {
    const message = problemOf(name, value);
    expect(message).toContain(`Annotation ${name} cannot be "${value}": ${allowed}`);
  });

  it("leaves to the proxy what Istio leaves to it, with compatibility: reference", () => {
    for (const key of [
      ...["logLevel", "agentLogLevel", "componentLogLevel", "proxyImage", "proxyImageType"].map(
        (name) => `sidecar.istio.io/${name}`,
      ),
      "traffic.sidecar.istio.io/includeOutboundPorts",
    ]) {
      const annotations = { [key]: "a b" };
      expect(() => validateAnnotations(annotations)).toThrow();
      expect(() => validateAnnotations(annotations, { compatibility: "reference" })).not.toThrow();
    }
  });

  it("refuses control characters when a quantity would continue behind them", () => {
    expect(problemOf("sidecar.istio.io/proxyCPU", "1Gi\ninjected: true")).toContain('"1Gi injected: true"');
  });

  it("shows a short, printable part when a value is long or strange", () => {
    const message = problemOf("sidecar.istio.io/interceptionMode", `a\u0000\u202e\ud800${"x".repeat(100_000)}`) ?? "";
    expect(message).toMatch(/^Annotation \S+ cannot be "a\ufffd\ufffd\ufffdx{56}…": use /);
    const config = problemOf("proxy.istio.io/config", `proxyMetadata: {"${"k\\n".repeat(50_000)}": 1}`) ?? "";
    expect(config.length).toBeLessThan(450);
    expect(config).not.toMatch(/\p{Cc}/u);
  });

  it("decides at once when a list is a hundred thousand spaces", () => {
    const spaces = " ".repeat(100_000);
    expect(problemOf("traffic.sidecar.istio.io/excludeInboundPorts", `1${spaces}x`)).toBeDefined();
    expect(problemOf("traffic.sidecar.istio.io/excludeInterfaces", `${spaces}e${spaces}e`)).toBeDefined();
    expect(problemOf("status.sidecar.istio.io/port", `${spaces}1${spaces}`)).toBeUndefined();
  });

  it("reads no more than an API server accepts, whatever the annotations are called", () => {
    const check = (length: number) => () =>
      validateAnnotations({ a: "x".repeat(200_000), "proxy.istio.io/config": `# ${"x".repeat(length)}` });
    expect(check(62_144 - 24)).not.toThrow();
    expect(check(62_144 - 23)).toThrow(
      expect.objectContaining({
        code: "annotation-invalid",
        path: "metadata.annotations",
        message: expect.stringContaining("at most 262144 bytes"),
      }),
    );
  });

  it("counts the same characters as spaces as Go does when they surround a port", () => {
    expect(problemOf("status.sidecar.istio.io/port", "\u0085\u00a0\u30001\t")).toBeUndefined();
    expect(problemOf("status.sidecar.istio.io/port", "\ufeff1")).toBeDefined();
  });

  it("agrees with every measured row", () => {
    for (const { annotation, value, valid } of readTable<AnnotationRow>("annotations")) {
      expect({ annotation, value, valid: problemOf(annotation, value) === undefined }).toEqual({
        annotation,
        value,
        valid,
      });
    }
  });

  it("agrees with every measured ProxyConfig", () => {
    for (const { config, valid } of readTable<{ readonly config: string; readonly valid: boolean }>("proxy-config")) {
      expect({ config, valid: problemOf("proxy.istio.io/config", config) === undefined }).toEqual({ config, valid });
    }
  });
});

interface AnnotationRow {
  readonly annotation: string;
  readonly value: string;
  readonly valid: boolean;
}
