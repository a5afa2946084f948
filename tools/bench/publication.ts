// `node --import tsx tools/bench/publication.ts --help` prints the usage. How long publishing an edit takes where a tree of a hundred files
// lies over the shipped one: read, compiled, tried, judged and committed, in front of a fake that answers at once.
import { fileURLToPath } from "node:url";
import { parseGuardrails } from "@outrigger/guardrails";
import { type SourceTree, storedText } from "@outrigger/injector";
import { readSourceTree, runPublisher } from "@outrigger/publisher";
import { publisherSetup } from "../../test/support/publisher-setup.ts";
import { toolOptions } from "../support/tool-options.ts";

const options = toolOptions({
  command: "node --import tsx tools/bench/publication.ts",
  says: "Measures how long publishing an edit of a tree of a hundred files takes.",
  options: {
    rounds: {
      type: "integer",
      least: 1,
      default: 3,
      value: "N",
      says: "edits of each kind, of which the median counts",
    },
    only: { type: "string", value: "KIND", says: "the edits whose description begins so" },
    processor: { type: "boolean", says: "measure the processor time of the process, not the clock" },
    json: { type: "boolean", says: "print JSON" },
  },
  example: "node --import tsx tools/bench/publication.ts --rounds 5",
});

const TEMPLATES = 20;
const PARTIALS = 50;
const SAMPLES = 25;

function templateText(at: number, tag: number): string {
  const partials = [0, 1, 2].map((each) => `    {{> part-${(at * 3 + each) % PARTIALS}}}\n`).join("");
  return `{{#if (eq (lookup metadata.labels "agent-${at}") "true")}}
metadata:
  labels:
    agent: a${at}
{{/if}}
spec:
  containers:
  - name: agent-${at}
    image: registry.example/agent-${at}:1.${tag}
    args: [run, "--namespace={{metadata.namespace}}"]
    resources: {{values.agents.resources}}
    env:
${partials}    {{#if spec.tolerations}}
    - name: TOLERANT
      value: "true"
    {{/if}}
    {{#each spec.containers}}
    - name: APP_{{@index}}
      value: {{name}}
    {{/each}}
`;
}

function partialText(at: number, value: number): string {
  return `- name: PART_${at}
  value: "{{owner.name}}-${value}"
{{#if (lookup metadata.annotations "example.com/part-${at}")}}
- name: PART_${at}_MORE
  value: {{lookup metadata.annotations "example.com/part-${at}"}}
{{/if}}
`;
}

function sampleText(at: number): string {
  return `kind: Pod
metadata:
  generateName: web-${at}-
  labels: {app: web-${at}, agent-${at}: "true"}
spec:
  containers:
  - {name: web, image: 'registry.example/web:${at}'}
`;
}

const cpu = (run: number) =>
  `agents:\n  resources:\n    requests:\n      cpu: ${run + 10}m\n    limits:\n      memory: 64Mi\n`;

const numbered = (count: number, name: (at: number) => string, text: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), text(at)]));

/** A hundred files. */
const TREE: SourceTree = {
  config: "defaultTemplates: [sidecar, agent-0, agent-1]\n",
  mesh: "defaultConfig: {concurrency: 2}\n",
  "values/10-agents": cpu(0),
  "values/20-global": "global: {logging: {level: 'default:info'} }\n",
  "values/30-proxy": "global: {proxy: {logLevel: info} }\n",
  ...numbered(
    TEMPLATES,
    (at) => `templates/agent-${at}`,
    (at) => templateText(at, 0),
  ),
  ...numbered(
    PARTIALS,
    (at) => `partials/part-${at}`,
    (at) => partialText(at, 0),
  ),
  ...numbered(SAMPLES, (at) => `samples/web-${at}`, sampleText),
};

const LEVELS = "trace debug warning error critical off".split(" ");

/** Each edit is another one in each round: what is compared with it was published before. */
const EDITS: Readonly<Record<string, (run: number) => readonly [path: string, text: string]>> = {
  "template, everyday": (run) => ["templates/agent-3", templateText(3, run + 1)],
  "partial, held": (run) => ["partials/part-7", partialText(7, run + 1)],
  "value of the proxy, everyday": (run) => [
    "values/30-proxy",
    `global: {proxy: {logLevel: '${LEVELS[run % LEVELS.length]}', readinessPeriodSeconds: ${run + 1}} }\n`,
  ],
  "value of all templates, everyday": (run) => ["values/10-agents", cpu(run + 1)],
  "mesh, held": (run) => [
    "mesh",
    `defaultConfig: {concurrency: 2, discoveryAddress: 'istiod-${run}.istio-system.svc:15012'}\n`,
  ],
  "config, held": (run) => ["config", `defaultTemplates: [sidecar, agent-0, agent-${run + 2}]\n`],
};

const shipped = await readSourceTree(fileURLToPath(new URL("../../templates", import.meta.url)));
const setup = publisherSetup({
  shipped,
  hold: "everyday",
  guardrails: parseGuardrails("baseline"),
  tier: "Advanced",
});
// Trees are compiled, tried and compared as they are deployed.
const { compile: _, load: _load, compare: _compare, ...dependencies } = setup.dependencies;

/** Milliseconds that this process has worked, or by the clock. */
function now(): number {
  const { user, system } = process.cpuUsage();
  return options.processor ? (user + system) / 1000 : performance.now();
}

async function publish(request: object) {
  const begun = now();
  const result = await runPublisher({ action: "publish", cause: { by: "ann", why: "" }, ...request }, dependencies);
  const took = now() - begun;
  if (!result.ok) throw new Error(result.error.message);
  return { took, message: result.message };
}

for (const [path, text] of Object.entries(TREE)) await setup.edit(path, storedText(path, text));
const first = await publish({});
const rows: Record<string, { readonly ms: number; readonly all: readonly number[]; readonly message: string }> = {};
for (const [kind, edit] of Object.entries(EDITS)) {
  if (!kind.startsWith(options.only ?? "")) continue;
  const times: number[] = [];
  let message = "";
  const [path] = edit(0);
  // What was served before has been compiled elsewhere: the first edit of a kind is not counted.
  for (let run = 0; run <= options.rounds; run++) {
    const [, text] = edit(run);
    await setup.edit(path, storedText(path, text));
    const done = await publish({ automatic: true });
    message = done.message;
    if (run > 0) times.push(Math.round(done.took));
  }
  const ms = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  rows[kind] = { ms, all: times, message };
  await setup.edit(path, storedText(path, TREE[path] ?? ""));
  await publish({ automatic: true });
}
if (options.json) console.log(JSON.stringify({ files: Object.keys(TREE).length, first: Math.round(first.took), rows }));
else {
  console.log(`${Object.keys(TREE).length} files, first publication ${Math.round(first.took)} ms`);
  for (const [kind, { ms, all, message }] of Object.entries(rows))
    console.log(`${kind.padEnd(34)} ${String(ms).padStart(6)} ms  (${all.join(", ")})  ${message.slice(0, 100)}`);
}
