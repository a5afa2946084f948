// The help of the tool: fifteen everyday commands or all of them, one page for a command with what is below it, and the
// options of the deployment on a page of their own.
import { Command, Help, Option } from "commander";
import { DEPLOYMENT_OPTIONS, deploymentOptions } from "./options/aws-options.ts";
import { takes } from "./options/option.ts";
import { EXIT_CODES } from "./terminal/exit-code.ts";

/** The commands that `outrigger --help` shows: they fit one screen. */
export const EVERYDAY = `start inject explain lint test diff publish channel promote rollback deploy
  register check pods restart`.split(/\s+/);

export const EVERYDAY_NOTES = `
outrigger help --all lists every command, outrigger help COMMAND explains one.`;

export const ALL_NOTES = `
Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${code}  ${meaning}`).join("\n")}`;

/** Commands below another that share next to no option with it. */
const OWN_PAGES: readonly string[] = ["print webhook", "print rbac", "print policy"];

/** The command on whose page of the help another is. */
export function pageOf(command: Command): Command {
  const { parent } = command;
  const isOwn = parent === null || parent.parent === null || OWN_PAGES.includes(`${parent.name()} ${command.name()}`);
  return isOwn ? command : pageOf(parent);
}

export const HELP = {
  formatHelp(asked: Command, helper: Help): string {
    const page = pageOf(asked);
    const below = page.commands.filter((one) => one.name() !== "help" && pageOf(one) === page);
    const isFamily = page.parent !== null && below.length > 0;
    const shown = isFamily ? familyHelp(asked, [page, ...below], helper) : helper;
    return Help.prototype.formatHelp.call(helper, page, shown);
  },
  /** Sorts the options: those of the command come first, then how its result is printed, which is the same everywhere. */
  visibleOptions(command: Command): Option[] {
    const rank = ({ long, argChoices }: Option) => (long === "--help" ? 2 : argChoices?.includes("text") ? 1 : 0);
    return new Help().visibleOptions(command).toSorted((a, b) => rank(a) - rank(b));
  },
  /** Leaves a page the first option of the deployment: they have a page of their own. */
  groupItems<Item extends Command | Option>(all: Item[], visible: Item[], groupOf: (item: Item) => string) {
    const groups = new Help().groupItems(all, visible, groupOf);
    const [first] = groups.get(DEPLOYMENT_OPTIONS) ?? [];
    groups.delete(DEPLOYMENT_OPTIONS);
    return first === undefined ? groups : groups.set(DEPLOYMENT_OPTIONS, [withMore(first)]);
  },
};

function withMore<Item extends Command | Option>(item: Item): Item {
  if (!(item instanceof Option)) return item;
  const description = "the deployment's stage; more options: outrigger help deployment";
  return Object.assign(new Option(item.flags), item, { description });
}

/** A page of several commands: how each is written, with what was asked for first, and what any of them takes. */
function familyHelp(asked: Command, family: readonly Command[], helper: Help): Help {
  const [page] = family as [Command];
  const runs = family.filter((one) => one !== page || one.registeredArguments.length > 0 || one.options.length > 0);
  const first = runs.includes(asked) ? [asked, ...runs.filter((one) => one !== asked)] : runs;
  const names = runs.filter((one) => one !== page);
  const taken = family.flatMap((one) => helper.visibleArguments(one));
  return Object.assign(Object.create(helper) as Help, {
    commandUsage: () => first.map((one) => helper.commandUsage(one)).join("\n       "),
    visibleArguments: () => distinct(taken, (one) => one.name()),
    visibleOptions: () => familyOptions(runs, helper),
    visibleCommands: () => names,
  });
}

/** The options of all, once each. What only some take is said with their names. */
function familyOptions(family: readonly Command[], helper: Help): Option[] {
  const taken = family.flatMap((one) => helper.visibleOptions(one).map((option) => ({ one, option })));
  const lineOf = ({ flags, description }: Option) => `${flags} ${description}`;
  return distinct(taken, ({ option }) => lineOf(option)).map(({ option }) => {
    const takers = taken.filter((other) => lineOf(other.option) === lineOf(option)).map(({ one }) => one.name());
    if (takers.length === family.length || option.long === "--help") return option;
    const description = `${takers.join(", ")}: ${option.description}`;
    return Object.assign(new Option(option.flags), option, { description });
  });
}

function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const keys = items.map(keyOf);
  return items.filter((_item, at) => keys.indexOf(keys[at] as string) === at);
}

export function deploymentHelp(): string {
  const made = new Command("COMMAND").helpOption(false);
  takes(made, deploymentOptions);
  return `Options of every command that talks to a deployment:\n${made.helpInformation().split("\n").slice(3).join("\n")}`;
}
