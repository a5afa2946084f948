// What is wrong with settings, found before anything is packaged: unknown names, values out of their form, and
// settings that do not go together. A wrong setting must never come out as a public API or a function that cannot run. Pure.
import { partitionOf } from "@outrigger/aws";
import { nearestName } from "@outrigger/base";
import { primaryStageOf, type Settings, type Values } from "./read.ts";
import { DEFAULTS, SETTINGS, settingOf } from "./schema.ts";

/** Every problem with the settings, each a sentence that names the setting and the fix. Empty when there is none. */
export function checkSettings({ file, inFile = {}, overrides, values, problems }: Settings): readonly string[] {
  const unknown = [
    ...Object.keys(inFile).map((name) => ({ name, where: file })),
    ...Object.keys(overrides).map((name) => ({ name, where: "--param" })),
  ].filter(({ name }) => settingOf(name) === undefined);
  const wrong = SETTINGS.filter(({ name, kind }) => !kind.accepts(values[name] ?? ""));
  return [
    ...problems,
    ...unknown.map(
      ({ name, where }) =>
        `Cannot use the setting ${name} of ${where}: it is not a setting; the nearest is ${nearestName(name, NAMES, Number.POSITIVE_INFINITY)}`,
    ),
    ...wrong.map(({ name, kind }) => `Cannot use ${name}=${values[name]}: it must be ${kind.form}`),
    ...RULES.flatMap((rule) => rule(values) ?? []),
  ];
}

/** What is wrong with the Region that a replica follows, seen from its own. */
export function replicaProblem(settings: Settings, region: string): string | undefined {
  const primary = settings.values["replicaOf"] ?? "";
  if (primary === "") return undefined;
  if (partitionOf(primary).domain !== partitionOf(region).domain)
    return `Cannot follow a deployment in ${primary} from ${region}: they are of different partitions, and no credentials reach both`;
  if (primary !== region || primaryStageOf(settings) !== settings.stage) return undefined;
  return `Cannot make the deployment ${settings.stage} in ${region} a replica of itself: deploy it to another Region, or leave replicaOf out`;
}

/** Regions of AWS that osls does not list, and whose artifacts it finds. */
export const NEWER_REGIONS: readonly string[] = ["me-west-1", "sa-west-1", "us-isob-west-1"];

/** Why nothing is deployed to a Region that the framework does not know. */
export function regionProblems(region: string, known: readonly string[]): readonly string[] {
  if (known.includes(region)) return [];
  return [
    `Cannot deploy to ${region}: osls, which deploys, does not know this Region. Check its name, or deploy to another`,
  ];
}

/** What is wrong with ARNs among the settings, seen from the Region that is deployed to: CloudFormation finds it out late. */
export function placeProblems({ values }: Settings, region: string): readonly string[] {
  const arns = [...PLACED, "permissionsBoundary", "serviceRole"].map((name) => ({ name, arn: values[name] ?? "" }));
  return arns.flatMap(({ name, arn }) => {
    const [, partition, , place = ""] = arn.split(":");
    const isThere = PLACED.includes(name) ? place === region : partition === partitionOf(region).id;
    if (arn === "" || isThere) return [];
    return `Cannot use ${name}=${arn} in ${region}: it is of ${place || partition}. Use one of ${place ? "the Region" : "the partition"} that you deploy to`;
  });
}

/** Settings with the ARN of a resource that must be in the deployment's own Region. */
const PLACED: readonly string[] = ["certificate", "kmsKey", "topic"];

