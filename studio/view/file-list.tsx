// The entries of the source tree: one's own first, the shipped ones by folder under one heading, and a search in both. One stop of
// the Tab key; arrow keys move in it.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Button } from "../component/button.tsx";
import { useOneStop } from "../component/one-stop.ts";
import { currentText, openPath, ownPaths, paths, workspace } from "../model/state.ts";
import type { Word } from "../text/en.ts";
import { say } from "../text/say.ts";
import { FileEntry } from "./file-entry.tsx";
import { FirstSteps, type FirstStepsProps } from "./first-steps.tsx";
import { NewEntry } from "./new-entry.tsx";

const FOLDERS: readonly (readonly [prefix: string, title: Word])[] = [
  ["", "folder.settings"],
  ["values/", "folder.values"],
  ["templates/", "folder.templates"],
  ["partials/", "folder.partials"],
  ["samples/", "folder.samples"],
];

export function FileList(steps: FirstStepsProps) {
  const list = useRef<HTMLDivElement>(null);
  useOneStop(list);
  const sought = useSignal("");
  const isAdding = useSignal(false);
  const query = sought.value.trim().toLowerCase();
  const mine = paths.value.filter(isMine);
  return (
    <nav class="pane files" aria-label={say("source")}>
      <input
        type="search"
        aria-label={say("search")}
        placeholder={say("search")}
        value={sought.value}
        onInput={({ currentTarget }) => {
          sought.value = currentTarget.value;
        }}
      />
      <div ref={list}>
        {query !== "" ? (
          <Found query={query} />
        ) : (
          <>
            <h2 class="section">
              {say("files.yours")}
              <Button
                tone="link"
                data-stop
                aria-expanded={isAdding.value}
                onClick={() => {
                  isAdding.value = !isAdding.value;
                }}
              >
                + {say("new.label")}
              </Button>
            </h2>
            {isAdding.value && (
              <NewEntry
                onDone={() => {
                  isAdding.value = false;
                }}
              />
            )}
            {mine.length === 0 ? (
              <FirstSteps {...steps} />
            ) : (
              <ul>
                {mine.map((path) => (
                  <FileEntry key={path} path={path} name={path} />
                ))}
              </ul>
            )}
            <Shipped />
          </>
        )}
      </div>
    </nav>
  );
}

function isMine(path: string): boolean {
  return ownPaths.value.includes(path) || !Object.hasOwn(workspace.value.shipped, path);
}

function Shipped() {
  const all = paths.value.filter((path) => !isMine(path));
  return (
    <>
      <h2 class="section">{say("files.shipped")}</h2>
      {FOLDERS.map(([prefix, title]) => (
        <Folder
          key={prefix}
          prefix={prefix}
          title={title}
          inside={all.filter((path) => (prefix === "" ? !path.includes("/") : path.startsWith(prefix)))}
        />
      ))}
    </>
  );
}

interface FolderProps {
  readonly prefix: string;
  readonly title: Word;
  readonly inside: readonly string[];
}

function Folder({ prefix, title, inside }: FolderProps) {
  // The reader's choice; otherwise the folder of the open entry is open.
  const chosen = useSignal<boolean | undefined>(undefined);
  if (inside.length === 0) return null;
  const isOpen = chosen.value ?? inside.includes(openPath.value);
  return (
    <>
      <button
        type="button"
        class="folder"
        data-stop
        aria-expanded={isOpen}
        onClick={() => {
          chosen.value = !isOpen;
        }}
      >
        {say(title)} <span class="count">{inside.length}</span>
      </button>
      {isOpen && (
        <ul>
          {inside.map((path) => (
            <FileEntry key={path} path={path} name={path.slice(prefix.length)} isInside />
          ))}
        </ul>
      )}
    </>
  );
}

/** Entries whose name has the query, then those whose text has it. */
function Found({ query }: { readonly query: string }) {
  const named = paths.value.filter((path) => path.toLowerCase().includes(query));
  const written = paths.value.filter(
    (path) => !named.includes(path) && currentText(path).toLowerCase().includes(query),
  );
  const found = [...named, ...written];
  if (found.length === 0) return <p class="quiet">{say("search.none")}</p>;
  return (
    <ul>
      {found.map((path) => (
        <FileEntry key={path} path={path} name={path} />
      ))}
    </ul>
  );
}
