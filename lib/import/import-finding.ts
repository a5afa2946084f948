// What an import has to say: what could not be translated, and what a person should look at.

/** What an import left out, changed or could not translate, and what to do about it. */
export interface ImportFinding {
  /** An error loses something of the original; a warning may; a note only informs. */
  readonly severity: "error" | "warning" | "note";
  /** The file that was imported, with the template in it. */
  readonly file: string;
  /** 1-based, in the template or file. */
  readonly line?: number;
  readonly column?: number;
  /** What, why, and what to do. */
  readonly message: string;
}
