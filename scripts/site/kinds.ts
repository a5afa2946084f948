// The kinds of pages, and those who need a page: in English, with a translation to every language of the docs.

export const KINDS = ["Task", "Explanation", "Reference", "Runbook"] as const;
export type Kind = (typeof KINDS)[number];

/** The readers that a page may name. */
export const READERS = [
  "everyone",
  "newcomers",
  "evaluators",
  "workload owners",
  "template authors",
  "those who publish",
  "deployment operators",
  "cluster operators",
  "people on call",
  "security reviewers",
  "contributors",
] as const;
export type Reader = (typeof READERS)[number];
