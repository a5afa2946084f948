// What is wrong with settings, found before anything is packaged: unknown names, values out of their form, and
// settings that do not go together. A wrong setting must never come out as a public API or a function that cannot run. Pure.
import { partitionOf } from "@outrigger/aws";
import { nearestName } from "@outrigger/base";
import { primaryStageOf, type Settings } from "./read.ts";
import { DEFAULTS, SETTINGS, type SettingValues } from "./schema.ts";

/** Every problem with the settings, each a sentence that names the setting and the fix. Empty when there is none. */
export function checkSettings({ file, inFile = {}, overrides, values, problems }: Settings): readonly string[] {
  const unknown = [
    ...Object.keys(inFile).map((name) => ({ name, where: file })),
    ...Object.keys(overrides).map((name) => ({ name, where: "--param" })),
  ].filter(({ name }) => !Object.hasOwn(DEFAULTS, name));
  const wrong = SETTINGS.filter(({ name, kind }) => !kind.accepts(values[name]));
  return [
    ...problems,
    ...unknown.map(
      ({ name, where }) =>
        `Cannot use the setting ${name} of ${where}: it is not a setting; the nearest is ${nearestName(name, Object.keys(DEFAULTS), Number.POSITIVE_INFINITY)}`,
    ),
    ...wrong.map(({ name, kind }) => `Cannot use ${name}=${values[name]}: it must be ${kind.form}`),
    ...conflictsOf(values),
  ];
}

/** Returns what is wrong with the Region that a replica follows, seen from its own. */
export function replicaProblem(settings: Settings, region: string): string | undefined {
  const primary = settings.values.replicaOf;
  if (primary === "") return undefined;
  if (partitionOf(primary).domain !== partitionOf(region).domain)
    return `Cannot follow a deployment in ${primary} from ${region}: they are of different partitions, and no credentials reach both`;
  if (primary !== region || primaryStageOf(settings) !== settings.stage) return undefined;
  return `Cannot make the deployment ${settings.stage} in ${region} a replica of itself: deploy it to another Region, or leave replicaOf out`;
}

/** Regions of AWS that osls does not list. test/scaffold/lists-of-others.test.ts compares with AWS's own list. */
export const MORE_REGIONS: readonly string[] = [
  ...["me-west-1", "sa-west-1", "us-isob-west-1"],
  ...["eu-isoe-west-1", "eusc-de-east-1", "us-isof-east-1", "us-isof-south-1"],
];

/** The partitions where osls looks for its own template in a bucket of another partition. */
const UNREACHED: readonly string[] = ["aws-eusc", "aws-iso-e", "aws-iso-f"];

/** The reasons against a command in a Region: that nobody knows it, or that osls cannot deploy there. */
export function regionProblems(
  { command, region }: { readonly command: string; readonly region: string },
  known: readonly string[],
): readonly string[] {
  if (!known.includes(region)) return [`Cannot deploy to ${region}: no such Region is known. Check its name`];
  if (command === "package" || !UNREACHED.includes(partitionOf(region).id)) return [];
  return [
    `Cannot deploy to ${region} with osls, which looks for its template in another partition. Use outrigger package, and deploy what it makes with CloudFormation (docs/deploy-otherwise.md)`,
  ];
}

/**
 * Returns what is wrong with ARNs among the settings, seen from the Region that is deployed to: CloudFormation finds it
 * out late.
 */
export function placeProblems({ values }: Settings, region: string): readonly string[] {
  return ([...PLACED, "permissionsBoundary", "serviceRole"] as const).flatMap((name) => {
    const arn = values[name];
    // A bus of the account is named without an ARN.
    if (!arn.startsWith("arn:")) return [];
    const [, partition, , place = ""] = arn.split(":");
    const isThere = PLACED.some((placed) => placed === name) ? place === region : partition === partitionOf(region).id;
    if (isThere) return [];
    return `Cannot use ${name}=${arn} in ${region}: it is of ${place || partition}. Use one of ${place ? "the Region" : "the partition"} that you deploy to`;
  });
}

