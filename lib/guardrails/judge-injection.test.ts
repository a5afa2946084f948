import type { JsonObject } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { isAdmitted, judgeInjection, refused } from "./judge-injection.ts";
import type { GuardrailKind } from "./kinds.ts";
import { parseGuardrails } from "./parse-guardrails.ts";
import type { Power } from "./power.ts";

const app = { name: "app", image: "registry.example/app:1" };

/** What guardrails refuse of an injection of a container, and of volumes, into a pod with annotations. */
function refusedOf(
  setting: string,
  annotations: Readonly<Record<string, string>>,
  container: JsonObject,
  volumes: readonly JsonObject[] = [],
) {
  const metadata = { annotations };
  return judgeInjection(
    parseGuardrails(setting),
    { metadata, spec: { containers: [app] } },
    { metadata, spec: { containers: [app, container], volumes } },
  ).map(({ kind, value }) => `${kind} ${value}`.trim());
}

describe("what an author asks for in annotations", () => {
  const proxy = (more: JsonObject): JsonObject => ({ name: "istio-proxy", image: "mine.example/proxy:1", ...more });
  const LIMITED = "baseline,image:docker.io/*,configMap:istio-*";

  it.each([
    [{}, ["image mine.example/proxy:1"]],
    [{ "sidecar.istio.io/proxyImage": "mine.example/proxy:1" }, []],
    [{ "sidecar.istio.io/proxyImage": "mine.example/proxy:2" }, ["image mine.example/proxy:1"]],
    [{ "sidecar.istio.io/bootstrapOverride": "mine.example/proxy:1" }, ["image mine.example/proxy:1"]],
  ])("an image, by %j", (annotations, expected) => {
    expect(refusedOf(LIMITED, annotations, proxy({}))).toEqual(expected);
    expect(refusedOf(`${LIMITED},boundedAnnotations`, annotations, proxy({}))).toEqual(["image mine.example/proxy:1"]);
  });

  it("an image without a digest where digests are demanded", () => {
    const annotations = { "sidecar.istio.io/proxyImage": "mine.example/proxy:1" };
    expect(refusedOf("baseline,imageDigest", annotations, proxy({}))).toEqual([]);
    expect(refusedOf("baseline,imageDigest", {}, proxy({}))).toEqual(["imageWithoutDigest mine.example/proxy:1"]);
  });

  it.each([
    [{ "sidecar.istio.io/userVolume": '{"own": {"hostPath": {"path": "/run"}}}' }, []],
    [{ "sidecar.istio.io/userVolume": '[{"name": "own"}]' }, []],
    [{ "sidecar.istio.io/userVolumeMount": '{"own": {"mountPath": "/own"}}' }, []],
    [{ "sidecar.istio.io/userVolume": '{"other": {}}' }, ["hostPath /run"]],
    [{ "sidecar.istio.io/userVolume": '[{"other": "own"}]' }, ["hostPath /run"]],
    [{ "sidecar.istio.io/userVolume": "own" }, ["hostPath /run"]],
    [{ "sidecar.istio.io/other": '{"own": {}}' }, ["hostPath /run"]],
  ])("a volume, by %j", (annotations, expected) => {
    const volumes = [{ name: "own", hostPath: { path: "/run" } }];
    expect(refusedOf("baseline", annotations, { name: "agent", image: "a" }, volumes)).toEqual(expected);
  });

  it.each([
    [{ "proxy.istio.io/config": "proxyMetadata: {SOME_VARIABLE: 'a'}" }, []],
    [{ "apm.datadoghq.com/env": "{SOME_VARIABLE: a}" }, []],
    [
      { "proxy.istio.io/config": "proxyMetadata: {SOME_OTHER: 'a'}" },
      ["field spec.containers[istio-proxy].env[SOME_VARIABLE]"],
    ],
    [
      { "proxy.istio.io/config": "proxyMetadata: {MY_SOME_VARIABLE_A: 'a'}" },
      ["field spec.containers[istio-proxy].env[SOME_VARIABLE]"],
    ],
    [{}, ["field spec.containers[istio-proxy].env[SOME_VARIABLE]"]],
  ])("a variable of the proxy, by %j", (annotations, expected) => {
    expect(refusedOf("baseline", annotations, proxy({ env: [{ name: "SOME_VARIABLE", value: "a" }] }))).toEqual(
      expected,
    );
  });

  it("a bootstrap: its ConfigMap, its volume and its variable", () => {
    const volumes = [{ name: "custom-bootstrap-volume", configMap: { name: "mine" } }];
    const own = proxy({
      image: "docker.io/a",
      env: [{ name: "ISTIO_BOOTSTRAP_OVERRIDE", value: "/etc/istio/custom/x" }],
      volumeMounts: [{ name: "custom-bootstrap-volume", mountPath: "/etc/istio/custom" }],
    });
    expect(refusedOf(LIMITED, { "sidecar.istio.io/bootstrapOverride": "mine" }, own, volumes)).toEqual([]);
    expect(refusedOf(LIMITED, { "sidecar.istio.io/bootstrapOverride": "other" }, own, volumes)).toEqual([
      "configMap mine",
    ]);
    expect(refusedOf(LIMITED, {}, own, volumes)).toEqual([
      "field spec.containers[istio-proxy].env[ISTIO_BOOTSTRAP_OVERRIDE]",
      "field spec.containers[istio-proxy].volumeMounts[/etc/istio/custom]",
      "configMap mine",
    ]);
  });
});

