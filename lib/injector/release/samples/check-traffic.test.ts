import type { Container } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { shippedTree } from "../../../../test/support/shipped-tree.ts";
import { lintTree } from "../compile-release.ts";
import type { SourceTree } from "../source-tree.ts";
import { trafficFaults } from "./check-traffic.ts";

const shipped = await shippedTree();

/** The shipped text with one edit. */
function edited(path: string, from: string, to: string): SourceTree {
  const text = shipped[path] ?? "";
  expect(text).toContain(from);
  return { [path]: text.replace(from, to) };
}

function warned(own: SourceTree): readonly string[] {
  const { findings } = lintTree([shipped, own]);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return findings.map(({ path, line, message }) => `${path}:${line} ${message}`);
}

const TPROXY = { mesh: "defaultConfig: {interceptionMode: TPROXY}\n" };
const CNI = { "values/10": "pilot: {cni: {enabled: true}}\n" };

describe("what must agree for traffic to pass", () => {
  it.each<[string, SourceTree, string]>([
    [
      "another mode",
      edited("partials/init-container", '- "{{mode}}"', '- "TPROXY"'),
      "partials/init-container:17 istio-init redirects traffic with TPROXY, and the proxy expects REDIRECT",
    ],
    [
      "another user",
      edited("partials/init-container", '"{{ternary 1337 proxyUID (eq mode "TPROXY")}}"', '"1000"'),
      "partials/proxy-security-context:40 the proxy runs as user 1337, and istio-init leaves only the traffic of user 1000 alone",
    ],
    [
      "a readiness probe on a port that is redirected",
      edited("partials/proxy-container", "{{> readiness-probe port=15021}}", "{{> readiness-probe port=15022}}"),
      "the proxy is probed on port 15022, which istio-init redirects",
    ],
    [
      "a list of excluded ports without the probe's",
      edited("partials/init-container", '"15090,15021{{#if', '"15090{{#if'),
      "the proxy is probed on port 15021, which istio-init redirects",
    ],
    [
      "a list of included ports with the probe's",
      { "values/10": 'global: {proxy: {includeInboundPorts: "8080,15021"}}\n' },
      "the proxy is probed on port 15021, which istio-init redirects",
    ],
    [
      "istio-init without a capability",
      edited("partials/init-container", "      - NET_RAW\n", ""),
      "istio-init needs NET_RAW to redirect traffic: add it to its capabilities",
    ],
    [
      "a proxy without the capability of TPROXY",
      {
        ...TPROXY,
        ...edited("partials/proxy-security-context", "    {{#if tproxy}}\n    - NET_ADMIN\n    {{/if}}\n", ""),
      },
      "istio-proxy needs NET_ADMIN for TPROXY: add it to its capabilities",
    ],
  ])("warns of %s", (_what, own, warning) => {
    const said = warned(own).filter((message) => !message.includes("is empty for every sample"));
    expect(said).toContainEqual(expect.stringContaining(warning));
    expect(said.every((message) => /^(partials|templates|values)\/[\w-]+:\d+ /.test(message))).toBe(true);
  });

  it.each<[string, SourceTree]>([
    ["the shipped tree", {}],
    ["TPROXY", TPROXY],
    ["no redirection", { mesh: "defaultConfig: {interceptionMode: NONE}\n" }],
    ["a plugin that redirects", CNI],
    ["a plugin that redirects with TPROXY", { ...CNI, ...TPROXY }],
    ["some ports alone", { "values/10": 'global: {proxy: {includeInboundPorts: "8080,9090"}}\n' }],
    ["no port", { "values/10": 'global: {proxy: {includeInboundPorts: ""}}\n' }],
    ["no word about ports", edited("partials/init-container", '  - "-b"\n', "")],
    ["no word about the mode", edited("partials/init-container", '  - "-m"\n', "")],
    ["a proxy that expects no mode", edited("partials/proxy-container", "ISTIO_META_INTERCEPTION_MODE", "MODE")],
    ["a privileged proxy", { "values/10": "global: {proxy: {privileged: true}}\n" }],
    ["OpenShift", { config: "platform: openshift\n" }],
    ["a capability by its other name", edited("partials/init-container", "- NET_RAW\n", "- CAP_NET_RAW\n")],
    ["all capabilities", edited("partials/init-container", "      - NET_ADMIN\n      - NET_RAW\n", "      - ALL\n")],
  ])("accepts %s", (_what, own) => {
    expect(warned(own)).toEqual([]);
  });
});

describe("trafficFaults()", () => {
  const redirect = (...more: readonly string[]): Container => ({
    name: "redirect",
    args: ["istio-iptables", "-m", "TPROXY", "-u", "1000, 1001", "-b", "*", ...more],
    securityContext: { privileged: true },
  });
  const proxy: Container = {
    name: "istio-proxy",
    env: [
      { name: "OTHER", value: "REDIRECT" },
      { name: "ISTIO_META_INTERCEPTION_MODE", value: "REDIRECT" },
    ],
    securityContext: { runAsUser: 1337 },
    livenessProbe: { httpGet: { port: 15021 } },
  };
  const steps = (initContainers: readonly Container[], containers: readonly Container[]) =>
    trafficFaults({ spec: { initContainers, containers } }).map((fault) => fault.steps.join("."));

  it("names the fields that do not agree, in whichever lists the two are", () => {
    expect(steps([{ name: "first" }, redirect()], [{ name: "app" }, proxy])).toEqual([
      "spec.initContainers.1.args.2",
      "spec.containers.1.securityContext.runAsUser",
      "spec.containers.1.livenessProbe.httpGet.port",
      "spec.containers.1.securityContext.capabilities",
    ]);
    expect(steps([proxy], [redirect("-d", "15090, 15021")])).toEqual([
      "spec.containers.0.args.2",
      "spec.initContainers.0.securityContext.runAsUser",
      "spec.initContainers.0.securityContext.capabilities",
    ]);
  });

  it.each<[string, readonly Container[]]>([
    ["without a proxy", [redirect()]],
    ["without a container that redirects", [proxy, { name: "app", args: ["-m", "TPROXY"] }]],
    [
      "whose proxy expects no mode, runs as root and is not probed",
      [
        redirect(),
        {
          name: "istio-proxy",
          env: [{ name: "ISTIO_META_INTERCEPTION_MODE" }],
          securityContext: { runAsUser: 0, privileged: true },
        },
      ],
    ],
  ])("finds nothing in a pod %s", (_what, containers) => {
    expect(steps([], containers)).toEqual([]);
  });
});
