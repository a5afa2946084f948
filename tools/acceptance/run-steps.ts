// Carries out the steps, and keeps what was seen. Runs no program itself, so that a test can be the account.
import { STEPS, type Step } from "./steps.ts";

export interface Ended {
  readonly code: number;
  readonly out: string;
}

export interface AcceptancePorts {
  /** Runs a command. The result is undefined if there is nothing here that could answer it. */
  readonly run: (words: readonly string[]) => Promise<Ended | undefined>;
  /** The settings of the stage, for the deploys that follow. */
  readonly writeSettings: (settings: Readonly<Record<string, string>>) => void;
  /** Whether the run was given that option. */
  readonly has: (option: NonNullable<Step["needs"]>) => boolean;
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
  const { settings, needs, look } = step;
  if (needs !== undefined && !ports.has(needs)) {
    return { step, outcome: "not answered", detail: `it needs the option --${needs}` };
  }
  if (settings !== undefined) ports.writeSettings(settings);
  const watch = watchMeanwhile(step, names, ports);
  const ended = await carryOut(step, names, ports);
  const watched = await watch.end();
  const seen = ended ?? watched ?? (look === undefined ? undefined : await lookFor(look, names, ports));
  return { step, ...(seen ?? { outcome: "seen", detail: "" }) };
}

type Seen = Omit<StepResult, "step">;

/** Runs the commands of a step. Returns undefined if every command ended as it has to. */
async function carryOut({ commands, fails }: Step, names: Names, { run }: AcceptancePorts): Promise<Seen | undefined> {
  let unanswered = "";
  for (const command of [...commands, ...(fails === undefined ? [] : [fails])]) {
    // Nothing has broken it.
    if (unanswered !== "" && command === fails) break;
    const words = wordsOf(command, names);
    const ended = await run(words);
    if (ended === undefined) unanswered ||= words[0] ?? "";
    else if ((ended.code !== 0) !== (command === fails)) {
      return { outcome: "failed", detail: `${words.join(" ")}: ${lastLine(ended.out)}` };
    }
  }
  return unanswered === "" ? undefined : { outcome: "not answered", detail: `there is no ${unanswered} here` };
}

/** Milliseconds between two runs of a command that is watched. */
const NEXT = 500;

/** Repeats a command until it is ended, and says how often what it printed matched. */
function watchMeanwhile({ meanwhile }: Step, names: Names, { run, sleep }: AcceptancePorts) {
  if (meanwhile === undefined) return { end: async () => undefined };
  const words = wordsOf(meanwhile.command, names);
  let isOver = false;
  const watching = (async (): Promise<Seen> => {
    let [matched, others, last] = [0, 0, ""];
    do {
      const ended = await run(words);
      if (ended === undefined) return { outcome: "not answered", detail: `there is no ${words[0]} here` };
      if (ended.code === 0 && new RegExp(meanwhile.matches).test(ended.out)) matched++;
      else [others, last] = [others + 1, `, the last: ${lastLine(ended.out)}`];
      await sleep(NEXT);
    } while (!isOver);
    return { outcome: others === 0 ? "seen" : "not seen", detail: `${matched} of ${matched + others}${last}` };
  })();
  return {
    end: (): Promise<Seen> => {
      isOver = true;
      return watching;
    },
  };
}

async function lookFor(
  { command, matches, minutes = 0 }: NonNullable<Step["look"]>,
  names: Names,
  { run, sleep, now, isStopped }: AcceptancePorts,
): Promise<Seen> {
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
