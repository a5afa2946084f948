// Asks before a channel moves, or edits are saved and published: what the publisher answers that comes to, what changes in which pods,
// and why. What is confirmed is that answer.

import { type Signal, useSignal } from "@preact/signals";
import { carryOut, plan } from "../actions/moving.ts";
import { Button, FailureText, fieldOf, setting } from "../component/controls.tsx";
import { Sheet } from "../component/sheet.tsx";
import { Told } from "../component/told.tsx";
import { Ago } from "../model/clock.tsx";
import { textOf } from "../model/drafts.ts";
import { mayShareFirst, type Planned, planned, releases } from "../model/releases.ts";
import { workspace } from "../model/state.ts";
import { say, sayName } from "../text/say.ts";
import type { Edit, Move, NamedRelease, Question, TextChange } from "../wire.ts";
import { PlannedImpactView } from "./findings-and-impact.tsx";
import { PromotionFields } from "./promotion-fields.tsx";
import { SourceTexts } from "./source-texts.tsx";

export function MoveSheet({ planned: shown }: { readonly planned: Planned }) {
  const { move, question, impact, isMoved, isBusy = false, failure } = shown;
  const why = useSignal("");
  /** The classes of effects that the reader has looked at. */
  const accepted = useSignal<readonly string[]>([]);
  const isAll = useSignal(false);
  const { title, label } = wordsOf(move, question);
  const review = (next: Move) => {
    accepted.value = [];
    void plan(next);
  };
  const isDecided =
    question?.effects.every(({ name, isHeld }) => !isHeld || accepted.value.includes(name)) === true &&
    (!isForAll(move) || isAll.value) &&
    (!needsReason(move, question) || why.value.trim() !== "");
  return (
    <Sheet
      title={title}
      about={question && <Served question={question} />}
      onClose={close}
      foot={
        question?.isChange === false ? (
          <p class="row end">
            <Button onClick={close} text={say("close")} />
          </p>
        ) : (
          <>
            <WhyField why={why} isNeeded={needsReason(move, question)} />
            <p class="row end">
              <Button onClick={close} text={say("move.cancel")} />
              <Button
                tone={isDanger(move) ? "danger" : "primary"}
                disabled={!isDecided || isMoved === true || isBusy}
                aria-busy={isBusy}
                onClick={() => question !== undefined && void carryOut(question, why.value.trim())}
                text={isBusy ? say("move.busy") : label}
              />
            </p>
          </>
        )
      }
    >
      {isMoved === true && (
        <div class="banner" role="alert">
          {say("move.moved")} <Button onClick={() => review(move)} text={say("move.review")} />
        </div>
      )}
      {failure !== undefined && (
        <div class="banner bad" role="alert">
          <FailureText word="failed" failure={failure} />{" "}
          {failure.code === "channel-pinned" && <PinnedWay move={move} onPlan={review} />}
        </div>
      )}
      {hasShare(move) && <PromotionFields move={move} isAll={isAll} />}
      {question === undefined && failure === undefined && <p class="quiet">{say("move.asking")}</p>}
      {question !== undefined && (
        <>
          {move.action === "publish" && (
            <SourceTexts title={say("edits.source")} texts={editedTexts(move.edits ?? [])} />
          )}
          {question.effects.length > 0 && <Effects effects={question.effects} accepted={accepted} />}
          <Said question={question} />
          {question.compare !== null && <PlannedImpactView impact={impact} />}
        </>
      )}
    </Sheet>
  );
}

const close = setting(planned, undefined);

function Served({ question: { before, after, compare, isChange } }: { readonly question: Question }) {
  return (
    <p class="row served">
      {before === null ? "–" : <Release release={before} />}
      {isChange && (
        <>
          <span aria-hidden="true">→</span>
          {after === null ? say(compare === null ? "release.none" : "release.edits") : <Release release={after} />}
        </>
      )}
    </p>
  );
}

function Release({ release: { release, why, by, at } }: { readonly release: NamedRelease }) {
  return (
    <span title={release}>
      <code>{shortName(release)}</code> {why}{" "}
      <span class="quiet">
        {by} {at !== "" && <Ago at={at} />}
      </span>
    </span>
  );
}

/** The publisher's own words. */
function Said({ question }: { readonly question: Question }) {
  const { channel, message, warnings, isPublished, isChange } = question;
  return (
    <div>
      {!isPublished && <p class="banner">{say("move.saved-only", { channel })}</p>}
      {!isChange && <p>{say("move.nothing", { channel })}</p>}
      {(isChange && message !== "" ? [message, ...warnings] : warnings).map((line) => (
        <p key={line} class="quiet">
          <Told text={line} />
        </p>
      ))}
    </div>
  );
}

