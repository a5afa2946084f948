// The files of a new project: what `outrigger init` writes.

/** Scoped: a stranger could publish a name without a scope. */
export const PACKAGE = "@outrigger/outrigger";

export interface ProjectFacts {
  readonly version: string;
  /** The text by which npm installs `PACKAGE`: `file:` and a path, or the version. */
  readonly installs: string;
  /** The version of osls; left out of the project where it is not known. */
  readonly osls: string | undefined;
  readonly stage: string;
  /** The setting of the stage that admits what the tree uses. */
  readonly guardrails: string;
  /** A project with a sidecar of the team's own in place of a mesh's. */
  readonly isWithoutIstio: boolean;
  /** The label by which pods ask for it, where it is no label of Istio's. */
  readonly injectionLabel?: string;
}

export function projectFiles(facts: ProjectFacts): Readonly<Record<string, string>> {
  return {
    "package.json": packageFile(facts),
    "README.md": readme(facts),
    [`outrigger.${facts.stage}.yml`]: settings(facts),
    "deployment.yaml": facts.isWithoutIstio
      ? DEPLOYMENT.replaceAll("{app: web}", '{app: web, logs: "yes"}')
      : DEPLOYMENT,
    ...(facts.isWithoutIstio ? agentTree(facts) : MESH_TREE),
    ".gitignore": "node_modules/\n.outrigger/\n.serverless/\n",
  };
}

function agentTree({ injectionLabel }: ProjectFacts): Readonly<Record<string, string>> {
  if (injectionLabel === undefined) return AGENT_TREE;
  const label = `injectionLabel: ${injectionLabel}  # on pods and namespaces: "true" asks for it\n`;
  return { ...AGENT_TREE, [CONFIG]: `${label}${AGENT_TREE[CONFIG]}` };
}

const CONFIG = "my-templates/config.yaml";

function packageFile({ installs, osls, stage }: ProjectFacts): string {
  const content = {
    name: "my-outrigger",
    private: true,
    scripts: {
      start: "outrigger start --dir my-templates",
      test: "outrigger lint my-templates && outrigger test my-templates",
      deploy: `outrigger deploy --stage ${stage}`,
    },
    devDependencies: { ...(osls === undefined ? {} : { osls }), [PACKAGE]: installs },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: registry.example/web:1
        ports:
        - containerPort: 8080
`;

/** The pod of a new test. */
export function podFile(name: string): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers:
  - name: app
    image: registry.example/app:1
`;
}

const MESH_VALUES = `# Laid over the shipped values. Later files win, in the order of their names; null removes a value.
global:
  proxy:
    logLevel: warning
`;

const MESH_TREE = {
  "my-templates/values/10-mine.yaml": MESH_VALUES,
  "my-templates/tests/web/pod.yaml": podFile("web"),
  "my-templates/tests/web/decision": "injected\n",
};

const LOGGING_POD = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {logs: "yes"} }
spec:
  containers:
  - name: app
    image: registry.example/app:1
`;

/** A tree of a team's own: a sidecar for the pods with a label. The project's deployment has that label. */
export const AGENT_TREE = {
  "my-templates/config.yaml": `mesh: none                    # nothing lies below this tree
defaultTemplates:
- name: log-agent
  match:
    podLabels: {logs: "yes"}  # who gets it
`,
  "my-templates/templates/log-agent.hbs": `spec:
  initContainers:
  - name: log-agent
    image: {{values.logAgent.image}}
    restartPolicy: Always
    args: [--level, {{values.logAgent.level}}]
    env:
    - name: WORKLOAD
      value: {{owner.name}}
    resources: {{values.logAgent.resources}}
    securityContext:
      allowPrivilegeEscalation: false
      runAsNonRoot: true
      runAsUser: 10001
      capabilities: {drop: [ALL]}
`,
  "my-templates/values/10-mine.yaml": `logAgent:
  image: registry.example/log-agent:1
  level: info
  resources:
    requests: {cpu: 10m, memory: 32Mi}
    limits: {memory: 64Mi}
`,
  "my-templates/samples/with-logs.yaml": LOGGING_POD,
  "my-templates/tests/with-logs/pod.yaml": LOGGING_POD,
  "my-templates/tests/with-logs/expected.yaml": `spec:
  initContainers:
  - name: log-agent
    image: registry.example/log-agent:1
`,
  "my-templates/tests/without/pod.yaml": podFile("other"),
  "my-templates/tests/without/decision": "no-template\n",
};

function settings({ stage, guardrails, isWithoutIstio }: ProjectFacts): string {
  return `# Settings of the stage ${stage}. Every deploy reads them: commit this file.
# email: oncall@example.com   # who is notified by alarms
alarms: silent                # remove this line when you set an email or a topic
# What templates may add to pods: what they use now. "outrigger lint --deployment ${stage}" prints the entry that allows more.
guardrails: ${guardrails}
hold: everyday                # edits other than everyday changes wait for a person
${isWithoutIstio ? "mesh: none                    # until you publish, no pod gets anything\n" : ""}`;
}

const SHELF = `Take a sidecar of the shelf, for the pods with a label:

\`\`\`sh
npx outrigger new template --from log-shipper --pod-label logs=yes --dir my-templates
\`\`\`

`;

/** What a team does after the first registration, which sends dry runs alone. */
const serving = (stage: string, injectionLabel: string) => `
Nothing but dry runs is sent at first. Serve a namespace whose pods ask for it:

\`\`\`sh
npx outrigger register --cluster NAME --deployment ${stage} --phase namespace --namespace NAMESPACE
kubectl label namespace NAMESPACE ${injectionLabel}=true
\`\`\`
`;

function readme({ stage, version, installs, isWithoutIstio, injectionLabel }: ProjectFacts): string {
  const file = `${PACKAGE.replace("@", "").replace("/", "-")}-${version}.tgz`;
  const otherwise = installs.startsWith("file:")
    ? ""
    : ` If your registry does not have \`${PACKAGE}\`, begin with\n\`npm install --save-dev PATH/${file}\` in place of \`npm install\`.`;
  return `# Sidecar injection

| folder or file | |
|---|---|
| \`my-templates/\` | ${isWithoutIstio ? "your templates, their values, and in `config.yaml` who gets what" : "your values, templates and partials, laid over those that Outrigger ships"} |
| \`my-templates/tests/\` | tests: pods, and what is expected of them |
| \`outrigger.${stage}.yml\` | the settings of the stage \`${stage}\` in AWS |
| \`deployment.yaml\` | a manifest to try |

Try it on this machine.${otherwise}

\`\`\`sh
npm install
npx outrigger lint my-templates
npx outrigger test my-templates
npx outrigger inject -f deployment.yaml --dir my-templates
npx outrigger start --dir my-templates
\`\`\`

${isWithoutIstio ? SHELF : ""}Deploy it, with AWS credentials in the environment, and have a cluster call it:

\`\`\`sh
npx outrigger deploy --stage ${stage}
npx outrigger register --cluster NAME --deployment ${stage}
npx outrigger publish --dir my-templates --deployment ${stage}
npx outrigger check --cluster NAME --deployment ${stage}
\`\`\`
${injectionLabel === undefined ? "" : serving(stage, injectionLabel)}`;
}
