import { describe, expect, it } from "vitest";
import { lintTree } from "../compile-release.ts";

const SAMPLE = "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n";
const INIT = "spec:\n  initContainers:\n  - name: istio-init\n    image: proxyv2\n";

function errorsIn(template: string, more: Readonly<Record<string, string>> = {}) {
  const tree = { config: "defaultTemplates: [x]\n", "templates/x": template, "samples/web": SAMPLE, ...more };
  return lintTree([tree])
    .findings.filter(({ severity }) => severity === "error")
    .map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

describe("the texts of an injected pod", () => {
  it.each<[string, string]>([
    ['"-i", "10.0.0.0/99"', '(-i) cannot be "10.0.0.0/99": use "*" or IP ranges'],
    ['"-x", "*"', '(-x) cannot be "*": use IP ranges'],
    ['"-o", "80;90"', '(-o) cannot be "80;90": use ports'],
    ['"-d", "70000"', '(-d) cannot be "70000": use ports from 0 to 65535'],
    ['"-q", "http"', '(-q) cannot be "http": use ports'],
    ['"-b", "80,x"', '(-b) cannot be "80,x": use "*" or ports'],
    ['"-p", "0"', '(-p) cannot be "0": use a port from 1 to 65535'],
    ['"-m", "redirect"', '(-m) cannot be "redirect": use REDIRECT, TPROXY or NONE'],
    ['"-c", "eth 0"', '(-c) cannot be "eth 0": use names of network interfaces'],
    ['"-u", "istio"', '(-u) cannot be "istio": use numbers of users or groups'],
    ['"-u", "1337 1338"', '(-u) cannot be "1337 1338": use numbers'],
    ['"-g", "-1"', '(-g) cannot be "-1": use numbers'],
    ['"-g4294967295"', '(-g) cannot be "4294967295": use numbers of users or groups from 0 to 4294967294'],
    ['"--proxy-uid=root"', '(--proxy-uid) cannot be "root": use numbers'],
    ['"--proxy-gid", "x"', '(--proxy-gid) cannot be "x": use numbers'],
    ['"-i10.0.0.0"', '(-i) cannot be "10.0.0.0": use'],
    ['"-i=10.0.0.0"', '(-i) cannot be "10.0.0.0": use'],
    ['"--istio-service-cidr=x"', '(--istio-service-cidr) cannot be "x": use'],
    ['"--istio-outbound-ports", "x"', '(--istio-outbound-ports) cannot be "x": use'],
    ['"--log_output_level=default:loud"', '(--log_output_level) cannot be "default:loud": use levels'],
  ])("are wrong in arguments %s of istio-init, at the template's line", (args, words) => {
    expect(errorsIn(`${INIT}    args: [istio-iptables, ${args}]\n`)).toEqual([
      expect.stringMatching(
        /^templates\/x:5: .*the injected pod cannot start: spec\.initContainers\[istio-init\]\.args\[/,
      ),
    ]);
    expect(errorsIn(`${INIT}    args: [istio-iptables, ${args}]\n`)[0]).toContain(words);
  });

  it.each([
    '"-i", "*", "-x", "", "-b", "*", "-d", "15090,15021", "-q", "80", "-p", "15001", "-m", "TPROXY"',
    '"--istio-service-cidr=10.0.0.0/8", "--run-validation", "-u", "1337"',
    '"-u", "0,1337", "-g", "1337,", "--proxy-uid=1000", "--proxy-gid", ""',
    '"-i"',
  ])("may be arguments %s of istio-init", (args) => {
    expect(errorsIn(`${INIT}    args: [istio-iptables, ${args}]\n`)).toEqual([]);
  });

  it("may be any in the arguments of another program", () => {
    expect(errorsIn(`${INIT}    args: [tar, "-x", "-i", "a b", "-o", "c"]\n`)).toEqual([]);
  });

  it("are wrong in the proxy's arguments", () => {
    const proxy = (level: string) =>
      `spec:\n  containers:\n  - name: istio-proxy\n    image: proxyv2\n    args: [proxy, sidecar, "--proxyLogLevel=${level}"]\n`;
    expect(errorsIn(proxy("loud"))).toEqual([
      expect.stringContaining('(--proxyLogLevel) cannot be "loud": use "", trace'),
    ]);
    expect(errorsIn(proxy("warning"))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["traffic.sidecar.istio.io/excludeOutboundPorts", "a", 'cannot be "a": use ports'],
    ["traffic.sidecar.istio.io/includeOutboundIPRanges", "10.0.0.0", 'cannot be "10.0.0.0": use "*" or IP ranges'],
    ["sidecar.istio.io/interceptionMode", "redirect", 'cannot be "redirect": use REDIRECT'],
    ["proxy.istio.io/config", "statusPort: 0", 'statusPort cannot be "0": use a port'],
  ])("are wrong in the annotation %s that a template writes", (key, text, words) => {
    const template = `metadata:\n  annotations:\n    ${key}: ${JSON.stringify(text)}\n`;
    expect(errorsIn(template)).toEqual([
      expect.stringMatching(/^templates\/x:3: .*the injected pod cannot start: metadata\./),
    ]);
    expect(errorsIn(template)[0]).toContain(words);
  });

  it("are wrong in a branch that no sample takes, at its line, and left to the pod where it decides", () => {
    const branch = (range: string) =>
      `${INIT}    args:\n    - istio-iptables\n    {{#if metadata.labels.ship}}\n    - "-i"\n    - ${range}\n    {{/if}}\n`;
    expect(errorsIn(branch("10.0.0.0/99"))).toEqual([
      expect.stringMatching(/^templates\/x:9: .*cannot be "10.0.0.0\/99"/),
    ]);
    expect(errorsIn(branch('{{lookup metadata.annotations "acme.io/ranges"}}'))).toEqual([]);
  });

  it.each(["{{values.acme.ranges}}", '"{{values.acme.ranges}}"', "'{{values.acme.ranges}}'"])(
    "name the value's line where a template writes %s, a value of the company's own",
    (written) => {
      const values = { "values/10": "acme:\n  ranges: 10.0.0.0\n" };
      const errors = errorsIn(`${INIT}    args: [istio-iptables, "-i", ${written}]\n`, values);
      expect(errors).toEqual([expect.stringMatching(/^values\/10:2: .*values\.acme\.ranges.*cannot be "10.0.0.0"/)]);
    },
  );

  it.each([
    "registry.example/Team/agent:1",
    "registry.example/agent:a b",
    "registry.example/agent@sha256:12",
    "https://a/b",
  ])("are wrong as the image %s", (image) => {
    expect(errorsIn(`spec:\n  containers:\n  - name: agent\n    image: "${image}"\n`)).toEqual([
      expect.stringMatching(/^templates\/x:4: .*the injected pod cannot start: .*must be the name of an image/),
    ]);
  });
});
