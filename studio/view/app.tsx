// The page: source on the left, the editor in the middle, the preview on the right, findings and impact below.

import { SourceEditor } from "../editor/source-editor.tsx";
import { offered } from "../model/examples.ts";
import {
  conflicting,
  drafts,
  edit,
  editorLine,
  goToPod,
  notice,
  openPath,
  own,
  shownPage,
  workspace,
  writtenLines,
} from "../model/state.ts";
import { language, say } from "../text/say.ts";
import type { ExampleTree } from "../wire.ts";
import { ConflictView } from "./conflict-view.tsx";
import { ExamplesDialog } from "./examples-dialog.tsx";
import { FindingsList, ImpactList } from "./findings-list.tsx";
import { PreviewPane } from "./preview-pane.tsx";
import { ReleasesPage, type ReleasesPageProps } from "./releases-page.tsx";
import { SourceList } from "./source-list.tsx";

export interface AppProps extends ReleasesPageProps {
  readonly onSave: () => void;
  readonly onShare: () => void;
  readonly onExamples: () => void;
  readonly onStart: (example: ExampleTree) => void;
}

export function App({ onSave, onShare, onExamples, onStart, onPlan, onMove }: AppProps) {
  const isReleases = shownPage.value === "releases";
  return (
    <div class={isReleases ? "page wide" : "page"}>
      <header>
        <h1>Outrigger Studio</h1>
        <span class="name">{workspace.value.name}</span>
        {workspace.value.kind === "deployment" && <PageButtons />}
        <span role="status" class="notice">
          {notice.value}
        </span>
        <SaveButton onSave={onSave} />
        <button type="button" onClick={onExamples}>
          {say("examples")}
        </button>
        <button type="button" onClick={onShare}>
          {say("share")}
        </button>
        <button
          type="button"
          lang={language.value === "en" ? "zh" : "en"}
          onClick={() => {
            language.value = language.value === "en" ? "zh" : "en";
          }}
        >
          {say("language")}
        </button>
      </header>
      {offered.value !== undefined && <ExamplesDialog examples={offered.value} onStart={onStart} />}
      {isReleases ? <ReleasesPage onPlan={onPlan} onMove={onMove} /> : <EditPage />}
    </div>
  );
}

function EditPage() {
  const path = openPath.value;
  return (
    <>
      <SourceList />
      <main class="pane">
        <div class="entry-bar">
          <h2>{path}</h2>
          <WrittenButton />
          <EntryButtons path={path} />
        </div>
        {conflicting.value.includes(path) ? <ConflictView path={path} /> : <SourceEditor />}
      </main>
      <PreviewPane />
      <div class="pane below">
        <FindingsList />
        <ImpactList />
      </div>
    </>
  );
}

/** From a line of a template to the lines of the pod that it writes. */
function WrittenButton() {
  const lines = writtenLines.value.get(editorLine.value);
  if (lines === undefined) return null;
  return (
    <button
      type="button"
      onClick={() => {
        goToPod.value = [...lines];
      }}
    >
      {say("written", { line: editorLine.value, count: lines.length })}
    </button>
  );
}

function PageButtons() {
  return (
    <fieldset class="pages">
      {(["edit", "releases"] as const).map((page) => (
        <button
          key={page}
          type="button"
          aria-pressed={shownPage.value === page}
          onClick={() => {
            shownPage.value = page;
          }}
        >
          {say(page === "edit" ? "page.edit" : "releases")}
        </button>
      ))}
    </fieldset>
  );
}

function SaveButton({ onSave }: { readonly onSave: () => void }) {
  const count = Object.keys(drafts.value).length;
  if (workspace.value.kind === "playground") return null;
  return (
    <button type="button" class="primary" disabled={count === 0} onClick={onSave}>
      {count === 0 ? say("save.none") : say("save.all", { count })}
    </button>
  );
}

function EntryButtons({ path }: { readonly path: string }) {
  const { shipped, saved } = workspace.value;
  const isDraft = Object.hasOwn(drafts.value, path);
  const isOwn = Object.hasOwn(own.value, path);
  const isShipped = Object.hasOwn(shipped, path);
  return (
    <>
      {isDraft && (
        <button type="button" onClick={() => edit(path, Object.hasOwn(saved, path) ? (saved[path] as string) : null)}>
          {say("discard")}
        </button>
      )}
      {isOwn && (
        <button type="button" onClick={() => edit(path, null)}>
          {say(isShipped ? "restore" : "delete")}
        </button>
      )}
    </>
  );
}
