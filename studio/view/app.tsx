// What every page has: the head with its actions, what is wrong with the connection, messages, and the page that is shown.

import { plan } from "../actions/moving.ts";
import { save } from "../actions/saving.ts";
import { share } from "../actions/sharing.ts";
import { offerExamples, startFrom } from "../actions/starting.ts";
import { Button, setting } from "../component/controls.tsx";
import { Sheet } from "../component/sheet.tsx";
import { addressOf } from "../model/address.ts";
import { isLost } from "../model/connection.ts";
import { discardedBy, offered, replacedBy } from "../model/examples.ts";
import { notice } from "../model/notice.ts";
import { planned, releases } from "../model/releases.ts";
import { drafts, shownPage, workspace } from "../model/state.ts";
import { chosenLanguage, language, say } from "../text/say.ts";
import type { ExampleTree } from "../wire.ts";
import { EditPage } from "./edit-page.tsx";
import { LinkSheet } from "./link-sheet.tsx";
import { MoveSheet } from "./move-sheet.tsx";
import { ReleasesPage } from "./releases/releases-page.tsx";

export function App() {
  const isReleases = shownPage.value === "releases";
  const other = language.value === "en" ? "zh" : "en";
  return (
    <div class={isReleases ? "column page wide" : "column page"}>
      <button type="button" class="skip button" onClick={skip}>
        {say(isReleases ? "skip.releases" : "skip.editor")}
      </button>
      <header class="row head">
        <h1 class="row">
          <Mark /> Outrigger
        </h1>
        <span class={`workspace cut ${isLost.value ? "bad" : "good"}`}>{workspace.value.name}</span>
        {workspace.value.kind === "deployment" && <PageLinks />}
        <div class="row actions">
          <Button tone="quiet" onClick={() => void offerExamples()}>
            {say("examples")}
          </Button>
          <Button tone="quiet" onClick={() => void share()}>
            {say("share")}
          </Button>
          <Button tone="quiet" lang={other} onClick={setting(chosenLanguage, other)}>
            {say("language")}
          </Button>
          <SaveButton />
        </div>
      </header>
      {isLost.value && (
        <p class="banner bad" role="alert">
          {say("offline", { count: Object.keys(drafts.value).length })}
        </p>
      )}
      {offered.value !== undefined && <ExamplesDialog examples={offered.value} />}
      <LinkSheet />
      {planned.value !== undefined && <MoveSheet planned={planned.value} />}
      {isReleases ? <ReleasesPage /> : <EditPage />}
      <Toast />
    </div>
  );
}

/** Without a message, it is empty: the style hides it. */
function Toast() {
  const { text, original, next, undo } = notice.value;
  const isAhead = next !== undefined && releases.value?.channels[next.from]?.isAhead === true;
  const takeBack = () => {
    notice.value = { text: "" };
    undo?.();
  };
  return (
    <div role="status" class="toast">
      {text}
      {original !== undefined && <span lang="en"> {original}</span>}
      {undo !== undefined && <Button onClick={takeBack}>{say("undo")}</Button>}
      {isAhead && text !== "" && (
        <Button onClick={() => void plan(next)}>{say("move.promote.to", { channel: next.to })}</Button>
      )}
    </div>
  );
}

/** Past the head and the list of files. */
function skip(): void {
  const content = document.querySelector<HTMLElement>("main .cm-content") ?? document.querySelector("main h2");
  if (content instanceof HTMLElement) content.focus();
}

function PageLinks() {
  return (
    <nav class="pages" aria-label={say("pages")}>
      {(["edit", "releases"] as const).map((page) => (
        <a key={page} href={addressOf({ page })} aria-current={shownPage.value === page ? "page" : undefined}>
          {say(`page.${page}`)}
        </a>
      ))}
    </nav>
  );
}

function SaveButton() {
  const count = Object.keys(drafts.value).length;
  const { kind } = workspace.value;
  if (kind === "playground") return null;
  const isDeployment = kind === "deployment";
  const act = () => void (isDeployment ? plan({ action: "publish", edits: [] }) : save());
  return (
    <Button tone="primary" disabled={count === 0} onClick={act}>
      {count === 0 ? say("save.none") : say(isDeployment ? "review.all" : "save.all", { count })}
    </Button>
  );
}

function Mark() {
  return (
    <svg width="20" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
      <path d="M3 15c3 4 15 4 18 0M6 9h12M8 7v10M16 7v10M5 5c2 3 12 3 14 0" />
    </svg>
  );
}

function ExamplesDialog({ examples }: { readonly examples: readonly ExampleTree[] }) {
  const { saved } = workspace.value;
  const unsaved = discardedBy(drafts.value, examples, saved);
  return (
    <Sheet title={say("examples.title")} onClose={setting(offered, undefined)}>
      <p>{say("examples.how")}</p>
      {unsaved > 0 && (
        <p class="banner" role="alert">
          {say("examples.unsaved", { count: unsaved })}
        </p>
      )}
      <ul class="examples">
        {examples.map((example) => {
          const { name, title, summary } = example;
          const paths = replacedBy(example, saved).join(", ");
          return (
            <li key={name} class="column card">
              <h3 id={`example-${name}`}>{title}</h3>
              <p>{summary.replaceAll("`", "")}</p>
              {paths !== "" && <p class="quiet">{say("examples.replaced", { paths })}</p>}
              <Button aria-describedby={`example-${name}`} onClick={() => startFrom(example)}>
                {say(unsaved > 0 ? "examples.discard" : "examples.start")}
              </Button>
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}
