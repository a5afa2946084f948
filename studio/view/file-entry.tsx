// A row of the list of files: its name, and a glyph for each state.

import type { Tone } from "../component/controls.tsx";
import { releases } from "../model/releases.ts";
import { conflicting, draftPaths, findings, openPath, ownPaths, workspace } from "../model/state.ts";
import type { Word } from "../text/en.ts";
import { say } from "../text/say.ts";

interface FileEntryProps {
  readonly path: string;
  readonly name: string;
  /** Whether it is below a folder's heading. */
  readonly isInside?: boolean;
}

export function FileEntry({ path, name, isInside = false }: FileEntryProps) {
  const isOpen = openPath.value === path;
  return (
    <li>
      <button
        type="button"
        class={isInside ? "entry inside" : "entry"}
        data-stop
        title={path}
        aria-current={isOpen}
        onClick={() => {
          openPath.value = path;
        }}
      >
        <span>{name}</span>
        {badgesOf(path).map(([word, tone]) => (
          <span key={word} class={`badge ${tone ?? ""}`} title={say(word)} data-glyph={GLYPHS[word]}>
            {say(word)}
          </span>
        ))}
      </button>
    </li>
  );
}

/** In place of the words, which are read out and shown on request: a row is one line. */
const GLYPHS: Readonly<Partial<Record<Word, string>>> = {
  "badge.overrides": "↥",
  "badge.removed": "−",
  "badge.changed": "●",
  "badge.unpublished": "◌",
  "badge.conflict": "⇄",
  "badge.errors": "✕",
  "badge.warnings": "!",
};

function badgesOf(path: string): readonly (readonly [Word, Tone | undefined])[] {
  const isShipped = Object.hasOwn(workspace.value.shipped, path);
  const isOwn = ownPaths.value.includes(path);
  const isDraft = draftPaths.value.includes(path);
  const here = findings.value.filter((finding) => finding.path === path);
  const has = (severity: string) => here.some((finding) => finding.severity === severity);
  const all: readonly (readonly [boolean, Word, Tone | undefined])[] = [
    [isOwn && isShipped, "badge.overrides", undefined],
    [!isOwn && !isShipped, "badge.removed", "warn"],
    [isDraft && (isOwn || isShipped), "badge.changed", "warn"],
    [releases.value?.unpublished.includes(path) === true, "badge.unpublished", undefined],
    [conflicting.value.includes(path), "badge.conflict", "bad"],
    [has("error"), "badge.errors", "bad"],
    [has("warning"), "badge.warnings", "warn"],
  ];
  return all.flatMap(([applies, word, tone]) => (applies ? [[word, tone] as const] : []));
}
