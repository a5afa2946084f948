// The bounds of the rules. What each takes and refuses at every door: cli/test/value-rules.prop.test.ts.
import { describe, expect, it } from "vitest";
import { describeWrong, printable, ruleProblem, type ValueRule, valueForms, valueRules } from "./value-rules.ts";

const MOST = 4294967295;

describe("a rule", () => {
  it.each<[ValueRule, readonly string[], readonly string[]]>([
    ["port", ["1", "65535"], ["0", "65536"]],
    ["portOrNone", ["0", "65535", " 80 "], ["65536", ""]],
    ["ports", ["", " ", "0,65535", "80, 443"], ["65536", "80,", "80 90"]],
    ["seconds", ["0", `${MOST}`], [`${MOST + 1}`, " 1"]],
    ["owners", ["", "0", `${MOST - 1}`, "1337,,0"], [`${MOST}`, "istio", "1 2", "1337,x"]],
    ["ranges", ["", "10.0.0.0/8,::/0"], ["10.0.0.0/8,x"]],
    ["interfaces", ["", "a".repeat(15), "eth0, eth1"], ["a".repeat(16), "eth0,", "0eth"]],
    ["imageType", ["", "a".repeat(100)], ["a".repeat(101)]],
    ["image", ["", "proxyv2", "localhost/a", "localhost/a:1"], ["proxyv2:1", "Proxyv2", "localhost/"]],
    ["wholeSeconds", ["1s"], ["0s", "1500ms"]],
    ["duration", ["1ms"], ["0ms", "1500us"]],
    ["delay", ["0s", "1ns"], ["-1ns"]],
    ["level", ["", "trace", "debug", "info", "warning", "warn", "error", "critical", "off"], ["none", "fatal"]],
    ["agentLevels", ["debug", "a:info", "warn,b:error", "fatal", "none"], ["", "off", "debug,", ":debug"]],
    ["componentLevels", ["", "a:off,b.c:trace"], ["a:off,", "off", "a:none"]],
    ["pullPolicy", ["", "Always", "IfNotPresent", "Never"], ["always"]],
    ["interceptionMode", ["REDIRECT", "TPROXY", "NONE"], [""]],
    ["collector", ["a:1", "$(HOST_IP):1"], ["$(HOST_IP)", "a"]],
    ["secretName", ["a.b-c", "0"], ["", "A", "a_b", "-a"]],
    ["clusterName", ["", "a/b:c"], ["a b", "a\u0000"]],
  ])("%s takes its bounds and nothing beyond", (name, right, wrong) => {
    const isRight = (text: string) => ruleProblem(valueRules[name], text) === undefined;
    expect([...right, ...wrong].filter(isRight)).toEqual(right);
  });

  it.each<[ValueRule, string]>([
    [
      "agentLevels",
      "levels of the agent's scopes joined by commas, like default:info, each of debug, info, warn, error, fatal, none",
    ],
    ["owners", `numbers of users or groups from 0 to ${MOST - 1} joined by commas, like 1337`],
    ["level", '"", trace, debug, info, warning, warn, error, critical or off'],
    ["allOrPorts", '"*" or ports from 0 to 65535 joined by commas, like 80,443'],
  ])("%s says what to use", (name, use) => {
    expect(ruleProblem(valueRules[name], "?")).toBe(`cannot be "?": use ${use}`);
  });

  it("has a form for editors where it has no choices, unless it has a boundary that no expression has", () => {
    const without = Object.keys(valueRules).filter((name) => {
      const { choices, form }: (typeof valueRules)[ValueRule] = valueRules[name as ValueRule];
      return choices === undefined && form === undefined && valueForms[name as ValueRule] === undefined;
    });
    expect(without).toEqual([
      ...["address", "boolean", "collector", "delay", "interfaces", "port", "wholeSeconds"],
      ...["duration", "owners", "secretName"],
    ]);
  });
});

describe("a form for editors", () => {
  it.each<[ValueRule, string, string]>([
    ["ports", "80, 443", "80;http"],
    ["allOrPorts", "*", "http"],
    ["portOrNone", " 80 ", "http"],
    ["ranges", "10.0.0.0/8,::/0", "istio"],
    ["allOrRanges", "*", "istio"],
    ["seconds", "10", "10s"],
    ["quantity", "100m", "1 Gi"],
    ["tag", "1.28.0", ""],
    ["hub", "registry.example:5000/istio", ""],
    ["image", "", "a b"],
    ["domain", "cluster.local", ""],
    ["domainOrNone", "", "a b"],
    ["addressOrNone", "", "zipkin"],
  ])("of %s matches what is right and not the commonest mistake", (name, right, wrong) => {
    const form = new RegExp(valueForms[name] ?? "no form", "u");
    expect([form.test(right), form.test(wrong)]).toEqual([true, false]);
    expect([right, wrong].map((text) => ruleProblem(valueRules[name], text) === undefined)).toEqual([true, false]);
  });
});

describe("printable()", () => {
  it("shortens a text of more characters than it may have, and no other", () => {
    expect(printable("abc", 3)).toBe("abc");
    expect(printable("abcd", 3)).toBe("abc…");
    expect(describeWrong("a".repeat(60), "b")).toBe(`cannot be "${"a".repeat(60)}": b`);
    expect(describeWrong("a".repeat(61), "b")).toBe(`cannot be "${"a".repeat(60)}…": b`);
  });

  it("has a space for each white space, and a sign for every other character that is not seen", () => {
    expect(printable("a\nb\u2003c\u0000d\u200be", 20)).toBe("a b c\ufffdd\ufffde");
  });
});
