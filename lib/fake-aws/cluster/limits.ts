// What the cluster of `start --fake` refuses: pods that an API server refuses too, and what it has not itself, by name.
import { type JsonObject, objectOf, textOf } from "@outrigger/base";
import { validatePod } from "@outrigger/pod";
import type { ApiRequest } from "./api/api-server.ts";
import { type Reply, status } from "./api/reply.ts";

/** The kinds that nothing here makes pods of, as a person calls them. */
const WITHOUT_CONTROLLER: Readonly<Record<string, string>> = {
  statefulsets: "controller of StatefulSets",
  daemonsets: "controller of DaemonSets",
  replicasets: "controller of ReplicaSets that you make",
};

/** Why a pod is not taken; undefined where it is. Every namespace has one service account, and there are no others. */
export function podRefusal(pod: JsonObject): Reply | undefined {
  const { name, namespace } = objectOf(pod["metadata"]);
  const account = textOf(objectOf(pod["spec"])["serviceAccountName"]) ?? "default";
  if (account !== "default")
    return status(
      403,
      `pods "${name}" is forbidden: error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`,
    );
  const found = validatePod(pod);
  if (found.length === 0) return undefined;
  const causes = found.map(({ path, message }) => ({
    field: path,
    reason: "FieldValueInvalid",
    message: `Invalid value: ${message}`,
  }));
  const told = causes.map(({ field, message }) => `${field}: ${message}`).join(", ");
  const { code, body } = status(422, `Pod "${name}" is invalid: ${told}`);
  return { code, body: { ...body, details: { name: name ?? "", kind: "Pod", causes } } };
}

/** Refuses to make what would not do anything here; undefined for any other request. */
export function limitOf({ method, path }: Pick<ApiRequest, "method" | "path">): Reply | undefined {
  const [, group, plural = "", name] =
    /^(\/apis\/apps\/v1)\/namespaces\/[^/]+\/([a-z]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const isMaking = method === "POST" || (method === "PATCH" && name !== undefined);
  const lacks = Object.hasOwn(WITHOUT_CONTROLLER, plural) ? WITHOUT_CONTROLLER[plural] : undefined;
  if (group === undefined || !isMaking || lacks === undefined) return undefined;
  return status(405, `this fake has no ${lacks}: make a Deployment`, "MethodNotAllowed");
}
