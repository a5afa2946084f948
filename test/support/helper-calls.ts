// A call of each helper with a text of the pod's author where it takes a text. It is made from the helper's own documentation.

import { describeHelpers } from "@outrigger/injector";

/** The annotation with the text that calls of helpers take. */
export const TEXT = "agent.example.com/text";

const GIVEN = `(annotation metadata "${TEXT}" "a, b")`;

/**
 * Calls that find more than the ones made from the documentation, or that replace one that fails on some texts. None takes a pod's
 * annotations as a whole: an earlier injection has overwritten some (docs/contributing/injection-record.md). `@text` is the
 * author's text.
 */
const BETTER: Readonly<Record<string, string>> = {
  b64dec: "(b64dec (b64enc @text))",
  cat: "(cat @text metadata.gone 1 true)",
  dig: '(dig @text "b" @text metadata.labels)',
  div: "(div (len @text) -3)",
  eq: '(eq @text 1 "")',
  fail: '(ternary "a" "b" (eq @text "c"))',
  fromJSON: "(fromJSON (toJson @text))",
  int: "(int (len @text))",
  mod: "(mod (len @text) -3)",
  mul: "(mul (len @text) 1000003 -1)",
  omitNil: "(omitNil (dict @text metadata.gone))",
  pluck: '(pluck "name" spec.containers)',
  printf: '(printf "%-8s|%5.2q|%x|%d%%" @text @text @text (len @text))',
  regexMatch: '(regexMatch "^(a|[^b])*$" @text)',
  regexReplaceAll: '(regexReplaceAll "([^a-z])|$" @text "$1-$2")',
  replace: '(replace "" "-" @text)',
  reverse: '(reverse (splitList "" @text))',
  sortAlpha: '(sortAlpha (splitList "" @text))',
  trunc: "(trunc -3 @text)",
  uniq: '(uniq (splitList "" @text))',
};

/** The values that a call gives an argument, by the argument's type. */
const VALUES = {
  text: "@text",
  any: "@text",
  integer: "(len @text)",
  list: '(splitList "," @text)',
  map: "(dict @text @text)",
} as const;

/** The call of each helper, by the helper's name. */
export const HELPER_CALLS: Readonly<Record<string, string>> = Object.fromEntries(
  [...describeHelpers()].map(
    ([
      name,
      {
        args,
        examples: [example],
      },
    ]) => {
      const [, ...exampleArgs] = wordsOf("fails" in example ? example.call : example[0]);
      const made = args.flatMap(([argument, type], index) => {
        const isRepeated = argument.includes("…");
        if (type === "as-example") return isRepeated ? exampleArgs.slice(index) : exampleArgs.slice(index, index + 1);
        return isRepeated ? [VALUES[type], VALUES[type]] : [VALUES[type]];
      });
      const call = BETTER[name] ?? `(${[name, ...made].join(" ")})`;
      return [name, call.replaceAll("@text", GIVEN)];
    },
  ),
);

/** The name and the arguments of a call in parentheses. */
function wordsOf(call: string): readonly string[] {
  const argument = /"[^"]*"|'[^']*'|\((?:[^()]|\([^()]*\))*\)|[^\s()]+/g;
  return call.slice(1, -1).match(argument) ?? [];
}
