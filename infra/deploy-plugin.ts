// What a template in YAML cannot express, and what is checked before it is made: settings, the account and Region, the
// digest of the deployed code, the APIs, and conditions that are settled when the template is made.
import { join } from "node:path";
import { withAccountSettings } from "./account-settings.ts";
import { attachedPolicies } from "./attached-policies.ts";
import type { awsRequest } from "./aws-request.ts";
import { notifyForClusters } from "./cluster-alarms.ts";
import { decodeGateways, withGateways } from "./gateways.ts";
import { leaveUnreserved } from "./leave-unreserved.ts";
import { codeDigests, nameVersion } from "./name-by-content.ts";
import { decodeFramework, type Framework } from "./serverless-framework.ts";
import {
  checkSettings,
  MORE_REGIONS,
  placeProblems,
  regionProblems,
  replicaProblem,
  warningsOf,
} from "./settings/check.ts";
import { compareSettings, deployedSettings, recordedSettings } from "./settings/compare.ts";
import { settingsFromCommand } from "./settings/framework-values.ts";
import type { Settings } from "./settings/read.ts";
import {
  resetCommands,
  resetRouteSettings,
  restoreCommand,
  restoreRouteSettings,
  staleRoutes,
} from "./stale-routes.ts";
import type { Template } from "./template.ts";

export interface DeployPlugin {
  readonly hooks: Readonly<Record<string, () => void | Promise<void>>>;
}

export interface DeployPorts {
  /** Puts `<name>.zip` of each function into a folder. */
  readonly buildArtifacts: (names: readonly string[], directory: string) => Promise<void>;
  /** Calls of AWS; tests have their own. */
  readonly requestOf?: typeof awsRequest;
}

/** The plugin for the framework's object. Settings are checked at once: before variables of other resources are. */
export function deployPlugin(serverless: unknown, { buildArtifacts, requestOf }: DeployPorts): DeployPlugin {
  const framework = decodeFramework(serverless, requestOf);
  const settings = settingsFromCommand(framework.options);
  const refused = Object.hasOwn(REFUSED, framework.command) ? REFUSED[framework.command] : undefined;
  if (refused !== undefined) throw framework.failure(refused);
  // Commands that make a template, and those that change a stack.
  const isMaking = ["deploy", "package"].includes(framework.command);
  const isChanging = ["deploy", "remove"].includes(framework.command);
  if (isMaking) refuse(framework, checkSettings(settings));
  if ((isMaking || isChanging) && framework.region === "") throw framework.failure(NO_REGION);
  const known = isMaking || isChanging ? framework.allowRegions(MORE_REGIONS) : [];
  if (isMaking) {
    const unknown = regionProblems(framework, known);
    const replica = replicaProblem(settings, framework.region) ?? [];
    refuse(framework, [unknown, replica, placeProblems(settings, framework.region)].flat());
  }
  const askStale = () => staleRoutes(framework.request, framework.stackName(), framework.template());
  /** The stale routes that were reset before an update. They were reset for nothing if it fails. */
  let reset: Awaited<ReturnType<typeof askStale>>;
  return {
    hooks: {
      initialize: async () => {
        const { serviceRole } = settings.values;
        if (serviceRole !== "") framework.setServiceRole(serviceRole);
        // Before anything is done.
        if (isChanging || comparesPackage(framework)) {
          const account = await framework.accountId();
          framework.print(`Account ${account}, Region ${framework.region}, stage ${settings.stage}`);
        }
        if (framework.command === "deploy" || comparesPackage(framework)) {
          const changes = await compare(framework, settings);
          if (comparesPackage(framework) && changes.some((change) => /^(email|topic): /.test(change))) {
            // Registering gives a cluster's alarm the actions that the deployment's own alarms have.
            const again = `outrigger register --deployment ${settings.stage} --cluster NAME, for each cluster: its alarm notifies as the others do`;
            framework.print(`After this template is deployed: ${again}`);
          }
        }
        if (framework.command === "remove") await checkRemoval(framework, settings);
      },
      "before:package:initialize": async () => {
        const directory = join(framework.directory, ".serverless");
        await buildArtifacts(framework.functionNames, directory);
        const { inject, all } = codeDigests(directory, framework.functionNames);
        framework.setResourceProperties("InjectVersion", { CodeSha256: inject });
        for (const id of ["CheckRelease", "PublishRelease"]) framework.setResourceProperties(id, { Code: all });
      },
      "after:aws:package:finalize:mergeCustomProviderResources": () => {
        const gateways = decodeGateways(framework.custom);
        framework.changeTemplate((template) => ({
          ...finishedTemplate(withGateways(template, gateways, settings.values), settings),
          Metadata: { Outrigger: { Settings: recordedSettings(settings) } },
        }));
        const count = Object.keys(framework.template().Resources).length;
        if (count > MOST_RESOURCES) throw framework.failure(`Cannot deploy ${count} ${TOO_MANY}`);
      },
      "after:package:finalize": async () => {
        if (framework.region.startsWith("cn-")) framework.print(`Warning: ${CHINA}`);
        if (!comparesPackage(framework)) return;
        const stale = await askStale();
        if (stale === undefined) return;
        for (const line of resetCommands(stale)) framework.print(`Before this template is deployed: ${line}`);
        framework.print(`If that deploy fails, restore the throttles: ${restoreCommand(stale)}`);
      },
      "before:aws:deploy:deploy:updateStack": async () => {
        reset = await askStale();
        if (reset !== undefined) await resetRouteSettings(framework.request, reset);
      },
      "after:aws:deploy:deploy:updateStack": async () => {
        reset = undefined;
        const changed = await notifyForClusters(framework.request, settings.stage);
        if (changed > 0) framework.print(`Alarms of ${changed} clusters notify as the other alarms do`);
      },
      error: async () => {
        if (reset === undefined) return;
        const command = restoreCommand(reset);
        await restoreRouteSettings(framework.request, reset).then(
          () => framework.print("The throttles of clusters are as they were before the deploy"),
          (error) => framework.print(`Cannot restore the throttles of clusters (${error}): use ${command}`),
        );
      },
    },
  };
}

