// What differs in the pod as a tree: containers and what the edits touch open, what is long folded to one line, what is unchanged left
// out.

import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { describeOrigin, describeValue, shortOrigin } from "../model/origin.ts";
import { openAt, shownOrigins, traced, valuesAt } from "../model/state.ts";
import type { ChangeNode } from "../preview/change-tree.ts";
import { say } from "../text/say.ts";

type Nodes = readonly ChangeNode[];

/** @param edits what they change, to be marked in the tree; left out, the tree is that */
export function ChangesView({ tree, edits }: { readonly tree: Nodes; readonly edits?: Nodes }) {
  /** What the reader has folded and unfolded; the rest is as it is by default. */
  const chosen = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const touched = useMemo(() => touchedBy(edits ?? []), [edits]);
  if (tree.every(({ change }) => change === "kept"))
    return <p class="message quiet">{say(edits === undefined ? "edits.none" : "changes.none")}</p>;
  return (
    <ul class="changes" aria-label={say("view.changes")}>
      {rowsOf(tree, 0, chosen.value, touched).map((row) => (
        <ChangeRow key={row.id} {...row} isEdited={touched.get(row.id) === true} chosen={chosen} />
      ))}
    </ul>
  );
}

interface Row {
  readonly id: string;
  readonly depth: number;
  /** A number: so many fields that are as they were. */
  readonly node: ChangeNode | number;
  /** Undefined for what cannot be unfolded. */
  readonly isOpen: boolean | undefined;
}

/** The id of a field → true if an edit touches the field itself, false if only something below it. */
type Touched = ReadonlyMap<string, boolean>;

function touchedBy(edits: Nodes): Touched {
  const touched = new Map<string, boolean>();
  const visit = ({ id, change, children }: ChangeNode) => {
    // What was removed has no row of its own in the pod as it is now.
    const isSelf = change !== "within" || children.some((child) => child.change === "removed");
    if (change !== "kept") touched.set(id, isSelf);
    if (change === "within") children.forEach(visit);
  };
  edits.forEach(visit);
  return touched;
}

function rowsOf(nodes: Nodes, depth: number, chosen: ReadonlyMap<string, boolean>, touched: Touched): readonly Row[] {
  const rows: Row[] = [];
  const kept = nodes.filter(({ id, change }) => change === "kept" && !touched.has(id));
  const keptId = `${nodes[0]?.id ?? ""}…`;
  const showsKept = chosen.get(keptId) === true;
  for (const node of nodes) {
    if (node.change === "kept" && !touched.has(node.id) && !showsKept) continue;
    const isFoldable = node.children.length > 0 || node.text.length > LONG;
    const isOpen = isFoldable ? (chosen.get(node.id) ?? (touched.has(node.id) || isOpenAtFirst(node))) : undefined;
    rows.push({ id: node.id, depth, node, isOpen });
    if (isOpen === true) rows.push(...rowsOf(fieldsOf(node), depth + 1, chosen, touched));
  }
  if (kept.length > 0 && depth > 0) rows.push({ id: keptId, depth, node: kept.length, isOpen: showsKept });
  return rows;
}

/** Characters of a value on one line. */
const LONG = 64;

const CONTAINER = /^spec\/(initContainers|containers)(\/[^/]+)?$/;

function isOpenAtFirst({ id, change }: ChangeNode): boolean {
  return change === "within" || (change === "added" && CONTAINER.test(id));
}

/** The image of a container is what one looks for; the name of an item is on its own line already. */
function fieldsOf({ label, isItem, children }: ChangeNode): Nodes {
  const others = isItem ? children.filter((child) => !(child.label === "name" && child.text === label)) : children;
  const rank = (child: ChangeNode) => (child.label === "image" ? 0 : child.children.length === 0 ? 1 : 2);
  return isItem ? others.toSorted((a, b) => rank(a) - rank(b)) : others;
}

type RowProps = Row & { readonly isEdited: boolean; readonly chosen: Signal<ReadonlyMap<string, boolean>> };

function ChangeRow({ id, depth, node, isOpen, isEdited, chosen }: RowProps) {
  // A row whose field is as it was is not drawn again.
  return useMemo(() => {
    const toggle = () => {
      chosen.value = new Map([...chosen.value, [id, isOpen !== true]]);
    };
    const style = { "--depth": depth } as Record<string, string | number>;
    const isKept = typeof node === "number";
    const content = (
      <>
        <span class="caret" aria-hidden="true" />
        {isKept ? say("changes.kept", { count: node }) : <Field node={node} isOpen={isOpen === true} />}
      </>
    );
    return (
      <li class={`change-row ${isKept ? "kept" : node.change}${isEdited ? " edited" : ""}`} style={style}>
        {isOpen === undefined ? (
          <span class="fold">{content}</span>
        ) : (
          <button type="button" class="plain fold" aria-expanded={isOpen} onClick={toggle}>
            {content}
          </button>
        )}
        {!isKept && node.change !== "within" && node.change !== "kept" && <OriginOf line={node.line} />}
      </li>
    );
  }, [id, depth, node, isOpen, isEdited, chosen]);
}

function Field({ node, isOpen }: { readonly node: ChangeNode; readonly isOpen: boolean }) {
  const { change, label, isItem, text, before, children } = node;
  return (
    <>
      {change !== "within" && change !== "kept" && <span class="hidden">{say(`change.${change}`)} </span>}
      <span class="key cut">{isItem ? `- ${label}` : `${label}:`}</span>
      {before !== undefined && <del class="value cut">{before}</del>}
      {children.length > 0
        ? !isOpen && <span class="value cut folded">{summaryOf(node)}</span>
        : !(isItem && label === text) && (
            <span class={isOpen ? "whole" : "value cut"}>{text === "" ? '""' : text}</span>
          )}
    </>
  );
}

/** Many entries as their number and the first names; few, or a map, as they are. */
function summaryOf({ children, text }: ChangeNode): string {
  const names = children.flatMap(({ isItem, label }) => (isItem && label !== "" ? [label] : []));
  if (names.length <= FEW || names.length < children.length) {
    const count = children.length > FEW && children[0]?.isItem === true ? `${children.length}: ` : "";
    return count + text;
  }
  return `${names.length}: ${names.join(", ")}`;
}

const FEW = 2;

/** The origin of a line, where that is known. */
function OriginOf({ line }: { readonly line: number | undefined }) {
  const origin = line === undefined ? undefined : shownOrigins.value?.[line - 1];
  if (line === undefined || origin === undefined || origin.kind === "pod") return null;
  const values = valuesAt(traced.value?.text ?? "", line);
  const title = [describeOrigin(origin), ...values.map(describeValue)].join("\n");
  const [mine] = values;
  // One's own value says more than the template that reads it.
  const isMine = mine !== undefined && !mine.isShipped;
  const place = isMine ? mine : origin;
  const about = { class: isMine ? "plain cut origin value" : "plain cut origin", title };
  if ("step" in place) return <span {...about}>{shortOrigin(place)}</span>;
  return (
    <button type="button" {...about} onClick={() => openAt(place)}>
      {shortOrigin(place)}
    </button>
  );
}
