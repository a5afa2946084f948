// What every page has: the head with its actions, what is wrong with the connection, messages, and the page that is shown.

import { useSignal } from "@preact/signals";
import { keepMine, takeTheirs } from "../actions/keeping.ts";
import { planning, planPublication } from "../actions/moving.ts";
import { save } from "../actions/saving.ts";
import { share, takeShared } from "../actions/sharing.ts";
import { offerExamples, startFrom } from "../actions/starting.ts";
import { Badge, Button, setting } from "../component/controls.tsx";
import { Sheet, type SheetProps } from "../component/sheet.tsx";
import { Told } from "../component/told.tsx";
import { addressOf } from "../model/address.ts";
import { isLost } from "../model/connection.ts";
import { discardedBy, replacedBy } from "../model/drafts.ts";
import { closeNotice, isLasting, notice } from "../model/notice.ts";
import { planned, releases } from "../model/releases.ts";
import { isRestartShown } from "../model/restart.ts";
import { currentText, drafts, linked, offered, shownPage, typedBeside, workspace } from "../model/state.ts";
import { isLanguage, languages, textsOf } from "../text/languages.ts";
import { chosenLanguage, language, say } from "../text/say.ts";
import type { Edit, ExampleTree } from "../wire.ts";
import { EditPage } from "./edit-page.tsx";
import { ChangePage, DiffView, ReleasesPage, RestartSheet } from "./late.tsx";
import { MoveSheet } from "./move-sheet.tsx";

export function App() {
  const isEdit = shownPage.value === "edit";
  return (
    <div class="column page">
      <button type="button" class="skip button" onClick={skip}>
        {say(isEdit ? "skip.editor" : "skip.releases")}
      </button>
      <header class="row head">
        <h1 class="row">
          <Mark /> Outrigger
        </h1>
        <Badge tone={isLost.value ? "bad" : "good"}>
          <span aria-hidden="true">●</span> <span class="cut">{workspace.value.name}</span>
        </Badge>
        {workspace.value.kind === "deployment" && <PageLinks />}
        <div class="row actions last">
          <Button tone="quiet" onClick={() => void offerExamples()} text={say("examples")} />
          {workspace.value.kind === "playground" && (
            <Button tone="quiet" onClick={() => void share()} text={say("share")} />
          )}
          <OtherLanguages />
          <SaveButton />
        </div>
      </header>
      {isLost.value && (
        <p class="banner bad" role="alert">
          {say("offline", { count: Object.keys(drafts.value).length })}
        </p>
      )}
      {offered.value !== undefined && <ExamplesDialog examples={offered.value} />}
      <OtherTabs />
      <LinkSheet />
      {planned.value !== undefined && <MoveSheet planned={planned.value} />}
      {isRestartShown.value && <RestartSheet />}
      {isEdit ? <EditPage /> : shownPage.value === "change" ? <ChangePage /> : <ReleasesPage />}
      <Toast />
    </div>
  );
}

/** A button for each language but the one that is shown, in that language. */
function OtherLanguages() {
  return Object.keys(languages)
    .filter(isLanguage)
    .filter((other) => other !== language.value)
    .map((other) => (
      <Button
        key={other}
        tone="quiet"
        lang={textsOf(other).htmlLang}
        onClick={setting(chosenLanguage, other)}
        text={textsOf(other).name}
      />
    ));
}

/** The last message. Without one it is empty, and the style hides it. */
function Toast() {
  const { text, original, next, undo } = notice.value;
  const isAhead = next !== undefined && releases.value?.channels[next.from]?.isAhead === true;
  const takeBack = () => {
    closeNotice();
    undo?.();
  };
  return (
    <div role="status" class="toast">
      {text}
      {original !== undefined && (
        <>
          {" "}
          <Told text={original} />
        </>
      )}
      {undo !== undefined && <Button onClick={takeBack} text={say("undo")} />}
      {isAhead && text !== "" && (
        <Button onClick={planning(next)} text={say("move.promote.to", { channel: next.to })} />
      )}
      {isLasting(notice.value) && <Button aria-label={say("close")} onClick={closeNotice} text="✕" />}
    </div>
  );
}

function skip(): void {
  document.querySelector<HTMLElement>("main .cm-content, main h2[tabindex]")?.focus();
}

function PageLinks() {
  return (
    <nav class="pages" aria-label={say("pages")}>
      {(["edit", "releases"] as const).map((page) => (
        <a key={page} href={addressOf({ page })} aria-current={currentOf(page)}>
          {say(`page.${page}`)}
        </a>
      ))}
    </nav>
  );
}

