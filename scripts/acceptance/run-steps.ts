// Carries out the steps, and keeps what was seen. Runs no program itself, so that a test can be the account.
import { STEPS, type Step } from "./steps.ts";

export interface Ended {
  readonly code: number;
  readonly out: string;
}

export interface AcceptancePorts {
  /** Undefined where there is nothing here that could answer the command. */
  readonly run: (words: readonly string[]) => Promise<Ended | undefined>;
  /** The settings of the stage, for the deploys that follow. */
  readonly writeSettings: (settings: Readonly<Record<string, string>>) => void;
  readonly print: (line: string) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
  /** Whether the run should end. */
  readonly isStopped: () => boolean;
}

export interface Names {
  readonly stage: string;
  readonly cluster: string;
  readonly namespace: string;
}

export interface StepResult {
  readonly step: Step;
  readonly outcome: "seen" | "not seen" | "failed" | "not answered" | "not begun";
  readonly detail: string;
}

/** Milliseconds between two looks. */
const PAUSE = 5000;

/** Every step, and then what undoes those that were begun, whatever happened. What fails ends the run. */
export async function runSteps(names: Names, ports: AcceptancePorts): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  const begun: Step[] = [];
  let isOver = false;
  for (const step of STEPS) {
    isOver ||= ports.isStopped();
    if (isOver) {
      results.push({ step, outcome: "not begun", detail: "" });
      continue;
    }
    ports.print(step.does);
    begun.push(step);
    const result = await runStep(step, names, ports);
    ports.print(`  ${result.outcome}${result.detail === "" ? "" : `: ${result.detail}`}`);
    results.push(result);
    isOver = result.outcome === "failed";
  }
  for (const command of begun.toReversed().flatMap(({ undo = [] }) => undo)) {
    const ended = await ports.run(wordsOf(command, names));
    if (ended !== undefined && ended.code !== 0) {
      ports.print(`Not undone, do it yourself: ${wordsOf(command, names).join(" ")}`);
    }
  }
  return results;
}

async function runStep(step: Step, names: Names, ports: AcceptancePorts): Promise<StepResult> {
  const { settings, commands, look } = step;
  if (settings !== undefined) ports.writeSettings(settings);
  let unanswered = "";
  for (const command of commands) {
    const words = wordsOf(command, names);
    const ended = await ports.run(words);
    if (ended === undefined) unanswered ||= words[0] ?? "";
    else if (ended.code !== 0) return { step, outcome: "failed", detail: `${words.join(" ")}: ${lastLine(ended.out)}` };
  }
  if (unanswered !== "") return { step, outcome: "not answered", detail: `there is no ${unanswered} here` };
  if (look === undefined) return { step, outcome: "seen", detail: "" };
  return { step, ...(await lookFor(look, names, ports)) };
}

async function lookFor(
  { command, matches, minutes = 0 }: NonNullable<Step["look"]>,
  names: Names,
  { run, sleep, now, isStopped }: AcceptancePorts,
): Promise<Omit<StepResult, "step">> {
  const began = now();
  const words = wordsOf(command, names);
  for (;;) {
    const ended = await run(words);
    if (ended === undefined) return { outcome: "not answered", detail: `there is no ${words[0]} here` };
    const [found] = new RegExp(matches, "m").exec(ended.out.trim()) ?? [];
    const seconds = Math.round((now() - began) / 1000);
    if (ended.code === 0 && found !== undefined) return { outcome: "seen", detail: `${found}, after ${seconds} s` };
    if (seconds >= minutes * 60 || isStopped()) {
      return { outcome: "not seen", detail: `${lastLine(ended.out)}, after ${seconds} s` };
    }
    await sleep(PAUSE);
  }
}

function wordsOf(command: string, names: Names): readonly string[] {
  return command.replaceAll(/\{(stage|cluster|namespace)\}/g, (_, name: keyof Names) => names[name]).split(" ");
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
