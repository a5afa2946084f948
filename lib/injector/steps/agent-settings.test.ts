import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { agentSettings, withAgentSettings, withoutAgentSettings } from "./agent-settings.ts";

type Env = readonly { readonly name: string; readonly value?: string }[];

const podWith = (env?: Env): Pod => ({
  spec: { containers: [{ name: "app" }, { name: "istio-proxy", ...(env && { env }) }] },
});
const A = { name: "A", value: "1" };

describe("withAgentSettings()", () => {
  it("appends them as JSON", () => {
    const settings = { name: "V", value: '{"a":1}' };
    expect(withAgentSettings(podWith([A]), "V", { a: 1 })).toEqual(podWith([A, settings]));
    expect(withAgentSettings(podWith(), "V", { a: 1 })).toEqual(podWith([settings]));
  });
});

describe("agentSettings()", () => {
  it("reads the last of the name", () => {
    expect(agentSettings(podWith([{ name: "V", value: '{"a":1}' }, { name: "V", value: '{"a":2}' }, A]), "V")).toEqual({
      a: 2,
    });
  });

  it.each<[string, Pod]>([
    ["there is no proxy", {}],
    ["the proxy has no variables", podWith()],
    ["the variable is missing", podWith([A])],
    ["the variable has no value", podWith([{ name: "V" }])],
    ["it is not JSON", podWith([{ name: "V", value: "{" }])],
    ["it is a list", podWith([{ name: "V", value: "[1]" }])],
    ["it is null", podWith([{ name: "V", value: "null" }])],
  ])("is empty where %s", (_what, pod) => {
    expect(agentSettings(pod, "V")).toEqual({});
  });
});

describe("withoutAgentSettings()", () => {
  it("removes every variable of the name", () => {
    expect(withoutAgentSettings(podWith([{ name: "V", value: "1" }, A, { name: "V", value: "2" }]), "V")).toEqual(
      podWith([A]),
    );
  });

  it("leaves no empty list where it was the only variable", () => {
    expect(withoutAgentSettings(podWith([{ name: "V", value: "1" }]), "V")).toEqual(podWith());
  });

  it.each<[string, Pod]>([
    ["there is none", podWith([A])],
    ["the proxy has no variables", podWith()],
    ["there is no proxy", {}],
  ])("returns the pod itself where %s", (_what, pod) => {
    expect(withoutAgentSettings(pod, "V")).toBe(pod);
  });
});