/** Settings with the ARN of a resource that must be in the deployment's own Region. */
const PLACED = ["certificate", "kmsKey", "topic", "eventBus"] as const;

/** Warnings of settings that are allowed and probably not meant. Each is a sentence that names the setting and the fix. */
export function warningsOf({ values }: Settings): readonly string[] {
  const guessable = itemsOf(values.clusters).filter((id) => !HARD_TO_GUESS.test(id));
  const isLimited = uses(values, "private") || isGiven(values, "sources");
  const open = isLimited ? (["api", "alsoApi"] as const).filter((name) => isPublic(values, values[name])) : [];
  return [
    ...open.map(
      (name) => `${name}=${values[name]} is a public API: neither sources nor vpcEndpoints limit who calls it`,
    ),
    ...reasons([
      values.alarms === "warn" &&
        !hasReceiver(values) &&
        "Alarms notify nobody: set email or topic, or alarms=silent where the dashboard is enough",
      guessable.length > 0 &&
        `Cluster IDs that are easy to guess: ${guessable.join(", ")}. Callers without a token can spend their throttle: end each with eight or more random characters`,
    ]),
  ];
}

/** The reasons that apply. */
export function reasons(all: readonly (string | false)[]): readonly string[] {
  return all.filter((reason) => reason !== false);
}

/** Eight or more characters of hexadecimal or base 32, a digit among them, after a separator. */
const HARD_TO_GUESS = /[._-](?=[a-z]*\d)[a-z0-9]{8,}$/i;

const hasReceiver = ({ email, topic }: SettingValues) => email !== "" || topic !== "";
const isGiven = (values: SettingValues, name: keyof SettingValues) => values[name] !== DEFAULTS[name];
/** Whether every address may call an API of this kind. */
const isPublic = (values: SettingValues, api: string) =>
  api === "http" || (api === "rest" && !isGiven(values, "sources"));
const uses = ({ api, alsoApi }: SettingValues, kind: string) => api === kind || alsoApi === kind;
const itemsOf = (list: string) => list.split(",").filter((item) => item !== "");
const repeatedIn = (items: readonly string[]) => items.find((item, at) => items.indexOf(item) < at);

/**
 * The most clusters with routes of their own. An HTTP API takes 300 routes, 4 for a cluster and 4 for all others. A REST API
 * makes 8 resources for a cluster, and CloudFormation takes 500 in a stack.
 */
const MOST_CLUSTERS: Readonly<Record<string, number>> = { http: 74, rest: 48, private: 48 };

/** The most items that AWS takes of each. */
const MOST_ITEMS = { vpcEndpoints: 5, subnets: 16, securityGroups: 5 } as const;
/** Bytes that a resource policy leaves for addresses. */
const MAX_POLICY = 7800;
/** The number of tags that a deployment may set: of CloudFormation's 50, without `service` and `stage`, and with some left for its own. */
const MAX_TAGS = 40;

