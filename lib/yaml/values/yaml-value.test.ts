// How sigs.k8s.io/yaml 1.6.0 reads texts on which YAML parsers differ: measured, not deduced.

import { describe, expect, it } from "vitest";
import { parseYamlNodes } from "../parse/parse-nodes.ts";
import { yamlValue } from "./yaml-value.ts";

/** Text, and what Go prints of it as JSON. */
const READ: readonly (readonly [text: string, json: string])[] = [
  ["a: [\n  b,\n]\n", '{"a":["b"]}'],
  ["a:\n  b: {\n    c: 1\n  }\n", '{"a":{"b":{"c":1}}}'],
  ["a:\n  b: [\n  1,\n]\n", '{"a":{"b":[1]}}'],
  ["a: {\n}\nb: 1\n", '{"a":{},"b":1}'],
  ["[a,\nb]", '["a","b"]'],
  ["{a: 1,\n b: 2}", '{"a":1,"b":2}'],
  ["a: 1\na: 2\n", '{"a":2}'],
  ["a: {b: 1, b: 2}", '{"a":{"b":2}}'],
  ["a: &x {b: 1}\nc: {d: 0, b: 9, <<: *x}\n", '{"a":{"b":1},"c":{"b":1,"d":0}}'],
  ["a: &x {b: 1}\nc: {<<: *x, b: 9}\n", '{"a":{"b":1},"c":{"b":9}}'],
  ["a: &x {b: 1}\nd: &y {b: 2, e: 3}\nc: {<<: [*x, *y]}\n", '{"a":{"b":1},"c":{"b":1,"e":3},"d":{"b":2,"e":3}}'],
  ["<<: {a: 1}\nb: 2\n", '{"a":1,"b":2}'],
  ['"<<": {a: 1}\n', '{"<<":{"a":1}}'],
  ['!!merge "<<": {a: 1}\n', '{"a":1}'],
  ["!!str <<: {a: 1}\n", '{"<<":{"a":1}}'],
  ['a: "it\\\'s"\n', '{"a":"it\'s"}'],
  ['a: "b\\\n   c"\n', '{"a":"bc"}'],
  ['a: "b\n\n  c"\n', '{"a":"b\\nc"}'],
  ["a: 'b\n\n   c'\n", '{"a":"b\\nc"}'],
  ["a: b\n  c\n", '{"a":"b c"}'],
  ["a: b\n   \n  c\n", '{"a":"b\\nc"}'],
  ["a:\tb\n", '{"a":"b"}'],
  ["a: b\t# c\n", '{"a":"b"}'],
  ["a: [\n\tb\n]\n", '{"a":["b"]}'],
  ['a: "b"#c\n', '{"a":"b"}'],
  ["a: b#c\n", '{"a":"b#c"}'],
  ["a:b\n", '"a:b"'],
  ["a: -b\n", '{"a":"-b"}'],
  ["? a\n: b\n", '{"a":"b"}'],
  ["? a\n", '{"a":null}'],
  ["{a, b: c}", '{"a":null,"b":"c"}'],
  ["[a: b, c]", '[{"a":"b"},"c"]'],
  ["{? a: b}", '{"a":"b"}'],
  ["[?a]", '[{"a":null}]'],
  ["{a:1}", '{"a:1":null}'],
  ['{"a":1}', '{"a":1}'],
  ["[a,]", '["a"]'],
  ["- - a\n  - b\n", '[["a","b"]]'],
  ["a:\n- b\n- c\n", '{"a":["b","c"]}'],
  ["a: |2\n   b\n", '{"a":" b\\n"}'],
  ["a: >\n b\n c\n\n d\n", '{"a":"b c\\nd\\n"}'],
  ["a: >\n b\n  c\n d\n", '{"a":"b\\n c\\nd\\n"}'],
  ["a: |+\n b\n\n", '{"a":"b\\n\\n"}'],
  ["a: |-\n b\n\n", '{"a":"b"}'],
  ["a: | # c\n b\n", '{"a":"b\\n"}'],
  ["a: &b\n", '{"a":null}'],
  ["a: &b !!str\n", '{"a":""}'],
  ["a: !!str\n", '{"a":""}'],
  ["a: ! 5\n", '{"a":"5"}'],
  ["a: !b 5\n", '{"a":"5"}'],
  ['a: !!int "5"\n', '{"a":5}'],
  ["a: !!float 5\n", '{"a":5}'],
  ["a: !!bool yes\n", '{"a":true}'],
  ["a: !!timestamp 2001-01-01\n", '{"a":"2001-01-01"}'],
  ["a: !!set {b}\n", '{"a":{"b":null}}'],
  ['a: !!binary "aGk="\n', '{"a":"hi"}'],
  ["a: !<tag:yaml.org,2002:str> 5\n", '{"a":"5"}'],
  ["%TAG ! tag:b,\n---\na: !c d\n", '{"a":"d"}'],
  ["%TAG !a! tag:b,\n%TAG !a! tag:yaml.org,2002:\n%YAML 1.1\n---\na: !a!str 1\n", '{"a":"1"}'],
  ["%YAML 1.1\n---\na: b\n", '{"a":"b"}'],
  ["a: &b c\nd: *b\n", '{"a":"c","d":"c"}'],
  ["1: a\n", '{"1":"a"}'],
  ["1.5: a\n", '{"1.5":"a"}'],
  ["1e7: a\n", '{"1e+07":"a"}'],
  ["on: a\n", '{"true":"a"}'],
  [".nan: a\n", '{".nan":"a"}'],
  ["a: 0x7fffffffffffffff\n", '{"a":9223372036854775807}'],
  ["a: 1__0\n", '{"a":10}'],
  ["a: 0b12\n", '{"a":"0b12"}'],
  ["a: 09\n", '{"a":9}'],
  ["a: 1:30\n", '{"a":"1:30"}'],
  ["a: 2001-01-01T00:00:00Z\n", '{"a":"2001-01-01T00:00:00Z"}'],
  ["\ufeffa: b\n", '{"a":"b"}'],
  ["a: b\r\nc: |\r\n  d\r\n  e\r\n", '{"a":"b","c":"d\\ne\\n"}'],
  ["a: b\n...\nc: d\n", '{"a":"b"}'],
  ["a: b\n---\nc: d\n", '{"a":"b"}'],
  ["[a] b\n", '["a"]'],
  ["{a: b}}\n", '{"a":"b"}'],
  ["---\n", "null"],
  ["# a\n", "null"],
  ["a: # b\n  c\n", '{"a":"c"}'],
  ["a:\n# b\n  - c\n", '{"a":["c"]}'],
  ["a: !!map {b: c}\n", '{"a":{"b":"c"}}'],
  ["a: y\nb: N\nc: Off\n", '{"a":true,"b":false,"c":false}'],
  ["a: nULL\nb: yES\n", '{"a":"nULL","b":"yES"}'],
  ["😀: a\n", '{"😀":"a"}'],
  ['a: "\\u00e9\\x41\\U0001F600"\n', '{"a":"éA😀"}'],
];

