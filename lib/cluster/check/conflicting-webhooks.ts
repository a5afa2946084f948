// Injectors of others whose webhooks select pods that ours select: each such pod would be injected twice. Reads only.
import { DEFAULT_REVISION, objectsOf } from "@outrigger/base";
import { selectionOf, selectorsOf } from "@outrigger/webhook";
import type { KubeClient } from "../kube/kube-client.ts";
import { type InstalledWebhook, selectorsOfInstalled } from "../objects/installed-webhooks.ts";
import { deploymentOf } from "../objects/object-owner.ts";
import { pathOf } from "../objects/own-kinds.ts";
import { nameOf } from "../objects/own-objects.ts";
import type { ConflictingWebhook } from "./facts.ts";

type Labels = Readonly<Record<string, string>>;

/** Injectors whose pods are ours too. Other webhooks that add containers are no conflict. */
const INJECTORS = [
  /sidecar-injector\.istio\.io$/,
  /\.sidecar-injector\.outrigger$/,
  /linkerd-proxy-injector/,
  /consul.*connect-injector/,
];

export async function readConflictingWebhooks(
  kube: KubeClient,
  deployment: string,
  installed: readonly InstalledWebhook[],
  namespaces: ReadonlyMap<string, Labels>,
): Promise<readonly ConflictingWebhook[]> {
  const conflicting: ConflictingWebhook[] = [];
  const own = selectionOf(
    installed.length > 0 ? installed.flatMap(selectorsOfInstalled) : selectorsOf(DEFAULT_REVISION, []),
  );
  const revisions = installed.length > 0 ? installed.map(({ tag, revision }) => tag ?? revision) : [DEFAULT_REVISION];
  const candidates: Labels[] = [
    {},
    { "sidecar.istio.io/inject": "true" },
    ...revisions.map((name) => ({ "istio.io/rev": name })),
  ];
  for await (const object of kube.list(pathOf("MutatingWebhookConfiguration"))) {
    if (deploymentOf(object) === deployment) continue;
    const theirs = selectionOf(
      objectsOf(object["webhooks"]).filter(({ name }) => INJECTORS.some((pattern) => pattern.test(String(name)))),
    );
    const shared = [...namespaces].filter(([, labels]) =>
      candidates.some((pod) => own(labels, pod) && theirs(labels, pod)),
    );
    if (shared.length > 0) conflicting.push({ name: nameOf(object), namespaces: shared.map(([name]) => name) });
  }
  return conflicting;
}
