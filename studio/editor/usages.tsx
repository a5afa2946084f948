// Where a partial or a value is named, in place of the files; and another name for all of that.

import { Fragment } from "preact";
import { Button, NameForm, setting } from "../component/controls.tsx";
import { type Named, sought } from "../model/state.ts";
import { say } from "../text/say.ts";
import { FileEntry, LineEntry } from "../view/file-entry.tsx";
import { lastPart, placesOf, rename, renameProblem } from "./symbols.ts";

export function Usages({ named }: { readonly named: Named }) {
  const places = placesOf(named);
  const files = [...new Set(places.map(({ path }) => path))];
  const name = lastPart(named.name);
  const problemOf = (wanted: string) => {
    const problem = wanted === name ? "" : renameProblem(named, wanted);
    return problem && say(problem);
  };
  return (
    <section class="usages" aria-label={say("usages", { name: named.name })}>
      <h2 class="row apart section">
        <code>{named.name}</code>
        <Button tone="link" aria-label={say("close")} onClick={setting(sought, undefined)} text="✕" />
      </h2>
      <NameForm
        key={named.name}
        label={say("rename.name")}
        button={say("rename.do", { count: files.length })}
        name={name}
        problemOf={problemOf}
        onName={(wanted) => rename(named, wanted)}
      />
      <ul>
        {files.map((path) => (
          <Fragment key={path}>
            <FileEntry path={path} />
            {places.map((place) => place.path === path && <LineEntry key={place.offset} {...place} />)}
          </Fragment>
        ))}
      </ul>
    </section>
  );
}
