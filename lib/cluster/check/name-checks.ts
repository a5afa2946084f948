// The checks of names that must exist elsewhere: images in their registries, istiod's address in the cluster. Pure.
import { describeAddress } from "../names/discovery-service.ts";
import { describeImage, type VerifiedImage } from "../names/verify-images.ts";
import { ofCluster } from "./cluster-checks.ts";
import type { Facts } from "./facts.ts";
import { failing, judged, ok, some, type Verdict } from "./finding.ts";

export function checkImages({ deployment }: Facts): Verdict {
  const { images = { known: false, why: "nobody asked" } } = deployment;
  return judged(images, (verified) => {
    const of = (kind: VerifiedImage["found"]["kind"]) => verified.filter(({ found }) => found.kind === kind);
    const [missing, unknown] = [of("missing"), of("unknown")];
    if (missing.length > 0) {
      const place = missing.find((image) => image.place !== undefined)?.place ?? "the values";
      return failing(some(missing.map(describeImage)), `fix the name in ${place}, then outrigger push`);
    }
    if (unknown.length > 0) {
      return { level: "unknown", seen: `could not be checked: ${some(unknown.map(describeImage))}` };
    }
    return ok(some(verified.map(describeImage)));
  });
}

export const checkDiscovery = ofCluster(({ addresses = { known: false, why: "nobody asked" } }) =>
  judged(addresses, (verified) => {
    const wrong = verified.filter(({ problem }) => problem !== undefined);
    if (wrong.length > 0) return failing(some(wrong.map(describeAddress)), "fix discoveryAddress, then outrigger push");
    return ok(some(verified.map(({ name }) => name)));
  }),
);
