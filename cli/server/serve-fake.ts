// `start --fake` from the command's side: what the fake deployment and its cluster are made of, and what to try with them.
import { randomBytes } from "node:crypto";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tier } from "@outrigger/aws";
import { defined, type JsonObject, objectOf, usageError } from "@outrigger/base";
import { kubeClient } from "@outrigger/cluster";
import type { FakeAccess } from "@outrigger/fake-aws";
import { isWithoutMesh, type Release, type SourceTree } from "@outrigger/injector";
import type { Pod } from "@outrigger/pod";
import { readSourceTree } from "@outrigger/publisher";
import type { FindService } from "@outrigger/serving";
import { enablingLabel } from "@outrigger/webhook";
import { parseYaml } from "@outrigger/yaml";
import type { AwsTarget } from "../connect/aws-connection.ts";
import type { Deployment } from "../connect/deployment.ts";
import { contextExchange, kubeconfigFiles } from "../connect/kubeconfig-access.ts";
import { awsTarget } from "../options/aws-options.ts";
import type { KubeconfigOptions } from "../options/cluster-options.ts";
import type { Io } from "../terminal/io.ts";
import { shellWords } from "../terminal/shell-words.ts";
import { treeCompiler } from "../tree/compile-tree.ts";
import type { Certificate } from "./certificate.ts";
import { loadInjector } from "./live-injector.ts";

const REGION = "us-east-1";
const ACCOUNT = "111122223333";

/** A cluster of the fake EKS; its account is the deployment's where none is named. */
export interface FakeClusterPlace {
  readonly name: string;
  readonly account?: string;
}

/** One at least. */
export type FakeClusterPlaces = readonly [FakeClusterPlace, ...(readonly FakeClusterPlace[])];

const SHOP: FakeClusterPlaces = [{ name: "shop" }];

interface FakeOptions {
  readonly dir: string | undefined;
  /** The port of the fake AWS; 0 takes a free one. */
  readonly port: number;
  /** The certificate of the webhook and of the cluster's API server; without it, there is no cluster. */
  readonly certificate: Certificate | undefined;
  /** The file that events of changes are appended to. */
  readonly events?: string;
  /** False where edits wait for a person to publish them. */
  readonly publishesEdits?: boolean;
  /** The fake clusters, the first of which is kubectl's; left out: `shop`. */
  readonly clusters?: FakeClusterPlaces;
  /** The cluster: that of a kubeconfig, in place of a fake one. */
  readonly context?: KubeconfigOptions;
}

export interface Served {
  readonly find: FindService;
  /** Whether its function may run no call now. */
  readonly isThrottled?: () => boolean;
  /** The path of the webhook's URL. */
  readonly path: string;
  /** The release that is served at first. */
  readonly release: string;
  readonly hints: string;
  /** The deployment that is served; undefined for a directory. */
  readonly deployment?: Deployment;
  /** Called once the webhook is served, with its origin. */
  readonly listening?: (origin: string) => void;
  readonly close: () => void | Promise<void>;
}

