import { describe, expect, it } from "vitest";
import type { GoNode } from "./go-syntax.ts";
import { foundItem, growingList, isPodPorts, isReset } from "./idioms.ts";
import { parseGoTemplate } from "./parse-go-template.ts";

const first = (source: string) => parseGoTemplate(source).nodes[0] as GoNode;
const end = "{{ end }}";
const range = (body: string, over = "$i, $c := .Spec.Containers") => `{{ range ${over} }}${body}${end}`;
const when = (test: string, body: string) => `{{ if ${test} }}${body}${end}`;

describe("growingList()", () => {
  const GROW = "{{ $l = append $l $c.Name }}";
  const OTHERS = 'not (eq $c.Name "istio-proxy")';
  const found = (source: string) => growingList(first(source));

  it.each([
    [range(GROW), { variable: "l", names: ["Name"], without: undefined }],
    [range("{{ $l = mustAppend $l $c }}", "$c := .Spec.Containers"), { variable: "l", names: [], without: undefined }],
    [range(` {{/* why */}} ${GROW} `), { variable: "l", names: ["Name"], without: undefined }],
    [range(when(OTHERS, GROW)), { variable: "l", names: ["Name"], without: "istio-proxy" }],
    [range(when('ne $c.Name "x"', ` ${GROW} `)), { variable: "l", names: ["Name"], without: "x" }],
  ])("recognises %s", (source, expected) => {
    expect(found(source)).toMatchObject(expected);
    expect(found(source)?.over).toMatchObject({ variables: [], commands: [[{ names: ["Spec", "Containers"] }]] });
  });

  it.each([
    ["another block", when(".A", GROW)],
    ["a loop with an else", range(`${GROW}{{ else }}x`)],
    ["a loop without a variable", range(GROW, ".Spec.Containers")],
    ["an empty loop", range("")],
    ["what writes text as well", range(`x${GROW}`)],
    ["a second step", range(GROW + GROW)],
    ["a text", range("x")],
    ["a block inside of another kind", range(`{{ with .A }}${GROW}${end}`)],
    ["a test with an else", range(when(OTHERS, `${GROW}{{ else }}x`))],
    ["a test of nothing", range(when(OTHERS, ""))],
    ["a test of two steps", range(when(OTHERS, GROW + GROW))],
    ["a test of text", range(when(OTHERS, "x"))],
    ["a list that is declared again each turn", range("{{ $l := append $l $c.Name }}")],
    ["what is set nowhere", range("{{ append $l $c.Name }}")],
    ["a pipe", range("{{ $l = append $l $c.Name | uniq }}")],
    ["three values", range("{{ $l = append $l $c.Name $c.Image }}")],
    ["another function", range("{{ $l = prepend $l $c.Name }}")],
    ["another list", range("{{ $l = append $m $c.Name }}")],
    ["a field of the list", range("{{ $l = append $l.A $c.Name }}")],
    ["another item", range("{{ $l = append $l $d.Name }}")],
    ["a constant", range('{{ $l = append $l "a" }}')],
    ["the position", range("{{ $l = append $l $i }}")],
    ["an item that is chosen by its image", range(when('ne $c.Image "x"', GROW))],
    ["an item that is chosen by another", range(when('ne $d.Name "x"', GROW))],
    ["an item of a name that is computed", range(when("ne $c.Name .Values.x", GROW))],
    ["an item of that name", range(when('eq $c.Name "x"', GROW))],
    ["the negation of a value", range(when("not $c.Name", GROW))],
    ["the negation of another comparison", range(when('not (ne $c.Name "x")', GROW))],
    ["a piped test", range(when('eq $c.Name "x" | not', GROW))],
  ])("does not take for one %s", (_, source) => {
    expect(found(source)).toBeUndefined();
  });
});

describe("foundItem()", () => {
  const SET = "{{ $x = true }}";
  const IS = 'eq $c.Name "a"';
  const found = (source: string) => foundItem(first(source));

  it.each([
    [range(when(IS, SET)), ["Name"], ["a"]],
    [range(when('eq "a" $c.Name', SET)), ["Name"], ["a"]],
    [range(when('eq .Name "a" "b"', SET), ".Spec.Containers"), ["Name"], ["a", "b"]],
    [range(when('(eq $c.Name "a")', SET)), ["Name"], ["a"]],
    [range(when('or (eq $c.Name "a") (eq $c.Name "b" "c")', SET)), ["Name"], ["a", "b", "c"]],
    [range(when(IS, ' {{ $x = "text" }} ')), ["Name"], ["a"]],
    [range(when(IS, "{{ $x = 1 }}")), ["Name"], ["a"]],
  ])("recognises %s", (source, names, texts) => {
    expect(found(source)).toMatchObject({ variable: "x", names, texts, over: { variables: [] } });
    expect(found(source)?.to.variables).toEqual(["x"]);
  });

  it.each([
    ["another block", when(IS, SET)],
    ["a loop with an else", range(`${when(IS, SET)}{{ else }}x`)],
    ["a loop over what is assigned", range(when(IS, SET), "$i, $c = .Spec.Containers")],
    ["an empty loop", range("")],
    ["another step", range(when(IS, SET) + when(IS, SET))],
    ["a test with an else", range(when(IS, `${SET}{{ else }}x`))],
    ["a test of two steps", range(when(IS, SET + SET))],
    ["a test of text", range(when(IS, "x"))],
    ["a declaration", range(when(IS, "{{ $x := true }}"))],
    ["a value that is only written", range(when(IS, "{{ true }}"))],
    ["a value that is computed", range(when(IS, "{{ $x = .Values.a }}"))],
    ["a value of a pipe", range(when(IS, "{{ $x = true | not }}"))],
    ["a call", range(when(IS, "{{ $x = 1 2 }}"))],
    ["another comparison", range(when('ne $c.Name "a"', SET))],
    ["a piped comparison", range(when('eq $c.Name "a" | not', SET))],
    ["a comparison that is kept", range(when('$y := eq $c.Name "a"', SET))],
    ["a comparison with nothing", range(when('eq $c.Name ""', SET))],
    ["a comparison with a value", range(when("eq $c.Name .Values.x", SET))],
    ["a comparison of texts", range(when('eq "a" "b"', SET))],
    ["a comparison of another variable", range(when('eq $d.Name "a"', SET))],
    ["a comparison of several with the text", range(when('eq "a" $c.Name "b"', SET))],
    ["either of two fields", range(when('or (eq $c.Name "a") (eq $c.Image "b")', SET))],
    ["either of what is no comparison", range(when('or $c.Name (eq $c.Name "b")', SET))],
    ["either of a comparison and another", range(when('or (eq $c.Name "b") $c.Name', SET))],
    ["either of none", range(when("or", SET))],
  ])("does not take for one %s", (_, source) => {
    expect(found(source)).toBeUndefined();
  });
});