/** Settings that do not go together, and lists that AWS does not take. */
function conflictsOf(values: SettingValues): readonly string[] {
  const { api, alsoApi, domain, certificate } = values;
  const isPrivate = uses(values, "private");
  const ofPrivate = ["vpcEndpoints", "subnets", "securityGroups"] as const;
  const missing = ofPrivate.filter((name) => values[name] === "");
  const [provisioned, reserved] = [Number(values.provisioned), Number(values.reserved)];
  return reasons([
    values.sharedDomain === "on" &&
      domain === "" &&
      "Cannot share a domain without one: set domain and certificate, or leave sharedDomain out",
    values.mesh === "none" &&
      values.bundledFallback === "on" &&
      "Cannot use bundledFallback with mesh=none: the release in the artifact injects Istio's proxy. Leave bundledFallback out",
    values.replicaOfStage !== "" &&
      values.replicaOf === "" &&
      "Cannot use replicaOfStage without replicaOf: set replicaOf to the Region of that deployment, or leave replicaOfStage out",
    (domain === "") !== (certificate === "") &&
      "Cannot use a domain without its certificate, or a certificate without a domain: set both, domain and certificate",
    api === "private" &&
      domain !== "" &&
      "Cannot give a private API a domain: leave domain out; clusters call the name of its VPC endpoint",
    isPrivate && missing.length > 0 && `Cannot deploy a private API without ${missing.join(", ")}: set them`,
    ...ofPrivate.map(
      (name) =>
        values[name] !== "" &&
        !isPrivate &&
        `Cannot use ${name} with api=${api}: only a private API has it, and this API is public. Set api=private, or leave it out`,
    ),
    isGiven(values, "sources") &&
      !uses(values, "rest") &&
      `Cannot use sources with api=${api}: only a REST API checks who calls. Set api=rest, or leave sources out`,
    isGiven(values, "gatewayLogRole") &&
      !uses(values, "rest") &&
      !isPrivate &&
      "Cannot use gatewayLogRole with api=http: an HTTP API needs no role to write logs. Leave it out",
    alsoApi !== "" && alsoApi === api && `Cannot keep alsoApi=${alsoApi}: it is the same as api. Leave alsoApi out`,
    values.executeApi !== "on" &&
      domain === "" &&
      "Cannot switch executeApi off without a domain: nothing could call the API. Set domain and certificate",
    reserved !== 0 &&
      provisioned > reserved &&
      `Cannot keep ${provisioned} containers warm of ${reserved} reserved: set reserved to ${provisioned} or more, or provisioned to less`,
    ...(["clusterRate", "clusterBurst"] as const).map(
      (name) =>
        isGiven(values, name) &&
        values.clusters === "" &&
        `Cannot use ${name} without clusters: it is the throttle of the clusters that are named there. Set clusters, or leave ${name} out`,
    ),
    ...ofPrivate.map((name) => {
      const [count, most] = [itemsOf(values[name]).length, MOST_ITEMS[name]];
      return count > most && `Cannot use ${count} ${name}: AWS takes ${most}. Name fewer`;
    }),
    ...(["sources", ...ofPrivate] as const).map((name) => {
      const twice = repeatedIn(itemsOf(values[name]));
      return twice !== undefined && `Cannot use ${twice} twice: name it once in ${name}`;
    }),
    JSON.stringify(itemsOf(values.sources)).length > MAX_POLICY &&
      "Cannot use so many sources: a resource policy of API Gateway has 8192 bytes. Combine CIDR blocks",
    ...tagProblems(itemsOf(values.tags)),
    values.alarms === "require" &&
      !hasReceiver(values) &&
      "Cannot deploy with alarms=require: alarms would notify nobody. Set email or topic, or alarms=warn",
    clusterProblem(values),
  ]);
}

function tagProblems(tags: readonly string[]): readonly (string | false)[] {
  const twice = repeatedIn(tags.map((tag) => tag.slice(0, tag.indexOf("=")).toLowerCase()));
  const own = tags.filter((tag) => /^(service|stage|aws:.*)=/i.test(tag));
  return [
    twice !== undefined
      ? `Cannot use the tag ${twice} twice: IAM does not distinguish upper and lower case. Name it once`
      : tags.length > MAX_TAGS && `Cannot use ${tags.length} tags: AWS takes ${MAX_TAGS} of yours. Name fewer`,
    own.length > 0 &&
      `Cannot use the tags ${own.join(", ")}: service and stage are set already, and aws: is reserved. Rename them`,
  ];
}

function clusterProblem({ api, alsoApi, clusters: list }: SettingValues): string | false {
  const clusters = itemsOf(list);
  const twice = repeatedIn(clusters);
  if (twice !== undefined) return `Cannot use the cluster ID ${twice} twice: name it once in clusters`;
  const apis = [api, alsoApi].filter((kind) => kind !== "");
  const most = Math.floor(Math.min(...apis.map((kind) => MOST_CLUSTERS[kind] ?? 0)) / apis.length);
  return (
    clusters.length > most &&
    `Cannot give ${clusters.length} clusters routes of their own: ${most} fit into this API and CloudFormation's 500 resources. Name those that need it; the others share one throttle`
  );
}
