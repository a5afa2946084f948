// The options of commands that look at what a release does with a pod, and the release that they come to.

import { clusterNamePattern, DEFAULT_REVISION, defined, OutriggerError } from "@outrigger/base";
import type { InjectRequest } from "@outrigger/injector";
import { manifestPods, type NamedPod } from "@outrigger/injector";
import { clusterSettings, readClusterRecord } from "@outrigger/serving";
import type { Command } from "commander";
import { type Deployment, openDeployment } from "../connect/deployment.ts";
import { type ManifestOptions, readManifests, withManifestOptions } from "../manifests/read-manifests.ts";
import type { Io } from "../terminal/io.ts";
import { type AwsOptions, withAwsOptions } from "./aws-options.ts";
import { collect } from "./collect.ts";
import { findReference, type Referred } from "./reference.ts";
import { type ValuesOptions, withCommandLineValues, withValuesOptions } from "./values-options.ts";

export interface ReleaseOptions extends AwsOptions, ValuesOptions {
  readonly dir?: string;
  readonly from?: string;
  readonly cluster?: string;
  readonly revision?: string;
}

/** A release, and what the calling cluster adds to it. */
interface ChosenRelease {
  readonly referred: Referred;
  readonly settings: NonNullable<InjectRequest["cluster"]>;
}

export interface PodOptions extends ReleaseOptions, ManifestOptions {
  readonly namespace?: string;
  readonly kind?: readonly string[];
}

interface Question {
  readonly referred: Referred;
  readonly pods: readonly NamedPod[];
}

/** Gives a command the options by which pods and a release are named. */
export function withPodOptions(command: Command): Command {
  return withReleaseOptions(command, true);
}

/** The same, for a command whose pods need not be in a file. */
export function withOptionalFile(command: Command): Command {
  return withReleaseOptions(command, false);
}

function withReleaseOptions(command: Command, isRequired: boolean): Command {
  return withTreeOptions(
    withManifestOptions(command, isRequired)
      .option("-n, --namespace <namespace>", "the namespace of documents that name none")
      .option(
        "--kind <kind>",
        "a kind that has pods in fields of other names than template; give it again for more",
        collect,
      ),
  );
}

/** Gives a command the options by which a release alone is named. */
export function withTreeOptions(command: Command): Command {
  return withAwsOptions(
    withValuesOptions(
      command
        .option("--dir <dir>", "a source tree to lay over the shipped one")
        .option("--from <tree>", "a channel, a release, source or ./directory, instead of the shipped tree")
        .option("--cluster <cluster>", "as a registered cluster is served: its channel, network and versions")
        .option("--revision <revision>", "the revision that pods are injected for"),
    ),
  );
}

/** Finds the release that the options name: the shipped one where they name none. */
export async function findRelease(options: ReleaseOptions, io: Io): Promise<ChosenRelease> {
  const connect = () => openDeployment(options, io);
  const { from, settings } = await chooseRelease(options, connect);
  const referred = await withCommandLineValues(await findReference(from, connect, io), options, io);
  return { referred, settings };
}

/** Reads the pods, and finds the release that they are asked about. */
export async function readQuestion(options: PodOptions, io: Io): Promise<Question> {
  const manifests = await readManifests(options, io);
  const { referred, settings } = await findRelease(options, io);
  const pods = manifestPods(manifests, sourceOptions(options)).map(({ name, request }) => ({
    name,
    request: { ...request, cluster: settings },
  }));
  return { referred, pods };
}

/** What a command says of the documents of its manifests. */
export function sourceOptions({ namespace, kind: kinds }: Pick<PodOptions, "namespace" | "kind">) {
  return defined({ namespace, kinds });
}

interface Choice {
  readonly from: string;
  readonly settings: NonNullable<InjectRequest["cluster"]>;
}

async function chooseRelease(options: ReleaseOptions, connect: () => Promise<Deployment>): Promise<Choice> {
  const { dir, from, cluster, revision } = options;
  const named = [dir, from, cluster].filter((option) => option !== undefined);
  if (named.length > 1) throw new OutriggerError("usage", "Cannot use more than one of --dir, --from and --cluster");
  const settings = revision === undefined ? {} : { revision };
  if (cluster !== undefined) return chooseCluster(cluster, revision, await connect());
  // A directory needs no slash where it cannot be anything else.
  if (dir !== undefined) return { from: /[/\\]/.test(dir) ? dir : `${dir}/`, settings };
  return { from: from ?? "shipped", settings };
}

async function chooseCluster(cluster: string, wanted: string | undefined, deployment: Deployment): Promise<Choice> {
  const { store, target } = deployment;
  const place = target.layout.cluster(cluster);
  const [parameter] = clusterNamePattern.test(cluster) ? await store.getParameters([place]) : [];
  if (parameter === undefined) {
    throw new OutriggerError(
      "cluster-unknown",
      `Cannot find cluster ${cluster}: "outrigger clusters" lists those that are registered`,
    );
  }
  const record = readClusterRecord(parameter);
  const revision = wanted ?? DEFAULT_REVISION;
  const channel = Object.hasOwn(record.revisions, revision) ? record.revisions[revision] : undefined;
  if (channel === undefined) {
    const known = Object.keys(record.revisions).join(", ");
    throw new OutriggerError(
      "cluster-invalid",
      `Cannot find revision ${revision} of cluster ${cluster}: it has ${known}`,
    );
  }
  const isDefault = revision === DEFAULT_REVISION;
  return { from: channel, settings: { ...clusterSettings(record), ...(!isDefault && { revision }) } };
}
