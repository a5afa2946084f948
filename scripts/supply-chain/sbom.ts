// `npm run sbom`: writes dist/sbom.cdx.json, a CycloneDX list of what is in the bundles. npm makes the list of all packages of
// the lock file; kept are those of which anything is in a bundle, with the bundles that they are in. Run after `npm run build`.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type JsonObject, listOf, objectOf, objectsOf } from "@outrigger/base";
import { readRecord } from "../../tools/support/read-record.ts";
import { toolOptions } from "../../tools/support/tool-options.ts";
import { builtMetafile, functionNames, inputsOf } from "../build/build-bundles.ts";
import { projectRoot } from "../build/bundled-release.ts";
import { bundledPackages, keyOf } from "./license-texts.ts";

/** The paths of the files in each bundle. */
export type Bundles = Readonly<Record<string, readonly string[]>>;

/** npm's list for the whole lock file. */
export function lockedSbom(): JsonObject {
  const words = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const text = execFileSync("npm", words, {
    cwd: projectRoot,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64e6,
  });
  const fields = { components: "list", dependencies: "list", metadata: "object" } as const;
  return objectOf(readRecord(text, "npm sbom (npm 10 or later)", fields));
}

/**
 * The list reduced to the bundles: the same bytes for the same packages. The time is left out, and the serial number is made
 * from the contents.
 *
 * @throws TypeError for a package that the lock file does not have
 */
export function bundledSbom(locked: JsonObject, bundles: Bundles): JsonObject {
  const users = new Map<string, string[]>();
  for (const [bundle, inputs] of Object.entries(bundles))
    for (const one of bundledPackages(inputs)) users.set(keyOf(one), [...(users.get(keyOf(one)) ?? []), bundle]);
  const components = objectsOf(locked["components"]).flatMap((component) => {
    const bundledIn = users.get(String(component["bom-ref"]));
    if (bundledIn === undefined) return [];
    const properties = bundledIn.map((value) => ({ name: "outrigger:bundle", value }));
    return [{ ...component, scope: "required", properties } as JsonObject];
  });
  const found = new Set(components.map((component) => String(component["bom-ref"])));
  const missing = [...users.keys()].filter((key) => !found.has(key));
  if (missing.length > 0) throw new TypeError(`Cannot list ${missing.join(", ")}: not in package-lock.json (npm ci)`);
  const { timestamp: _now, component, ...metadata } = objectOf(locked["metadata"]);
  const own: JsonObject = { ...objectOf(component), name: "outrigger", type: "application" };
  const dependencies = objectsOf(locked["dependencies"])
    .filter(({ ref }) => found.has(String(ref)))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: listOf(dependsOn).filter((name) => found.has(String(name))) }));
  const contents = {
    version: 1,
    metadata: { ...metadata, component: own },
    components,
    dependencies: [{ ref: own["bom-ref"], dependsOn: [...found] }, ...dependencies],
  };
  const digest = createHash("sha256").update(JSON.stringify(contents)).digest("hex");
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  const serialNumber = `urn:uuid:${[...parts, digest.slice(20, 32)].join("-")}`;
  const { $schema, bomFormat, specVersion } = locked;
  return JSON.parse(JSON.stringify({ $schema, bomFormat, specVersion, serialNumber, ...contents }));
}

/** The bundles in dist/, by the metafiles that the build leaves next to them. */
function builtBundles(): Bundles {
  const functions = functionNames().map((name) => [name, `functions/${name}/metafile.json`] as const);
  const files = [["outrigger", "outrigger.metafile.json"] as const, ...functions];
  return Object.fromEntries(files.map(([bundle, file]) => [bundle, inputsOf(builtMetafile(file))]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  toolOptions({
    command: "npm run sbom --",
    says: "Writes dist/sbom.cdx.json, a CycloneDX list of what is in the bundles (after `npm run build`).",
    example: "npm run build && npm run sbom",
  });
  const sbom = bundledSbom(lockedSbom(), builtBundles());
  writeFileSync(join(projectRoot, "dist/sbom.cdx.json"), `${JSON.stringify(sbom, undefined, 2)}\n`);
  console.log(`dist/sbom.cdx.json: ${objectsOf(sbom["components"]).length} packages`);
}