describe("a tab in place of the indentation of a block scalar", () => {
  it.each(["a: |\n\tb\n", "a: >\n  b\n\tc\n"])("is named as one in %j", (text) => {
    expect(() => parseYamlNodes(text)).toThrow("a tab is used as indentation");
  });
});

/** Texts that Go rejects. */
const REJECTED: readonly string[] = [
  "%TAG !a! tag:b,\n---\na: !a! 1\n",
  'a: "b\\/c"\n',
  'a: "\\ud83d\\ude00"\n',
  "\ta: b\n",
  "a:\n\tb: c\n",
  "- a\n-\tb\n",
  "a: |\n\tb\n",
  "a: b: c\n",
  "a: @b\n",
  "a: `b`\n",
  "a: %b\n",
  "%a: b\n",
  "a: - b\n",
  "a: ? b\n",
  "[a,,b]",
  "[,]",
  "a:\n - b\n- c\n",
  "a:\n  b: 1\n c: 2\n",
  "a: |\n   b\n  c\n",
  "a: |0\n b\n",
  "a: | c\n b\n",
  "a: !!int x\n",
  "a: !!timestamp x\n",
  'a: !!binary "aGk"\n',
  "%YAML 1.2\n---\na: b\n",
  "a: *b\n",
  "<<: b\n",
  "a: &b c\n<<: *b\n",
  "<<: [{a: 1}, b]\n",
  "a: &b [*b]\n",
  "*a : b\n",
  "a: &b/c d\n",
  "~: a\n",
  "[a]: b\n",
  "a: .inf\n",
  "a: b\nc\n",
  "a\nb: c\n",
  "- a\nb\n",
  "'a\n b': c\n",
  "a: \u0001\n",
  'a: "\\q"\n',
  'a: "\\xg0"\n',
  "a: 'b' c\n",
  'a: "b" c\n',
  "a: [b\n",
  "a: {b\n",
  'a: "b\n',
  "a: 'b\n---\n",
];

describe("yamlValue()", () => {
  it.each(READ)("reads %j as Go does", (text, json) => {
    expect(read(text)).toEqual(JSON.parse(json));
  });

  it.each(REJECTED)("rejects %j as Go does", (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ name: "YamlSyntaxError" }));
  });
});

function read(text: string) {
  const document = parseYamlNodes(text);
  return document === undefined ? null : yamlValue(document.root, { maxAliases: 100, maxExpansion: 1000 });
}
