// The small parts that pages are made of.

import { type Signal, useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { type Failure, failureWords } from "../model/failure.ts";
import { say } from "../text/say.ts";
import { Told } from "./told.tsx";

/** A colour that repeats what a word says: colour alone says nothing. */
export type Tone = "good" | "warn" | "bad" | "accent";

interface BadgeProps {
  readonly tone?: Tone | undefined;
  /** Whether this is the one verdict of a card or page. */
  readonly strong?: boolean;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A word or two about the thing next to it. */
export function Badge({ tone, strong = false, title, children }: BadgeProps) {
  return (
    <span title={title} class={["badge", tone, strong && "strong"].filter(Boolean).join(" ")}>
      {children}
    </span>
  );
}

/** A handler that gives a signal a value. */
export function setting<Value>(signal: Signal<Value>, value: Value): () => void {
  return () => {
    signal.value = value;
  };
}

export function fieldOf(signal: Signal<string>) {
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
    signal.value = currentTarget.value;
  };
  return { value: signal.value, onInput };
}

export function Options({ of }: { readonly of: readonly (readonly [value: string, text: string])[] }) {
  return of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
}

interface TableProps {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Whether the first column names the rows, and the others are numbers. */
  readonly isOfNumbers?: boolean;
}

export function Table({ head, rows, isOfNumbers = false }: TableProps) {
  return (
    <table class={isOfNumbers ? "table numbers" : "table"}>
      <thead>
        <tr>
          {head.map((name, at) => (
            <th key={name} scope="col">
              {isOfNumbers && at === 0 ? <span class="hidden">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr key={String(cells[0])}>
            {head.map((name, at) =>
              isOfNumbers && at === 0 ? (
                <th key={name} scope="row">
                  {cells[at]}
                </th>
              ) : (
                <td key={name}>{cells[at]}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Shares of a whole, in percent and in order; what is left stays empty. Decorative: the numbers are written next to it.
export function Bar({ parts }: { readonly parts: readonly (readonly [tone: Tone | "neutral", percent: number])[] }) {
  return (
    <div class="bar" aria-hidden="true">
      {parts.map(([tone, percent]) => (
        <span key={tone} class={tone} style={{ width: `${percent}%` }} />
      ))}
    </div>
  );
}

// A button. `primary` is what a page is for, once in sight; `link` leads somewhere; `danger` takes something back.
interface ButtonProps extends Omit<ButtonHTMLAttributes, "class" | "type" | "children"> {
  readonly text: string;
  readonly tone?: "primary" | "danger" | "quiet" | "link";
  readonly type?: "button" | "submit";
}

export function Button({ text, tone, type = "button", ...others }: ButtonProps) {
  return (
    <button {...others} type={type} class={tone === undefined ? "button" : `button ${tone}`}>
      {text}
    </button>
  );
}

interface NameFormProps {
  readonly label: string;
  readonly button: string;
  readonly name?: string;
  readonly placeholder?: string;
  /** The reason why a name cannot be taken; empty where the reader knows it already. */
  readonly problemOf: (name: string) => string | undefined;
  readonly onName: (name: string) => void;
  /** Whether the field is empty again once a name is taken, for the next one. */
  readonly isForSeveral?: boolean;
}

/** One name, and what is done with it. */
export function NameForm({ label, button, name = "", placeholder, problemOf, onName, isForSeveral }: NameFormProps) {
  const written = useSignal(name);
  const wanted = written.value.trim();
  const problem = problemOf(wanted);
  const submit = (event: Event) => {
    event.preventDefault();
    if (problem !== undefined) return;
    onName(wanted);
    if (isForSeveral === true) written.value = "";
  };
  return (
    <form class="row" onSubmit={submit}>
      <input aria-label={label} placeholder={placeholder} {...fieldOf(written)} />
      <Button type="submit" disabled={problem !== undefined} text={button} />
      {problem !== undefined && problem !== "" && <p role="alert">{problem}</p>}
    </form>
  );
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, text: string])[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** The id of what shows the chosen one. */
  readonly panel: string;
}

/** Views of one thing, of which one is shown. One stop of the Tab key; arrow keys choose. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, panel }: TabsProps<Name>) {
  const step = ({ key }: KeyboardEvent) => {
    const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const at = tabs.findIndex(([name]) => name === chosen);
    const next = tabs[(at + by + tabs.length) % tabs.length]?.[0];
    if (by === 0 || next === undefined) return;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          class="plain"
          role="tab"
          id={`tab-${name}`}
          tabIndex={chosen === name ? 0 : -1}
          aria-selected={chosen === name}
          aria-controls={panel}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

// Instead of an empty list: what would be here, and what can be done now, each with one click.
export function EmptyState({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="column empty">
      <p class="quiet">{title}</p>
      {children}
    </div>
  );
}

// What failed, in the reader's language; then the tool's own words, marked as English.
interface FailureTextProps {
  readonly word: "failed" | "move.unknown" | "rings.unknown" | "rollout.unknown" | "running.unknown";
  readonly failure: Failure;
}

export function FailureText({ word, failure }: FailureTextProps) {
  const { message, original } = failureWords(failure);
  return (
    <>
      {say(word, { message })} {original !== undefined && <Told text={original} />}
      {failure.detail !== undefined && (
        <details>
          <summary>{say("failed.detail")}</summary>
          <pre lang="en">{failure.detail}</pre>
        </details>
      )}
    </>
  );
}
