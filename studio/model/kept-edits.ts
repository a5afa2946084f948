// Unsaved edits as they are kept, in a browser and by the server of the studio, where several tabs write. Each edit has a version: one
// that was typed over another takes its place, and two that were typed beside each other are both kept, for a person to choose.

/** One edit of an entry. */
export interface Edit {
  readonly path: string;
  /** The text that the edit was made on; null if there was none. */
  readonly base: string | null;
  /** Null removes the entry. */
  readonly text: string | null;
}

/** An edit as it is kept. */
export interface KeptEdit extends Edit {
  /** Another one for each text that was typed. */
  readonly version: string;
}

/**
 * Unsaved edits, and the manifest that was brought, as a browser and the server of the studio keep them; and what a page changes of them,
 * which may be edits of other pages: `PUT /api/drafts`.
 */
export interface KeptDrafts {
  /** Several of one entry were typed beside each other, by pages that knew nothing of each other: the last kept is last. */
  readonly edits: readonly KeptEdit[];
  /** Versions that are no edits any more: they were typed over, saved or discarded. */
  readonly gone: readonly string[];
  readonly text: string;
  /** The time of the last change: milliseconds since 1970. */
  readonly at: number;
}

/** Versions that are remembered as gone: an afternoon of typing. One that is forgotten is kept beside the later ones. */
const MOST_GONE = 1000;

/** What two places keep together, or a place after a change: nothing that one of them knows to be gone. */
export function joinedKept(one: KeptDrafts | null, other: KeptDrafts): KeptDrafts {
  const edits = [...byVersion([...(one?.edits ?? []), ...other.edits]).values()];
  // The same one stays wherever they are joined: two places that let another one stay each would keep neither.
  const repeated = edits.filter((edit) => edits.some((same) => isSame(edit, same) && same.version > edit.version));
  const gone = new Set([...(one?.gone ?? []), ...other.gone, ...repeated.map(({ version }) => version)]);
  const { text, at } = one !== null && one.at > other.at ? one : other;
  return { edits: edits.filter(({ version }) => !gone.has(version)), gone: [...gone].slice(-MOST_GONE), text, at };
}

/** The edit of a tab that is loaded again: itself, or what has been typed over it since; undefined where that is none any more. */
export function latestOf(edit: KeptEdit, kept: KeptDrafts): KeptEdit | undefined {
  return kept.gone.includes(edit.version) ? kept.edits.findLast(({ path }) => path === edit.path) : edit;
}

/** The edits of the same entries that were typed beside those of a tab. */
export function besides(mine: readonly KeptEdit[], kept: readonly KeptEdit[]): readonly KeptEdit[] {
  return kept.filter((edit) => mine.some(({ path }) => path === edit.path) && !mine.some((own) => isSame(own, edit)));
}

/** The last edit of each entry. */
export function lastOfEach(edits: readonly KeptEdit[]): readonly KeptEdit[] {
  return [...new Map(edits.map((edit) => [edit.path, edit])).values()];
}

/** Whether two edits say the same. */
export function isSame(one: Edit, other: Edit): boolean {
  return one.path === other.path && one.text === other.text && one.base === other.base;
}

function byVersion(edits: readonly KeptEdit[]): ReadonlyMap<string, KeptEdit> {
  return new Map(edits.map((edit) => [edit.version, edit]));
}
