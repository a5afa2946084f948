// Generated Go templates as people write them: nested branches, loops, variables, trims and pipelines, with data for them.
import { pick, type Random, randomOf } from "../support/random.ts";

export interface GeneratedTemplate {
  readonly template: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly nativeSidecars: boolean;
}

const CONDITIONS: readonly string[] = [
  ".NativeSidecars",
  ".Values.t",
  ".Values.f",
  ".Values.m0",
  ".Values.m1",
  ".Values.e",
  ".Values.s",
  "not .Values.t",
  'eq .Values.s "x"',
  'ne .Values.e ""',
  "or .Values.f .Values.s",
  "and .Values.t .Values.m0",
  "isset .ObjectMeta.Annotations `a`",
  'hasPrefix "z" .Values.s',
  'contains "/" .Values.s',
];
const VALUES: readonly string[] = [
  ".Values.s",
  ".ObjectMeta.Name",
  ".DeploymentMeta.Name",
  "(index .ObjectMeta.Annotations `a`)",
  'printf "%s-z" .Values.s',
  "annotation .ObjectMeta `a` .Values.s",
  '.Values.e | default "d"',
  ".Values.s | upper | trunc 2",
  'ternary "p" "q" .Values.t',
];

export function generateTemplate(seed: number): GeneratedTemplate {
  const random = randomOf(seed);
  const chance = (probability: number) => random() < probability;
  const writer = writeEntries(random);
  const count = 2 + Math.floor(random() * 4);
  let env = "";
  for (let index = 0; index < count; index++) env += writer.entry(4, [], 0);
  const template = `metadata:
  labels:
    x: {{ .Values.s | quote }}
spec:
  containers:
  - name: c
    env:
    - name: first
${env}    image: "{{ .Values.s }}"
    resources:
      {{ toYaml .Values.res | indent 6 }}
`;
  return {
    template,
    nativeSidecars: chance(0.5),
    annotations: pick(random, [{}, { a: "an" }, { a: "", b: "c" }]),
    values: {
      t: chance(0.5),
      f: chance(0.3),
      s: pick(random, ["x", "y", "z1"]),
      e: pick(random, ["", "e"]),
      m0: chance(0.5) ? {} : { q: "1" },
      m1: pick(random, [{ b: "2", a: "1" }, {}]),
      l: pick(random, [[], ["p"], ["p", "q"]]),
      res: { limits: { cpu: "1" } },
    },
  };
}

function writeEntries(random: Random) {
  let names = 0;
  const name = (letter: string) => `${letter}${names++}`;
  const chance = (probability: number) => random() < probability;
  const open = () => (chance(0.4) ? "{{- " : "{{ ");
  const value = (variables: readonly string[]) => pick(random, [...VALUES, ...variables.map((one) => `$${one}`)]);
  const condition = () => pick(random, CONDITIONS);

  /** Lines of a list of environment variables. Declares variables in `variables`. */
  function entry(indent: number, variables: string[], depth: number): string {
    const space = " ".repeat(indent);
    const kind = random();
    if (depth < 3 && kind < 0.25) return block(indent, variables, depth + 1);
    if (kind < 0.35) return `${space}- name: ${name("r")}\n${space}  value: "{{ ${value(variables)} }}"\n`;
    if (kind < 0.5) return `${space}- name: ${name("n")}\n${space}  value: {{ ${value(variables)} | quote }}\n`;
    if (kind < 0.6) {
      const subject = pick(random, [".Values.s", ".Values.e", ".Values.m1"]);
      return `${space}- name: ${name("w")}\n${space}{{- with ${subject} }}\n${space}  value: "y"\n${space}{{- else }}\n${space}  value: "q"\n${space}{{- end }}\n`;
    }
    if (kind < 0.7) {
      const map = pick(random, [".Values.m1", ".Values.m0", ".ObjectMeta.Annotations"]);
      return `${space}{{- range $k, $v := ${map} }}\n${space}- name: {{ $k }}-${name("")}\n${space}  value: "{{ $v }}"\n${space}{{- end }}\n`;
    }
    if (kind < 0.78) {
      return `${space}{{ range .Values.l }}\n${space}- name: ${name("l")}{{ . }}\n${space}  value: "{{ $.Values.s }}"\n${space}{{ end }}\n`;
    }
    if (kind < 0.86) {
      const variable = name("v");
      const text = `${space}${open()}$${variable} := ${value(variables)} }}\n`;
      const rest = entry(indent, [...variables, variable], depth + 1);
      variables.push(variable);
      return text + rest;
    }
    if (kind < 0.92 && variables.length > 0) {
      const variable = pick(random, variables);
      return `${space}{{- if ${condition()} }}{{ $${variable} = "${name("s")}" }}{{ else if ${condition()} }}{{ $${variable} = .Values.s }}{{ end }}\n`;
    }
    return `${space}- name: ${name("i")}{{ if ${condition()} }}-a{{ else }}-b{{ end }}-c\n`;
  }

  function block(indent: number, variables: readonly string[], depth: number): string {
    const space = " ".repeat(indent);
    const body = () => {
      const own = [...variables];
      const count = 1 + Math.floor(random() * 2);
      let text = "";
      for (let index = 0; index < count; index++) text += entry(indent, own, depth);
      return text;
    };
    const trimmed = chance(0.5) ? "-" : "";
    const tag = (text: string) => `${space}{{${trimmed} ${text} }}\n`;
    const alternative = chance(0.4) ? `${tag(`else if ${condition()}`)}${body()}` : "";
    const otherwise = chance(0.4) ? `${tag("else")}${body()}` : "";
    return `${tag(`if ${condition()}`)}${body()}${alternative}${otherwise}${tag("end")}`;
  }
  return { entry };
}
