// The entries of the source tree by folder, with whose they are and what is wrong with them.

import { useSignal } from "@preact/signals";
import { releases } from "../model/releases.ts";
import { conflicting, drafts, edit, findings, openPath, own, paths, workspace } from "../model/state.ts";
import type { Word } from "../text/en.ts";
import { say } from "../text/say.ts";

const FOLDERS: readonly (readonly [prefix: string, title: Word])[] = [
  ["", "folder.settings"],
  ["values/", "folder.values"],
  ["templates/", "folder.templates"],
  ["partials/", "folder.partials"],
  ["samples/", "folder.samples"],
];

export function SourceList() {
  return (
    <nav class="source" aria-label={say("source")}>
      {FOLDERS.map(([prefix, title]) => (
        <Folder key={prefix} prefix={prefix} title={title} />
      ))}
      <NewEntry />
    </nav>
  );
}

function Folder({ prefix, title }: { readonly prefix: string; readonly title: Word }) {
  const inside = paths.value.filter((path) => (prefix === "" ? !path.includes("/") : path.startsWith(prefix)));
  if (inside.length === 0) return null;
  return (
    <section>
      <h2>{say(title)}</h2>
      <ul>
        {inside.map((path) => (
          <Entry key={path} path={path} name={path.slice(prefix.length)} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ path, name }: { readonly path: string; readonly name: string }) {
  const badges = badgesOf(path);
  return (
    <li>
      <button
        type="button"
        class={openPath.value === path ? "entry open" : "entry"}
        aria-current={openPath.value === path}
        onClick={() => {
          openPath.value = path;
        }}
      >
        <span>{name}</span>
        {badges.map((badge) => (
          <span key={badge} class={`badge ${badge.replace("badge.", "")}`}>
            {say(badge)}
          </span>
        ))}
      </button>
    </li>
  );
}

function badgesOf(path: string): readonly Word[] {
  const { shipped } = workspace.value;
  const isShipped = Object.hasOwn(shipped, path);
  const isOwn = Object.hasOwn(own.value, path);
  const draft = Object.hasOwn(drafts.value, path) ? drafts.value[path] : undefined;
  const here = findings.value.filter((finding) => finding.path === path);
  const whose: Word = isOwn
    ? isShipped
      ? "badge.overrides"
      : "badge.yours"
    : isShipped
      ? "badge.shipped"
      : "badge.removed";
  return [
    whose,
    ...(draft === undefined ? [] : [(draft.text === null && !isShipped ? "badge.removed" : "badge.changed") as Word]),
    ...(releases.value?.unpublished.includes(path) ? (["badge.unpublished"] as const) : []),
    ...(here.some(({ severity }) => severity === "error") || conflicting.value.includes(path)
      ? (["badge.errors"] as const)
      : []),
    ...(here.some(({ severity }) => severity === "warning") ? (["badge.warnings"] as const) : []),
  ].filter((badge, index, all) => all.indexOf(badge) === index);
}

function NewEntry() {
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
    name.value = "";
    problem.value = "";
  };
  return (
    <form class="new-entry" onSubmit={add}>
      <label>
        {say("new.label")}
        <input
          value={name.value}
          placeholder={say("new.placeholder")}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value;
          }}
        />
      </label>
      <button type="submit">{say("new.add")}</button>
      {problem.value !== "" && <p role="alert">{problem.value}</p>}
    </form>
  );
}
