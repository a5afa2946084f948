// Pairs of releases that differ in one thing that a template writes.
import { compileRelease, type Injector, loadRelease, type SourceTree } from "@outrigger/injector";
import { shippedTree } from "./shipped-tree.ts";

export interface ChangedTree {
  readonly name: string;
  readonly before: Injector;
  readonly after: Injector;
}

const agent = (container: string, spec = "", metadata = "") => `${metadata}spec:
${spec}  containers:
  - name: agent
    image: registry.example.com/agent:1
${container}`;

const AGENT = agent("    env:\n    - name: LEVEL\n      value: info\n    resources:\n      requests: {cpu: 10m}\n");

/** The changes of trees: the name of each, with the template of the agent before and after it. */
const CHANGES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  image: [AGENT, AGENT.replace("agent:1", "agent:2")],
  "a variable's value": [AGENT, AGENT.replace("info", "debug")],
  "a variable more": [AGENT, AGENT.replace("    env:\n", "    env:\n    - name: MORE\n      value: '1'\n")],
  "a variable less": [AGENT, AGENT.replace("    env:\n    - name: LEVEL\n      value: info\n", "")],
  "a request": [AGENT, AGENT.replace("10m", "20m")],
  "a port": [AGENT, `${AGENT}    ports:\n    - containerPort: 9123\n`],
  "an argument": [AGENT, `${AGENT}    args: [serve]\n`],
  "a volume": [
    AGENT,
    `${AGENT}    volumeMounts:\n    - name: agent-data\n      mountPath: /agent-data\n  volumes:\n  - name: agent-data\n    emptyDir: {}\n`,
  ],
  "a label": [AGENT, `metadata:\n  labels:\n    agent.example.com/tier: "1"\n${AGENT}`],
  "an annotation": [AGENT, `metadata:\n  annotations:\n    agent.example.com/note: "1"\n${AGENT}`],
  "a pull secret": [AGENT, AGENT.replace("spec:\n", "spec:\n  imagePullSecrets:\n  - name: agent-registry\n")],
  nothing: [AGENT, `${AGENT}# the same\n`],
};

/** Compiling takes a second each. */
export async function changedTrees(): Promise<readonly ChangedTree[]> {
  const shipped = Object.entries(await shippedTree());
  const layer = Object.fromEntries(
    shipped.filter(([path]) => !path.startsWith("samples/") || path === "samples/plain-pod"),
  );
  const load = (tree: SourceTree) => loadRelease(compileRelease([layer, tree]));
  const config = "defaultTemplates: [sidecar, agent]\n";
  const before = load({ config, "templates/agent": AGENT });
  const agents = Object.entries(CHANGES).map(([name, [, after]]) => ({
    name,
    before,
    after: load({ config, "templates/agent": after }),
  }));
  const proxy = load({ config, "templates/agent": AGENT, "values/90-proxy": "global:\n  tag: 1.99.0\n" });
  return [...agents, { name: "the proxy's image", before, after: proxy }];
}
