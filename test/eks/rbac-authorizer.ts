// An API server's RBAC authorizer, as far as Outrigger's calls need it: roles and cluster roles, groups of resources, verbs,
// and names of objects. Everything that no rule allows is forbidden. Source: Kubernetes' "Using RBAC Authorization".
import { isObject, type JsonObject, listOf, objectOf } from "@outrigger/base";
import { type FakeApiServer, REVIEWED } from "./fake-api-server.ts";

/** The attributes of a request, as an authorizer sees it. */
interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  /** The object's name, which is empty for a list. */
  readonly name: string;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A rule and where it holds: in one namespace, or everywhere. */
export interface BoundRule extends Rule {
  readonly namespace: string | undefined;
}

const VERBS: Readonly<Record<string, string>> = { PATCH: "patch", POST: "create", PUT: "update", DELETE: "delete" };

/**
 * The attributes of a request. A server-side apply of an object that does not exist is authorized twice: as a patch, and as
 * a creation of that name.
 */
function attributesOf(method: string, path: string, type: string, exists: boolean): readonly Attributes[] {
  const parts = path.split("/").filter((part) => part !== "");
  // Every authenticated user may: the roles system:public-info-viewer, system:basic-user and system:discovery.
  const isDiscovery = (parts[0] === "apis" && parts.length === 3) || path === "/api/v1";
  if (path === "/version" || isDiscovery || parts[1] === "authorization.k8s.io") return [];
  const isGroup = parts[0] === "apis";
  const rest = parts.slice(isGroup ? 3 : 2);
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2;
  const [kind = "", name = "", part] = isNamespaced ? rest.slice(2) : rest;
  const resource = part === undefined ? kind : `${kind}/${part}`;
  const verb = method === "GET" ? (name === "" ? "list" : "get") : (VERBS[method] ?? "");
  const group = isGroup ? (parts[1] ?? "") : "";
  const asked = { verb, group, resource, namespace: isNamespaced ? (rest[1] ?? "") : "", name };
  const isCreation = type === "application/apply-patch+yaml" && !exists;
  return isCreation ? [asked, { ...asked, verb: "create" }] : [asked];
}

/** The rules of roles that are bound to a group: a binding without its role allows nothing. */
export function boundRules(objects: readonly JsonObject[], group: string): readonly BoundRule[] {
  const placeOf = ({ metadata }: JsonObject) => (isObject(metadata) ? metadata["namespace"] : undefined);
  return objects.flatMap((binding) => {
    const { kind, roleRef, subjects } = binding;
    if (kind !== "RoleBinding" && kind !== "ClusterRoleBinding") return [];
    const isBound = listOf(subjects).some(
      (subject) => isObject(subject) && subject["kind"] === "Group" && subject["name"] === group,
    );
    const reference = objectOf(roleRef);
    const role = objects.find(
      (object) =>
        object["kind"] === reference["kind"] &&
        isObject(object["metadata"]) &&
        object["metadata"]["name"] === reference["name"] &&
        (object["kind"] === "ClusterRole" || placeOf(object) === placeOf(binding)),
    );
    if (!isBound || role === undefined) return [];
    const namespace = kind === "RoleBinding" ? String(placeOf(binding)) : undefined;
    return (role["rules"] as unknown as readonly Rule[]).map((rule) => ({ ...rule, namespace }));
  });
}

/** Whether a rule allows what is asked for. Names limit a rule to objects; a list and a POST have no name. */
function allows(rule: BoundRule, { verb, group, resource, namespace, name }: Attributes): boolean {
  return (
    (rule.namespace === undefined || rule.namespace === namespace) &&
    rule.apiGroups.includes(group) &&
    rule.resources.includes(resource) &&
    rule.verbs.includes(verb) &&
    (rule.resourceNames === undefined || rule.resourceNames.includes(name))
  );
}

/** The rules, each time with one verb or one name less, and what was left out. */
export function weakerRules(
  rules: readonly BoundRule[],
): readonly (readonly [what: string, rules: readonly BoundRule[]])[] {
  return rules.flatMap((rule, index) => {
    const { verbs, resources, resourceNames = [], namespace } = rule;
    const place = namespace === undefined ? "" : ` in ${namespace}`;
    const less = (change: Partial<BoundRule>) => rules.toSpliced(index, 1, { ...rule, ...change });
    const withoutVerb = verbs.map(
      (verb) => [`${verb} ${resources}${place}`, less({ verbs: verbs.filter((one) => one !== verb) })] as const,
    );
    const withoutName = resourceNames.map(
      (name) =>
        [`${resources} ${name}${place}`, less({ resourceNames: resourceNames.filter((one) => one !== name) })] as const,
    );
    return [...withoutVerb, ...withoutName];
  });
}

/** Requests that commands make, for judging them by rules one after the other: one run shows the need for every rule. */
function requestLog(exists: (path: string) => boolean) {
  const asked: (readonly Attributes[])[] = [];
  return {
    note: (method: string, path: string, type: string) =>
      void asked.push(attributesOf(method, path, type, exists(path))),
    /** Returns everything of what was asked that rules forbid. */
    forbidden: (rules: readonly BoundRule[]) => [
      ...new Set(
        asked
          .flat()
          .filter((one) => !rules.some((rule) => allows(rule, one)))
          .map(({ verb, resource, namespace, name }) => [verb, resource, namespace, name].filter(Boolean).join(" ")),
      ),
    ],
  };
}

/**
 * Runs a command under rules, and judges what it asked for: what the rules forbid of it, and the verbs and names that rules
 * allow without need.
 */
export async function judgeRules(
  api: Pick<FakeApiServer, "objects" | "authorize">,
  rules: readonly BoundRule[],
  run: () => Promise<unknown>,
): Promise<{ readonly forbidden: readonly string[]; readonly needless: readonly string[] }> {
  const exists = (path: string) => api.objects.has(path);
  const log = requestLog(exists);
  const authorize = rbacAuthorizer(rules, exists);
  api.authorize = (method, path, type) => {
    if (type !== REVIEWED) log.note(method, path, type);
    return authorize(method, path, type);
  };
  await run();
  api.authorize = undefined;
  const forbidden = log.forbidden(rules);
  const needless = weakerRules(rules).filter(([, less]) => log.forbidden(less).length === forbidden.length);
  return { forbidden, needless: needless.map(([what]) => what) };
}

/**
 * The authorizer of a fake API server: it gives the message of a refusal, or undefined. `exists` says whether there is an object at a
 * path.
 */
export function rbacAuthorizer(rules: readonly BoundRule[], exists: (path: string) => boolean) {
  return (method: string, path: string, type: string): string | undefined => {
    const forbidden = attributesOf(method, path, type, exists(path)).find(
      (asked) => !rules.some((rule) => allows(rule, asked)),
    );
    if (forbidden === undefined) return undefined;
    const { verb, group, resource, namespace, name } = forbidden;
    const what = name === "" ? resource : `${resource} "${name}"`;
    const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
    return `${what} is forbidden: User "registrar" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  };
}
