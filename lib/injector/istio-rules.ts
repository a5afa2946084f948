// What Istio's injector does differently from release to release. The templates differ too: templates/releases.

import { type IstioRelease, isSince } from "@outrigger/mesh";

export interface IstioRules {
  /** Since 1.30: annotations with names of network interfaces are validated. */
  readonly checksInterfaces: boolean;
  /** Since 1.31: `prometheus.istio.io/scrape-targets` is read, and a port that cannot be scraped is denied. */
  readonly readsScrapeTargets: boolean;
  /** Since 1.31: `prometheus.istio.io/secure-port` names the port of metrics over mTLS. */
  readonly setsSecurePort: boolean;
  /** Since 1.31: an `image` without `imageType` in a ProxyConfig leaves `values.global.variant` in effect. */
  readonly keepsVariant: boolean;
}

/**
 * The rules of a release; without one, those of Istio's development line.
 *
 * | rule               | 1.28 | 1.29 | 1.30 | 1.31 | development |
 * |--------------------|------|------|------|------|-------------|
 * | checksInterfaces   | no   | no   | yes  | yes  | yes         |
 * | readsScrapeTargets | no   | no   | no   | yes  | yes         |
 * | setsSecurePort     | no   | no   | no   | yes  | yes         |
 * | keepsVariant       | no   | no   | no   | yes  | yes         |
 */
export function istioRules(release: IstioRelease = "development"): IstioRules {
  const since1dot31 = isSince("1.31", release);
  return {
    checksInterfaces: isSince("1.30", release),
    readsScrapeTargets: since1dot31,
    setsSecurePort: since1dot31,
    keepsVariant: since1dot31,
  };
}