/** A change is a page below the releases. */
function currentOf(page: "edit" | "releases"): "page" | "true" | undefined {
  if (shownPage.value === page) return "page";
  return shownPage.value === "change" && page === "releases" ? "true" : undefined;
}

function SaveButton() {
  const count = Object.keys(drafts.value).length;
  const { kind, canSave } = workspace.value;
  if (kind === "playground") return null;
  if (!canSave) {
    const kept = count > 0 && say("status.drafts", { count });
    return (
      <span class="quiet" title={say("save.cannot")}>
        {kept}
      </span>
    );
  }
  const isDeployment = kind === "deployment";
  const act = () => void (isDeployment ? planPublication() : save());
  const text = count === 0 ? say("save.none") : say(isDeployment ? "review.all" : "save.all", { count });
  return <Button tone="primary" disabled={count === 0} onClick={act} text={text} />;
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
  const trees = examples.map(({ tree }) => tree);
  const unsaved = discardedBy(drafts.value, trees, saved);
  const begin = say(unsaved > 0 ? "examples.discard" : "examples.start");
  return (
    <Sheet title={say("examples.title")} onClose={setting(offered, undefined)}>
      <p>{say("examples.how")}</p>
      {unsaved > 0 && (
        <p class="banner" role="alert">
          {say(workspace.value.kind === "playground" ? "examples.unsaved.link" : "examples.unsaved", {
            count: unsaved,
          })}
        </p>
      )}
      <ul class="column">
        {examples.map((example) => {
          const { name, title, summary, tree } = example;
          const paths = replacedBy(tree, saved).join(", ");
          return (
            <li key={name} class="column card">
              <h3 id={`example-${name}`}>
                <Told text={title} />
              </h3>
              <p>
                <Told text={summary.replaceAll("`", "")} />
              </p>
              {paths !== "" && <p class="quiet">{say("examples.replaced", { paths })}</p>}
              <p>
                <Button aria-describedby={`example-${name}`} onClick={() => startFrom(example)} text={begin} />
              </p>
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}

/** A link that was opened, next to what is here. It becomes one's own edits only on request. */
function LinkSheet() {
  const edits = Object.entries(linked.value).map(([path, { text }]) => ({ path, text }));
  if (edits.length === 0) return null;
  const close = setting(linked, {});
  return (
    <BesideSheet
      title={say("shared.title", { count: edits.length })}
      edits={edits}
      onClose={close}
      foot={
        <>
          <Button onClick={close} text={say("close")} />
          <Button tone="primary" onClick={takeShared} text={say("shared.take", { count: edits.length })} />
        </>
      }
    />
  );
}

/** What other tabs typed while this one typed in the same entries: neither is lost before a person has chosen. */
function OtherTabs() {
  const isCompared = useSignal(false);
  const edits = typedBeside.value;
  if (edits.length === 0) return null;
  const close = setting(isCompared, false);
  const choosing = (choose: () => void) => () => {
    close();
    choose();
  };
  return (
    <>
      <p class="banner row apart" role="alert">
        <span>{say("beside", { paths: [...new Set(edits.map(({ path }) => path))].join(say("list.separator")) })}</span>
        <Button onClick={setting(isCompared, true)} text={say("beside.compare")} />
      </p>
      {isCompared.value && (
        <BesideSheet
          title={say("beside.title")}
          edits={edits}
          onClose={close}
          foot={
            <>
              <Button onClick={choosing(keepMine)} text={say("conflict.mine")} />
              <Button tone="primary" onClick={choosing(takeTheirs)} text={say("conflict.theirs")} />
            </>
          }
        />
      )}
    </>
  );
}

interface BesideProps extends Pick<SheetProps, "title" | "onClose" | "foot"> {
  readonly edits: readonly Pick<Edit, "path" | "text">[];
}

/** Edits that are not here, each next to the text that is. */
function BesideSheet({ edits, foot, ...sheet }: BesideProps) {
  return (
    <Sheet {...sheet} foot={<p class="row end">{foot}</p>}>
      {edits.map(({ path, text }) => (
        <section key={path + text} aria-label={path}>
          <h3 class="mono">{path}</h3>
          <DiffView label={path} before={currentText(path)} after={text ?? ""} />
        </section>
      ))}
    </Sheet>
  );
}
