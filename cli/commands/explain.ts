// `outrigger explain`: why a pod is injected or not, with what, and which setting decides.
import type { Command } from "commander";
import { loadRelease } from "../../lib/release/load-release.ts";
import { type Account, explainPod, type Piece } from "../explain-pod.ts";
import type { Io } from "../io.ts";
import { printResult } from "../print.ts";
import { type PodOptions, readQuestion, withPodOptions } from "../release-options.ts";
import { shippedTree } from "../tree/read-trees.ts";

interface ExplainOptions extends PodOptions {
  readonly json?: true;
}

const NOTES = `
Examples:
  outrigger explain -f pod.yaml --dir my-templates
  kubectl get pod web -o yaml | outrigger explain -f - --cluster shop
  outrigger explain -f deployment.yaml -n shop --from stable`;

export function addExplainCommand(program: Command, io: Io): void {
  withPodOptions(program.command("explain"))
    .description("tell why a pod is injected or not, and with what")
    .option("--json", "print the account as JSON")
    .addHelpText("after", NOTES)
    .action((options: ExplainOptions) => runExplain(options, io));
}

async function runExplain(options: ExplainOptions, io: Io): Promise<void> {
  const { referred, pods } = await readQuestion(options, io);
  const injector = loadRelease(referred.release);
  const layers = { release: referred.release, tree: referred.tree, shipped: await shippedTree(io) };
  const accounts = pods.map(({ name, request }) => explainPod(name, request, injector, layers));
  const value = { release: referred.digest, from: referred.name, pods: accounts };
  const head = `Release ${referred.digest} (${referred.name})\n`;
  printResult(io, options.json, value, head + accounts.map((account) => `\n${text(account)}`).join(""));
}

function text(account: Account): string {
  const { pod, namespace, decision, reason, message, chosenBy, templates, added, warnings } = account;
  const lines = [
    `${pod}, namespace ${namespace}`,
    `  ${DECISIONS[decision]} (${reason}): ${message}`,
    ...(chosenBy === undefined ? [] : [`  Templates, by ${chosenBy}:`]),
    ...templates.flatMap((template) => [
      `    ${template.name}: ${place(template)}`,
      ...ownPartials(template.partials).map((piece) => `      ${place(piece)}`),
    ]),
    ...Object.entries(added).map(([field, names]) => `  Added ${field}: ${names.join(", ")}`),
    ...warnings.map((warning) => `  Warning: ${warning}`),
  ];
  return `${lines.join("\n")}\n`;
}

const DECISIONS = { injected: "Injected", skipped: "Not injected", refused: "Refused" } as const;

function place({ path, layer, replaces }: Piece): string {
  if (layer === "unknown") return `${path} (whose, is not kept)`;
  return `${path} (${layer}${replaces === true ? ", in place of the shipped one" : ""})`;
}

/** Partials are many; those that are not shipped are what is looked for. */
function ownPartials(partials: readonly Piece[]): readonly Piece[] {
  return partials.filter(({ layer }) => layer === "yours");
}