function Effects({ effects, accepted }: Pick<Question, "effects"> & { readonly accepted: Signal<readonly string[]> }) {
  const toggle = (name: string, isOn: boolean) => {
    const others = accepted.value.filter((one) => one !== name);
    accepted.value = isOn ? [...others, name] : others;
  };
  return (
    <section aria-label={say("effects")}>
      <h3>{say("effects")}</h3>
      <ul class="effects">
        {effects.map(({ name, example, isHeld }) => (
          <li key={name} class={isHeld ? "row one-line bad" : "row one-line"}>
            {isHeld && (
              <input
                type="checkbox"
                id={`effect-${name}`}
                checked={accepted.value.includes(name)}
                onChange={({ currentTarget }) => toggle(name, currentTarget.checked)}
              />
            )}
            <label for={`effect-${name}`}>
              {sayName("effect", name)} <code>{name}</code> <Told text={example} />
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The edits as changes of what is saved. */
function editedTexts(edits: readonly Edit[]): readonly TextChange[] {
  const { saved } = workspace.value;
  return edits.map(({ path, text }) => ({ path, before: textOf(saved, path), after: text }));
}

function WhyField({ why, isNeeded }: { readonly why: Signal<string>; readonly isNeeded: boolean }) {
  return (
    <label class="column">
      {say(isNeeded ? "move.why.needed" : "move.why")}
      <textarea rows={2} maxLength={500} required={isNeeded} autofocus={isNeeded} {...fieldOf(why)} />
    </label>
  );
}

/** A pinned channel is moved only by a person who says so. */
function PinnedWay({ move, onPlan }: { readonly move: Move; readonly onPlan: (move: Move) => void }) {
  if (!(move.action === "publish" || move.action === "promote")) return null;
  return <Button onClick={() => onPlan({ ...move, unpin: true })} text={say("move.although-pinned")} />;
}

/** Whether a share of the workloads can be given the release first. */
function hasShare(move: Move): move is Extract<Move, { readonly action: "promote" | "publish" }> {
  if (move.action === "promote") return move.approve !== true;
  return (
    move.action === "publish" &&
    move.edits !== undefined &&
    releases.value !== undefined &&
    mayShareFirst(releases.value)
  );
}

function isForAll(move: Move): boolean {
  return move.action === "promote" && move.approve !== true && move.share === undefined;
}

function isDanger(move: Move): boolean {
  return move.action === "rollback" || (move.action === "step-rollout" && move.direction === "back");
}

/** What all pods of the last channel get at once, and what is taken back, says why. */
function needsReason(move: Move, question: Question | undefined): boolean {
  const isLast = releases.value?.flow.at(-1) === question?.channel;
  const isPublishedToAll = move.action === "publish" && move.share === undefined && isLast;
  return move.action === "rollback" || isForAll(move) || isPublishedToAll;
}

/** Digits that are read; the rest is there to be copied. */
export function shortName(release: string): string {
  return release.slice(0, 8);
}

/** The title of the sheet, and all that its button does. */
function wordsOf(move: Move, question: Question | undefined): { readonly title: string; readonly label: string } {
  const kind = kindOf(move);
  const channel = question?.channel ?? ("channel" in move ? move.channel : "…");
  const named = kind === "back" ? question?.before : question?.after;
  const release = named == null ? "…" : shortName(named.release);
  const [next = 100] = releases.value?.channels[channel]?.rollout?.next ?? [];
  const { from, to } = move.action === "promote" ? move : { from: "", to: "" };
  const { share = next } = "share" in move ? move : {};
  const count = move.action === "publish" ? (move.edits ?? []).length : 0;
  const values = { from, to, channel, count, release, percent: share };
  const isSavedOnly = question?.isPublished === false;
  const isShared = move.action === "publish" && move.share !== undefined;
  const done = isForAll(move) ? "move.do.promote.all" : isShared ? "move.do.edits.share" : (`move.do.${kind}` as const);
  const label = isSavedOnly ? "save.all" : done;
  return { title: say(`move.title.${kind}`, values), label: say(label, values) };
}

function kindOf(move: Move) {
  if (move.action === "publish") return move.edits === undefined ? "publish" : "edits";
  if (move.action === "promote") return move.approve === true ? "approve" : "promote";
  if (move.action === "rollback" && move.release !== undefined) return "again";
  return move.action === "step-rollout" ? move.direction : move.action;
}