/** What is allowed and probably not meant, each a sentence that names the setting and the fix. */
export function warningsOf({ values }: Settings): readonly string[] {
  const guessable = itemsOf(values, "clusters").filter((id) => !HARD_TO_GUESS.test(id));
  const isLimited = values["api"] === "private" || isGiven(values, "sources") || values["alsoApi"] === "private";
  const open = ["api", "alsoApi"].filter((name) => isPublic(values, values[name] ?? ""));
  return [
    ...(isLimited
      ? open.map(
          (name) => `${name}=${values[name]} is a public API: neither sources nor vpcEndpoints limit who calls it`,
        )
      : []),
    ...(values["alarms"] === "warn" && !hasReceiver(values)
      ? ["Alarms notify nobody: set email or topic, or alarms=silent where the dashboard is enough"]
      : []),
    ...(guessable.length > 0
      ? [
          `Cluster IDs that are easy to guess: ${guessable.join(", ")}. Callers without a token can spend their throttle: end each with eight or more random characters`,
        ]
      : []),
  ];
}

/** Eight or more characters of hexadecimal or base 32, a digit among them, after a separator. */
const HARD_TO_GUESS = /[._-](?=[a-z]*\d)[a-z0-9]{8,}$/i;

const hasReceiver = (values: Values) => values["email"] !== "" || values["topic"] !== "";

const NAMES = SETTINGS.map(({ name }) => name);

type Rule = (values: Values) => string | undefined;

const isGiven = (values: Values, name: string) => values[name] !== DEFAULTS[name];
/** Whether every address may call an API of this kind. */
const isPublic = (values: Values, api: string) => api === "http" || (api === "rest" && !isGiven(values, "sources"));
const uses = (values: Values, api: string) => values["api"] === api || values["alsoApi"] === api;
const itemsOf = (values: Values, name: string) => (values[name] ?? "").split(",").filter((item) => item !== "");

/**
 * The most clusters with routes of their own. An HTTP API takes 300 routes, 4 for a cluster and 4 for all others. A REST API
 * makes 8 resources for a cluster, and CloudFormation takes 500 in a stack.
 */
const MOST_CLUSTERS: Readonly<Record<string, number>> = { http: 74, rest: 48, private: 48 };

/** Bytes that a resource policy leaves for addresses. */
const MAX_POLICY = 7800;
/** Of 50, without `service` and `stage`, and with some left for CloudFormation's own. */
const MAX_TAGS = 40;

