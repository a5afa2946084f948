// Where a partial or a value is named, in place of the files; and another name for all of that.

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { Button } from "../component/controls.tsx";
import { currentText, goTo, type Named, openPath, sought } from "../model/state.ts";
import { say } from "../text/say.ts";
import { FileEntry } from "../view/file-entry.tsx";
import { lastPart, type Place, placesOf, rename, renameProblem } from "./symbols.ts";

export function Usages({ named }: { readonly named: Named }) {
  const places = placesOf(named);
  const files = [...new Set(places.map(({ path }) => path))];
  return (
    <section class="usages" aria-label={say("usages", { name: named.name })}>
      <h2 class="section">
        <code>{named.name}</code>
        <Button
          tone="link"
          aria-label={say("close")}
          onClick={() => {
            sought.value = undefined;
          }}
        >
          ✕
        </Button>
      </h2>
      <RenameForm key={named.name} named={named} files={files.length} />
      <ul>
        {files.map((path) => (
          <Fragment key={path}>
            <FileEntry path={path} name={path} />
            {places.map((place) => place.path === path && <Usage key={place.offset} {...place} />)}
          </Fragment>
        ))}
      </ul>
    </section>
  );
}

function Usage({ path, line }: Place) {
  const show = () => {
    openPath.value = path;
    goTo.value = { line, column: 1 };
  };
  return (
    <li>
      <button type="button" class="entry inside found" data-stop onClick={show}>
        <span>
          <span class="quiet">{line}</span> <code>{currentText(path).split("\n")[line - 1]?.trim()}</code>
        </span>
      </button>
    </li>
  );
}

function RenameForm({ named, files }: { readonly named: Named; readonly files: number }) {
  const name = useSignal(lastPart(named.name));
  const isSame = lastPart(named.name) === name.value;
  const problem = isSame ? undefined : renameProblem(named, name.value);
  return (
    <form
      class="new-entry"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSame && problem === undefined) rename(named, name.value);
      }}
    >
      <input
        aria-label={say("rename.name")}
        value={name.value}
        onInput={({ currentTarget }) => {
          name.value = currentTarget.value;
        }}
      />
      <Button type="submit" disabled={isSame || problem !== undefined}>
        {say("rename.do", { count: files })}
      </Button>
      {problem !== undefined && <p role="alert">{say(problem)}</p>}
    </form>
  );
}
