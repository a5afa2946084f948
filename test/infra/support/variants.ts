// The forms in which Outrigger is deployed: the parameters of each, as a user gives them.

export interface Variant {
  readonly name: string;
  /** The Region that it is packaged for: us-east-1 unless it is said. */
  readonly region?: string;
  /** The stage: dev unless it is said. */
  readonly stage?: string;
  readonly parameters: readonly string[];
}

const certificate = "arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555";

/** Together they turn every parameter at least once. The first is the one whose template is kept as a whole. */
export const VARIANTS: readonly Variant[] = [
  {
    name: "changing",
    parameters: [
      "api=rest",
      "alsoApi=http",
      "domain=inject.example.com",
      `certificate=${certificate}`,
      "clusters=shop-eu",
    ],
  },
  { name: "http", parameters: [] },
  {
    name: "rest",
    parameters: [
      "api=rest",
      "sources=203.0.113.0/24,198.51.100.7/32",
      "clusters=shop-eu,shop_us",
      "releaseBucket=team-releases",
    ],
  },
  {
    name: "private",
    parameters: [
      "api=private",
      "vpcEndpoints=vpce-0123456789abcdef0,vpce-0123456789abcdef1",
      "subnets=subnet-0123456789abcdef0,subnet-0123456789abcdef1",
      "securityGroups=sg-0123456789abcdef0",
      "gatewayLogRole=account",
    ],
  },
  {
    name: "domain",
    parameters: [
      "domain=inject.example.com",
      `certificate=${certificate}`,
      "executeApi=off",
      "clusters=shop-eu,shop_us",
      "clusterRate=20",
      "clusterBurst=10",
      "email=oncall@example.com",
      "topic=arn:aws:sns:us-east-1:123456789012:pager",
      "eventBus=audit",
    ],
  },
  {
    name: "provisioned",
    parameters: [
      "api=rest",
      "domain=inject.example.com",
      `certificate=${certificate}`,
      "provisioned=5",
      "reserved=50",
      "memory=1024",
      "ttl=30",
      "bundledFallback=on",
      "clusterLatency=on",
      "tier=Advanced",
      "rate=50",
      "burst=25",
      "retention=7",
      "canary=rate(2 minutes)",
      "tags=team=platform,cost-center=42",
      "kmsKey=arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555",
      "permissionsBoundary=arn:aws:iam::123456789012:policy/boundary",
      "serviceRole=arn:aws:iam::123456789012:role/cloudformation",
      "tracing=on",
      "eventBus=arn:aws:events:us-east-1:999999999999:event-bus/audit",
      "sharedDomain=on",
      "replicaOf=eu-west-1",
      "replicaOfStage=dev",
      "releaseBucket=create",
    ],
  },
  { name: "china", region: "cn-north-1", parameters: ["api=rest", "sources=203.0.113.0/24"] },
  { name: "govcloud", region: "us-gov-west-1", parameters: ["clusters=shop-eu"] },
];

const network = [
  "vpcEndpoints=vpce-0123456789abcdef0",
  "subnets=subnet-0123456789abcdef0",
  "securityGroups=sg-0123456789abcdef0",
];
const named = (count: number) => Array.from({ length: count }, (_, index) => `cluster-${index}`).join(",");

/** The edges of what can be deployed, whose templates are not kept. */
export const EDGES: readonly Variant[] = [
  { name: "a stage of one letter", stage: "a", parameters: ["alsoApi=rest"] },
  { name: "the longest stage", stage: `s${"-2345678".repeat(3)}-3456789`.slice(0, 32), parameters: ["alsoApi=rest"] },
  { name: "as many clusters as an HTTP API takes", parameters: [`clusters=${named(74)}`] },
  { name: "as many clusters as a REST API takes", parameters: ["api=rest", `clusters=${named(48)}`] },
  { name: "a private API and a public one", parameters: ["alsoApi=private", ...network] },
  {
    name: "alarms that must reach a topic",
    parameters: ["alarms=require", "topic=arn:aws:sns:us-east-1:123456789012:pager"],
  },
  {
    name: "guardrails and no reserved containers",
    parameters: ["guardrails=baseline", "hold=everyday", "reserved=0", "provisioned=3"],
  },
  {
    name: "a bucket that there is",
    region: "us-gov-east-1",
    parameters: ["tier=Advanced", "releaseBucket=team-releases"],
  },
  { name: "a replica in China", region: "cn-northwest-1", parameters: ["replicaOf=cn-north-1"] },
  { name: "an isolated Region", region: "us-iso-east-1", parameters: ["api=private", ...network] },
  { name: "a Region that osls does not list", region: "sa-west-1", parameters: [] },
  ...["us-isob-west-1", "eusc-de-east-1", "eu-isoe-west-1", "us-isof-south-1"].map((region) => ({
    name: `${region}, which osls does not list`,
    region,
    parameters: [],
  })),
];

/** Settings that are refused, with the words that say why and what to do. */
export const REFUSED: readonly (Variant & { readonly said: readonly string[] })[] = [
  {
    name: "eu-wst-1",
    region: "eu-wst-1",
    parameters: [],
    said: ["Cannot deploy to eu-wst-1: no such Region is known. Check its name"],
  },
  {
    name: "wrong settings",
    parameters: ["sources=203.0.113.0/24", "aip=rest", "memory=lots"],
    said: [
      "Cannot use sources with api=http: only a REST API checks who calls",
      "Cannot use the setting aip of --param: it is not a setting; the nearest is api",
      "Cannot use memory=lots: it must be a whole number from 256 to 10240",
    ],
  },
  {
    name: "a private API without a network",
    parameters: ["api=private"],
    said: ["without vpcEndpoints, subnets, sec"],
  },
  { name: "too many clusters", parameters: [`clusters=${named(75)}`], said: ["clusters"] },
  {
    name: "a certificate of another Region",
    region: "eu-west-1",
    parameters: ["domain=inject.example.com", `certificate=${certificate}`],
    said: [`Cannot use certificate=${certificate} in eu-west-1: it is of us-east-1`],
  },
  {
    name: "a bus of another Region",
    region: "eu-west-1",
    parameters: ["eventBus=arn:aws:events:us-east-1:999999999999:event-bus/audit"],
    said: ["in eu-west-1: it is of us-east-1"],
  },
  { name: "more warm than reserved", parameters: ["provisioned=101"], said: ["set reserved to 101 or more"] },
  { name: "alarms without a receiver", parameters: ["alarms=require"], said: ["Set email or topic, or alarms=warn"] },
];

/** Options of `serverless` for a variant. */
export function variantWords({ region = "us-east-1", stage, parameters }: Omit<Variant, "name">): readonly string[] {
  const place = ["--region", region, ...(stage === undefined ? [] : ["--stage", stage])];
  return [...place, ...parameters.flatMap((parameter) => ["--param", parameter])];
}
