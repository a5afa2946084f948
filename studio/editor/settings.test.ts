import { valuesSchema } from "@outrigger/injector";
import { meshFields, podRules, valueRules } from "@outrigger/mesh";
import { beforeEach, expect, it } from "vitest";
import { templateNames } from "../model/state.ts";
import { settingAt, valueSetting } from "./settings.ts";

const VALUES = { global: { tag: "1", proxy: { logLevel: "warning", resources: { limits: { cpu: "2" } } } } };

beforeEach(() => {
  templateNames.value = { ...templateNames.value, schema: valuesSchema(VALUES), mesh: meshFields() };
});

/** The setting where `|` is in the text. */
const at = (path: string, marked: string) => settingAt(path, marked.replace("|", ""), marked.indexOf("|"));

it.each([
  ["values/1", "global:\n  proxy:\n    log|Level: debug\n", podRules.level.use, "logLevel"],
  ["values/1", "global:\n  proxy:\n    logLevel: deb|ug\n", podRules.level.use, "logLevel"],
  ["values/1", "global: {tag: 1, proxy: {logL|evel: debug}}\n", podRules.level.use, "logLevel"],
  ["values/1", "global: {t|ag: 1, proxy: {logLevel: debug}}\n", valueRules.tag.use, "tag"],
  ["mesh", "defaultConfig:\n  tracing:\n    zipkin:\n      addr|ess: a:1\n", podRules.collector.use, "address"],
  ["mesh", "extensionProviders:\n- name: a\n  zipkin:\n    po|rt: 1\n", "a whole number", "port"],
  [
    "samples/a",
    "metadata:\n  annotations:\n    sidecar.istio.io/log|Level: debug\n",
    podRules.level.use,
    "sidecar.istio.io/logLevel",
  ],
])("settingAt() in %s knows what is at %j", (path, marked, use, name) => {
  const setting = at(path, marked);
  expect(setting).toMatchObject({ use, name });
  expect(marked.replace("|", "").startsWith(name, setting?.from)).toBe(true);
});

it.each([
  ["values/1", "global:\n  proxy:\n|    logLevel: debug\n"],
  ["values/1", "global:\n  proxy:\n    unknown|: debug\n"],
  ["values/1", "global: {ta|g: [\n"],
  ["values/1", "constructor: {proto|type: 1}\n"],
  ["mesh", "# com|ment\ntrustDomain: a\n"],
  ["mesh", "defaultConfig: {proxyMetadata: {A|: b}}\n"],
  ["samples/a", "spec:\n  con|tainers: []\n"],
  ["templates/a", "spec: {{> pro|xy}}\n"],
  ["config", "istio: |x\n"],
])("settingAt() in %s knows nothing at %j", (path, marked) => {
  expect(at(path, marked)).toBeUndefined();
});

it("valueSetting() knows a value by its name", () => {
  expect(valueSetting("global.proxy.resources.limits.cpu")?.use).toBe(podRules.quantity.use);
  expect(valueSetting("global.nothing")).toBeUndefined();
  expect(valueSetting("constructor")).toBeUndefined();
});
