// The layer table: which folder may import what. Deny by default: a folder without a row may import nothing and be
// imported by nothing. A folder may always import itself. Tests are exempt: they are not part of the product.

export interface Layer {
  /** Other folders of this project that files in here may import, subfolders included. */
  readonly folders: readonly string[];
  /** Packages and Node modules, `*` at the end as a wildcard. */
  readonly packages: readonly string[];
}

const layer = (folders: string, packages = ""): Layer => ({ folders: words(folders), packages: words(packages) });
const words = (text: string): readonly string[] => text.split(" ").filter((word) => word !== "");

/** The longest matching path decides: a row for a file or subfolder overrides that of its folder. */
export const layers: Readonly<Record<string, Layer>> = {
  // Pure: no platform, no clock, no SDK. `lib` is the files directly in it: errors, JSON, names.
  lib: layer(""),
  "lib/kube": layer("lib", "js-yaml"),
  "lib/template": layer(
    "lib lib/kube/yaml.ts lib/kube/yaml-nodes.ts lib/kube/yaml-parse.ts lib/kube/yaml-syntax-error.ts lib/kube/yaml-values.ts lib/kube/yaml-tree.ts lib/kube/unclosed-quote.ts lib/kube/quantity.ts",
  ),
  "lib/template/compile/parse-template.ts": layer("lib lib/template", "handlebars"),
  "lib/mesh": layer("lib lib/kube"),
  "lib/inject": layer("lib lib/kube lib/template lib/mesh"),
  "lib/release": layer("lib lib/kube lib/template lib/mesh lib/inject"),
  "lib/release/check-schema.ts": layer("lib lib/kube lib/release", "@cfworker/json-schema"),
  "lib/import": layer("lib lib/kube lib/template lib/mesh lib/inject lib/release"),
  "lib/webhook": layer("lib lib/kube lib/inject"),
  "lib/studio": layer("lib lib/inject lib/release"),
  // What meets the outside. Platform modules are allowed from here on.
  "lib/aws": layer("lib", "node:os node:path aws-lambda"),
  "lib/observe": layer("lib lib/kube lib/inject lib/admission"),
  "lib/admission": layer("lib lib/kube lib/inject lib/observe", "node:crypto"),
  "lib/parameter-store": layer("lib lib/aws", "node:* @aws-sdk/client-ssm"),
  "lib/source": layer("lib lib/release lib/parameter-store", "node:*"),
  "lib/serve": layer("lib lib/inject lib/release lib/admission lib/parameter-store", "node:*"),
  "lib/publish": layer("lib lib/inject lib/release lib/source lib/parameter-store lib/serve", "node:*"),
  "lib/cluster": layer(
    "lib lib/kube lib/mesh lib/inject lib/webhook lib/admission lib/aws lib/serve lib/publish",
    "node:* @aws-sdk/* @smithy/signature-v4",
  ),
  // Entry points. They import what they need, and never each other.
  "functions/inject": layer("lib", "node:* outrigger:* aws-lambda"),
  "functions/publish": layer("lib", "node:* outrigger:* aws-lambda @aws-sdk/*"),
  "functions/register": layer("lib", "node:* aws-lambda @aws-sdk/*"),
  "functions/canary": layer("lib", "node:* @aws-sdk/*"),
  cli: layer("lib", "node:* @aws-sdk/* commander selfsigned diff js-yaml https-proxy-agent"),
  studio: layer("lib", "preact preact/* @preact/signals @codemirror/* @lezer/* diff"),
  infra: layer("lib", "node:* js-yaml @aws-sdk/*"),
};

/** Folders that an entry point may import whole: a row for `lib` in one of these covers everything below it. */
export const entryPoints: readonly string[] = ["functions", "cli", "studio", "infra"];
