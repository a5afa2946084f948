// What each function's bundle may weigh and must not hold. The figures' reasons: docs/contributing/adr/0003-bundle-format.md.

const NEVER = [
  /node_modules\/handlebars\//,
  /^cli\//,
  /node_modules\/(commander|selfsigned)\//,
  /node_modules\/@aws-sdk\/(nested-clients|token-providers|credential-provider-(?!env\/))/,
  /^test\//,
  /^scripts\//,
];

export interface BundleRule {
  /** The most bytes that the bundle may have. */
  readonly bytes: number;
  /** The most bytes that each of the files next to the bundle may have. Without it, there is none. */
  readonly beside?: Readonly<Record<string, number>>;
  /** Patterns that no path of a file in the bundle may match. */
  readonly forbidden: readonly RegExp[];
}

/** The rule of each function's bundle. */
export const BUNDLE_RULES: Readonly<Record<string, BundleRule>> = {
  inject: {
    // An API server's rules for pods are 60 KB of it, guardrails with their tables of fields and of the proxy 28 KB, and what finds who
    // wrote a value 6 KB: an injected pod is held to all of them before it is answered. A label of the config's own is 0.7 KB.
    bytes: 300 * 1024,
    // What few releases call, and the shipped release: read when they are needed.
    beside: { "rare.cjs": 20 * 1024, "release.json": 120 * 1024 },
    // Nothing of others is in the function that pods wait for: what it sends and how it signs is lib/aws's own.
    forbidden: [...NEVER, /node_modules\//],
  },
  publish: {
    // It compiles templates, and so has Handlebars' parser; it validates pods (62 KB) and values (23 KB) before it publishes, reads each
    // branch, compares what releases write, finds the line of what guardrails refuse, counts what a rollout's releases do and refuses
    // counts that are not whole, looks whether something has changed, refuses a tree of another environment, moves rings on, warns of
    // sidecars that will not run or of two orders, and sends an event for each change.
    bytes: 889 * 1024,
    forbidden: NEVER.filter((pattern) => !pattern.test("node_modules/handlebars/")),
  },
  register: {
    // Before a wider phase, it tries workloads, and explains an API server's refusals; it proves itself to any label and any template, and
    // asks who else injects before it takes a proxy from pods.
    // CloudFormation waits for it, and no pod.
    bytes: 434 * 1024,
    forbidden: [...NEVER, /^lib\/(template|injector\/(mesh|release))\//],
  },
  canary: {
    // Clients of CloudFormation, CloudWatch, its logs and Lambda are for a look once an hour; no API server waits for it.
    bytes: 360 * 1024,
    forbidden: [
      ...NEVER,
      /node_modules\/js-yaml\//,
      /^lib\/(template|injector|aws\/parameter-store|serving\/serve|publisher|cluster\/(kube\/(?!http-exchange)|register|status|istio))\//,
    ],
  },
};

export interface BuiltBundle {
  readonly bytes: number;
  /** Bytes of the files next to it. */
  readonly beside: Readonly<Record<string, number>>;
  readonly inputs: readonly string[];
}

/** Returns a line for each rule that a bundle breaks. */
export function checkBundle(name: string, { bytes, beside, inputs }: BuiltBundle): readonly string[] {
  const rule = BUNDLE_RULES[name];
  if (rule === undefined) return [`functions/${name}: it has no rule, add one to scripts/build/bundle-rules.ts`];
  const { bytes: budget, beside: budgets = {}, forbidden } = rule;
  const intruders = inputs.filter((input) => forbidden.some((pattern) => pattern.test(input)));
  return [
    ...(bytes > budget ? [`functions/${name}: ${bytes} bytes are more than its budget of ${budget}`] : []),
    ...Object.entries(beside).flatMap(([file, size]) => {
      const most = budgets[file] ?? 0;
      return size > most ? [`functions/${name}/${file}: ${size} bytes are more than its budget of ${most}`] : [];
    }),
    ...intruders.map((input) => `functions/${name}: ${input} does not belong in it`),
  ];
}
