// The terminal pictures of the pages: what is typed in each, in order, in a folder that is empty at first.

export interface Scene {
  /** docs/images/terminal/<name>.svg. */
  readonly name: string;
  /** What the reader sees in it. */
  readonly alt: string;
  /** Files that are there before, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Before a deployment that `outrigger start --store ssm-fake` serves. */
  readonly hasDeployment?: true;
  readonly commands: readonly string[];
}

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:1}]}
`;

export const SCENES: readonly Scene[] = [
  {
    name: "demo",
    alt: "What outrigger start --demo prints",
    files: {},
    commands: ["outrigger start --demo"],
  },
  {
    name: "init",
    alt: "outrigger init makes a project, and its tree passes lint and its test",
    files: {},
    commands: [
      "outrigger init my-outrigger",
      "outrigger lint my-outrigger/my-templates",
      "outrigger test my-outrigger/my-templates",
    ],
  },
  {
    name: "lint",
    alt: "outrigger lint names three mistakes with their places",
    files: {
      "my-templates/templates/log-shipper.hbs": [
        "spec:",
        "  containers:",
        "  - name: log-shipper",
        "    image: {{values.logShiper.image}}",
        "    imagePullPolcy: {{values.logShipper.pullPolicy}}",
        "",
      ].join("\n"),
      "my-templates/values/50-log-shipper.yaml":
        "logShipper:\n  image: registry.example/log-shipper:2\n  pullPolicy: Always\n",
      "my-templates/values/60-tag.yaml": "global:\n  tag: 1.30\n",
    },
    commands: ["outrigger lint my-templates"],
  },
  {
    name: "explain",
    alt: "outrigger explain says that the pod is injected, why, and what is added",
    files: { "deployment.yaml": DEPLOYMENT },
    commands: ["outrigger explain -f deployment.yaml --namespace-label istio-injection=enabled"],
  },
  {
    name: "canary",
    alt: "The commands push, promote, channel and rollout abort, with what they print",
    files: {
      "my-templates/values/50-image.yaml": "global:\n  tag: 1.31.0-debug\n",
    },
    hasDeployment: true,
    commands: [
      "outrigger channel edits canary",
      'outrigger push my-templates --publish -m "Debug image"',
      'outrigger promote canary stable --share 5,25,100 --bake 30m -m "Debug image"',
      "outrigger channel",
      'outrigger rollout abort stable -m "More 503s than before"',
    ],
  },
];