describe("judgeInjection()", () => {
  it("refuses nothing where guardrails are off", () => {
    const own = { name: "own", image: "a b", securityContext: { privileged: true } };
    expect(refusedOf("", {}, own)).toEqual([]);
    expect(refusedOf("baseline", {}, own)).toEqual(["privileged"]);
  });

  it("says what is not kept from at restricted alone", () => {
    const own = { name: "own", image: "a" };
    expect(refusedOf("baseline", {}, own)).toEqual([]);
    expect(refusedOf("restricted", {}, own)).toEqual([
      "escalation capabilities that are not dropped",
      "escalation allowPrivilegeEscalation",
      "root a user that may be root",
    ]);
  });

  it("says what exceeds a bound, after the rest, also where nothing else is refused", () => {
    const resources = { limits: { cpu: "3" } };
    expect(refusedOf("baseline,cpu:2", {}, { name: "own", image: "a", resources })).toEqual([
      "cpu more than 2 cpu in all",
    ]);
    expect(refusedOf("baseline,cpu:2,image:b", {}, { name: "own", image: "a", resources })).toEqual([
      "image a",
      "cpu more than 2 cpu in all",
    ]);
    expect(refusedOf("baseline,cpu:2", {}, { name: "own", resources })).toEqual(["cpu more than 2 cpu in all"]);
  });
});

describe("refused()", () => {
  const DIGEST = `@sha256:${"0".repeat(64)}`;

  it.each([
    ["baseline", "a b", []],
    ["baseline,image:*", "a b", ["imageReference"]],
    ["baseline,imageDigest", "a b", ["imageReference"]],
    ["baseline,image:a", "a", []],
    ["baseline,image:a", "b", ["image"]],
    ["baseline,imageDigest", "a:1", ["imageWithoutDigest"]],
    ["baseline,imageDigest", `a${DIGEST}`, []],
    ["baseline,imageDigest", `a${DIGEST.slice(0, -1)}`, ["imageWithoutDigest"]],
    ["baseline,image:b,imageDigest", "a:1", ["image", "imageWithoutDigest"]],
    ["baseline,image:b,imageDigest", `a${DIGEST}`, ["image"]],
  ])("at %s says of the image %j %j", (setting, value, kinds) => {
    const power: Power = { kind: "image", value, at: ["spec"], container: "own" };
    const found = refused(parseGuardrails(setting), power);
    expect(found).toEqual(kinds.map((kind) => ({ ...power, kind })));
  });
});

describe("isAdmitted()", () => {
  const [agent, web] = [
    { container: "agent", image: "a" },
    { container: "web", image: "b" },
  ];

  it.each<[string, GuardrailKind, string, readonly (typeof agent)[], boolean]>([
    ["baseline", "hostPath", "/run", [agent], false],
    ["privileged", "hostPath", "/run", [agent], true],
    ["baseline,hostPath:/run", "hostPath", "/run", [agent], true],
    ["baseline,hostPath:/var", "hostPath", "/run", [agent], false],
    ["baseline,hostPath:/var,hostPath:/r*", "hostPath", "/run", [], true],
    ["baseline,container:agent hostPath:/run", "hostPath", "/run", [agent], true],
    ["baseline,container:agent hostPath:/run", "hostPath", "/run", [agent, web], false],
    ["baseline,container:agent hostPath:/run", "hostPath", "/run", [], false],
    ["baseline,container:agent hostPath:/var", "hostPath", "/run", [agent], false],
    ["baseline,container:agent hostPort:/run", "hostPath", "/run", [agent], false],
    ["baseline,container:* hostPath:/run", "hostPath", "/run", [agent, web], true],
    ["baseline", "secret", "db", [agent], true],
    ["baseline,secret:mesh-*", "secret", "db", [agent], false],
    ["baseline,secret:none", "secret", "db", [agent], false],
    ["privileged,secret:none", "secret", "db", [agent], false],
    ["baseline,container:agent secret:db", "secret", "db", [agent], true],
    ["baseline,container:agent secret:db", "secret", "db", [web], false],
    ["baseline,capability:SYS_PTRACE", "capability", "CHOWN", [agent], true],
    ["baseline,capability:SYS_PTRACE", "capability", "SYS_ADMIN", [agent], false],
    ["restricted", "root", "a user that may be root", [agent], false],
    ["restricted,root", "root", "a user that may be root", [agent], true],
  ])("%s admits %s %s for %j: %s", (setting, kind, value, holders, isFine) => {
    expect(isAdmitted(parseGuardrails(setting), { kind, value, at: [], holders })).toBe(isFine);
  });

  it("admits to the mesh's own container what it needs", () => {
    const power: Power = { kind: "capability", value: "NET_ADMIN", at: [] };
    expect(isAdmitted(parseGuardrails("restricted"), power)).toBe(false);
    expect(isAdmitted(parseGuardrails("restricted"), { ...power, isNeeded: true })).toBe(true);
  });
});
