// Holds docs/cli.md and the pages below docs/cli/ against the help of every command: UPDATE_GOLDEN=1 writes them again.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { deploymentHelp, pageOf } from "../help.ts";
import { createProgram, main } from "../main.ts";
import { EXIT_CODES } from "../terminal/exit-code.ts";

const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
const MADE =
  "<!-- Made from the commands' own help by cli/test/reference-page.test.ts: UPDATE_GOLDEN=1 npx vitest run cli/test/reference-page -->";

const INTRODUCTION = `# The command line

${MADE}

*Reference, for everyone.*

\`outrigger help COMMAND\` prints the same text. [Editing](editing.md) shows how the commands work together.

| | |
|---|---|
| exit codes | ${EXIT_CODES.map(([code, meaning]) => `${code}: ${meaning}`).join("; ")} |
| output | results on standard output, everything else on standard error; progress on a terminal only, past a second |
| \`-o json\`, \`-o yaml\` | the result for scripts; \`--json\` is the short form. \`inject\`, \`uninject\` and \`import\` name a file or directory with \`-o\` |
| colours | on a terminal, unless \`NO_COLOR\` is set; \`FORCE_COLOR\` turns them on elsewhere |
| \`--dry-run\` | everything is checked, nothing is written |

## Options of the deployment

Every command that talks to a deployment takes them. Where they are left out, \`OUTRIGGER_STAGE\`, \`AWS_REGION\`, \`AWS_PROFILE\` and all else that
the AWS SDK reads from the environment count.

\`\`\`text
${deploymentHelp().trimEnd()}
\`\`\`
`;

describe("docs/cli", () => {
  it("is what the commands say of themselves, a page for each group", async () => {
    const groups = await commandGroups();
    const pages = new Map([["cli.md", indexPage(groups)]]);
    for (const [group, commands] of groups) pages.set(`cli/${fileOf(group)}`, await groupPage(group, commands));
    mkdirSync(join(DOCS, "cli"), { recursive: true });
    for (const [path, text] of pages) {
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(DOCS, path), text);
      expect(readFileSync(join(DOCS, path), "utf8")).toBe(text);
    }
    expect(readdirSync(join(DOCS, "cli")).toSorted()).toEqual(groups.map(([group]) => fileOf(group)).toSorted());
  });
});

type Group = readonly [name: string, commands: readonly Command[]];

async function commandGroups(): Promise<readonly Group[]> {
  const groups = new Map<string, Command[]>();
  for (const command of (await createProgram(fakeIo())).commands) {
    if (command.name() === "help") continue;
    const group = command.helpGroup().replace(/:$/, "");
    groups.set(group, [...(groups.get(group) ?? []), command]);
  }
  return [...groups];
}

const fileOf = (group: string) => `${group.toLowerCase().replaceAll(" ", "-")}.md`;

function indexPage(groups: readonly Group[]): string {
  const lists = groups.map(([group, commands]) => {
    const file = `cli/${fileOf(group)}`;
    const rows = commands.map((command) => {
      const name = `outrigger ${command.name()}`;
      return `| [\`${name}\`](${file}#${name.replaceAll(" ", "-")}) | ${command.description().replaceAll("|", "\\|").split("\n")[0]} |`;
    });
    return `## ${group}\n\n| command | what it does |\n|---|---|\n${rows.join("\n")}\n`;
  });
  return [INTRODUCTION, ...lists].join("\n");
}

async function groupPage(group: string, commands: readonly Command[]): Promise<string> {
  const head = `# Commands: ${group.toLowerCase()}\n\n${MADE}\n\n*Reference, for everyone.*\n\n[All commands](../cli.md)\n`;
  const parts = [head];
  for (const command of commands) for (const path of pathsOf(command, [])) parts.push(await section(path));
  return parts.join("\n");
}

function pathsOf(command: Command, above: readonly string[]): readonly (readonly string[])[] {
  const path = [...above, command.name()];
  return [
    path,
    ...command.commands.filter((child) => pageOf(child) === child).flatMap((child) => pathsOf(child, path)),
  ];
}

async function section(path: readonly string[]): Promise<string> {
  const io = fakeIo();
  expect(await main([...path, "--help"], io)).toBe(0);
  return `## outrigger ${path.join(" ")}\n\n\`\`\`text\n${io.out().trimEnd()}\n\`\`\`\n`;
}
