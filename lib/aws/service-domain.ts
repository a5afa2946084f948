// The domains under which AWS has its services: one for each partition.

const DOMAINS: readonly (readonly [string, string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["us-iso-", "c2s.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["eusc-", "amazonaws.eu"],
];

/** `amazonaws.com`, or the domain of the partition that the Region belongs to. */
export function serviceDomain(region: string): string {
  return DOMAINS.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com";
}
