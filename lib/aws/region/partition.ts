// The partitions of AWS: how their Regions are named, their name in an ARN, and under which domain their services are.
// test/infra/partitions.test.ts compares them with botocore's rules for every Region.

interface Partition {
  readonly id: string;
  /** How its Regions begin. */
  readonly prefix: string;
  readonly domain: string;
}

const PARTITIONS: readonly Partition[] = [
  { id: "aws-cn", prefix: "cn-", domain: "amazonaws.com.cn" },
  { id: "aws-us-gov", prefix: "us-gov-", domain: "amazonaws.com" },
  { id: "aws-iso-b", prefix: "us-isob-", domain: "sc2s.sgov.gov" },
  { id: "aws-iso-f", prefix: "us-isof-", domain: "csp.hci.ic.gov" },
  { id: "aws-iso", prefix: "us-iso-", domain: "c2s.ic.gov" },
  { id: "aws-iso-e", prefix: "eu-isoe-", domain: "cloud.adc-e.uk" },
  { id: "aws-eusc", prefix: "eusc-", domain: "amazonaws.eu" },
];

/**
 * The partition of a Region: the second part of its ARNs, and the domain of its services.
 *
 * @example
 * ```ts
 * partitionOf("us-gov-west-1").id // => "aws-us-gov"
 * partitionOf("cn-north-1").domain // => "amazonaws.com.cn"
 * ```
 */
export function partitionOf(region: string): Omit<Partition, "prefix"> {
  return PARTITIONS.find(({ prefix }) => region.startsWith(prefix)) ?? AWS;
}

const AWS = { id: "aws", domain: "amazonaws.com" };
