// The entries of the source tree: one's own first, the shipped ones by folder under one heading, and a search in both. One stop of
// the Tab key; arrow keys move in it.

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "../component/controls.tsx";
import { useOneStop } from "../component/one-stop.ts";
import {
  currentText,
  edit,
  goTo,
  openPath,
  ownPaths,
  paths,
  sought as seeking,
  shownPage,
  workspace,
} from "../model/state.ts";
import type { Word } from "../text/en.ts";
import { say } from "../text/say.ts";
import { Usages } from "./editors.tsx";
import { FileEntry } from "./file-entry.tsx";
import { FirstSteps, type FirstStepsProps } from "./first-steps.tsx";

const FOLDERS: readonly (readonly [prefix: string, title: Word])[] = [
  ["", "folder.settings"],
  ["values/", "folder.values"],
  ["templates/", "folder.templates"],
  ["partials/", "folder.partials"],
  ["samples/", "folder.samples"],
];

const SEARCH = "search-files";

/** Files and their lines, from wherever the reader is. */
export function findFile(): void {
  const select = () => (document.getElementById(SEARCH) as HTMLInputElement | null)?.select();
  if (shownPage.value !== "edit") requestAnimationFrame(select);
  shownPage.value = "edit";
  select();
}

export function FileList(steps: FirstStepsProps) {
  const list = useRef<HTMLDivElement>(null);
  useOneStop(list);
  const sought = useSignal("");
  const isAdding = useSignal(false);
  const query = sought.value.trim().toLowerCase();
  const named = seeking.value;
  const mine = paths.value.filter(isMine);
  return (
    <nav class="pane files" aria-label={say("source")}>
      <input
        type="search"
        id={SEARCH}
        aria-label={say("search")}
        placeholder={say("search")}
        value={sought.value}
        onInput={({ currentTarget }) => {
          sought.value = currentTarget.value;
          seeking.value = undefined;
        }}
      />
      <div ref={list}>
        {named !== undefined ? (
          <Usages named={named} />
        ) : query !== "" ? (
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
        <Fragment key={path}>
          <FileEntry path={path} name={path} />
          {linesWith(query, path).map(([line, text]) => (
            <li key={line}>
              <button type="button" class="entry inside found" data-stop onClick={() => show(path, line)}>
                <span>
                  <span class="quiet">{line}</span> <code>{text}</code>
                </span>
              </button>
            </li>
          ))}
        </Fragment>
      ))}
    </ul>
  );
}

/** Lines of one file that are shown. */
const MOST_LINES = 3;

function linesWith(query: string, path: string): readonly (readonly [line: number, text: string])[] {
  const lines = currentText(path).split("\n");
  return lines
    .flatMap((text, at) => (text.toLowerCase().includes(query) ? [[at + 1, text.trim()] as const] : []))
    .slice(0, MOST_LINES);
}

function show(path: string, line: number): void {
  openPath.value = path;
  goTo.value = { line, column: 1 };
}

function NewEntry({ onDone }: { readonly onDone: () => void }) {
  const name = useSignal("");
  const problem = useSignal("");
  const add = (event: Event) => {
    event.preventDefault();
    const path = name.value.trim();
    if (path === "") return;
    if (paths.value.includes(path)) {
      problem.value = say("new.exists");
      return;
    }
    edit(path, "");
    openPath.value = path;
    onDone();
  };
  return (
    <form class="new-entry" onSubmit={add}>
      <input
        aria-label={say("new.name")}
        value={name.value}
        placeholder={say("new.placeholder")}
        onInput={({ currentTarget }) => {
          name.value = currentTarget.value;
        }}
      />
      <Button type="submit">{say("new.add")}</Button>
      {problem.value !== "" && <p role="alert">{problem.value}</p>}
    </form>
  );
}
