// A row of the list of files: its name, and a glyph for each state; or one of its lines.

import { setting, type Tone } from "../component/controls.tsx";
import { releases } from "../model/releases.ts";
import {
  conflicting,
  currentText,
  draftPaths,
  findings,
  openAt,
  openPath,
  ownPaths,
  workspace,
} from "../model/state.ts";
import type { Word } from "../text/language-texts.ts";
import { say } from "../text/say.ts";

/** @param name of an entry inside of a folder; left out, it is under its whole path */
export function FileEntry({ path, name }: { readonly path: string; readonly name?: string }) {
  return (
    <li>
      <button
        type="button"
        class={name === undefined ? "plain entry" : "plain entry inside"}
        data-stop
        title={path}
        aria-current={openPath.value === path}
        onClick={setting(openPath, path)}
      >
        <span class="cut">{name ?? path}</span>
        {badgesOf(path).map(([word, tone, glyph]) => (
          <span key={word} class={`badge ${tone}`} title={say(word)} data-glyph={glyph}>
            {say(word)}
          </span>
        ))}
      </button>
    </li>
  );
}

export function LineEntry({ path, line }: { readonly path: string; readonly line: number }) {
  return (
    <li>
      <button type="button" class="plain entry inside found" data-stop onClick={() => openAt({ path, line })}>
        <span class="cut">
          <span class="quiet">{line}</span> <code>{currentText(path).split("\n")[line - 1]?.trim()}</code>
        </span>
      </button>
    </li>
  );
}

/** The badges of a file. Each is a glyph in place of the word, which is read out and shown on request: a row is one line. */
function badgesOf(path: string): readonly (readonly [word: Word, tone: Tone | "", glyph: string])[] {
  const isShipped = Object.hasOwn(workspace.value.shipped, path);
  const isOwn = ownPaths.value.includes(path);
  const isDraft = draftPaths.value.includes(path);
  const has = (kind: string) => findings.value.some((finding) => finding.path === path && finding.severity === kind);
  const all = [
    [isOwn && isShipped, "badge.overrides", "", "↥"],
    [!isOwn && !isShipped, "badge.removed", "warn", "−"],
    [isDraft && (isOwn || isShipped), "badge.changed", "warn", "●"],
    [releases.value?.unpublished.includes(path) === true, "badge.unpublished", "", "◌"],
    [conflicting.value.includes(path), "badge.conflict", "bad", "⇄"],
    [has("error"), "badge.errors", "bad", "✕"],
    [has("warning"), "badge.warnings", "warn", "!"],
  ] as const;
  return all.flatMap(([applies, ...badge]) => (applies ? [badge] : []));
}
