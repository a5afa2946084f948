// What the project weighs for those who read it, next to what it weighed at the last release: for a person to judge. Nothing fails here.
import { wordsOf } from "../../test/pages/page-words.ts";

/** A figure's name, such as `lib/pod lines`, and its value. */
export type Figures = ReadonlyMap<string, number>;

export interface Growth {
  readonly name: string;
  readonly now: number;
  /** The value before. It is undefined if there is nothing to compare with. */
  readonly before: number | undefined;
}

const SOURCE = /^(?:lib|functions|infra|scripts|tools|test)\/[^/]+\/.+\.ts$|^(?:cli|studio)\/.+\.tsx?$/;
const PAGE = /^(?:docs\/(?!examples\/).+|README|CONTRIBUTING)\.md$/;
const FACE = /^((?:lib\/[^/]+)|cli|studio)\/index\.ts$/;

/**
 * Returns the lines and files of each package and folder (`lib/pod`, `test/eks`), the names of each face, and the words of the pages
 * for users and for contributors, as `wc -w` counts them. Tests count with what they test.
 *
 * @param files path → text
 */
export function figuresOf(files: ReadonlyMap<string, string>): Figures {
  const figures = new Map<string, number>();
  const add = (name: string, count: number): unknown => figures.set(name, (figures.get(name) ?? 0) + count);
  for (const [path, text] of files) {
    if (SOURCE.test(path)) {
      const folder = /^(?:cli|studio)\//.test(path) ? path.split("/")[0] : path.split("/", 2).join("/");
      add(`${folder} lines`, text.split("\n").length - 1);
      add(`${folder} files`, 1);
    }
    const [, face] = FACE.exec(path) ?? [];
    if (face !== undefined) add(`${face} names of its face`, namesOf(text));
    if (!PAGE.test(path)) continue;
    for (const { of, words } of wordsOf(path, text))
      if (of === "users" || of === "contributors") add(`words for ${of}`, words);
  }
  return figures;
}

/** Whether `figuresOf` reads a file. */
export function isMeasured(path: string): boolean {
  return SOURCE.test(path) || PAGE.test(path);
}

/** Counts the names in the `export { … } from` and `export const …` of a face. */
function namesOf(text: string): number {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list = ""]) =>
    list.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""),
  );
  const listed = lists.flatMap((list) => list.split(",")).filter((name) => name.trim() !== "");
  return listed.length + [...text.matchAll(/^export (?:async )?(?:const|function|interface|type) \w/gm)].length;
}

/** Returns every figure with what it was before; what grew by the largest share comes first. */
export function growthOf(now: Figures, before: Figures | undefined): readonly Growth[] {
  const share = ({ now, before }: Growth): number => now / Math.max(before ?? now, 1);
  return [...now]
    .map(([name, value]) => ({ name, now: value, before: before === undefined ? undefined : (before.get(name) ?? 0) }))
    .toSorted((a, b) => share(b) - share(a) || a.name.localeCompare(b.name));
}
