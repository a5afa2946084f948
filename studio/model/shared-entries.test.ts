import { expect, it } from "vitest";
import { sharedLine } from "./shared-entries.ts";

it.each<[string, string, number | undefined]>([
  ["nothing", "defaultTemplates:\n- sidecar\n- {name: agent, match: {namespaces: [a]} }\n", undefined],
  ["its match, with another", "x: &x {namespaces: [a]}\ndefaultTemplates:\n- name: agent\n  match: *x\n", 4],
  [
    "what another entry has too",
    "defaultTemplates:\n- name: agent\n  match: &x {namespaces: [a]}\n- {name: other, match: *x }\n",
    3,
  ],
  ["what is merged", "x: &x {namespaces: [a]}\ndefaultTemplates:\n- name: agent\n  match: {<<: *x}\n", 4],
  ["itself", "x: &x agent\ndefaultTemplates:\n- sidecar\n- *x\n", 4],
  ["the whole list", "x: &x [agent]\ndefaultTemplates: *x\n", 2],
  ["the whole list, which others have too", "defaultTemplates: &x [agent]\ny: *x\n", 1],
  ["an anchor that nothing names", "defaultTemplates:\n- &x\n  name: agent\n", undefined],
  [
    "an entry of another template",
    "x: &x {namespaces: [a]}\ndefaultTemplates:\n- agent\n- {name: b, match: *x}\n",
    undefined,
  ],
  ["text that is no YAML", "a: [\n", undefined],
  ["text without a list", "policy: enabled\n", undefined],
])("sharedLine() of an entry that shares %s", (_, config, line) => {
  expect(sharedLine(config, "agent")).toBe(line);
});
