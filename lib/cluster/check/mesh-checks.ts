// The checks of the cluster's Istio: versions, revisions, mesh config, and the address of istiod. Pure.
import { DEFAULT_REVISION } from "@outrigger/base";
import { describeSkew, type Skew } from "@outrigger/mesh";
import { imageTag } from "../istio/read-istiods.ts";
import { describeAddress } from "../names/verify-names.ts";
import type { ClusterStatus } from "../status/cluster-status.ts";
import type { Checks } from "./check.ts";
import { failing, judged, ok, some, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

/** Whether a difference between a cluster and its registration is about the mesh config. */
export function isOfMesh({ place }: ClusterStatus["drift"][number]): boolean {
  return place.startsWith("mesh config");
}

const NO_ISTIOD = ok("there is no istiod in this cluster");
const UPGRADE = "move the revision's channel to a release with istiod's version: docs/istio-releases.md";

export const meshChecks = {
  istiod: {
    isEarly: true,
    doc: "The proxies are [at most two minor versions behind istiod](istio-releases.md#proxies-and-istiod), and not ahead. Warning: they are behind. Error: they are ahead, or too far behind. Move the channel to a release with istiod's version.",
    judge: ofCluster("istiods", (found, { proxyImages }) =>
      judged(proxyImages, (images) => {
        if (found.length === 0) return NO_ISTIOD;
        const skews = found.flatMap(({ image, revision }) => {
          const proxy = images[revision] ?? images[DEFAULT_REVISION];
          return proxy === undefined ? [] : [{ revision, ...describeSkew(imageTag(proxy), imageTag(image)) }];
        });
        const seen = (kinds: readonly Skew["kind"][]) => {
          const own = skews.filter(({ kind }) => kinds.includes(kind));
          return some(own.map(({ revision, message }) => `revision ${revision}: ${message}`));
        };
        const unsupported = seen(["proxies-ahead", "proxies-behind"]);
        if (unsupported !== "") return failing(unsupported, UPGRADE);
        const behind = seen(["supported"]);
        if (behind !== "") return warning(behind, UPGRADE);
        return ok(skews.length === 0 ? "no proxy image is known" : seen(["none", "unknown"]));
      }),
    ),
  },

  /** Proxies connect to the istiod of their revision. */
  revision: {
    isEarly: false,
    doc: "Each registered revision has an istiod of the same revision. Warning: none has: install one, or register another revision.",
    judge: ofCluster("istiods", (found, { installed }) =>
      judged(installed, (webhooks) => {
        if (found.length === 0) return NO_ISTIOD;
        const there = new Set(found.map(({ revision }) => revision));
        const alone = [...new Set(webhooks.map(({ revision }) => revision))].filter((revision) => !there.has(revision));
        if (alone.length === 0) return ok(`istiod of revision ${[...there].join(", ")}`);
        const seen = `no istiod has revision ${alone.join(", ")}; there is ${[...there].join(", ")}`;
        return warning(seen, `istioctl install --revision ${alone[0]}, or register another --revision`);
      }),
    ),
  },

  "mesh-config": {
    isEarly: false,
    doc: "What sidecars contain of the mesh config agrees with istiod's. Warning: it differs: [edit `source/mesh`](configuration.md).",
    judge: ofCluster("status", ({ drift }) => {
      const own = drift.filter(isOfMesh);
      if (own.length === 0) return ok("sidecars and istiod have the same mesh config");
      const places = own.map(({ place, expected, actual }) => `${place} is ${actual}, and ${expected} in istiod`);
      return warning(some(places), "edit source/mesh: docs/configuration.md");
    }),
  },

  discovery: {
    isEarly: true,
    doc: "With `--verify`: `discoveryAddress`, where proxies look for istiod, is a service and port of this cluster. Error: fix the address.",
    judge: ofCluster("addresses", (verified) => {
      const wrong = verified.filter(({ problem }) => problem !== undefined);
      if (wrong.length > 0)
        return failing(some(wrong.map(describeAddress)), "fix discoveryAddress, then outrigger push");
      return ok(some(verified.map(({ name }) => name)));
    }),
  },
} satisfies Checks;
