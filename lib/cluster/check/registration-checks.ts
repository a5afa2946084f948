// The checks that compare what is registered with what is in the cluster. Pure.
import type { ClusterStatus } from "../status/cluster-status.ts";
import type { Checks } from "./check.ts";
import { failing, ok, some } from "./finding.ts";
import { isOfMesh } from "./mesh-checks.ts";
import { ofCluster } from "./of-cluster.ts";

export const registrationChecks = {
  record: {
    isEarly: false,
    doc: "The deployment has a record of the cluster. With `--context`, it is found by the token of the webhooks. Error: register the cluster.",
    judge: ofCluster("record", (record, { name }, { flags }) => {
      if (record === undefined) return failing(`${name} has no record`, `outrigger register${flags.cluster}`);
      const revisions = Object.entries(record.revisions).map(([revision, channel]) => `${revision} from ${channel}`);
      return ok(`${name} is registered: ${revisions.join(", ")}`);
    }),
  },

  webhooks: {
    isEarly: false,
    doc: "Each registered revision has its webhooks, and none is `off`. Error: register again.",
    judge: ofCluster("status", ({ revisions }, _cluster, { flags }) => {
      const register = `outrigger register${flags.cluster}`;
      if (revisions.length === 0) return failing("no webhook is registered", register);
      const off = revisions.filter((one) => one.off !== undefined);
      if (off.length > 0) {
        return failing(some(off.map((one) => `revision ${one.revision} is off since ${one.off}`)), register);
      }
      const missing = revisions.filter(({ phase }) => phase === "");
      if (missing.length > 0) {
        return failing(`no webhook of revision ${missing.map(({ revision }) => revision).join(", ")}`, register);
      }
      const tagged = (tags: readonly string[]) => tags.map((tag) => `, tag ${tag}`).join("");
      return ok(
        revisions.map(({ revision, phase, tags }) => `revision ${revision}: ${phase}${tagged(tags)}`).join("; "),
      );
    }),
  },

  drift: {
    isEarly: false,
    doc: "The objects in the cluster, their tokens and the record agree. Error: they differ: register again. `--section registration` lists all differences.",
    judge: ofCluster("status", ({ drift }, _cluster, { flags }) => {
      const own = drift.filter((one) => !isOfMesh(one));
      if (own.length === 0) return ok("everything is as it was registered");
      return failing(some(own.map(inWords)), `outrigger register${flags.cluster}`);
    }),
  },
} satisfies Checks;

function inWords({ place, expected, actual }: ClusterStatus["drift"][number]): string {
  if (actual === "missing") return `${place} is missing`;
  return expected === "nothing"
    ? `${place} is ${actual} and should not be there`
    : `${place} is ${actual} and not ${expected}`;
}
