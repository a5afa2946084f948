// The checks of the mesh and of names that must exist elsewhere: istiod's version next to the proxy's, whether each revision has an istiod,
// images in their registries, istiod's address in the cluster. Pure.
import { DEFAULT_REVISION } from "@outrigger/base";
import { describeSkew, type Skew } from "@outrigger/mesh";
import { imageTag } from "../istio/read-istiods.ts";
import { describeAddress, describeImage, type VerifiedImage } from "../names/verify-names.ts";
import type { Facts } from "./collect-facts.ts";
import { failing, judged, ok, some, unchecked, type Verdict, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

const NO_ISTIOD = ok("there is no istiod in this cluster");
const UPGRADE = "move the revision's channel to a release with istiod's version: docs/istio-releases.md";

export const meshChecks = {
  istiod: ofCluster("istiods", (found, { proxyImages }) =>
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

  /** Proxies connect to the istiod of their revision. */
  revision: ofCluster("istiods", (found, { installed }) =>
    judged(installed, (webhooks) => {
      if (found.length === 0) return NO_ISTIOD;
      const there = new Set(found.map(({ revision }) => revision));
      const alone = [...new Set(webhooks.map(({ revision }) => revision))].filter((revision) => !there.has(revision));
      if (alone.length === 0) return ok(`istiod of revision ${[...there].join(", ")}`);
      const seen = `no istiod has revision ${alone.join(", ")}; there is ${[...there].join(", ")}`;
      return warning(seen, `istioctl install --revision ${alone[0]}, or register another --revision`);
    }),
  ),

  images({ deployment: { images } }: Facts): Verdict | undefined {
    return (
      images &&
      judged(images, (verified) => {
        const of = (kind: VerifiedImage["found"]["kind"]) => verified.filter(({ found }) => found.kind === kind);
        const [missing, unknown] = [of("missing"), of("unknown")];
        if (missing.length > 0) {
          const place = missing.find((image) => image.place !== undefined)?.place ?? "the values";
          return failing(some(missing.map(describeImage)), `fix the name in ${place}, then outrigger push`);
        }
        if (unknown.length > 0) return unchecked(some(unknown.map(describeImage)));
        return ok(some(verified.map(describeImage)));
      })
    );
  },

  discovery: ofCluster("addresses", (verified) => {
    const wrong = verified.filter(({ problem }) => problem !== undefined);
    if (wrong.length > 0) return failing(some(wrong.map(describeAddress)), "fix discoveryAddress, then outrigger push");
    return ok(some(verified.map(({ name }) => name)));
  }),
};
