// What a new author of sidecars gets wrong, in a tree without a mesh: lint names each with its file and line.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";

type Files = Readonly<Record<string, string>>;

const AGENT = "spec:\n  containers:\n  - name: agent\n    image: {{values.agent.image}}\n";
const MATCH = "mesh: none\ndefaultTemplates:\n- name: agent\n  match:\n";
const BOTH = "mesh: none\ndefaultTemplates: [agent, other]\n";
const SOUND: Files = {
  "config.yaml": `${MATCH}    podLabels: {logs: "yes"}\n`,
  "templates/agent.hbs": AGENT,
  "values/10-mine.yaml": "agent:\n  image: registry.example/agent:1\n",
  "samples/web.yaml":
    'kind: Pod\nmetadata:\n  name: web\n  labels: {logs: "yes"}\nspec:\n  containers:\n  - name: app\n    image: app:1\n    ports:\n    - containerPort: 8080\n',
};

const config = (text: string): Files => ({ "config.yaml": text });
const agent = (fields: string): Files => ({ "templates/agent.hbs": AGENT + fields });
const values = (text: string): Files => ({ "values/10-mine.yaml": text });
const other = (fields: string): Files => ({ "templates/other.hbs": `spec:\n  containers:\n${fields}` });
const port = (number: number) => `    ports:\n    - containerPort: ${number}\n`;

type Row = readonly [mistake: string, files: Files, place: string, ...said: string[]];

