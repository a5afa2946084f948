// The forms in which Outrigger is deployed: the parameters of each, as a user gives them.

export interface Variant {
  readonly name: string;
  /** The Region that it is packaged for: us-east-1 unless it is said. */
  readonly region?: string;
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
      "bundledFallback=off",
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
      "sharedDomain=on",
      "replicaOf=eu-west-1",
      "replicaOfStage=dev",
      "releaseBucket=create",
    ],
  },
  { name: "china", region: "cn-north-1", parameters: ["api=rest", "sources=203.0.113.0/24"] },
  { name: "govcloud", region: "us-gov-west-1", parameters: ["clusters=shop-eu"] },
];

/** Options of `serverless` for a variant. */
export function variantWords({ region = "us-east-1", parameters }: Omit<Variant, "name">): readonly string[] {
  return ["--region", region, ...parameters.flatMap((parameter) => ["--param", parameter])];
}