/** Starts a deployment, of the stage `prod` unless the environment says another, with a cluster, and serves them. */
export async function serveFake(
  { dir, port, certificate, clusters: places = SHOP, context, events, publishesEdits }: FakeOptions,
  io: Io,
  report: (line: string) => void,
): Promise<Served> {
  // Loaded only here: the SDK is most of the tool.
  const { fakeServices, kubeconfigOf, putDeployment } = await import("@outrigger/fake-aws");
  const { startFakeDeployment } = await import("./fake-deployment.ts");
  const stage = io.env["OUTRIGGER_STAGE"] || "prod";
  const target = awsTarget({}, { ...io.env, OUTRIGGER_STAGE: stage });
  const [shipped, tree] = await Promise.all([
    readSourceTree(io.templates),
    dir === undefined ? {} : readSourceTree(resolve(io.cwd, dir)),
  ]);
  const compile = await treeCompiler();
  const tier = tierOf(io.env["OUTRIGGER_TIER"] || "Standard");
  const services = fakeServices(REGION);
  const hasMesh = !isWithoutMesh([tree]);
  const sendEvent = events === undefined ? undefined : appendTo(resolve(io.cwd, events));
  const { find, token, release, url, connection, close } = await startFakeDeployment({
    ...{ target, tier, services, shipped: hasMesh ? shipped : WITHOUT_MESH, tree, port, report, version: io.version },
    ...defined({ sendEvent, publishesEdits }),
    compile,
  });
  const accessKey = context === undefined ? "fake" : `FAKE${randomBytes(24).toString("hex")}`;
  const started = async (certificate: Certificate): Promise<readonly OfferedCluster[]> => {
    if (context !== undefined) return [await ownCluster(certificate, accessKey, context, io)];
    const istiod = hasMesh ? await istiodOf(io, shipped) : undefined;
    const asking = askingLabels(compile([shipped, tree]));
    return Promise.all(places.map((place) => fakeCluster(certificate, place, istiod, asking)));
  };
  const clusters = await (certificate && started(certificate))?.catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const folder = clusters && (await mkdtemp(join(tmpdir(), "outrigger-fake-")));
  const variables: Record<string, string> = {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: "fake",
    OUTRIGGER_STAGE: stage,
  };
  if (clusters !== undefined && folder !== undefined && certificate !== undefined) {
    for (const { described } of clusters) services.clusters.set(described.name, described);
    const [first, ...others] = clusters.flatMap(({ access }) => access ?? []);
    variables["KUBECONFIG"] = clusters[0]?.files ?? join(folder, "kubeconfig");
    if (first !== undefined)
      await writeFile(variables["KUBECONFIG"], kubeconfigOf([first, ...others]), { mode: 0o600 });
    variables["NODE_EXTRA_CA_CERTS"] = join(folder, "ca.pem");
    // A call that ignores AWS_ENDPOINT_URL, as version 1 of the AWS CLI makes those of SQS, trusts nothing of AWS and ends there.
    variables["AWS_CA_BUNDLE"] = variables["NODE_EXTRA_CA_CERTS"];
    await writeFile(variables["NODE_EXTRA_CA_CERTS"], certificate.cert);
  }
  return {
    find,
    isThrottled: () => services.reserved.get(`outrigger-${stage}-inject`) === 0,
    path: `/t/${token}/inject`,
    release,
    hints: hintsFor(target, variables, { hasMesh, places, own: clusters?.[0]?.own }),
    deployment: { ...connection, target: { ...target, defaultRegion: REGION, fake: url } },
    listening: (origin) => putDeployment(services, stage, origin),
    close: async () => {
      await Promise.all([
        close(),
        ...(clusters ?? []).map((each) => each.close()),
        folder && rm(folder, { recursive: true, force: true }),
      ]);
    },
  };
}

function appendTo(file: string): (line: string) => Promise<void> {
  return (line) => appendFile(file, `${line}\n`);
}

/** What a deployment with the setting `mesh: none` has beneath its trees. */
const WITHOUT_MESH: SourceTree = { config: "mesh: none\n" };

/** The cluster of a context of a kubeconfig. */
interface OwnCluster {
  readonly url: string;
  readonly context: string;
}

/** A cluster, as this fake offers it. */
interface OfferedCluster {
  /** The cluster in DescribeCluster. */
  readonly described: { readonly name: string };
  /** Its entry in a kubeconfig of the fake; or the files of one that is there. */
  readonly access?: FakeAccess;
  readonly files?: string;
  /** Left out: a fake. */
  readonly own?: OwnCluster;
  readonly close: () => Promise<void>;
}

type Istiod = Awaited<ReturnType<typeof istiodOf>>;

/** The label by which namespaces ask for what a release serves. */
function askingLabels({ config: { injectionLabel } }: Release): Readonly<Record<string, string>> {
  return Object.fromEntries([enablingLabel(injectionLabel).split("=") as [string, string]]);
}

async function fakeCluster(
  certificate: Certificate,
  place: FakeClusterPlace,
  istiod: Istiod | undefined,
  asking: Readonly<Record<string, string>>,
): Promise<OfferedCluster> {
  const { startFakeCluster } = await import("@outrigger/fake-aws");
  const token = randomBytes(24).toString("base64url");
  return startFakeCluster(certificate, inEks(place), token, istiod, asking);
}

function inEks({ name, account = ACCOUNT }: FakeClusterPlace) {
  return { name, arn: `arn:aws:eks:${REGION}:${account}:cluster/${name}` };
}