const RULES: readonly Rule[] = [
  (values) => {
    if (values["sharedDomain"] !== "on" || values["domain"] !== "") return undefined;
    return "Cannot share a domain without one: set domain and certificate, or leave sharedDomain out";
  },
  (values) => {
    if (values["replicaOfStage"] === "" || values["replicaOf"] !== "") return undefined;
    return "Cannot use replicaOfStage without replicaOf: set replicaOf to the Region of that deployment, or leave replicaOfStage out";
  },
  (values) => {
    if ((values["domain"] === "") === (values["certificate"] === "")) return undefined;
    return "Cannot use a domain without its certificate, or a certificate without a domain: set both, domain and certificate";
  },
  (values) => {
    if (values["api"] !== "private" || values["domain"] === "") return undefined;
    return "Cannot give a private API a domain: leave domain out; clusters call the name of its VPC endpoint";
  },
  (values) => {
    if (!uses(values, "private")) return undefined;
    const missing = ["vpcEndpoints", "subnets", "securityGroups"].filter((name) => values[name] === "");
    return missing.length === 0 ? undefined : `Cannot deploy a private API without ${missing.join(", ")}: set them`;
  },
  ...(["vpcEndpoints", "subnets", "securityGroups"] as const).map(
    (name): Rule =>
      (values) => {
        if (values[name] === "" || uses(values, "private")) return undefined;
        return `Cannot use ${name} with api=${values["api"]}: only a private API has it, and this API is public. Set api=private, or leave it out`;
      },
  ),
  (values) => {
    if (!isGiven(values, "sources") || uses(values, "rest")) return undefined;
    return `Cannot use sources with api=${values["api"]}: only a REST API checks who calls. Set api=rest, or leave sources out`;
  },
  (values) => {
    if (!isGiven(values, "gatewayLogRole") || uses(values, "rest") || uses(values, "private")) return undefined;
    return "Cannot use gatewayLogRole with api=http: an HTTP API needs no role to write logs. Leave it out";
  },
  (values) => {
    if (values["alsoApi"] === "" || values["alsoApi"] !== values["api"]) return undefined;
    return `Cannot keep alsoApi=${values["alsoApi"]}: it is the same as api. Leave alsoApi out`;
  },
  (values) => {
    if (values["executeApi"] === "on" || values["domain"] !== "") return undefined;
    return "Cannot switch executeApi off without a domain: nothing could call the API. Set domain and certificate";
  },
  (values) => {
    const [provisioned, reserved] = [Number(values["provisioned"]), Number(values["reserved"])];
    if (reserved === 0 || provisioned <= reserved) return undefined;
    return `Cannot keep ${provisioned} containers warm of ${reserved} reserved: set reserved to ${provisioned} or more, or provisioned to less`;
  },
  ...(["clusterRate", "clusterBurst"] as const).map(
    (name): Rule =>
      (values) => {
        if (!isGiven(values, name) || values["clusters"] !== "") return undefined;
        return `Cannot use ${name} without clusters: it is the throttle of the clusters that are named there. Set clusters, or leave ${name} out`;
      },
  ),
  ...Object.entries({ vpcEndpoints: 5, subnets: 16, securityGroups: 5 }).map(
    ([name, most]): Rule =>
      (values) => {
        const count = itemsOf(values, name).length;
        return count <= most ? undefined : `Cannot use ${count} ${name}: AWS takes ${most}. Name fewer`;
      },
  ),
  ...["sources", "vpcEndpoints", "subnets", "securityGroups"].map(
    (name): Rule =>
      (values) => {
        const items = itemsOf(values, name);
        const twice = items.find((item, at) => items.indexOf(item) < at);
        return twice === undefined ? undefined : `Cannot use ${twice} twice: name it once in ${name}`;
      },
  ),
  (values) => {
    if (JSON.stringify(itemsOf(values, "sources")).length <= MAX_POLICY) return undefined;
    return "Cannot use so many sources: a resource policy of API Gateway has 8192 bytes. Combine CIDR blocks";
  },
  (values) => {
    const keys = itemsOf(values, "tags").map((tag) => tag.slice(0, tag.indexOf("=")).toLowerCase());
    const twice = keys.find((key, at) => keys.indexOf(key) < at);
    if (twice !== undefined)
      return `Cannot use the tag ${twice} twice: IAM does not distinguish upper and lower case. Name it once`;
    return keys.length <= MAX_TAGS
      ? undefined
      : `Cannot use ${keys.length} tags: AWS takes ${MAX_TAGS} of yours. Name fewer`;
  },
  (values) => {
    const own = itemsOf(values, "tags").filter((tag) => /^(service|stage|aws:.*)=/i.test(tag));
    return own.length === 0
      ? undefined
      : `Cannot use the tags ${own.join(", ")}: service and stage are set already, and aws: is reserved. Rename them`;
  },
  (values) => {
    if (values["alarms"] !== "require" || hasReceiver(values)) return undefined;
    return "Cannot deploy with alarms=require: alarms would notify nobody. Set email or topic, or alarms=warn";
  },
  (values) => {
    const clusters = itemsOf(values, "clusters");
    const twice = clusters.find((id, index) => clusters.indexOf(id) !== index);
    if (twice !== undefined) return `Cannot use the cluster ID ${twice} twice: name it once in clusters`;
    const apis = ["api", "alsoApi"].map((name) => values[name] ?? "").filter((api) => api !== "");
    const most = Math.floor(Math.min(...apis.map((api) => MOST_CLUSTERS[api] ?? 0)) / apis.length);
    if (clusters.length <= most) return undefined;
    return `Cannot give ${clusters.length} clusters routes of their own: ${most} fit into this API and CloudFormation's 500 resources. Name those that need it; the others share one throttle`;
  },
];
