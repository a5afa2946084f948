// Calls of Go's, Sprig's and Istio's functions → calls of helpers: by their names, with a reason where there is no counterpart.

import { entryOf, suggestName } from "@outrigger/base";
import { describeHelpers } from "@outrigger/injector";
import type { Position } from "../go/go-syntax.ts";
import { ANY, BOOL, type GoType, isOwnValue, STRING } from "../go/go-types.ts";
import { REFUSED, RENAMED, RESULT_TYPES } from "./function-names.ts";
import { asGo, NOTHING, type Scope, type Value } from "./scope.ts";

export function translateCall(goName: string, given: readonly Value[], scope: Scope, at: Position): Value {
  const args = CHOOSING.has(goName) ? given : given.map(asGo);
  const [first, second] = args;
  switch (goName) {
    case "index":
      if (first !== undefined && args.length > 1) return indexed(first, args.slice(1), scope);
      break;
    case "eq":
    case "ne":
      if (args.length === 2 && (first?.literal === "" || second?.literal === "")) {
        const isEmpty = call("empty", [first?.literal === "" ? (second as Value) : (first as Value)], BOOL);
        return goName === "eq" ? isEmpty : call("not", [isEmpty], BOOL);
      }
      break;
    case "and":
    case "or": {
      if (args.length === 1 && first !== undefined) return first;
      const kinds = new Set(args.map(({ type }) => type.kind));
      const [only] = kinds;
      const same = kinds.size === 1 && (only === "bool" || only === "string") ? (first?.type ?? ANY) : ANY;
      return call(goName, args, same);
    }
    case "default":
    case "valueOrDefault": {
      const isText = args.every(({ type }) => type.kind === "string" || isOwnValue(type));
      return call(goName, args, isText ? STRING : ANY);
    }
    case "ternary":
      return call(goName, args, first?.type === second?.type ? (first?.type ?? ANY) : ANY);
    case "list":
      if (args.length === 0) return { text: "(list)", type: { kind: "list", element: ANY }, isEmptyList: true };
      return call("list", args, { kind: "list", element: ANY });
    case "kubevirtInterfaces":
    case "excludeInterfaces":
      if (first !== undefined) return first;
      break;
    case "print":
      return call("printf", [stringValue("%v".repeat(args.length), scope, at), ...args], STRING);
    case "indent":
    case "nindent":
      // Only a bound value needs no indentation; the caller has taken those out.
      scope.report("warning", at, `Check ${goName}: a text that is joined gets no indentation of its own`);
      return args.at(-1) ?? NOTHING;
    case "toYaml":
    case "toYAML":
    case "mustToYaml":
      return refuse(scope, at, TO_YAML_INSIDE);
    case "env":
      return environment(first, scope, at);
  }
  const name = entryOf(RENAMED, goName) ?? goName;
  const reason = entryOf(REFUSED, goName);
  const helper = describeHelpers().get(name);
  if (helper !== undefined && reason === undefined) return call(name, args, RESULT_TYPES[helper.result]);
  const known = [...describeHelpers().keys()];
  const why =
    reason ??
    `use other helpers (outrigger has ${known.length}, see docs/templates.md), or put the result into the values`;
  return refuse(scope, at, `the function ${goName} has no counterpart${suggestName(goName, known)}; ${why}`);
}

const TO_YAML_INSIDE = "toYaml is part of a longer expression; bind the value whole: key: {{ toYaml x | indent n }}";

/** Functions that treat a zero value as a missing one. */
const CHOOSING: ReadonlySet<string> = new Set(["and", "or", "not", "default", "valueOrDefault", "empty", "ternary"]);

/** Translates a variable of istiod's environment that Istio's templates asked for. It is a setting here. */
function environment(name: Value | undefined, scope: Scope, at: Position): Value {
  const prefix = scope.isInside ? "@root." : "";
  const native: Value = { text: `${prefix}nativeSidecars`, type: BOOL };
  if (name?.literal === "ENABLE_NATIVE_SIDECARS") return call("string", [native], STRING);
  if (name?.literal === "PILOT_ENABLE_INBOUND_PASSTHROUGH") {
    return { text: `(ternary "false" "true" (eq ${prefix}inboundTrafficPolicyMode "localhost"))`, type: STRING };
  }
  return refuse(scope, at, `env reads istiod's environment; ${REFUSED.env}`);
}

export function call(helper: string, args: readonly Value[], type: GoType): Value {
  return { text: `(${[helper, ...args.map(({ text }) => text)].join(" ")})`, type };
}

/** `index map key` is a lookup, which accepts a map that is missing; a number is the place in a list. */
function indexed(value: Value, keys: readonly Value[], scope: Scope): Value {
  return keys.reduce<Value>((current, key) => {
    if (current.type.kind === "list" || key.type.kind === "number") {
      return call("index", [current, key], current.type.kind === "list" ? current.type.element : ANY);
    }
    const subject: Value =
      current.isRoot === true ? { text: scope.isInside ? "@root" : "this", type: current.type } : current;
    return call("lookup", [subject, key], current.type.kind === "map" ? current.type.element : ANY);
  }, value);
}

/** Handlebars strings have no escapes: a string with both quotes cannot be written. */
export function stringValue(text: string, scope: Scope, at: Position): Value {
  const quote = text.includes('"') ? "'" : '"';
  if (text.includes(quote)) {
    return refuse(scope, at, "a string holds both kinds of quotes; put the text into the values and name it here");
  }
  return { text: `${quote}${text}${quote}`, type: STRING, literal: text };
}

/** Returns a value as a condition. Go and Handlebars differ on the empty map only, so what cannot be one is asked as it is. */
export function conditionOf(value: Value): string {
  if (value.isEmptyList === true) return "false";
  if (value.type.kind !== "any" && value.type.kind !== "map") return value.text;
  if (value.literal !== undefined) return value.text;
  return `(not (empty ${value.text}))`;
}

/** @param reason what has no translation, and what to do */
export function refuse(scope: Scope, at: Position, reason: string): Value {
  scope.report("error", at, `Cannot translate this: ${reason}`);
  return NOTHING;
}