/** The cluster of a kubeconfig, which EKS describes as one of its own. */
async function ownCluster(
  certificate: Certificate,
  accessKey: string,
  context: KubeconfigOptions,
  io: Io,
): Promise<OfferedCluster> {
  const { name, url, exchange } = await contextExchange(context, io);
  // What cannot be reached is said now.
  const { major, minor } = objectOf(await kubeClient({ name, exchange, sleep }).get("/version"));
  const { startEksRelay } = await import("./eks-relay.ts");
  const relay = await startEksRelay(certificate, accessKey, exchange);
  const data = Buffer.from(certificate.cert).toString("base64");
  const version = `${String(major)}.${Number.parseInt(String(minor), 10)}`;
  const answers = { endpoint: relay.url, version, status: "ACTIVE", certificateAuthority: { data } };
  return {
    described: { ...inEks(SHOP[0]), ...answers },
    files: kubeconfigFiles(context, io).join(":"),
    own: { url, context: name },
    close: relay.close,
  };
}

/** An istiod with the shipped values, whose injection is the shipped tree's. */
async function istiodOf({ templates }: Io, shipped: SourceTree) {
  const { inject } = await loadInjector([templates]);
  const values = objectOf(parseYaml(shipped["values/00-default"] ?? "", "values/00-default"));
  return {
    values,
    inject: (pod: JsonObject, namespace: string): JsonObject => {
      const result = inject({ pod: pod as unknown as Pod, namespace, parameters: {} });
      return result.injected ? (result.pod as unknown as JsonObject) : pod;
    },
  };
}

function tierOf(text: string): Tier {
  if (text === "Standard" || text === "Advanced") return text;
  throw usageError(`Cannot use OUTRIGGER_TIER ${JSON.stringify(text)}: it is Standard or Advanced`);
}

function hintsFor(
  target: AwsTarget,
  variables: Readonly<Record<string, string>>,
  { hasMesh, places, own }: { hasMesh: boolean; places: FakeClusterPlaces; own: OwnCluster | undefined },
): string {
  const values = target.layout.sourceParameter("values/50-mine");
  const hasCluster = variables["KUBECONFIG"] !== undefined;
  const [{ name }] = places;
  const names = places.map((place) => `"${place.name}"`).join(", ");
  const what = places.length === 1 ? `an EKS cluster, ${names},` : `EKS clusters, ${names},`;
  const fake = hasCluster ? ` and of ${what} ${hasMesh ? "whose pods istiod injects" : "without a mesh"}` : "";
  const kept = `--context ${shellWords([own?.context ?? ""])}`;
  const about =
    own === undefined
      ? `This is a fake of AWS${fake}: in memory, on this machine's loopback only, and
gone when the command ends. It runs no containers, and checks no signature and no permission.${hasCluster ? NOT_IN_CLUSTER : ""}`
      : `This is a fake of AWS: in memory, on this machine's loopback only, and gone when the command ends. Its EKS cluster
"${name}" is your own, the context ${own.context} at ${own.url}: commands are its user there, and what they change stays.`;
  const clusterHints = own === undefined ? fakeClusterHints(name) : ownClusterHints(name, kept);
  return `
${about}

In another terminal:

  export ${Object.entries(variables)
    .map(([name, value]) => `${name}=${shellWords([value])}`)
    .join(" ")}
  outrigger pull my-templates
  outrigger push my-templates
${hasMesh ? `  aws ssm put-parameter --overwrite --type String --name ${values} --value 'global: {hub: registry.example/istio}'\n` : ""}${hasCluster ? clusterHints : ""}
Before you work with AWS itself in that terminal:

  unset ${Object.keys(variables).join(" ")}
`;
}

/** Every command names the context: another may be the current one. */
function ownClusterHints(name: string, context: string): string {
  return `  outrigger register --cluster ${name} --ca-file "$NODE_EXTRA_CA_CERTS" --phase cluster
  outrigger check --cluster ${name}
  kubectl get pods -A ${context}
  outrigger off --remove ${context}
`;
}

const NOT_IN_CLUSTER = ` A fake cluster has no
nodes, events, quotas, Pod Security and pods/resize: to try those, name a cluster of your own with --kubeconfig.`;

function fakeClusterHints(name: string): string {
  return `  kubectl get pods -A
  outrigger register --cluster ${name} --phase cluster
  outrigger restart --cluster ${name}
  outrigger pods --cluster ${name}
`;
}
