// `outrigger print rbac`: prints the roles that Outrigger's commands need in a cluster. Makes no calls.

import { channelNamePattern, DEFAULT_REVISION } from "@outrigger/base";
import { buildRbac, PROBE_NAMESPACE, rbacFeatures } from "@outrigger/webhook";
import { Argument, type Command } from "commander";
import { collect } from "../../options/collect.ts";
import { matching } from "../../options/names.ts";
import type { Io } from "../../terminal/io.ts";
import { printObjects, withObjectOptions } from "./print-objects.ts";

/** The studio's reader sees the pods of every namespace: only on request. */
const choices = [...rbacFeatures, "studio", "restart"] as const;

type Features = readonly (typeof choices)[number][];

interface RbacCommandOptions {
  readonly revision?: readonly string[];
  readonly tag?: readonly string[];
  readonly namespace?: readonly string[];
  readonly istioNamespace: string;
  readonly group: string;
  readonly name: string;
  readonly json?: true;
}

const NOTES = `
Registering creates a pod as a dry run, in ${PROBE_NAMESPACE} where that exists. For --phase namespace, name one of the
namespaces of the rollout with --namespace: only pods there are sent.

Examples:
  outrigger print rbac | kubectl apply -f -
  outrigger print rbac registration pods --group oncall --name outrigger-oncall
  outrigger print rbac studio --group template-authors --name outrigger-studio
  outrigger print rbac --revision 1-30 --tag prod --namespace checkout`;

export function addPrintRbacCommand(print: Command, io: Io): void {
  const command = print
    .command("rbac")
    .description("print the roles that commands need in a cluster, for kubectl")
    .addArgument(
      new Argument("[features...]", "what the principal does (default: all but studio and restart)").choices(choices),
    )
    .option("--revision <revision>", "a revision that is registered; repeatable (default: default)", collectNames)
    .option("--tag <tag>", "a tag that is registered; repeatable", collectNames)
    .option("--namespace <namespace>", `where pods are tried; repeatable (default: ${PROBE_NAMESPACE})`, collectNames)
    .option("--istio-namespace <namespace>", "where istiod is", parseName, "istio-system")
    .option("--group <group>", "the Kubernetes group of the principal's access entry", "outrigger-registrars")
    .option("--name <name>", "the name of the roles", parseName, "outrigger-registrar");
  withObjectOptions(command)
    .addHelpText("after", NOTES)
    .action((features: Features, options: RbacCommandOptions) => runRbac(features, options, io));
}

function runRbac(features: Features, options: RbacCommandOptions, io: Io): void {
  const objects = buildRbac({
    features: features.length === 0 ? rbacFeatures : features,
    revisions: options.revision ?? [DEFAULT_REVISION],
    tags: options.tag ?? [],
    probeNamespaces: options.namespace ?? [PROBE_NAMESPACE],
    istioNamespace: options.istioNamespace,
    group: options.group,
    name: options.name,
  });
  printObjects(objects, options.json, io);
}

const parseName = matching(channelNamePattern, "A name has at most 63 lower-case letters, digits and dashes.");

function collectNames(text: string, earlier: readonly string[] = []): readonly string[] {
  return collect(parseName(text), earlier);
}
