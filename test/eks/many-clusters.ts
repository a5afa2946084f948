// Hundreds of registered clusters in a laboratory: each is a copy of one that was registered, with an API server and a token of its own.
import { createHash } from "node:crypto";
import { type JsonObject, objectOf } from "@outrigger/base";
import type { CliLab } from "./cli-lab.ts";
import type { FakeApiServer } from "./fake-api-server.ts";

/** Registers the laboratory's cluster, and as many copies of it: `c000`, `c001` and so on. */
export async function manyClusters(lab: CliLab, count: number): Promise<ReadonlyMap<string, FakeApiServer>> {
  const text = lab.aws.store.values()[lab.aws.layout.cluster("shop")] as string;
  const [, token] = /\/t\/([\w-]{43})/.exec(JSON.stringify([...lab.api.objects])) ?? [];
  const digest = digestOf(token as string);
  const { layout } = lab.aws;
  const { askPublisher } = await lab.aws.connect({ stage: "dev", layout, publisher: "outrigger-dev-publish" });
  const servers = new Map<string, FakeApiServer>();
  for (let index = 0; index < count; index++) {
    const name = `c${String(index).padStart(3, "0")}`;
    const own = createHash("sha256").update(name).digest("base64url");
    const { api } = await lab.addCluster(name);
    for (const [path, object] of lab.api.objects) {
      api.put(path, JSON.parse(JSON.stringify(object).replaceAll(token as string, own)) as JsonObject);
    }
    const { arn } = objectOf(lab.services.clusters.get(name));
    const { change: _, lease: _l, ...record } = JSON.parse(text.replaceAll(digest, digestOf(own)));
    await askPublisher({ action: "put-cluster", cluster: name, record: { ...record, arn: String(arn) }, cause: CAUSE });
    servers.set(name, api);
  }
  return servers;
}

const CAUSE = { by: "ann", why: "" };

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