const MISTAKES: readonly Row[] = [
  [
    "a match on a label that no sample has",
    config(`${MATCH}    podLabels: {log: "yes"}\n`),
    "config.yaml:4:3",
    "no sample fits this match",
    "add a sample",
  ],
  [
    "a match on a namespace that no sample is in",
    config(`${MATCH}    namespaces: [shopp]\n`),
    "config.yaml:4:3",
    "no sample fits this match",
  ],
  [
    "a template that no entry names",
    { "templates/extra.hbs": "spec:\n  containers:\n  - name: extra\n    image: a:1\n" },
    "templates/extra.hbs:1:1",
    "no pod gets template extra",
    "name it in defaultTemplates",
  ],
  [
    "an entry whose template is not there",
    config("mesh: none\ndefaultTemplates: [agnet]\n"),
    "config.yaml:2:20",
    'template "agnet" named in defaultTemplates',
    "use one of agent",
  ],
  [
    "a match whose template is not there",
    config(`${MATCH.replace("agent", "agnet")}    podLabels: {logs: "yes"}\n`),
    "config.yaml:3:9",
    'there is no template "agnet"',
  ],
  [
    "a list that forgets the proxy of a mesh",
    config("defaultTemplates: [agent]\n"),
    "config.yaml:1:1",
    "pods lose Istio's proxy",
    "add - sidecar, or write mesh: none",
  ],
  [
    "a match on the labels of the namespace",
    config(`${MATCH}    namespaceLabels: {team: shop}\n`),
    "config.yaml:5:22",
    "list the namespaces in match.namespaces",
  ],
  [
    "a misspelt key of a match",
    config(`${MATCH}    podLables: {logs: "yes"}\n`),
    "config.yaml:5:16",
    'did you mean "podLabels"',
  ],
  [
    "a match without anything",
    config(`${MATCH.trimEnd()} {}\n`),
    "config.yaml:4:10",
    "it must have podLabels or namespaces",
  ],
  [
    "a label's value that YAML reads as a boolean",
    config(`${MATCH}    podLabels: {logs: yes}\n`),
    "config.yaml:5:23",
    "quote it",
  ],
  [
    "such a value in a sample",
    { "samples/web.yaml": (SOUND["samples/web.yaml"] as string).replace('"yes"', "true") },
    "samples/web.yaml:4:18",
    "put true in quotes",
  ],
  [
    "such a value in a template",
    { "templates/agent.hbs": `metadata:\n  labels:\n    logs: on\n${AGENT}` },
    "templates/agent.hbs:3:11",
    "put it in quotes",
  ],
  [
    "two templates with a container of one name",
    { ...config(BOTH), ...other("  - name: agent\n    image: b:1\n") },
    "templates/agent.hbs:3:11",
    "container agent is of template other too",
    "give them different names",
  ],
  [
    "a mount of a volume that no template makes",
    agent("    volumeMounts:\n    - name: logs\n      mountPath: /logs\n"),
    "templates/agent.hbs:6:13",
    'must name a volume of the pod, not "logs"',
  ],
  [
    "a port that two templates open",
    { ...config(BOTH), ...agent(port(4317)), ...other(`  - name: other\n    image: b:1\n${port(4317)}`) },
    "templates/other.hbs:6:22",
    "port 4317 of container other is container agent's too",
  ],
  [
    "a port that the author opens",
    agent(port(8080)),
    "templates/agent.hbs:6:22",
    "port 8080 of container agent is container app's too",
  ],
  [
    "a probe of a port that nobody opens",
    agent(`${port(4317)}    readinessProbe:\n      httpGet: {path: /, port: 4318}\n`),
    "templates/agent.hbs:8:32",
    "readinessProbe of container agent is on port 4318",
    "add it, or correct the probe",
  ],
  [
    "a probe of a port's name that is not there",
    agent(`${port(4317)}    readinessProbe:\n      httpGet: {path: /, port: health}\n`),
    "templates/agent.hbs:8:32",
    'is on port "health"',
  ],
  [
    "a native sidecar below containers",
    agent("    restartPolicy: Always\n"),
    "templates/agent.hbs:5:20",
    "move agent to initContainers",
  ],
  [
    "an image of Docker Hub without a tag",
    values("agent:\n  image: fluent-bit\n"),
    "values/10-mine.yaml:2:10",
    "the image of container agent has no tag",
  ],
  [
    "an image without a tag",
    values("agent:\n  image: registry.example/agent\n"),
    "values/10-mine.yaml:2:10",
    "has no tag",
    "write a tag or a digest",
  ],
  [
    "a value that the schema does not know",
    {
      ...values("agent:\n  image: registry.example/agent:1\n  levle: debug\n"),
      "schema.yaml":
        "properties:\n  agent:\n    additionalProperties: false\n    properties:\n      image: {type: string}\n",
    },
    "values/10-mine.yaml:3:10",
    "values.agent.levle does not match",
  ],
  [
    "a value that no template reads",
    { "values/20-more.yaml": "agnt:\n  image: registry.example/agent:2\n" },
    "values/20-more.yaml:1:1",
    "values.agnt is not known",
  ],
  [
    "a value that is not there",
    { "templates/agent.hbs": AGENT.replace("image}}", "imag}}") },
    "templates/agent.hbs:4:12",
    'did you mean "image"',
  ],
  [
    "a tag that is not closed",
    agent("    env:\n    - name: WORKLOAD\n      value: {{owner.name\n"),
    "templates/agent.hbs:8:1",
    "the tag that opens in line 7 is not closed",
  ],
  [
    "wrong indentation of a key",
    { "templates/agent.hbs": "spec:\n  containers:\n  - name: agent\n   image: a:1\n" },
    "templates/agent.hbs:4:4",
    "check the indentation",
  ],
  [
    "wrong indentation of a list",
    { "templates/agent.hbs": "spec:\ncontainers:\n- name: agent\n  image: a:1\n" },
    "templates/agent.hbs:2:1",
    "containers is not a field of a Pod",
  ],
  [
    "a template for Windows pods",
    agent("  nodeSelector:\n    kubernetes.io/os: windows\n"),
    "templates/agent.hbs:6:23",
    "no pod for Windows is injected",
  ],
  [
    "a value of the mesh where there is none",
    { "values/20-more.yaml": "global:\n  hub: registry.example/istio\n" },
    "values/20-more.yaml:1:1",
    "values.global is not known",
  ],
  [
    "a mesh file where there is none",
    { "mesh.yaml": "accessLogFile: /dev/stdout\n" },
    "mesh.yaml:1:1",
    "has no effect",
    "mesh: none",
  ],
  [
    "the mesh's sidecar where there is none",
    config("mesh: none\ndefaultTemplates: [sidecar, agent]\n"),
    "config.yaml:2:20",
    'template "sidecar" named in defaultTemplates',
  ],
  [
    "a key of one environment that nothing reads",
    { "environments/prod/values.yaml": "agnt:\n  image: registry.example/agent:2\n" },
    "environments/prod/values.yaml:1:1",
    "values.agnt is not known",
  ],
];

describe("the mistakes of a new author of sidecars", () => {
  let cli: ReturnType<typeof fakeCli>;
  let count = 0;
  beforeAll(() => {
    cli = fakeCli(fakeAws().connect);
  });
  afterAll(() => cli.remove("."));

  async function lint(files: Files) {
    count += 1;
    for (const [file, text] of Object.entries({ ...SOUND, ...files })) cli.write(`tree-${count}/${file}`, text);
    return cli.run(`lint tree-${count} --strict`);
  }

  it("are in no tree that is sound", async () => {
    expect(await lint({})).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^No errors: /) });
  });

  it.each(MISTAKES.map(([mistake, ...rest]) => ({ mistake, rest })))(
    "$mistake: lint names its line and what to do",
    async ({ rest: [files, place, ...said] }) => {
      const { code, out } = await lint(files);
      expect(code).toBe(1);
      const line = out
        .split("\n")
        .filter((each) => each.startsWith(`${place}:`))
        .join("\n");
      expect(line, out).not.toBe("");
      for (const part of said) expect(line).toContain(part);
    },
  );

  it("are more than twenty", () => {
    expect(MISTAKES.length).toBeGreaterThan(20);
  });
});
