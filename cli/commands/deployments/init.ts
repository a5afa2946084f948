// `outrigger init`: a project folder with what editing, testing and deploying need; no clone of Outrigger.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { defined, type JsonObject, objectOf, textOf, usageError } from "@outrigger/base";
import { proposeGuardrails } from "@outrigger/guardrails";
import { compileRelease, publishChannel, type SourceTree } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import type { Command } from "commander";
import { writeText } from "../../manifests/write-manifests.ts";
import { parseStageName } from "../../options/names.ts";
import { optionTable, takes } from "../../options/option.ts";
import { AGENT_TREE, PACKAGE, projectFiles } from "../../project/project-files.ts";
import type { Io } from "../../terminal/io.ts";
import { shellWords } from "../../terminal/shell-words.ts";
import { shippedTree } from "../../tree/read-trees.ts";

const PROJECT = "package.json";

const NOTES = `
Writes a README, settings of a stage, a source tree with a value and a test, a manifest to try, and a package.json that names
this version of Outrigger and the osls that deploys it. Files that exist are left as they are; what a package.json lacks is printed.

Examples:
  outrigger init my-outrigger
  outrigger init . --stage prod
  outrigger init my-sidecars --without-istio --injection-label sidecars.example.com/inject`;

const INIT_OPTIONS = optionTable({
  deployment: {
    argument: "<stage>",
    about: "the stage whose settings are written, also as --stage",
    parse: parseStageName,
    default: "dev",
  },
  withoutIstio: { about: "a project with a sidecar of your own, and nothing of a mesh" },
  injectionLabel: {
    argument: "<key>",
    about: "with --without-istio: the label by which pods and namespaces ask for it",
  },
});

export function addInitCommand(program: Command, io: Io): void {
  takes(program.command("init"), INIT_OPTIONS)
    .description("make a project folder: settings, templates, tests, and what deploying needs")
    .argument("<dir>", "the folder; made if it does not exist")
    .addHelpText("after", NOTES)
    .action(async (directory, { deployment: stage, withoutIstio: isWithoutIstio = false, injectionLabel }) => {
      if (injectionLabel !== undefined && !isWithoutIstio) {
        throw usageError(
          "Cannot use --injection-label without --without-istio: write injectionLabel into your config.yaml",
        );
      }
      if (injectionLabel !== undefined)
        publishChannel([{ config: `injectionLabel: ${JSON.stringify(injectionLabel)}` }]);
      const folder = resolve(io.cwd, directory);
      const installs = (await tarballFor(folder, io)) ?? io.version;
      const guardrails = await guardrailsOf(folder, isWithoutIstio, io);
      const osls = await oslsVersion(io);
      const files = projectFiles({
        version: io.version,
        installs,
        osls,
        stage,
        guardrails,
        isWithoutIstio,
        ...defined({ injectionLabel }),
      });
      const written: string[] = [];
      const kept: string[] = [];
      const own = await readExisting(join(folder, PROJECT));
      const advice =
        own === undefined ? [] : adviceFor(packageOf(own, PROJECT), packageOf(files[PROJECT] ?? "{}", PROJECT));
      for (const [file, text] of Object.entries(files)) {
        const target = join(folder, file);
        if (existsSync(target)) kept.push(file);
        else {
          await writeText(target, text, io, true);
          written.push(file);
        }
      }
      const lines = [
        written.length === 0 ? "Nothing was missing" : `Wrote ${written.join(", ")}`,
        ...(kept.length === 0 ? [] : [`Left as it was: ${kept.join(", ")}`]),
        ...advice,
        `Next: read ${join(directory, "README.md")}`,
      ];
      io.stdout.write(`${lines.join("\n")}\n`);
    });
}

/** The guardrails that admit what the folder's own tree uses, or the shipped one alone. */
async function guardrailsOf(folder: string, isWithoutIstio: boolean, io: Io): Promise<string> {
  const own = join(folder, "my-templates");
  const begun = isWithoutIstio ? treeOfFiles(AGENT_TREE) : {};
  const layers = [await shippedTree(io), existsSync(own) ? await readSourceTree(own) : begun];
  return proposeGuardrails(compileRelease(layers), layers);
}

/** `my-templates/config.yaml` → `config`. */
function treeOfFiles(files: Readonly<Record<string, string>>): SourceTree {
  const entries = Object.entries(files).map(
    ([file, text]) => [file.replace(/^[^/]*\/|\.(yaml|hbs)$/g, ""), text] as const,
  );
  return Object.fromEntries(entries.filter(([path]) => !path.startsWith("tests/")));
}

/** Undefined for a copy of Outrigger that was not packaged for deploying: a clone before a build. */
async function oslsVersion(io: Io): Promise<string | undefined> {
  return (await readExisting(join(io.service, "osls-version")))?.trim();
}

/** The tarball that this copy was installed from, as npm noted next to it, seen from the folder; undefined for a registry's copy. */
async function tarballFor(folder: string, io: Io): Promise<string | undefined> {
  const modules = resolve(io.templates, "../../..");
  const noted = await readExisting(join(modules, ".package-lock.json"));
  const { packages } = noted === undefined ? {} : packageOf(noted, ".package-lock.json");
  const resolved = textOf(objectOf(objectOf(packages)[`node_modules/${PACKAGE}`])["resolved"]);
  if (resolved?.startsWith("file:") !== true) return undefined;
  return `file:${relative(folder, resolve(modules, "..", resolved.slice("file:".length)))}`;
}

async function readExisting(file: string): Promise<string | undefined> {
  return existsSync(file) ? readFile(file, "utf8") : undefined;
}

/** What a project's own package.json lacks, as commands of npm; and the name that the package had before its scope, which goes. */
function adviceFor(own: JsonObject, wanted: JsonObject): readonly string[] {
  const has = { ...objectOf(own["dependencies"]), ...objectOf(own["devDependencies"]) };
  const missing = Object.entries(objectOf(wanted["devDependencies"])).filter(([name]) => !Object.hasOwn(has, name));
  const words = missing.map(([name, version]) => `${name}@${String(version)}`);
  return [
    ...(words.length === 0
      ? []
      : [`${PROJECT} lacks what deploying needs: ${shellWords(["npm", "install", "--save-dev", ...words])}`]),
    ...(Object.hasOwn(has, "outrigger")
      ? [`${PROJECT} names outrigger without a scope, which a stranger could take: npm uninstall outrigger`]
      : []),
  ];
}

function packageOf(text: string, file: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch (cause) {
    throw usageError(`Cannot read ${file}: it is not JSON`, { path: file, cause });
  }
}
