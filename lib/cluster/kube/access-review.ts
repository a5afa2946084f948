// What a caller may do in a cluster, as its API server says: asked, not tried.
import { type JsonObject, objectOf } from "@outrigger/base";
import type { KubeClient } from "./kube-client.ts";

/** Whether the caller may do what the attributes of an access review say. */
export async function mayDo(kube: KubeClient, resourceAttributes: JsonObject): Promise<boolean> {
  const kind = "SelfSubjectAccessReview";
  const review = { apiVersion: "authorization.k8s.io/v1", kind, spec: { resourceAttributes } };
  const { status } = await kube.review("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
  return objectOf(status)["allowed"] === true;
}
