// What an editor may try: each field that gives power, in each list, written in each way that a template can write it. Made from
// tables, on a small tree, so that all of them are tried.
import { OutriggerError } from "@outrigger/base";
import { compileRelease, loadRelease, type Release, type SourceTree } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { guardBranches } from "../guard-branches.ts";
import { guardRelease } from "../guard-release.ts";
import { guardedInjection } from "../guarded-injection.ts";
import { parseGuardrails } from "../parse-guardrails.ts";
import type { Guardrails } from "../read-guardrails.ts";

const SHIPPED: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    image: registry.example/proxyv2\n",
  "samples/plain-pod": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
};

/** Fields below a container, the guardrails that do not admit them, and the container that they must be in. */
const CONTAINER: readonly (readonly [field: string, guardrails?: string])[] = [
  ["securityContext: {privileged: true}"],
  ["securityContext: {capabilities: {add: [SYS_ADMIN] } }"],
  ["securityContext: {capabilities: {add: [ALL] } }"],
  ["securityContext: {capabilities: {add: [NET_BIND_SERVICE, SYS_PTRACE] } }"],
  ["securityContext: {capabilities: {add: [NET_RAW] } }", "restricted"],
  ["securityContext: {procMount: Unmasked}"],
  ["securityContext: {seccompProfile: {type: Unconfined} }"],
  ["securityContext: {appArmorProfile: {type: Unconfined} }"],
  ["securityContext: {seLinuxOptions: {type: spc_t} }"],
  ["securityContext: {seLinuxOptions: {user: system_u} }"],
  ["securityContext: {seLinuxOptions: {role: system_r} }"],
  ["securityContext: {windowsOptions: {hostProcess: true} }"],
  ["securityContext: {runAsUser: 0}", "restricted"],
  ["securityContext: {allowPrivilegeEscalation: true}", "restricted"],
  ["ports: [{containerPort: 80, hostPort: 80} ]"],
  ["env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: a} } } ]", "baseline,secret:mesh-*"],
  ["envFrom: [{secretRef: {name: db} } ]", "baseline,secret:mesh-*"],
  ["envFrom: [{configMapRef: {name: db} } ]", "baseline,configMap:istio-*"],
  ["resources: {limits: {cpu: '64'} }", "baseline,cpu:2"],
  ["resources: {limits: {memory: 64Gi} }", "baseline,memory:4Gi"],
  ["imagePullPolicy: Always", "baseline,image:registry.istio.io/*"],
];

/** Fields below the pod's spec, and the guardrails that do not admit them. */
const SPEC: readonly (readonly [field: string, guardrails?: string])[] = [
  ["hostPID: true"],
  ["hostIPC: true"],
  ["hostNetwork: true"],
  ["shareProcessNamespace: true"],
  ["serviceAccountName: admin"],
  ["serviceAccount: admin"],
  ["volumes: [{name: node, hostPath: {path: /} } ]"],
  ["volumes: [{name: run, hostPath: {path: /var/run/docker.sock, type: Socket} } ]"],
  ["volumes: [{name: nfs, nfs: {server: a, path: /} } ]", "restricted"],
  ["volumes: [{name: flex, flexVolume: {driver: a/b} } ]", "restricted"],
  ["volumes: [{name: db, secret: {secretName: db} } ]", "baseline,secret:mesh-*"],
  ["volumes: [{name: db, projected: {sources: [{secret: {name: db} } ] } } ]", "baseline,secret:mesh-*"],
  ["volumes: [{name: db, configMap: {name: db} } ]", "baseline,configMap:istio-*"],
  ["volumes: [{name: t, projected: {sources: [{serviceAccountToken: {path: t} } ] } } ]", "baseline,audience:istio-ca"],
  ["securityContext: {sysctls: [{name: kernel.msgmax, value: '1'} ] }"],
  ["securityContext: {seccompProfile: {type: Unconfined} }"],
  ["securityContext: {appArmorProfile: {type: Unconfined} }"],
  ["securityContext: {seLinuxOptions: {type: spc_t} }"],
  ["securityContext: {windowsOptions: {hostProcess: true} }"],
  ["securityContext: {runAsUser: 0}", "restricted"],
];

