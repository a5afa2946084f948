// `outrigger print`: what others apply, attach or read: objects, policies, schemas. Makes no calls.
import {
  channelNamePattern,
  DEFAULT_REVISION,
  defined,
  type JsonObject,
  suggestName,
  usageError,
} from "@outrigger/base";
import { objectsToApply } from "@outrigger/cluster";
import { compileRelease, configSchema, describeHelpers, valuesSchema } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { buildRbac, PROBE_NAMESPACE, rbacFeatures, TOKEN_PLACEHOLDER } from "@outrigger/webhook";
import { formatYaml } from "@outrigger/yaml";
import type { Command } from "commander";
import { readInput } from "../../manifests/read-input.ts";
import { deploymentOptions, stageOf } from "../../options/aws-options.ts";
import { readText, requestedSettings, webhookOptions } from "../../options/cluster-options.ts";
import { matching } from "../../options/names.ts";
import { choiceOf, type OptionsOf, optionTable, takes } from "../../options/option.ts";
import { resultOptions } from "../../options/shared-options.ts";
import type { Io } from "../../terminal/io.ts";
import { printResult } from "../../terminal/print.ts";
import { directoryOf, shippedTree } from "../../tree/read-trees.ts";
import { addPrintPolicyCommand } from "./policy.ts";

const NOTES = `
Examples:
  outrigger print webhook --url https://abc.execute-api.eu-west-1.amazonaws.com --token-file token | kubectl apply -f -
  outrigger print rbac registration pods | kubectl apply -f -
  outrigger print policy deployer --account 123456789012 --region eu-west-1
  outrigger print schema my-templates > values.schema.json
  outrigger print helpers regexMatch`;

export function addPrintCommand(program: Command, io: Io): void {
  const print = program
    .command("print")
    .description("print what you apply or attach yourself: webhook, roles, policies, schema, helpers")
    .addHelpText("after", NOTES);
  addPrintWebhookCommand(print, io);
  addPrintRbacCommand(print, io);
  addPrintPolicyCommand(print, io);
  addPrintSchemaCommand(print, io);
  addPrintHelpersCommand(print, io);
}

// `outrigger print helpers`: the helpers that templates may call.
const HELPERS_NOTES = `
Examples:
  outrigger print helpers
  outrigger print helpers regexMatch
  outrigger print helpers -o json`;

type Description = ReturnType<ReturnType<typeof describeHelpers>["get"]> & object;

function addPrintHelpersCommand(print: Command, io: Io): void {
  takes(print.command("helpers"), resultOptions)
    .description("list the helpers that templates may call")
    .argument("[name]", "one helper")
    .addHelpText("after", HELPERS_NOTES)
    .action((name, { json }) => {
      const helpers = describeHelpers();
      const found = [...helpers].filter(([known]) => name === undefined || known === name);
      const [first] = found;
      if (first === undefined) {
        const near = suggestName(name ?? "", [...helpers.keys()]);
        throw usageError(`Cannot find helper ${JSON.stringify(name)}${near}: "outrigger print helpers" lists them`);
      }
      const width = Math.max(...found.map(([known]) => known.length));
      const lines = found.map(([known, { doc }]) => `${known.padEnd(width)}  ${doc}\n`);
      const text = lines.join("") + (name === undefined ? "" : argumentsOf(first[1]));
      printResult(io, json, Object.fromEntries(found.map(([known, { doc }]) => [known, doc])), text);
    });
}

function argumentsOf({ signature, args }: Description): string {
  const shown = args.map(([argument, , meaning]) => [argument.replace(/^(.*)\?$/, "[$1]"), meaning]);
  const width = Math.max(0, ...shown.map(([argument = ""]) => argument.length));
  const lines = shown.map(([argument = "", meaning]) => `  ${argument.padEnd(width)}  ${meaning}\n`);
  return `\n${signature}\n${lines.join("")}`;
}

// `outrigger print schema`: a JSON Schema of the values or of the config, for editors.
const SCHEMA_NOTES = `
Describes every value of the shipped layer, and of the tree where a directory is given. An editor with a YAML language
server checks values files against it. A tree's own rules go into its schema.yaml, a JSON Schema that publishing applies
to the merged values. With --config, it describes the keys of config.yaml.

Examples:
  outrigger print schema --config > config.schema.json
  outrigger print schema > values.schema.json
  outrigger print schema my-templates > values.schema.json`;

const SCHEMA_OPTIONS = optionTable({ config: { about: "of config.yaml, in place of the values" } });

function addPrintSchemaCommand(print: Command, io: Io): void {
  takes(print.command("schema"), SCHEMA_OPTIONS)
    .description("print a JSON Schema of the values, for editors")
    .argument("[dir]", "the directory of a source tree, over the shipped one")
    .addHelpText("after", SCHEMA_NOTES)
    .action(async (directory, { config }) => {
      if (config === true) {
        if (directory !== undefined)
          throw usageError("Cannot use --config with a directory: every config has the same keys");
        io.stdout.write(`${JSON.stringify(configSchema(), undefined, 2)}\n`);
        return;
      }
      const own = directory === undefined ? {} : await readSourceTree(directoryOf(directory, io));
      const { values } = compileRelease([await shippedTree(io), own]);
      io.stdout.write(`${JSON.stringify(valuesSchema(values), undefined, 2)}\n`);
    });
}

