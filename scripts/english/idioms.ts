// The idioms that a native technical writer would not use, each with what to write instead. Conventions: one term for one
// thing, short declarative sentences.

export interface Idiom {
  /** Matched against words in lower case; names in camel case are split into words first. */
  readonly pattern: RegExp;
  readonly instead: string;
}

export const IDIOMS: readonly Idiom[] = [
  { pattern: /\bmend(s|ed|ing)?\b/, instead: "fix, restore, repair or reconcile" },
  { pattern: /\b(tells|told)\b/, instead: "says, shows, reports or distinguishes" },
  { pattern: /\b(stands?|stood|standing)\b(?!-)/, instead: "is, exists or applies" },
  { pattern: /\bbeside\b/, instead: "next to, in addition to or besides" },
  { pattern: /\bwhoever\b/, instead: "the caller, the user, or who it is" },
  {
    pattern: /\b(somebody|someone|anybody|anyone|everybody)\b/,
    instead: "a user, a caller, any caller or every caller",
  },
  { pattern: /\bwhat there is\b/, instead: "what exists, or the thing itself" },
  { pattern: /\b(that|which) (is|are|was|were) none\b(?! of\b)/, instead: "an invalid …, or: not a …" },
  { pattern: /\bthat came\b/, instead: "that was received, or the input" },
  { pattern: /\brooms?\b/, instead: "folder, package or space" },
  { pattern: /\bdoors?\b/, instead: "entry point" },
  { pattern: /\bas good as\b/, instead: "treated as, or equivalent to" },
  { pattern: /\bof (its|their|our|your|my) own hand\b/, instead: "our own …" },
];
