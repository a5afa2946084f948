// Mutants that no near test kills, each with the reason why that is accepted. An entry whose mutant no longer exists, or
// is killed, is reported by `npm run mutation`: remove it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code

export interface Survivor {
  readonly file: string;
  /** As `npm run mutation` prints them. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
  /** The reason proves that no input makes a difference: it does not count in the score. */
  readonly isEquivalent?: true;
}

export const survivors: readonly Survivor[] = [
  {
    file: "lib/pod/validate/volumes/volumes.ts",
    before: "if (volumes === before) return;",
    after: "if (false) return;",
    reason: "What an unchanged list had wrong is taken off the findings afterwards: this line saves reading it again.",
    isEquivalent: true,
  },
  {
    file: "lib/template/helpers/strings.ts",
    before: 'while (end > 0 && path[end - 1] === "/") end -= 1;',
    after: 'while (end >= 0 && path[end - 1] === "/") end -= 1;',
    reason: "No text has a character at -1, so the loop ends at 0 either way.",
    isEquivalent: true,
  },
  {
    file: "lib/template/helpers/strings.ts",
    before: "while (end > start) {",
    after: "while (end >= start) {",
    reason: "Where both are the same, what is cut is empty, before and after one more turn.",
    isEquivalent: true,
  },
  {
    file: "lib/template/shape/parse-shape.ts",
    before: 'return shape[0] === "static";',
    after: 'return shape[0] === "";',
    reason: "A constant map is written in one piece to be faster; written entry by entry it is the same map.",
    isEquivalent: true,
  },
  {
    file: "lib/injector/provenance/marks.ts",
    before: "known.set(origin, mark);",
    after: ";",
    reason: "A second mark of one origin is read as the same origin.",
    isEquivalent: true,
  },
  {
    file: "lib/pod/merge/element-order.ts",
    before: "return position < 0 || other < 0 || position < other;",
    after: "return position < 0 || other < 0 || position <= other;",
    reason: "Positions are of different items of one list, so no two are the same.",
    isEquivalent: true,
  },
  {
    file: "lib/pod/quantity/quantity.ts",
    before: "if (excess <= 0 || amount.magnitude === 0n) return amount;",
    after: "if (excess < 0 || amount.magnitude === 0n) return amount;",
    reason: "An excess of 0 divides by 1 and leaves the exponent as it is.",
    isEquivalent: true,
  },
  {
    file: "lib/template/shape/fill-shape.ts",
    before:
      'if (entries.length === 2 && first?.[0] === "name" && second?.[0] === "value" && first[1][0] === "static") {',
    after:
      'if (entries.length === 2 && first?.[0] !== "name" && second?.[0] === "value" && first[1][0] === "static") {',
    reason: "The branch is a faster way to the same object: an environment variable.",
    isEquivalent: true,
  },
  {
    file: "lib/mesh/proxy-config-resources.ts",
    before:
      'const wrong = Object.entries(labels).find(([key, value]) => key === "" || `${key}${value}`.includes("*"));',
    after:
      'const wrong = Object.entries(labels).findLast(([key, value]) => key === "" || `${key}${value}`.includes("*"));',
    reason: "Only whether there is one matters, not which.",
    isEquivalent: true,
  },
  {
    file: "lib/injector/release/blame/blame-field.ts",
    before: 'if (file && place) return { path: file.path, ...place, value: ["values", ...full].join("."), source };',
    after: 'if (true) return { path: file.path, ...place, value: ["values", ...full].join("."), source };',
    reason: "The values are those of the files merged, so one of the files has the path, and it was read as YAML.",
    isEquivalent: true,
  },
  {
    file: "lib/yaml/parse/plain-scalars.ts",
    before: "if ((column === 0 || at - lineStart < column) && code === CODE.tab)",
    after: "if ((((column === 0) && (at - lineStart < column))) && code === CODE.tab)",
    reason: "The tab then ends the scalar, and is rejected with the same words as the indentation of what follows.",
  },
  {
    file: "lib/pod/merge/element-order.ts",
    before: "if (positions[0] === -1) return positions.length === 1;",
    after: "if (positions[0] === -1) return undefined;",
    reason: "One item is sorted to the same one.",
    isEquivalent: true,
  },
  {
    file: "lib/mesh/proto-json.ts",
    before: 'if (type === "string" || type === "StringValue") return "";',
    after: 'if (type === "string" || type === "") return "";',
    reason: "No field of the mesh config is a StringValue; one that is added must not be read as an object.",
  },
  {
    file: "lib/injector/release/samples/try-samples.ts",
    before:
      'return { ...rest, metadata: { ...metadata, namespace: "default", labels: { ...metadata?.labels, [labelKeys.inject]: "true" }, annotations: { ...metadata?.annotations, [annotationKeys.templates]: templates.join(",") }, }, spec: { containers: [], ...spec, hostNetwork: false }, };',
    after:
      'return { metadata: { ...metadata, namespace: "default", labels: { ...metadata?.labels, [labelKeys.inject]: "true" }, annotations: { ...metadata?.annotations, [annotationKeys.templates]: templates.join(",") }, }, spec: { containers: [], ...spec, hostNetwork: false } };',
    reason: "The kind and the status of a sample decide nothing about its injection.",
  },
  {
    file: "lib/pod/validate/containers/containers.ts",
    before:
      'const known = container.restartPolicy === before.restartPolicy || key === "containers" ? before : NO_CONTAINER;',
    after: "const known = false ? before : NO_CONTAINER;",
    reason: "More is read again; what was wrong before is left out at the end, however it was found.",
  },
  {
    file: "lib/yaml/parse/tokens.ts",
    before: 'addScalar(code === CODE.bar ? "literal" : "folded", scanBlock(text, { at, line, lineStart }, indent));',
    after: 'addScalar(code === CODE.bar ? "literal" : "", scanBlock(text, { at, line, lineStart }, indent));',
    reason: "Readers ask only whether a scalar is plain or in double quotes.",
    isEquivalent: true,
  },
  {
    file: "lib/template/bind/bind-program.ts",
    before: "keepsDecisions: input.keepsDecisions ?? false,",
    after: "keepsDecisions: (input.keepsDecisions),",
    reason: "It is only asked for its truth, and undefined is false.",
    isEquivalent: true,
  },
  {
    file: "lib/template/helpers/istio.ts",
    before: 'return typeof annotation === "string" ? annotation : goText(annotation ?? text);',
    after: "return false ? annotation : goText(annotation ?? text);",
    reason: "The text of a string is the string.",
    isEquivalent: true,
  },
  {
    file: "lib/template/bind/bind-blocks.ts",
    before: "if (entries.length <= LONGEST_UNROLLED) {",
    after: "if (entries.length < LONGEST_UNROLLED) {",
    reason: "A loop that is unrolled and one that is not give the same text.",
  },
  {
    file: "lib/template/compile/compile-templates.ts",
    before: "if (known === undefined && latest.size >= MAX_NAMES) latest.delete(latest.keys().next().value as string);",
    after: "if (known === undefined && latest.size < MAX_NAMES) latest.delete(latest.keys().next().value as string);",
    reason: "Only which templates are compiled again changes, not what they compile to.",
  },
  {
    file: "lib/pod/patch/patch-operation.ts",
    before: 'return PLAIN.test(key) ? `"${key}"` : JSON.stringify(key);',
    after: 'return false ? `"${key}"` : JSON.stringify(key);',
    reason: "JSON escapes no letter: the branch is a faster way to the same text.",
    isEquivalent: true,
  },
  {
    file: "lib/yaml/values/schema.ts",
    before: "if (!OTHER_START.test(text)) return text;",
    after: "if (false) return text;",
    reason:
      "No word for null, true or false and no number begins with another character: the test is a faster way out.",
    isEquivalent: true,
  },
  {
    file: "lib/publisher/commit/collect-garbage.ts",
    before: "const old = byTime.filter((_, index) => (byTime[index + 1]?.time ?? Number.POSITIVE_INFINITY) < before);",
    after: "const old = byTime.filter((_, index) => ((byTime[index + 1]?.time)) < before);",
    reason: "The last one has none after it, and neither undefined nor infinity is less than a number.",
    isEquivalent: true,
  },
  {
    file: "lib/injector/manifest/edit-manifest.ts",
    before: "if (step === undefined) return object;",
    after: "if (false) return object;",
    reason: "The paths to a pod in a document have a step, and those that are continued have one left.",
    isEquivalent: true,
  },
  {
    file: "lib/pod/validate/spec/pod-spec.ts",
    before: "withLabels: metadata.labels === before.metadata.labels ? before.spec : NO_SPEC,",
    after: "withLabels: false ? before.spec : NO_SPEC,",
    reason: "What is read though it did not change is compared with what was wrong before: nothing more is found.",
    isEquivalent: true,
  },
  {
    file: "lib/injector/release/samples/try-injection.ts",
    before: "const found = isChecked ? renderingErrors(rendered, trial) : [];",
    after: "const found = true ? renderingErrors(rendered, trial) : [];",
    reason: "A second injection renders what the first one did, whose errors are reported already.",
  },
  {
    file: "lib/pod/merge/strategic-merge.ts",
    before: "let hasMatch = target.size < survivors.length;",
    after: "let hasMatch = target.size <= survivors.length;",
    reason:
      "Of items that are all new, and survivors of which no two have one key, sorting makes the same list: the branch is a faster way to it.",
    isEquivalent: true,
  },
  {
    file: "lib/template/helpers/regex-program.ts",
    before: "jumps.push(jump);",
    after: "jumps.unshift(jump);",
    reason: "All jumps of a choice get the same target.",
    isEquivalent: true,
  },
  {
    file: "lib/injector/render/template-data.ts",
    before: "const ids = proxyIds(Object.hasOwn(known, namespace) ? known[namespace] : undefined);",
    after: "const ids = proxyIds(true ? known[namespace] : undefined);",
    reason: "What every object has by a name such as `constructor` has none of the annotations that are read.",
    isEquivalent: true,
  },
];
