// Helpers that choose a value or stop the rendering. Truth is Go's here: an empty map is false, unlike in {{#if}}.

import { fault } from "../finding.ts";
import { goText, isEmpty, isMissing } from "./argument.ts";
import { VALUE, VALUES } from "./common-arguments.ts";
import { defineHelpers } from "./helper.ts";

export const choiceHelpers = defineHelpers({
  and: {
    run: (args) => {
      for (let index = 0; index < args.length - 1; index++) if (isEmpty(args[index])) return args[index];
      return args.at(-1);
    },
    doc: {
      text: "The first argument that is empty, or the last.",
      args: VALUES,
      result: "any",
      examples: [
        ['(and "a" "" "b")', ""],
        ['(and "a" "b")', "b"],
      ],
    },
  },
  or: {
    run: (args) => {
      for (let index = 0; index < args.length - 1; index++) if (!isEmpty(args[index])) return args[index];
      return args.at(-1);
    },
    doc: {
      text: "The first argument that is not empty, or the last.",
      args: VALUES,
      result: "any",
      examples: [['(or "" "b" "c")', "b"]],
    },
  },
  not: {
    run: ([value]) => isEmpty(value),
    doc: {
      text: "Whether the value is empty.",
      args: [VALUE],
      result: "boolean",
      examples: [['(not "")', true]],
    },
  },
  empty: {
    run: ([value]) => isEmpty(value),
    doc: {
      text: 'Whether the value is missing, "", 0, false, or a list or map without entries.',
      args: [VALUE],
      result: "boolean",
      examples: [
        ["(empty (list))", true],
        ['(empty "a")', false],
      ],
    },
  },
  any: {
    run: (args) => args.some((value) => !isEmpty(value)),
    doc: {
      text: "Whether any argument is not empty.",
      args: VALUES,
      result: "boolean",
      examples: [['(any "" 1)', true]],
    },
  },
  all: {
    run: (args) => !args.some(isEmpty),
    doc: {
      text: "Whether no argument is empty.",
      args: VALUES,
      result: "boolean",
      examples: [['(all "" 1)', false]],
    },
  },
  default: {
    run: ([otherwise, value]) => (isEmpty(value) ? otherwise : value),
    doc: {
      text: "The value, or the default if the value is empty.",
      args: [["default", "any", "the result if the value is empty"], VALUE],
      result: "any",
      examples: [
        ['(default "latest" metadata.labels.version)', "v1"],
        ['(default "latest" "")', "latest"],
      ],
    },
  },
  valueOrDefault: {
    run: ([value, otherwise]) => (isMissing(value) ? otherwise : value),
    doc: {
      text: 'The value, or the default if the value is missing or "".',
      args: [VALUE, ["default", "any", "the result if the value is missing or empty text"]],
      result: "any",
      examples: [
        ['(valueOrDefault "" "cluster.local")', "cluster.local"],
        ["(valueOrDefault 0 1)", 0],
      ],
    },
  },
  coalesce: {
    run: (args) => args.find((value) => !isEmpty(value)),
    doc: {
      text: "The first argument that is not empty.",
      args: VALUES,
      result: "any",
      examples: [['(coalesce "" 0 "c")', "c"]],
    },
  },
  ternary: {
    run: ([yes, no, condition]) => (isEmpty(condition) ? no : yes),
    doc: {
      text: "One of two values, chosen by the condition that comes last.",
      args: [
        ["yes", "any", "the result if the condition holds"],
        ["no", "any", "the result otherwise"],
        ["condition", "any", "a value that counts as false if it is empty"],
      ],
      result: "any",
      examples: [['(ternary "1337" "0" true)', "1337"]],
    },
  },
  required: {
    run: ([message, value]) => {
      if (isMissing(value)) throw fault(goText(message));
      return value;
    },
    doc: {
      text: 'The value, or an error with the message if the value is missing or "".',
      args: [
        ["message", "text", "the text of the error if the value is missing"],
        ["value", "as-example", "the value that must be there"],
      ],
      result: "any",
      examples: [
        ['(required "set values.logAgent.image" "agent:2")', "agent:2"],
        { call: '(required "set values.logAgent.image" "")', fails: "set values.logAgent.image" },
      ],
    },
  },
  fail: {
    run: ([message]) => {
      throw fault(goText(message));
    },
    doc: {
      text: "An error with the message.",
      args: [["message", "text", "the text of the error"]],
      result: "any",
      examples: [{ call: '(fail "unknown mode")', fails: "unknown mode" }],
    },
  },
});
