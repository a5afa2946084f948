// What a function's bundle leaves out of its dependencies although esbuild cannot see that it is unused. What is left
// out and why it is safe: docs/contributing/adr/0003-bundle-format.md.
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { ImportKind, Plugin } from "esbuild";

/** esbuild plugins for the bundles of functions. */
export function leaveOutUnused(): readonly Plugin[] {
  return [
    rewrite(/[\\/]js-yaml[\\/]dist[\\/]js-yaml\.mjs$/, markConstantsPure),
    rewrite(/[\\/]@aws-sdk[\\/]client-(ssm|lambda|eks)[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/, leaveErrorsUnnamed),
    ...REPLACEMENTS.map(replaceModule),
  ];
}

/** Makes a plugin that replaces the text of the files of this name. */
export function rewrite(
  filter: RegExp,
  change: (text: string, path: string) => string | Promise<string>,
  loader: "js" | "ts" = "js",
): Plugin {
  return {
    name: `rewrite ${filter.source}`,
    setup(builder) {
      const load = async (path: string) => change(await readFile(path, "utf8"), path);
      builder.onLoad({ filter }, async ({ path }) => ({ contents: await load(path), loader }));
    },
  };
}

/**
 * All errors of a service register themselves, those of operations that are not called too. An error that has not comes
 * as the service's base exception with the name, message and status that were sent, which is all that is read of it.
 */
function leaveErrorsUnnamed(text: string, path: string): string {
  const contents = text.replace(REGISTERED_ERROR, "");
  if (contents === text) throw new Error(`${path} registers its errors in another way than it did`);
  return contents;
}

/** The registry of the service's own namespace; the base exception is in one of its own. */
const REGISTERED_ERROR = /^n\d+_registry\.registerError\(.*\);$/gm;

/**
 * A top-level constant that is computed (`const A = new Schema(…)`) stays in a bundle, used or not: computing it might do
 * something. In the files of this name it does not, which the annotation that esbuild knows for calls declares.
 */
function markConstantsPure(text: string): string {
  return text.replace(COMPUTED_CONSTANT, "$1 /* @__PURE__ */ (() => ($2))();\n");
}

/** An assignment at the start of a line whose value computes something, to the `;` before the next top-level line. */
const COMPUTED_CONSTANT = /^((?:var|let|const) [\w$]+ =) (?!class\b|function\b)((?=[^;]*?[(.`])[\s\S]*?);\n(?=\S)/gm;

interface Replacement {
  readonly module: string;
  /** The kind of imports that are replaced. If it is left out, all are. */
  readonly kind?: ImportKind;
  readonly contents: string;
}

/**
 * Replacements for the parts of dependencies that are meant for other places than a function, or that no function uses.
 */
const REPLACEMENTS: readonly Replacement[] = [
  // A function's credentials are in its environment; the chain of all other sources is 140 KB.
  {
    module: "@aws-sdk/credential-provider-node",
    contents: 'export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";',
  },
  // Loaded by operations that stream events; Parameter Store has none. A client that has some imports it outright.
  {
    module: "@smithy/core/event-streams",
    kind: "dynamic-import",
    contents: 'throw new Error("Event streams are not in this bundle: scripts/build/leave-out-unused.ts");',
  },
];

/** The module's own directory is where its substitute imports from. */
function replaceModule({ module, kind, contents }: Replacement): Plugin {
  return {
    name: `replace ${module}`,
    setup(builder) {
      const filter = new RegExp(`^${module}$`);
      builder.onResolve({ filter }, async ({ path, pluginData, ...from }) => {
        if (pluginData === INSIDE || (kind !== undefined && from.kind !== kind)) return undefined;
        const original = await builder.resolve(path, { ...from, pluginData: INSIDE });
        return original.errors.length > 0
          ? { errors: original.errors }
          : { path, namespace: "replaced", pluginData: original.path };
      });
      builder.onLoad({ filter, namespace: "replaced" }, ({ pluginData }) => ({
        contents,
        resolveDir: dirname(pluginData),
      }));
    },
  };
}

const INSIDE = "inside";
