// The checks of the mesh: istiod's version next to the proxy's, and whether each revision has an istiod. Pure.
import { DEFAULT_REVISION } from "@outrigger/base";
import { describeSkew, type Skew } from "@outrigger/mesh";
import { imageTag } from "../istio/read-istiods.ts";
import { ofCluster } from "./cluster-checks.ts";
import { failing, judged, ok, some, warning } from "./finding.ts";

export const checkIstiod = ofCluster(({ istiods, proxyImages }) =>
  judged(istiods, (found) =>
    judged(proxyImages, (images) => {
      if (found.length === 0) return ok("there is no istiod in this cluster");
      const skews = found.flatMap(({ image, revision }) => {
        const proxy = images[revision] ?? images[DEFAULT_REVISION];
        return proxy === undefined ? [] : [{ revision, ...describeSkew(imageTag(proxy), imageTag(image)) }];
      });
      const seen = (kinds: readonly Skew["kind"][]) =>
        some(
          skews
            .filter(({ kind }) => kinds.includes(kind))
            .map(({ revision, message }) => `revision ${revision}: ${message}`),
        );
      const unsupported = seen(["proxies-ahead", "proxies-behind"]);
      if (unsupported !== "") return failing(unsupported, UPGRADE);
      const behind = seen(["supported"]);
      if (behind !== "") return warning(behind, UPGRADE);
      return ok(skews.length === 0 ? "no proxy image is known" : seen(["none", "unknown"]));
    }),
  ),
);

const UPGRADE = "move the revision's channel to a release with istiod's version: docs/istio-releases.md";

/** Proxies connect to the istiod of their revision. */
export const checkMeshRevision = ofCluster(({ istiods, installed }) =>
  judged(istiods, (found) =>
    judged(installed, (webhooks) => {
      if (found.length === 0) return ok("there is no istiod in this cluster");
      const there = new Set(found.map(({ revision }) => revision));
      const alone = [...new Set(webhooks.map(({ revision }) => revision))].filter((revision) => !there.has(revision));
      if (alone.length === 0) return ok(`istiod of revision ${[...there].join(", ")}`);
      const seen = `no istiod has revision ${alone.join(", ")}; there is ${[...there].join(", ")}`;
      return warning(seen, `istioctl install --revision ${alone[0]}, or register another --revision`);
    }),
  ),
);
