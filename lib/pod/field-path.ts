// The position of a walk in a document: a linked list that is cheap to extend, formatted only for messages.

export interface FieldPath {
  readonly parent: FieldPath | undefined;
  /** A field's name, or a list's index. */
  readonly step: string | number;
}

/**
 * `spec.containers[0].name`; keys that are not plain names are in brackets. The root is the empty text.
 *
 * @example
 * ```ts
 * formatFieldPath({ parent: { parent: undefined, step: "labels" }, step: "a/b" }) // => 'labels["a/b"]'
 * ```
 */
export function formatFieldPath(path: FieldPath | undefined): string {
  const steps: string[] = [];
  for (let at = path; at !== undefined; at = at.parent) steps.push(formatStep(at.step));
  const text = steps.reverse().join("");
  return text.startsWith(".") ? text.slice(1) : text;
}

function formatStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, STEP_LIMIT))}]`;
}

const STEP_LIMIT = 100;

/** The steps of a formatted path, up to a key that was shortened. */
export function fieldSteps(text: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  for (let match = STEP.exec(text); match !== null; match = STEP.exec(text)) {
    const [, name, index, key] = match;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else steps.push(JSON.parse(key as string) as string);
  }
  return steps;
}

const STEP = /\.?([\w-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
