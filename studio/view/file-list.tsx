// The entries of the source tree: one's own first, the shipped ones by folder under one heading, and a search in both. One stop of
// the Tab key; arrow keys move in it.

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { offerExamples, tryImage, tryOptedOut } from "../actions/starting.ts";
import { Button, EmptyState, NameForm, setting } from "../component/controls.tsx";
import { useOneStop } from "../component/one-stop.ts";
import { currentText, edit, openPath, ownPaths, paths, shownPage, sought, workspace } from "../model/state.ts";
import type { Word } from "../text/language-texts.ts";
import { say } from "../text/say.ts";
import { FileEntry, LineEntry } from "./file-entry.tsx";
import { Usages } from "./late.tsx";

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

export function FileList() {
  const written = useSignal("");
  const query = written.value.trim().toLowerCase();
  const named = sought.value;
  return (
    <nav class="column files" aria-label={say("source")}>
      <input
        type="search"
        id={SEARCH}
        aria-label={say("search")}
        placeholder={say("search")}
        value={written.value}
        onInput={({ currentTarget }) => {
          written.value = currentTarget.value;
          sought.value = undefined;
        }}
      />
      <div {...useOneStop()}>
        {named !== undefined ? (
          <Usages named={named} />
        ) : query !== "" ? (
          <Found query={query} />
        ) : (
          <>
            <Mine />
            <h2 class="section">{say("files.shipped")}</h2>
            {FOLDERS.map(([prefix, title]) => (
              <Folder key={prefix} prefix={prefix} title={title} />
            ))}
          </>
        )}
      </div>
    </nav>
  );
}

function isMine(path: string): boolean {
  return ownPaths.value.includes(path) || !Object.hasOwn(workspace.value.shipped, path);
}

function Mine() {
  const isAdding = useSignal(false);
  const isOpen = isAdding.value;
  const text = `+ ${say("new.label")}`;
  const mine = paths.value.filter(isMine);
  const add = (path: string) => {
    edit(path, "");
    openPath.value = path;
    isAdding.value = false;
  };
  return (
    <>
      <h2 class="row apart section">
        {say("files.yours")}
        <Button tone="link" data-stop aria-expanded={isOpen} onClick={setting(isAdding, !isOpen)} text={text} />
      </h2>
      {isOpen && (
        <NameForm
          label={say("new.name")}
          button={say("new.add")}
          placeholder={say("new.placeholder")}
          problemOf={(path) => (path === "" ? "" : paths.value.includes(path) ? say("new.exists") : undefined)}
          onName={add}
        />
      )}
      {mine.length === 0 ? (
        <FirstSteps />
      ) : (
        <ul>
          {mine.map((path) => (
            <FileEntry key={path} path={path} />
          ))}
        </ul>
      )}
    </>
  );
}

const FIRST_STEPS = [
  ["first.image", tryImage],
  ["first.container", () => void offerExamples("log-shipper")],
  ["first.why", tryOptedOut],
] as const;

/** Three things to try, each one click, for readers who have no entries of their own yet. */
function FirstSteps() {
  return (
    <EmptyState title={say("first.none")}>
      {FIRST_STEPS.map(([word, act]) => (
        <Button key={word} tone="link" data-stop onClick={act} text={say(word)} />
      ))}
    </EmptyState>
  );
}

function Folder({ prefix, title }: { readonly prefix: string; readonly title: Word }) {
  const inside = paths.value.filter(
    (path) => (prefix === "" ? !path.includes("/") : path.startsWith(prefix)) && !isMine(path),
  );
  // The reader's choice; otherwise the folder of the open entry is open.
  const chosen = useSignal<boolean | undefined>(undefined);
  if (inside.length === 0) return null;
  const isOpen = chosen.value ?? inside.includes(openPath.value);
  return (
    <>
      <button
        type="button"
        class="plain entry folder"
        data-stop
        aria-expanded={isOpen}
        onClick={setting(chosen, !isOpen)}
      >
        <span>{say(title)}</span> <span class="quiet">{inside.length}</span>
      </button>
      {isOpen && (
        <ul>
          {inside.map((path) => (
            <FileEntry key={path} path={path} name={path.slice(prefix.length)} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Entries whose name has the query, then those whose text has it. */
function Found({ query }: { readonly query: string }) {
  const named = paths.value.filter((path) => path.toLowerCase().includes(query));
  const written = paths.value.filter((path) => !named.includes(path) && linesWith(query, path).length > 0);
  const found = [...named, ...written];
  if (found.length === 0) return <p class="quiet">{say("search.none")}</p>;
  return (
    <ul>
      {found.map((path) => (
        <Fragment key={path}>
          <FileEntry path={path} />
          {linesWith(query, path).map((line) => (
            <LineEntry key={line} path={path} line={line} />
          ))}
        </Fragment>
      ))}
    </ul>
  );
}

const MOST_LINES = 3;

/** 1-based. */
function linesWith(query: string, path: string): readonly number[] {
  const lines = currentText(path).toLowerCase().split("\n");
  return lines.flatMap((text, at) => (text.includes(query) ? [at + 1] : [])).slice(0, MOST_LINES);
}