/** Attacks on what the pod's author wrote. */
const AUTHOR: readonly (readonly [name: string, text: string])[] = [
  ["another image", "spec:\n  containers:\n  - name: app\n    image: evil.example/a\n"],
  ["another command", "spec:\n  containers:\n  - name: app\n    command: [sh]\n"],
  ["other arguments", "spec:\n  containers:\n  - name: app\n    args: [evil]\n"],
  ["a hook", "spec:\n  containers:\n  - name: app\n    lifecycle: {postStart: {exec: {command: [evil] } } }\n"],
  ["a probe", "spec:\n  containers:\n  - name: app\n    livenessProbe: {exec: {command: [evil] } }\n"],
  ["no container", "spec:\n  containers:\n  - name: other\n    $patch: delete\n"],
  ["no volume", "spec:\n  volumes:\n  - name: own\n    $patch: delete\n"],
  [
    "the node's files of a volume that is there",
    "spec:\n  containers:\n  - name: evil\n    image: a\n    volumeMounts: [{name: own, mountPath: /node} ]\n",
  ],
  ["a token that is not mounted", "spec:\n  automountServiceAccountToken: true\n"],
  ["no profile", "metadata:\n  annotations:\n    container.apparmor.security.beta.kubernetes.io/app: unconfined\n"],
];

const NAMES: readonly (readonly [list: string, name: string])[] = [
  ["containers", "evil"],
  ["containers", "istio-proxy"],
  ["containers", "app"],
  ["initContainers", "evil"],
  ["initContainers", "istio-init"],
];

interface Attack {
  readonly name: string;
  readonly text: string;
  readonly guardrails: string;
}

const ATTACKS: readonly Attack[] = [
  ...SPEC.map(([field, guardrails = "baseline"]) => ({ name: field, text: `spec:\n  ${field}\n`, guardrails })),
  ...CONTAINER.flatMap(([field, guardrails = "baseline"]) =>
    NAMES.filter(([, name]) => !isOwnNeed(field, name)).map(([list, name]) => ({
      name: `${field} in ${list} ${name}`,
      text: `spec:\n  ${list}:\n  - name: ${name}\n    image: evil.example/a:1\n    ${field}\n`,
      guardrails,
    })),
  ),
  ...AUTHOR.map(([name, text]) => ({ name, text, guardrails: "baseline" })),
];

/**
 * Whether Istio's own containers need the field, which they may have. Bounds count what is added, and `app` is there.
 */
function isOwnNeed(field: string, name: string): boolean {
  if (name === "istio-init") return /NET_RAW|runAsUser: 0/.test(field);
  return name === "app" && /^(resources|imagePullPolicy)/.test(field);
}

/** Ways in which a template renders a text, and the annotations with which a pod reaches it. */
const WAYS: Readonly<Record<string, readonly [(text: string) => SourceTree, Record<string, string>]>> = {
  "in plain sight": [(text) => ({ "templates/evil": text }), {}],
  "in a partial": [(text) => ({ "templates/evil": "{{> evil}}\n", "partials/evil": text }), {}],
  "behind an annotation": [(text) => ({ "templates/evil": hidden(text) }), { evil: "yes" }],
  "in a partial behind an annotation": [
    (text) => ({ "templates/evil": hidden("{{> evil}}\n"), "partials/evil": text }),
    { evil: "yes" },
  ],
  "in a branch of a branch": [
    (text) => ({ "templates/evil": hidden(`{{#unless spec.none}}\n${text}{{/unless}}\n`) }),
    { evil: "yes" },
  ],
  "by value": [
    (text) => {
      const [word = "none"] = VALUE.exec(text) ?? [];
      return { "templates/evil": text.replace(VALUE, "{{values.evil}}"), "values/evil": `evil: ${word}\n` };
    },
    {},
  ],
};

const VALUE = /true|evil\.example\/a:1|SYS_ADMIN|ALL|spc_t|\/var\/run\/docker\.sock|admin$/m;

function hidden(text: string): string {
  return `{{#if (eq (lookup metadata.annotations "evil") "yes")}}\n${text}{{/if}}\n`;
}

