// A webhook for tests of registering: knows tokens by their digests, as the inject function does, and injects an annotation
// and a container. HTTPS on loopback.
import { createHash } from "node:crypto";
import { createServer } from "node:https";
import type { Certificate } from "@outrigger/cli";
import { bodyOf, closing, listening } from "../support/loopback.ts";

export interface FakeWebhook {
  readonly url: string;
  /** SHA-256 of each token that is let in. */
  tokens: () => readonly string[];
  /** Tokens of the calls that were answered, by digest. */
  readonly calls: string[];
  /** The answer that is given instead, where it is set. */
  instead: { readonly status: number; readonly body: string } | undefined;
  close(): Promise<void>;
}

export async function startFakeWebhook({ key, cert }: Certificate): Promise<FakeWebhook> {
  const state = {
    tokens: (): readonly string[] => [],
    calls: [] as string[],
    instead: undefined as FakeWebhook["instead"],
  };
  const server = createServer({ key, cert }, async (request, response) => {
    const [, token] = /^\/t\/([^/]+)(?:\/r\/[^/]+)?\/inject/.exec(request.url ?? "") ?? [];
    const digest = createHash("sha256")
      .update(token ?? "")
      .digest("hex");
    const refused = state.tokens().includes(digest) ? undefined : { status: 404, body: "" };
    const instead = state.instead ?? refused;
    if (instead !== undefined) {
      response.writeHead(instead.status).end(instead.body);
      return;
    }
    state.calls.push(digest);
    const { uid, object } = JSON.parse(await bodyOf(request)).request;
    response.writeHead(200, { "content-type": "application/json" }).end(reviewOf(uid, object));
  });
  const url = `https://localhost:${await listening(server)}`;
  return Object.assign(state, { url, close: () => closing(server) });
}

function reviewOf(uid: string, pod: { readonly metadata: { readonly annotations?: object } }): string {
  const annotations = { ...pod.metadata.annotations, "sidecar.istio.io/status": "{}" };
  const patch = [
    { op: "add", path: "/metadata/annotations", value: annotations },
    { op: "add", path: "/spec/containers/-", value: { name: "istio-proxy", image: "proxy" } },
  ];
  const response = { uid, allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(patch)) };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
}
