// A form over the entries of `defaultTemplates` that name a template: who gets it, and how many pods that are.

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { changeDefaults, editedDefaults, takeAway } from "../actions/audience.ts";
import { Button, NameForm, setting } from "../component/controls.tsx";
import {
  attempt,
  audienceOf,
  type Condition,
  forEvery,
  forNone,
  readCondition,
  withCondition,
} from "../model/audience.ts";
import { sharedLine } from "../model/shared-entries.ts";
import {
  bringManifest,
  chosenView,
  clusterReach,
  examined,
  findings,
  openAt,
  own,
  workloads,
  workspace,
} from "../model/state.ts";
import { say } from "../text/say.ts";
import { FindingsItems } from "./findings-and-impact.tsx";

export function WhoGetsIt({ path }: { readonly path: string }) {
  const name = path.slice("templates/".length);
  const isAdding = useSignal(false);
  const { config } = own.value;
  const shared = config === undefined ? undefined : sharedLine(config, name);
  const isEditable = shared === undefined && (config === undefined || attempt(config) !== undefined);
  const { entries, isWithoutMesh } = editedDefaults();
  const { isEvery, groups } = audienceOf(entries, name);
  const isSome = !isEvery && groups.length > 0;
  // The first condition of a row comes into the row that it is typed in, whose form stays as it is: the next may be typed by then.
  const isTyped = isEditable && (!isSome || isAdding.value);
  const rows = [...(isSome ? groups : []), ...(isTyped ? [[]] : [])];
  // With a mesh, an empty list stands for the sidecar.
  const rest = forNone(entries, name);
  const canBeNone = isEditable && (isEvery || isSome) && (rest.length > 0 || isWithoutMesh);
  const add = (group: number) => (text: string) => {
    isAdding.value = false;
    changeDefaults((now) => withCondition(now, name, group, readCondition(text)));
  };
  return (
    <section class="column who" aria-label={say("who")}>
      <div class="row">
        <h3>{say("who")}</h3>
        {!isSome && <span>{say(isEvery ? "who.every" : "who.none")}</span>}
        <Reached name={name} />
        {isSome && <Button tone="link" onClick={() => tryOn(groups[0] ?? [])} text={say("who.try")} />}
        {!isEvery && isEditable && (
          <Button tone="link" onClick={() => changeDefaults((now) => forEvery(now, name))} text={say("who.to-every")} />
        )}
        {canBeNone && (
          <Button tone="link" onClick={() => changeDefaults((now) => forNone(now, name))} text={say("who.to-none")} />
        )}
      </div>
      {rows.map((conditions, at) => (
        <div key={at} class="row">
          {at > 0 && <span class="quiet">{say("who.or")}</span>}
          <Conditions
            conditions={conditions}
            {...(isEditable && { onRemove: (condition: Condition) => takeAway(name, at, condition) })}
          />
          {isEditable && <ConditionForm key="form" onAdd={add(isSome ? at : groups.length)} />}
          {isEditable && isSome && at === groups.length - 1 && !isAdding.value && (
            <Button tone="link" onClick={setting(isAdding, true)} text={say("who.or.more")} />
          )}
        </div>
      ))}
      {shared !== undefined && <ByHand line={shared} />}
      <Mistakes />
    </section>
  );
}

/** What an alias writes in several places is changed in all of them, or taken out of one: a person decides that in the text. */
function ByHand({ line }: { readonly line: number }) {
  return (
    <p class="row">
      {say("who.shared")}
      <Button tone="link" onClick={() => openAt({ path: "config", line })} text={say("who.open", { line })} />
    </p>
  );
}

interface ConditionsProps {
  readonly conditions: readonly Condition[];
  /** Left out where they are only shown. */
  readonly onRemove?: (condition: Condition) => void;
}

/** Values of one label, and namespaces, are joined by "or": any of them fits. */
function Conditions({ conditions, onRemove }: ConditionsProps) {
  return conditions.map((condition, at) => {
    const { label, value } = condition;
    const before = conditions[at - 1];
    const text = label === undefined ? say("who.namespace", { name: value }) : `${label}: ${value}`;
    return (
      <Fragment key={text}>
        {before !== undefined && <span class="quiet">{say(before.label === label ? "who.or" : "who.and")}</span>}
        <span class="chip">
          <code>{text}</code>
          {onRemove !== undefined && (
            <button
              type="button"
              class="plain"
              aria-label={say("who.remove", { condition: text })}
              onClick={() => onRemove(condition)}
            >
              ×
            </button>
          )}
        </span>
      </Fragment>
    );
  });
}

function ConditionForm({ onAdd }: { readonly onAdd: (text: string) => void }) {
  const label = say("who.condition");
  return (
    <NameForm
      label={label}
      placeholder={label}
      button={say("new.add")}
      problemOf={(text) => (text === "" ? "" : undefined)}
      onName={onAdd}
      isForSeveral
    />
  );
}

/** `2 of 5 samples, 12 of 200 pods running in prod` */
function Reached({ name }: { readonly name: string }) {
  const samples = examined.value?.reach;
  const running = clusterReach.value;
  if (samples === undefined) return null;
  const of = ({ pods, templates }: typeof samples) => ({ gets: templates[name] ?? 0, count: pods });
  const isOfCluster = (workloads.value ?? []).length > 0 && running !== undefined;
  const text = [
    say("who.samples", of(samples)),
    ...(isOfCluster ? [say("who.cluster", { ...of(running), name: workspace.value.cluster ?? "" })] : []),
  ].join(say("list.separator"));
  return (
    <span class="quiet" data-testid="reach">
      {text}
    </span>
  );
}

/** What lint says of the config: its errors keep every pod as it is. */
function Mistakes() {
  const mistakes = findings.value.filter(({ path, severity }) => path === "config" && severity === "error");
  return mistakes.length === 0 ? null : <FindingsItems findings={mistakes} />;
}

/** Shows what a pod becomes that fits each condition. */
function tryOn(conditions: readonly Condition[]): void {
  const labels = conditions.flatMap(({ label, value }) => (label === undefined ? [] : [[label, value] as const]));
  const [place] = conditions.filter(({ label }) => label === undefined);
  // The first value of each label. JSON's texts are YAML's.
  const written = Object.entries(Object.fromEntries(labels.toReversed())).map(
    ([label, value]) => `    ${JSON.stringify(label)}: ${JSON.stringify(value)}\n`,
  );
  bringManifest(
    `apiVersion: v1
kind: Pod
metadata:
  name: tried
${place === undefined ? "" : `  namespace: ${JSON.stringify(place.value)}\n`}${written.length === 0 ? "" : `  labels:\n${written.join("")}`}spec:
  containers:
  - name: app
    image: registry.example/app:1
`,
  );
  chosenView.value = undefined;
}
