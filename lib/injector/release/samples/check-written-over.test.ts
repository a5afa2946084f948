import { describe, expect, it } from "vitest";
import { lintTree } from "../compile-release.ts";

const warningsOf = (template: string) =>
  lintTree([{ "templates/x": template }])
    .findings.filter(({ message }) => /whose author wrote|Every pod comes with/.test(message))
    .map(({ path, line, message }) => `${path}:${line} ${message}`);

const said = (line: number, field: string, condition: string) => [
  `templates/x:${line} A pod whose author wrote ${field} gets this value instead, and guardrails from baseline up refuse to inject it: write it behind ${condition}`,
];

describe("writtenOverAuthor()", () => {
  it.each([
    [
      "spec.terminationGracePeriodSeconds",
      "spec:\n  terminationGracePeriodSeconds: 60\n",
      "{{#if (eq spec.terminationGracePeriodSeconds 30)}}",
    ],
    ["spec.dnsPolicy", "spec:\n  dnsPolicy: Default\n", '{{#if (eq spec.dnsPolicy "ClusterFirst")}}'],
    [
      "spec.dnsConfig.options",
      'spec:\n  dnsConfig:\n    options:\n    - name: ndots\n      value: "2"\n',
      "{{#unless spec.dnsConfig}}",
    ],
    ["spec.runtimeClassName", "spec:\n  runtimeClassName: fast\n", "{{#unless spec.runtimeClassName}}"],
  ])("names the line that writes over %s, and a condition that leaves it", (field, template, condition) => {
    const line = field.includes("options") ? 3 : 2;
    expect(warningsOf(template)).toEqual(said(line, field, condition));
    const [head = "", ...rest] = template.split("\n");
    const end = condition.startsWith("{{#if") ? "{{/if}}" : "{{/unless}}";
    expect(warningsOf([head, condition, ...rest.slice(0, -1), end, ""].join("\n"))).toEqual([]);
  });

  it("names a line behind a label too", () => {
    const template =
      'spec:\n{{#if (eq (lookup metadata.labels "a") "b")}}\n  terminationGracePeriodSeconds: 60\n{{/if}}\n';
    expect(warningsOf(template)).toEqual(
      said(3, "spec.terminationGracePeriodSeconds", "{{#if (eq spec.terminationGracePeriodSeconds 30)}}"),
    );
  });

  it("asks to leave a list that every pod has: no condition would", () => {
    expect(warningsOf("spec:\n  tolerations:\n  - operator: Exists\n")).toEqual([
      "templates/x:2 Every pod comes with spec.tolerations: this value takes their place, and guardrails from baseline up refuse to inject it; leave the field to the pod",
    ]);
  });

  it("names the field itself where every pod has what holds it", () => {
    expect(warningsOf("spec:\n  securityContext:\n    runAsUser: 7\n")).toEqual(
      said(3, "spec.securityContext.runAsUser", "{{#unless spec.securityContext.runAsUser}}"),
    );
  });

  it("lets the gateway's own sysctl through, and no other value or name", () => {
    const sysctls = (name: string, value: string) =>
      `spec:\n  securityContext:\n    sysctls:\n    - name: ${name}\n      value: "${value}"\n`;
    const named = said(3, "spec.securityContext.sysctls", "{{#unless spec.securityContext.sysctls}}");
    expect(warningsOf(sysctls("net.ipv4.ip_unprivileged_port_start", "0"))).toEqual([]);
    expect(warningsOf(sysctls("net.ipv4.ip_unprivileged_port_start", "1"))).toEqual(named);
    expect(warningsOf(sysctls("net.ipv4.tcp_syncookies", "0"))).toEqual(named);
  });

  it("says nothing of containers, volumes and what is added to lists that are merged", () => {
    const template =
      "spec:\n  containers:\n  - name: own\n    image: own:1\n  volumes:\n  - name: own\n    emptyDir: {}\n  imagePullSecrets:\n  - name: own\n";
    expect(warningsOf(template)).toEqual([]);
  });
});