/** A pod with something to take: a path of the node, a second container, no token. */
function victim(annotations: Readonly<Record<string, string>>) {
  const app = { name: "app", image: "registry.example/app:1", volumeMounts: [{ name: "own", mountPath: "/own" }] };
  const spec = {
    automountServiceAccountToken: false,
    volumes: [{ name: "own", hostPath: { path: "/run/own" } }],
    containers: [app, { name: "other", image: "registry.example/other:1" }],
  };
  return { metadata: { name: "web", annotations }, spec };
}

type Outcome = "refused by the gate" | "refused by the guardrails" | "refused at injection" | "no effect" | "through";

function attempt({ text, guardrails: setting }: Attack, way: string): Outcome {
  const [write, annotations = {}] = WAYS[way] ?? [];
  const tree = { ...CONFIG, ...write?.(text) };
  const guardrails = parseGuardrails(setting);
  try {
    const release = compileRelease([SHIPPED, tree]);
    const isFound = guardRelease(guardrails, release, [SHIPPED, tree]).length > 0;
    const pod = injected(release, guardrails, annotations);
    if (pod === undefined) return isFound ? "refused by the guardrails" : "refused at injection";
    return pod === injected(HARMLESS, guardrails, annotations) ? "no effect" : "through";
  } catch (error) {
    if (error instanceof OutriggerError) return "refused by the gate";
    throw error;
  }
}

const CONFIG = { config: "defaultTemplates: [sidecar, evil]\n" };
const HARMLESS = compileRelease([SHIPPED, { ...CONFIG, "templates/evil": "" }]);

/** The spec of the victim as it comes out; undefined where it does not. */
function injected(release: Release, guardrails: Guardrails, annotations: Readonly<Record<string, string>>) {
  const request = { pod: victim(annotations) as never, namespace: "shop", parameters: {} };
  try {
    const result = guardedInjection(guardrails)(loadRelease(release), request);
    return result.injected ? JSON.stringify(result.pod.spec) : undefined;
  } catch (error) {
    if (error instanceof OutriggerError) return undefined;
    throw error;
  }
}

const tried = Object.keys(WAYS).map((way) => ({ way, outcomes: ATTACKS.map((attack) => attempt(attack, way)) }));

describe(`${ATTACKS.length * Object.keys(WAYS).length} attacks`, () => {
  it.each(tried)("reach no pod when they are written $way", ({ outcomes }) => {
    const names = outcomes.flatMap((outcome, index) => (outcome === "through" ? [ATTACKS[index]?.name] : []));
    expect(names).toEqual([]);
    expect(outcomes.length).toBe(ATTACKS.length);
  });

  it("are more than 300, and few are kept from the guardrails by the gate before them", () => {
    const all = tried.flatMap(({ outcomes }) => outcomes);
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(all.filter((outcome) => outcome === "refused by the gate").length).toBeLessThan(all.length / 4);
  });

  it("are refused before they are published when a sample reaches them, but for those on what an author wrote", () => {
    for (const { outcomes } of tried.slice(0, 2)) {
      const late = outcomes.flatMap((outcome, index) =>
        outcome === "refused at injection" ? [ATTACKS[index]?.name] : [],
      );
      expect(
        late.filter((name) => !AUTHOR.some(([author]) => author === name)).filter((name) => !name?.endsWith(" app")),
      ).toEqual([]);
    }
  });

  it("are found by the walk of all branches when they are hidden", () => {
    const missed = ATTACKS.filter(({ name }) => !AUTHOR.some(([author]) => author === name)).filter(
      ({ text, guardrails, name }) => {
        const tree = { config: "defaultTemplates: [sidecar, evil]\n", "templates/evil": hidden(text) };
        try {
          const found = guardBranches(parseGuardrails(guardrails), compileRelease([SHIPPED, tree]), tree);
          return found.length === 0 && !/resources|allowPrivilegeEscalation/.test(name);
        } catch (error) {
          return !(error instanceof OutriggerError);
        }
      },
    );
    expect(missed.map(({ name }) => name)).toEqual([]);
  });
});
