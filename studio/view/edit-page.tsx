// Files on the left, the editor in the middle, what a pod becomes on the right, findings and impact in a line below.

import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Badge, Button, setting } from "../component/controls.tsx";
import { blockOf, openWorkload, sentenceOf } from "../model/branches.ts";
import { textOf } from "../model/drafts.ts";
import {
  conflicting,
  draftPaths,
  edit,
  editorLine,
  goToPod,
  openBranches,
  openPath,
  openTabs,
  ownPaths,
  paths,
  workspace,
  writtenLines,
} from "../model/state.ts";
import { say } from "../text/say.ts";
import { FileList } from "./file-list.tsx";
import { ConflictView, SourceEditor, WhoGetsIt } from "./late.tsx";
import { PreviewPane } from "./preview-pane.tsx";
import { StatusLine } from "./status-line.tsx";

export function EditPage() {
  const path = openPath.value;
  return (
    <div class="edit">
      <FileList />
      <main class="column pane">
        <h2 class="hidden">{path}</h2>
        <FileTabs />
        {path.startsWith("templates/") && paths.value.includes(path) && <WhoGetsIt key={path} path={path} />}
        {conflicting.value.includes(path) ? <ConflictView path={path} /> : <SourceEditor />}
        <div class="row one-line pane-foot">
          <Whose path={path} />
          <WrittenButton />
          <BranchesTaken />
          <EntryButtons path={path} />
          <ul class="row keys" title={say("editor.keys")}>
            {say("editor.keys")
              .split(/[;；] ?/)
              .map((key) => (
                <li key={key}>{key}</li>
              ))}
          </ul>
        </div>
      </main>
      <PreviewPane />
      <StatusLine />
    </div>
  );
}

const MOST_TABS = 8;

function FileTabs() {
  useSignalEffect(() => {
    const [path, tabs] = [openPath.value, openTabs.peek()];
    if (!tabs.includes(path)) openTabs.value = [...tabs, path].slice(-MOST_TABS);
  });
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (list.current !== null) showOpen(list.current);
  });
  const tabs = openTabs.value.filter((path) => paths.value.includes(path));
  const close = (path: string) => {
    const at = tabs.indexOf(path);
    openTabs.value = tabs.filter((one) => one !== path);
    if (openPath.value === path) openPath.value = tabs[at + 1] ?? tabs[at - 1] ?? path;
  };
  return (
    <ul ref={list} class="file-tabs" aria-label={say("tabs.label")}>
      {tabs.map((path) => (
        <li key={path} class={openPath.value === path ? "open" : ""}>
          <button type="button" class="plain" aria-current={openPath.value === path} onClick={setting(openPath, path)}>
            {path}
            {draftPaths.value.includes(path) && <span title={say("badge.changed")}> ●</span>}
          </button>
          {tabs.length > 1 && (
            <button type="button" class="plain" aria-label={say("tabs.close", { path })} onClick={() => close(path)}>
              ×
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Scrolls the tabs alone: scrollIntoView scrolls the page as well, which on a phone has the editor further down. */
function showOpen(tabs: HTMLElement): void {
  const [all, open] = [tabs, tabs.querySelector(".open")].map((each) => each?.getBoundingClientRect());
  if (all === undefined || open === undefined) return;
  tabs.scrollLeft += Math.min(0, open.left - all.left) + Math.max(0, open.right - all.right);
}

function Whose({ path }: { readonly path: string }) {
  if (ownPaths.value.includes(path)) return null;
  if (!Object.hasOwn(workspace.value.shipped, path)) return <Badge tone="warn">{say("badge.removed")}</Badge>;
  return <Badge>{say("whose.shipped")}</Badge>;
}

function WrittenButton() {
  const lines = writtenLines.value.get(editorLine.value);
  if (lines === undefined) return null;
  const text = say("written", { line: editorLine.value, count: lines.length });
  // A list of its own each time: the same place may be gone to again.
  const show = () => {
    goToPod.value = [...lines];
  };
  return <Button tone="link" onClick={show} text={text} />;
}

/** What the mark next to the cursor's line says, for those who use no mouse. */
function BranchesTaken() {
  const branches = openBranches.value.get(editorLine.value);
  if (branches === undefined) return null;
  const text = sentenceOf(branches);
  const { example } = blockOf(branches);
  if (example === undefined) return <span title={text}>{text}</span>;
  return <Button tone="link" title={example} onClick={() => openWorkload(example)} text={text} />;
}

function EntryButtons({ path }: { readonly path: string }) {
  const { shipped, saved } = workspace.value;
  const isShipped = Object.hasOwn(shipped, path);
  return (
    <>
      {draftPaths.value.includes(path) && (
        <Button tone="link" onClick={() => edit(path, textOf(saved, path))} text={say("discard")} />
      )}
      {ownPaths.value.includes(path) && (
        <Button tone="link" onClick={() => edit(path, null)} text={say(isShipped ? "restore" : "delete")} />
      )}
    </>
  );
}