describe("isPodPorts()", () => {
  const COMMA = "{{ if not $f }},{{ end }}";
  const WRITE = "{{ structToJSON $p }}";
  const RESET = "{{ $f = false }}";
  const PORTS = "$j, $p := $c.Ports";
  const is = (source: string) => isPodPorts(first(source), "f");
  const loops = (body: string) => range(range(body, PORTS));

  it.each([
    ["plain", loops(COMMA + WRITE + RESET)],
    ["on lines", loops(`\n  ${COMMA}\n  ${WRITE}\n  ${RESET}\n`)],
    ["of ports that are not empty", loops(when("structToJSON $p", COMMA + WRITE + RESET))],
    ["in parentheses", loops(`${COMMA}{{ (structToJSON $p) }}${RESET}`)],
    ["without positions", range(range(COMMA + WRITE + RESET, "$p := $c.Ports"), "$c := .Spec.Containers")],
  ])("recognises them %s", (_, source) => {
    expect(is(source)).toBe(true);
  });

  it.each([
    ["another block", when(".Spec.Containers", range(COMMA + WRITE + RESET, PORTS))],
    ["other containers", range(range(COMMA + WRITE + RESET, PORTS), "$c := .Spec.InitContainers")],
    ["a piped list", range(range(COMMA + WRITE + RESET, PORTS), "$c := .Spec.Containers | reverse")],
    ["containers without a variable", range(range(COMMA + WRITE + RESET, PORTS), ".Spec.Containers")],
    ["one loop", range(COMMA + WRITE + RESET)],
    ["a second loop", range(range(COMMA + WRITE + RESET, PORTS) + range("", PORTS))],
    ["ports of another", range(range(COMMA + WRITE + RESET, "$p := $d.Ports"))],
    ["other lists", range(range(COMMA + WRITE + RESET, "$p := $c.Env"))],
    ["ports of a field", range(range(COMMA + WRITE + RESET, "$p := .Ports"))],
    ["ports without a variable", range(range(COMMA + WRITE + RESET, "$c.Ports"))],
    ["no comma", loops(WRITE + RESET)],
    ["another separator", loops(`{{ if not $f }};{{ end }}${WRITE}${RESET}`)],
    ["a comma and more", loops(`{{ if not $f }},{{ .A }}{{ end }}${WRITE}${RESET}`)],
    ["a comma of the first", loops(`{{ if $f }},{{ end }}${WRITE}${RESET}`)],
    ["a comma of another flag", loops(`{{ if not $g }},{{ end }}${WRITE}${RESET}`)],
    ["other JSON", loops(`${COMMA}{{ toJson $p }}${RESET}`)],
    ["JSON of another", loops(`${COMMA}{{ structToJSON $c }}${RESET}`)],
    ["JSON of a field", loops(`${COMMA}{{ structToJSON $p.Name }}${RESET}`)],
    ["piped JSON", loops(`${COMMA}{{ structToJSON $p | quote }}${RESET}`)],
    ["text in place of JSON", loops(`${COMMA}x${RESET}`)],
    ["no reset", loops(COMMA + WRITE)],
    ["a reset of another flag", loops(`${COMMA}${WRITE}{{ $g = false }}`)],
    ["what comes after", loops(`${COMMA}${WRITE}${RESET}x`)],
    ["another test around", loops(when("$p.Name", COMMA + WRITE + RESET))],
    ["a test next to it", loops(when("structToJSON $p", COMMA + WRITE + RESET) + RESET)],
  ])("does not take for them %s", (_, source) => {
    expect(is(source)).toBe(false);
  });
});

describe("isReset()", () => {
  it.each([
    ["{{ $f = false }}", true],
    ["{{ $f := false }}", false],
    ["{{ $f = true }}", false],
    ["{{ $g = false }}", false],
    ['{{ $f = "" }}', false],
    ["{{ false }}", false],
    ["{{ if .A }}{{ end }}", false],
  ])("of %s is %s", (source, expected) => {
    expect(isReset(first(source), "f")).toBe(expected);
  });
});
