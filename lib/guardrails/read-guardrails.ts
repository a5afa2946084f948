// The setting `guardrails` of a deployment: a level and what is allowed besides, in one line. Pure. What is wrong with a part is said by
// parse-guardrails.ts: a function that serves pods has no use for it.
import { OutriggerError } from "@outrigger/base";
import { type GuardrailKind, isMetadata, KIND_NAMES, kindOf } from "./kinds.ts";
import { LEVELS, type Level } from "./levels.ts";
import { matchesPattern } from "./patterns.ts";
import type { Holder } from "./power.ts";

/** The limits of what an injection may add to a pod. */
export interface Guardrails {
  readonly level: Level;
  /** Kind → what of it is allowed to any container, as patterns; a kind without a value is all of it. */
  readonly allowed: ReadonlyMap<GuardrailKind, readonly string[]>;
  /** What is allowed to some containers alone. */
  readonly scoped: readonly ScopedEntry[];
  /** Entries that this version does not know. They allow nothing. */
  readonly unknown: readonly string[];
}

/** An entry for the containers of a name or an image: `container:agent image:registry.example/agent:* hostPath:/run/agent`. */
interface ScopedEntry {
  readonly kind: GuardrailKind;
  readonly pattern: string;
  readonly isFor: (holder: Holder) => boolean;
}

/** The kinds that entries may name. */
export const SETTABLE = KIND_NAMES.filter((name) => kindOf(name).entry !== "none");

/** What an entry may say before it of the containers that it is for. */
const SCOPES = ["container", "image"] as const;

/**
 * Reads the setting where pods depend on it: a function that is older than the setting goes on. A part that it does not know allows
 * nothing, and a level that it does not know is the strictest one.
 */
export function readGuardrails(text: string): Guardrails {
  return readSetting(text, () => undefined);
}

/** Says which entries a function does not know; undefined where it knows all of them. */
export function unknownEntries({ unknown }: Guardrails): OutriggerError | undefined {
  if (unknown.length === 0) return undefined;
  const names = unknown.map((entry) => JSON.stringify(entry.slice(0, 100))).join(", ");
  const message = `Cannot use ${names} of the setting guardrails: this function does not know what it is, and refuses what it may allow; correct the setting, or run "outrigger deploy" for a function that knows it`;
  return new OutriggerError("config-invalid", message, { path: "guardrails" });
}

/** What is wrong with a part of the setting. `word`: the word of it that is. */
export interface Mistake {
  readonly why: "level" | "scope" | "container" | "kind" | "value" | "pod";
  readonly word: string;
}

/** Reads the setting; what is wrong is reported with its part, and allows nothing. */
export function readSetting(text: string, report: (part: string, mistake: Mistake) => void): Guardrails {
  const [first = "", ...entries] = text.split(",");
  const known = first === "" ? "off" : LEVELS.find((level) => level === first);
  const unknown: string[] = [];
  if (known === undefined) {
    report(first, { why: "level", word: first });
    unknown.push(first);
  }
  const allowed = new Map<GuardrailKind, readonly string[]>();
  const scoped: ScopedEntry[] = [];
  for (const entry of entries) {
    const read = readEntry(entry);
    if ("why" in read) {
      report(entry, read);
      unknown.push(entry);
      continue;
    }
    const { kind, pattern, scopes } = read;
    // What one container may have is refused to the others.
    const patterns = allowed.get(kind) ?? [];
    const isOpen = scopes.length === 0 && pattern !== undefined;
    if (isOpen || kindOf(kind).entry === "limits") allowed.set(kind, isOpen ? [...patterns, pattern] : patterns);
    if (scopes.length > 0 && pattern !== undefined) scoped.push({ kind, pattern, isFor: allOf(scopes) });
  }
  return { level: known ?? "restricted", allowed, scoped, unknown };
}

type Scope = readonly [name: (typeof SCOPES)[number], pattern: string];

interface Entry {
  readonly kind: GuardrailKind;
  /** Undefined for `none`. */
  readonly pattern: string | undefined;
  readonly scopes: readonly Scope[];
}

/** Returns an entry, or why it is none. */
function readEntry(entry: string): Entry | Mistake {
  const words = entry.trim().split(/\s+/);
  const [name, value] = parted(words.pop() ?? "");
  const scopes: Scope[] = [];
  for (const word of words) {
    const [scope, pattern] = parted(word);
    const known = SCOPES.find((each) => each === scope);
    if (known === undefined || pattern === "") return { why: "scope", word };
    scopes.push([known, pattern]);
  }
  if (name === "container") return { why: "container", word: value };
  const kind = SETTABLE.find((known) => known === name);
  if (kind === undefined) return { why: "kind", word: name };
  const { entry: means, isOfPod } = kindOf(kind);
  if ((means === "limits" || means === "bounds") && value === "") return { why: "value", word: kind };
  if (scopes.length > 0 && (isOfPod || means === "bounds" || means === "demands"))
    return { why: "pod", word: `${kind} ${words.join(" ")}` };
  return { kind, pattern: patternOf(kind, value), scopes };
}

/** An entry of a kind that is limited says `none` to allow none of it; a prefix of annotations ends with a slash. */
function patternOf(kind: GuardrailKind, value: string): string | undefined {
  if (value === "none" && kindOf(kind).entry === "limits") return undefined;
  if (isMetadata(kind) && value.endsWith("/")) return `${value}*`;
  return value === "" ? "*" : value;
}

function parted(word: string): readonly [name: string, value: string] {
  const at = word.indexOf(":");
  return at === -1 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
}

function allOf(scopes: readonly Scope[]): (holder: Holder) => boolean {
  return (holder) => scopes.every(([name, pattern]) => matchesPattern(pattern, holder[name]));
}
