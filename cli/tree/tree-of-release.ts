// What a release gives back of the tree that it was made from. A release keeps settings as data and templates as
// programs: the first can be written as texts again, the second cannot.
import { isObject, type JsonObject, type JsonValue, jsonEqual } from "@outrigger/base";
import { compileRelease, type Release, type SourceTree } from "@outrigger/injector";
import { defaultMeshConfig } from "@outrigger/mesh";
import type { LabelSelector } from "@outrigger/pod";
import { formatYaml } from "@outrigger/yaml";

/**
 * The settings of a release as a tree, whose texts come to them whatever is shipped beneath; compiled again to see what is lost:
 * `templates/log-agent`. Where its edits go, the deployment knows.
 */
export function settingsTree(release: Release, shipped: SourceTree) {
  const { config, values, meshConfig, namespaceAnnotations } = release;
  const selectors = (list: readonly LabelSelector[]) =>
    list.map(({ requirements }) => ({ matchExpressions: requirements.map(expression) }));
  const { neverInjectSelector, alwaysInjectSelector, defaultTemplates, ...rest } = config;
  const written = {
    ...rest,
    defaultTemplates: defaultTemplates.map((entry) => (typeof entry === "string" ? entry : writtenEntry(entry))),
    neverInjectSelector: selectors(neverInjectSelector),
    alwaysInjectSelector: selectors(alwaysInjectSelector),
    // The shipped defaults are in the release's values and mesh config already.
    defaults: "none",
  };
  const namespaces = Object.entries(namespaceAnnotations).map(([name, annotations]) => [name, { annotations }]);
  const tree: SourceTree = {
    config: formatYaml(written),
    mesh: formatYaml(withZeros(meshConfig, defaultMeshConfig)),
    "values/00-restored": formatYaml(values),
    ...(namespaces.length > 0 && { namespaces: formatYaml(Object.fromEntries(namespaces)) }),
  };
  return { tree, lost: lostOf(release, compileRelease([shipped, tree])) };
}

function expression({ key, operator, values }: LabelSelector["requirements"][number]) {
  return { key, operator, ...(values.length > 0 && { values: [...values] }) };
}

type Entry = Exclude<Release["config"]["defaultTemplates"][number], string>;

function writtenEntry({ name, match: { podLabels, ...match } }: Entry) {
  const labels = podLabels?.requirements.map(({ key, values }) => [key, values.length === 1 ? values[0] : [...values]]);
  return { name, match: { ...(labels && { podLabels: Object.fromEntries(labels) }), ...match } };
}

/** A mesh config leaves zeros out; over defaults other than zero, they have to be written. */
function withZeros(value: JsonObject, defaults: JsonObject): JsonObject {
  const zeros = Object.entries(defaults).flatMap(([key, usual]) => {
    const own = value[key];
    if (isObject(own) && isObject(usual)) return [[key, withZeros(own, usual)] as const];
    return own === undefined ? [[key, zeroOf(usual)] as const] : [];
  });
  return { ...value, ...Object.fromEntries(zeros) };
}

function zeroOf(usual: JsonValue | undefined): JsonValue {
  if (typeof usual === "boolean") return false;
  if (Array.isArray(usual)) return [];
  // Of texts, only choices have a zero, such as REGISTRY_ONLY: an empty text leaves the default as it is.
  return isObject(usual) ? {} : 0;
}

/** The entries to restore: of templates, those that are not the shipped ones; of settings, what is not as it was. */
function lostOf(before: Release, after: Release): readonly string[] {
  const programs = (["templates", "partials"] as const).flatMap((folder) => {
    const [old, now] = [before.templates[folder], after.templates[folder]];
    return Object.keys(old)
      .filter((name) => !Object.hasOwn(now, name) || !jsonEqual(old[name], now[name]))
      .map((name) => `${folder}/${name}`);
  });
  const settings = (["config", "values", "meshConfig", "proxyConfigs", "namespaceAnnotations"] as const).filter(
    (key) => !jsonEqual(before[key], after[key]),
  );
  return [...settings, ...programs].sort();
}
