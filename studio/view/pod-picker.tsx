// Chooses the pod that is previewed: a sample, a manifest of one's own, or a workload of the cluster. There may be hundreds of workloads, so
// they are found by parts of their names, and are under their namespaces.

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { fieldOf } from "../component/controls.tsx";
import { useOneStop } from "../component/one-stop.ts";
import { choiceOf, podName, workloadName } from "../model/address.ts";
import { manifest, paths, pod, workloads, workspace } from "../model/state.ts";
import { SAMPLES } from "../preview/first-preview.ts";
import { say } from "../text/say.ts";
import type { ClusterWorkload } from "../wire.ts";

/** Pods that are shown at once: whoever looks for another one writes a part of its name. */
const MOST_SHOWN = 100;

interface Item {
  /** As `podName()` has it. */
  readonly value: string;
  readonly name: string;
  /** What is said of it besides. */
  readonly about?: string;
  /** What is searched. */
  readonly text: string;
}

interface Group {
  readonly title: string;
  readonly about?: string;
  readonly items: readonly Item[];
}

export function PodPicker() {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    isOpen.value = false;
    button.current?.focus();
  };
  return (
    <div class="picker">
      <button
        ref={button}
        type="button"
        class="button"
        data-testid="pod"
        aria-haspopup="dialog"
        aria-expanded={isOpen.value}
        onKeyDown={({ key }) => key === "Escape" && close()}
        // The field keeps the focus, so that the click that follows finds it open.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <ChosenPod /> <span aria-hidden="true">▾</span>
      </button>
      {isOpen.value && <Choice onClose={close} onLeave={() => (isOpen.value = false)} />}
    </div>
  );
}

/** The namespace of a workload is shown next to it, in the field for another one. */
function ChosenPod() {
  const { value } = pod;
  const isWorkload = value.kind === "workload";
  const own = say(manifest.value === "" ? "pod.paste" : "pod.own");
  const name = isWorkload ? value.workload.name : value.kind === "sample" ? value.name : own;
  return (
    <>
      <span class="hidden">
        {say("view.pod")}: {isWorkload && `${value.workload.namespace}/`}
      </span>
      <span class="cut" title={name}>
        {name}
      </span>
    </>
  );
}

interface ChoiceProps {
  readonly onClose: () => void;
  /** Called where the focus goes elsewhere by itself. */
  readonly onLeave: () => void;
}

function Choice({ onClose, onLeave }: ChoiceProps) {
  const query = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  const stops = useOneStop();
  useEffect(() => field.current?.focus(), []);
  const all = matching(query.value);
  const groups = firstOf(all);
  const rest = countOf(all) - countOf(groups);
  const choose = (value: string) => {
    pod.value = choiceOf(value) ?? { kind: "manifest", text: "", index: 0 };
    onClose();
  };
  const onKey = (event: KeyboardEvent) => {
    const [first] = groups.flatMap(({ items }) => items);
    const isOfField = event.target === field.current;
    if (event.key === "Escape") onClose();
    else if (isOfField && event.key === "Enter" && first !== undefined) choose(first.value);
    else if (isOfField && event.key === "ArrowDown")
      stops.ref.current?.querySelector<HTMLElement>("[data-stop]")?.focus();
    else return;
    event.preventDefault();
  };
  const leave = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (!(currentTarget as Element).contains(relatedTarget as Node | null)) onLeave();
  };
  return (
    <search class="column choice" aria-label={say("view.pod")} onKeyDown={onKey} onFocusOut={leave}>
      <input
        ref={field}
        type="search"
        aria-label={say("pod.search")}
        placeholder={say("pod.search")}
        {...fieldOf(query)}
      />
      <div {...stops} class="pods">
        {groups.map(({ title, about, items }) => (
          <Fragment key={title}>
            <h3 class="row apart one-line">
              <span class="cut">{title}</span> <span class="quiet">{about}</span>
            </h3>
            <ul>
              {items.map((item) => (
                <li key={item.value}>
                  <PodEntry item={item} onChoose={choose} />
                </li>
              ))}
            </ul>
          </Fragment>
        ))}
      </div>
      <p role="status" class="quiet">
        {groups.length === 0 && say("pod.none")}
        {rest > 0 && say("pod.more", { count: rest })}
        {workspace.value.cluster !== null && workloads.value === undefined && say("pod.reading", clusterName())}
      </p>
    </search>
  );
}

interface PodEntryProps {
  readonly item: Item;
  readonly onChoose: (value: string) => void;
}

function PodEntry({ item: { value, name, about }, onChoose }: PodEntryProps) {
  return (
    <button
      type="button"
      class="plain entry"
      data-stop
      title={name}
      aria-current={value === podName(pod.value)}
      onClick={() => onChoose(value)}
    >
      <span class="cut">{name}</span>
      {about !== undefined && <span class="quiet">{about}</span>}
    </button>
  );
}

function clusterName() {
  return { name: workspace.value.cluster ?? "" };
}

/** The groups with what a query finds: all of its words, in any order. */
function matching(query: string): readonly Group[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = allGroups().map((group) => ({
    ...group,
    items: group.items.filter(({ text }) => words.every((word) => text.includes(word))),
  }));
  return groups.filter(({ items }) => items.length > 0);
}

function allGroups(): readonly Group[] {
  const samples = paths.value.filter((path) => path.startsWith(SAMPLES)).map((path) => path.slice(SAMPLES.length));
  const own = say(manifest.value === "" ? "pod.paste" : "pod.own");
  return [
    {
      title: say("folder.samples"),
      items: [
        ...samples.map((name) => ({ value: podName({ kind: "sample", name }), name, text: name.toLowerCase() })),
        { value: "manifest", name: own, text: own.toLowerCase() },
      ],
    },
    ...clusterGroups(workloads.value ?? []),
  ];
}

/** `app-2` is before `app-10`. */
const NAMES = new Intl.Collator("en", { numeric: true });

function clusterGroups(all: readonly ClusterWorkload[]): readonly Group[] {
  const places = [...Map.groupBy(all, ({ namespace }) => namespace)].sort(([a], [b]) => NAMES.compare(a, b));
  return places.map(([namespace, here]) => {
    const pods = here.reduce((sum, workload) => sum + workload.pods, 0);
    return {
      title: `${workspace.value.cluster} › ${namespace}`,
      about: say("pod.counts", { workloads: here.length, pods }),
      items: here
        .toSorted((a, b) => NAMES.compare(a.name, b.name))
        .map((workload) => ({
          value: podName({ kind: "workload", workload }),
          name: workload.name,
          about: workload.isSent ? say("pod.pods", { count: workload.pods }) : say("pod.unsent"),
          text: workloadName(workload).toLowerCase(),
        })),
    };
  });
}

/** As many as are shown at once. */
function firstOf(groups: readonly Group[]): readonly Group[] {
  let left = MOST_SHOWN;
  return groups.flatMap((group) => {
    const items = group.items.slice(0, left);
    left -= items.length;
    return items.length === 0 ? [] : [{ ...group, items }];
  });
}

function countOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { items }) => sum + items.length, 0);
}
