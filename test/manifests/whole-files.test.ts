// An injection into a file keeps its text, and an injection that is taken off again leaves the file as it was.

import { readRelease } from "outrigger:bundled-release";
import { injectManifest, injectPod, loadRelease, uninjectManifest } from "@outrigger/injector";
import { parseYamlDocuments } from "@outrigger/yaml";
import { describe, expect, it } from "vitest";
import { lostText } from "./lost-text.ts";
import { WRITTEN_MANIFESTS } from "./written-manifests.ts";

const injector = loadRelease(readRelease());
const results = new Map<string, ReturnType<typeof injectManifest>>();
const valuesOf = (text: string) => parseYamlDocuments(text, "web.yaml").map(({ value }) => value);

function inject(text: string): ReturnType<typeof injectManifest> {
  const known = results.get(text);
  if (known !== undefined) return known;
  const result = injectManifest(text, { source: "web.yaml", inject: (request) => injectPod(injector, request) });
  results.set(text, result);
  return result;
}

/** The manifests that say something in another way after an injection was put in and taken off. */
const RESTORED_OTHERWISE = ["an alias of labels", "a TCP probe", "an empty map of labels", "empty metadata"];
const names = Object.keys(WRITTEN_MANIFESTS);

describe("injectManifest() of a file as people write it", () => {
  it.each(names)("keeps all other text of %s", (name) => {
    const text = WRITTEN_MANIFESTS[name] as string;
    const { text: edited, warnings } = inject(text);
    expect(edited).toContain("istio-proxy");
    expect(lostText(text, edited)).toEqual([]);
    expect(warnings.join("\n")).not.toContain("reprinted");
  });

  it.each(names)("gives the same objects as for plain JSON of %s", (name) => {
    const text = WRITTEN_MANIFESTS[name] as string;
    const plain = valuesOf(text).map((value) => valuesOf(inject(JSON.stringify(value)).text)[0]);
    expect(valuesOf(inject(text).text)).toEqual(plain);
  });

  it.each(names)("can be taken off again from %s", (name) => {
    const text = WRITTEN_MANIFESTS[name] as string;
    const restored = uninjectManifest(inject(text).text, injector, { source: "web.yaml" }).text;
    if (RESTORED_OTHERWISE.includes(name)) expect(restored).not.toContain("istio-proxy");
    else expect(restored).toBe(text);
  });
});

describe("lostText()", () => {
  const before = "a: 1 # one\nb:\n# above\n- name: x # x\n- name: z\nc: {d: 'e', f: g}\n";
  it.each([
    ["nothing differs", before],
    ["a scalar has another value", before.replace("1", "2")],
    ["items are new", before.replace("# above", "- name: w\n# above").replace("z", "z\n- name: y")],
    ["an entry of a flow mapping is new", before.replace("g}", "g, h: i}")],
    ["an item is gone", before.replace("- name: z\n", "")],
  ])("is empty when %s", (_, after) => expect(lostText(before, after)).toEqual([]));

  it.each([
    ["a comment", before.replace(" # one", "")],
    ["quotes", before.replace("'e'", "e").replace("1", "2")],
    ["the style of a mapping", before.replace("{d: 'e', f: g}", "\n  d: e\n  f: g").replace("1", "2")],
    ["the order", "c: {d: 'e', f: g}\na: 1 # one\nb:\n# above\n- name: x # x\n- name: z\n"],
    ["a line break", before.replaceAll("\n", "\r\n").replace("1", "2")],
    ["a comment where an item is new", before.replace("# above", "- name: w")],
    ["a comment of an entry that stays", before.replace(" # x", "").replace("z", "z\n- name: y")],
    ["a document", `${before}---\n${before}`],
  ])("names what is gone when %s changes", (_, after) => expect(lostText(before, after)).not.toEqual([]));
});
