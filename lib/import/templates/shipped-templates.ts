// Which of a ConfigMap's templates are Istio's own: those need no translation, Outrigger ships its counterparts.

import { SHIPPED_DIGESTS } from "../generated/shipped-digests.ts";

export interface ShippedTemplate {
  readonly template: string;
  /** The first and last release with this text, `1.28.0`; `development` is after all releases. */
  readonly first: string;
  readonly last: string;
}

/** @param digest SHA-256 in hexadecimal of the template without white space at both ends */
export function shippedTemplate(digest: string): ShippedTemplate | undefined {
  const key = digest.slice(0, 16);
  if (!Object.hasOwn(SHIPPED_DIGESTS, key)) return undefined;
  const [template = "", first = "", last = first] = (SHIPPED_DIGESTS[key] ?? "").split(" ");
  return { template, first, last };
}

/** Templates by which istiod deploys gateways: no pod is injected with them. */
export const GATEWAY_DEPLOYMENTS: ReadonlySet<string> = new Set(
  "waypoint kube-gateway agentgateway agentgateway-waypoint".split(" "),
);
