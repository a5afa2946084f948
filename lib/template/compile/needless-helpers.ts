// Helpers of Istio's and Helm's templates that templates do not need, with what to write instead.

const WHOLE = "an object or list is inserted whole, write key: {{value}}";

/** Helpers of Istio's and Helm's templates that exist only because values are spliced there. */
export const REFUSED_HELPERS: ReadonlyMap<string, string> = new Map([
  ["toYaml", WHOLE],
  ["toYAML", WHOLE],
  ["fromYaml", "read the value as JSON with fromJson"],
  ["indent", WHOLE],
  ["nindent", WHOLE],
  ["env", "templates cannot read the environment, put the setting into the values"],
  ["log", "templates do not log, use outrigger inject --overlay to see the result"],
  ["tpl", "templates are not evaluated at run time, use a partial"],
  ["include", "write {{> name}}"],
  ["template", "write {{> name}}"],
]);

/** Helpers that add YAML or JSON quotes, which become part of the value when they wrap a whole slot. */
export const TEXT_HELPERS: ReadonlySet<string> = new Set(["quote", "squote"]);
