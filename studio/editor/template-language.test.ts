import { yamlLanguage } from "@codemirror/lang-yaml";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { expect, it } from "vitest";
import { templateLanguage } from "./template-language.ts";

const TEXT = `{{! What the proxy's pod: has }}
spec:
  containers:
  {{#if (eq values.a "b")}}
  - name: "{{values.name}}: {{values.a}}"
    {{> proxy-image}}
    {{#if native}}{{! why }}
    restartPolicy: Always
    {{else if values.policy}}
    restartPolicy: {{values.policy}} # it is: that
    {{/if}}
    args: [{{values.a}}, "--b={{values.b}}"]
    {{values.key}}-port: 15021
    note: |
      {{#each values.notes as |note|}}
      it is: {{note}}
      {{/each}}
    image: {{annotation metadata "image" values.image}}
  {{/if}}
`;

function coloured(text: string, { parser } = templateLanguage.language): readonly (readonly [string, string])[] {
  const spans: [string, string][] = [];
  highlightTree(parser.parse(text), classHighlighter, (from, to, colours) => {
    spans.push([text.slice(from, to), colours]);
  });
  return spans;
}

const written = (text: string, colour: string) =>
  coloured(text).flatMap(([part, colours]) => (colours.includes(colour) ? [part] : []));

const KEYS = ["spec", "containers", "name", "restartPolicy", "restartPolicy", "args", "{{values.key}}-port", "note"];

it("a template's keys, texts and comments have their colours around its tags", () => {
  expect(written(TEXT, "tok-propertyName")).toEqual([...KEYS, "image"]);
  expect(written(TEXT, "tok-string")).toEqual(['"{{values.name}}: {{values.a}}"', '"--b={{values.b}}"', "|"]);
  expect(written(TEXT, "tok-comment")).toEqual(["# it is: that"]);
});

it("what follows a tag that is being written keeps its colours", () => {
  for (const { 0: tag, index } of TEXT.matchAll(/\{\{.*?\}\}/g)) {
    for (let length = 2; length < tag.length; length += 1) {
      const text = TEXT.slice(0, index + length) + TEXT.slice(index + tag.length);
      expect(written(text, "tok-propertyName").at(-1), text).toBe("image");
    }
  }
});

it("a text without tags is YAML", () => {
  const text = "a: {b: 'c'} # d\n";
  expect(coloured(text)).toEqual(coloured(text, yamlLanguage));
});
