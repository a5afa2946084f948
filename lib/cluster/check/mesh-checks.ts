// The checks of the mesh: istiod's version next to the proxy's, and whether each revision has an istiod. Pure.
import { DEFAULT_REVISION } from "../../webhook/webhook-settings.ts";
import { ofCluster } from "./cluster-checks.ts";
import { failing, judged, ok, some, warning } from "./finding.ts";

export const checkIstiod = ofCluster(({ istiods, proxyImages }) =>
  judged(istiods, (found) =>
    judged(proxyImages, (images) => {
      if (found.length === 0) return ok("there is no istiod in this cluster");
      const pairs = found.flatMap(({ image, revision }): readonly Pair[] => {
        const proxy = images[revision] ?? images[DEFAULT_REVISION];
        return proxy === undefined ? [] : [{ istiod: minorOf(image), proxy: minorOf(proxy), revision }];
      });
      const behind = (isFar: (minors: number) => boolean) =>
        some(pairs.filter((pair) => isFar(gapOf(pair))).map(shown));
      const publish = "publish values with istiod's tag: docs/editing.md";
      const newer = behind((minors) => minors < 0);
      if (newer !== "") return failing(newer, "upgrade istiod first, or publish templates of its release");
      const tooOld = behind((minors) => minors > MOST_BEHIND);
      if (tooOld !== "") return failing(tooOld, publish);
      const older = behind((minors) => minors > 0);
      if (older !== "") return warning(older, publish);
      return ok(pairs.length === 0 ? "no proxy image is known" : some(pairs.map(shown)));
    }),
  ),
);

/** Istio supports proxies that are at most two minor versions behind istiod, and none ahead of it. */
const MOST_BEHIND = 2;

type Minor = readonly [major: number, minor: number] | undefined;

/** The version in an image's tag; undefined where the tag is none: `istio/pilot:1.31.2-distroless` is of 1.31. */
function minorOf(image: string): Minor {
  const [, major, minor] = /:v?(\d+)\.(\d+)(?:[^/\d][^/]*)?$/.exec(image.replace(/@sha256:.*$/, "")) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

interface Pair {
  readonly istiod: Minor;
  readonly proxy: Minor;
  readonly revision: string;
}

/** Minor versions that the proxy is behind; 0 where they cannot be compared. */
function gapOf({ istiod, proxy }: Pair): number {
  return istiod === undefined || proxy === undefined || istiod[0] !== proxy[0] ? 0 : istiod[1] - proxy[1];
}

function shown({ istiod, proxy, revision }: Pair): string {
  const text = (version: Minor) => version?.join(".") ?? "of unknown version";
  return `revision ${revision}: istiod ${text(istiod)}, proxy ${text(proxy)}`;
}

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