// `outrigger print webhook` and `print rbac`: what register would apply, and the roles that commands need in a cluster, for those
// who apply them themselves.
const WEBHOOK_NOTES = `
Give the URL with --url or $OUTRIGGER_URL. Without a token, a placeholder is printed: replace it before you apply. The
token's SHA-256 must be in the cluster's record: run outrigger token add to add it (docs/register.md).

Examples:
  outrigger print webhook --url https://abc.execute-api.eu-west-1.amazonaws.com --token-file token | kubectl apply -f -
  outrigger print webhook --phase enforce --revision 1-30 --tag prod --safety-net deny`;

/** The options that say in which format objects are printed for kubectl. */
const objectOptions = optionTable({
  json: resultOptions.json,
  output: { ...resultOptions.output, about: "as YAML documents, or a List in JSON", choices: ["yaml", "json"] },
});

const WEBHOOK_OPTIONS = optionTable({
  ...webhookOptions,
  injectionLabel: { argument: "<key>", about: "the config's injectionLabel, where it has one" },
  deployment: deploymentOptions.deployment,
  tokenFile: { argument: "<file>", about: "a file with the cluster's token; - for standard input" },
  ...objectOptions,
});

function addPrintWebhookCommand(print: Command, io: Io): void {
  takes(print.command("webhook"), WEBHOOK_OPTIONS)
    .description("print the webhook configuration, for kubectl or Terraform")
    .addHelpText("after", WEBHOOK_NOTES)
    .action(async (options) => {
      const url = options.url ?? (io.env["OUTRIGGER_URL"] || undefined);
      if (url === undefined) {
        throw usageError("Cannot build a webhook without its URL: give it with --url, or set OUTRIGGER_URL");
      }
      const { injectionLabel } = options;
      const requested = { ...(await requestedSettings(options, url, io)), ...defined({ injectionLabel }) };
      const deployment = stageOf(options, io);
      const objects = objectsToApply(deployment, requested, await tokenOf(options, io));
      printObjects(objects, options.json, io);
    });
}

async function tokenOf({ tokenFile }: OptionsOf<typeof WEBHOOK_OPTIONS>, io: Io): Promise<string> {
  if (tokenFile === undefined) return TOKEN_PLACEHOLDER;
  return (await (tokenFile === "-" ? readInput : readText)(tokenFile, io)).trim();
}

/** Prints objects for kubectl: as YAML documents, or as a List in JSON. */
function printObjects(items: readonly JsonObject[], json: true | undefined, io: Io): void {
  printResult(io, json, { apiVersion: "v1", kind: "List", items }, items.map((item) => formatYaml(item)).join("---\n"));
}

/** The studio's reader sees the pods of every namespace: only on request. */
const CHOICES = [...rbacFeatures, "studio", "restart"] as const;

const RBAC_NOTES = `
Registering creates a pod as a dry run, in ${PROBE_NAMESPACE} where that exists. For --phase namespace, name one of the
namespaces of the rollout with --namespace: only pods there are sent.

Examples:
  outrigger print rbac | kubectl apply -f -
  outrigger print rbac --without-istio | kubectl apply -f -
  outrigger print rbac registration pods --group oncall --name outrigger-oncall
  outrigger print rbac studio --group template-authors --name outrigger-studio
  outrigger print rbac --revision 1-30 --tag prod --namespace checkout`;

const parseName = matching(channelNamePattern, "A name has at most 63 lower-case letters, digits and dashes.");

const RBAC_OPTIONS = optionTable({
  revision: {
    argument: "<revision>",
    about: "a revision that is registered; repeatable (default: default)",
    isRepeatable: true,
    parse: parseName,
  },
  tag: { argument: "<tag>", about: "a tag that is registered; repeatable", isRepeatable: true, parse: parseName },
  namespace: {
    argument: "<namespace>",
    about: `where pods are tried; repeatable (default: ${PROBE_NAMESPACE})`,
    isRepeatable: true,
    parse: parseName,
  },
  istioNamespace: { argument: "<namespace>", about: "where istiod is (default: istio-system)", parse: parseName },
  withoutIstio: {
    about: "nothing in istiod's namespace: for a config with mesh: none, or with an injectionLabel and no istio-proxy",
  },
  group: {
    argument: "<group>",
    about: "the Kubernetes group of the principal's access entry",
    default: "outrigger-registrars",
  },
  name: { argument: "<name>", about: "the name of the roles", parse: parseName, default: "outrigger-registrar" },
  ...objectOptions,
});

function addPrintRbacCommand(print: Command, io: Io): void {
  takes(print.command("rbac"), RBAC_OPTIONS)
    .description("print the roles that commands need in a cluster, for kubectl")
    .addArgument(choiceOf("[features...]", "what is allowed (default: all but studio and restart)", CHOICES))
    .addHelpText("after", RBAC_NOTES)
    .action((features, options) => {
      const { istioNamespace, withoutIstio, group, name } = options;
      if (istioNamespace !== undefined && withoutIstio === true) {
        throw usageError("Cannot use --istio-namespace with --without-istio: use one of them");
      }
      const objects = buildRbac({
        features: features.length === 0 ? rbacFeatures : features,
        revisions: options.revision ?? [DEFAULT_REVISION],
        tags: options.tag ?? [],
        probeNamespaces: options.namespace ?? [PROBE_NAMESPACE],
        istioNamespace: withoutIstio === true ? undefined : (istioNamespace ?? "istio-system"),
        group,
        name,
      });
      printObjects(objects, options.json, io);
    });
}