/** Commands of the framework that would do something else than it seems, each with what does it. */
const REFUSED: Readonly<Record<string, string>> = {
  "deploy function":
    "Cannot deploy a function by itself: pods would get its code before it is known to load what is served. Use outrigger deploy, which changes only what differs",
  "rollback function":
    "Cannot roll a function back by itself: pods would get its code before it is known to load what is served. Deploy the version of Outrigger that you want",
  "invoke local":
    "Cannot invoke a function locally: it is bundled with each deploy, and reads the deployment that it is in. outrigger inject -f pod.yaml prints what a pod gets, and outrigger start serves the webhook on this machine",
};

function refuse({ failure }: Framework, problems: readonly string[]): void {
  if (problems.length > 0) throw failure(problems.join("\n"));
}

/** `outrigger package` compares too, where it has credentials: what it makes is deployed without this plugin. */
function comparesPackage({ command }: Framework): boolean {
  return command === "package" && process.env["OUTRIGGER_COMPARE"] === "on";
}

/** The template of the stage: what settings do to all resources, and the version under the name of what is in it. */
export function finishedTemplate(template: Template, { values }: Settings): Template {
  return nameVersion(withAccountSettings(leaveUnreserved(template), values));
}

const CHINA =
  "In China, API Gateway answers 403 to calls without IAM credentials, as the webhook's are, until the account has an ICP recordal: ask AWS there, before you register a cluster (docs/endpoint.md)";

/** CloudFormation's limit for a stack. */
const MOST_RESOURCES = 500;

const TOO_MANY = `resources: CloudFormation takes ${MOST_RESOURCES}. Name fewer clusters in the setting clusters`;

const NO_REGION =
  "Cannot deploy: no Region is given. Use --region, or set AWS_REGION, AWS_DEFAULT_REGION or the profile's region";

/** The changes of settings, which it prints. */
async function compare(framework: Framework, settings: Settings): Promise<readonly string[]> {
  const deployed = await deployedSettings(framework);
  const { refusals, changes, overrides } = compareSettings(settings, deployed);
  refuse(framework, refusals);
  framework.print(
    settings.inFile === undefined
      ? `Settings have their defaults: there is no ${settings.file} in this folder`
      : `Settings are those of ${settings.file}`,
  );
  for (const line of overrides) framework.print(`Setting ${line}`);
  for (const line of changes) framework.print(`Changes ${line}`);
  for (const line of warningsOf(settings)) framework.print(`Warning: ${line}`);
  return changes;
}

/** Nothing is removed before this: what is derived would be gone, and the stack would stay. */
async function checkRemoval(framework: Framework, { stage }: Settings): Promise<void> {
  refuse(framework, await attachedPolicies(framework.request, framework.stackName()));
  framework.print(
    `Removes the API, the functions with their log groups, the alarms, releases and snapshots with all their versions, and what is derived below /outrigger/${stage}`,
  );
  framework.print(`Keeps what people wrote below /outrigger/${stage}/source, and API Gateway's role for logs`);
}
