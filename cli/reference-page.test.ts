// Holds docs/cli.md against the help of every command: UPDATE_GOLDEN=1 writes it anew.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { fakeIo } from "../test/cli/fake-io.ts";
import { createProgram, main } from "./main.ts";
import { EXIT_CODES } from "./terminal/exit-code.ts";

const PAGE = fileURLToPath(new URL("../docs/cli.md", import.meta.url));

const INTRODUCTION = `# The command line

<!-- Made from the commands' own help by cli/reference-page.test.ts: UPDATE_GOLDEN=1 npx vitest run cli/reference-page -->

\`outrigger help COMMAND\` prints the same text. [Editing](editing.md) shows how the commands work together.

| | |
|---|---|
| exit codes | ${EXIT_CODES.map(([code, meaning]) => `${code}: ${meaning}`).join("; ")} |
| output | results on standard output, everything else on standard error; progress on a terminal only, past a second |
| \`-o json\`, \`-o yaml\` | the result for scripts; \`--json\` is the short form. \`inject\`, \`uninject\` and \`import\` name a file or directory with \`-o\` |
| colours | on a terminal, unless \`NO_COLOR\` is set; \`FORCE_COLOR\` turns them on elsewhere |
| \`--dry-run\` | everything is checked, nothing is written |
| \`--deployment\`, \`--prefix\`, \`--publisher\`, \`--region\`, \`--profile\` | which deployment, and with whose rights; \`OUTRIGGER_STAGE\`, \`AWS_REGION\`, \`AWS_PROFILE\` and all else that the AWS SDK reads from the environment count where they are left out |
`;

describe("docs/cli.md", () => {
  it("is what the commands say of themselves", async () => {
    const page = await referencePage();
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, "utf8")).toBe(page);
  });
});

async function referencePage(): Promise<string> {
  const parts = [INTRODUCTION];
  let group = "";
  for (const command of (await createProgram(fakeIo())).commands) {
    if (command.name() === "help") continue;
    if (command.helpGroup() !== group) {
      group = command.helpGroup();
      parts.push(`## ${group.replace(/:$/, "")}\n`);
    }
    for (const path of pathsOf(command, [])) parts.push(await section(path));
  }
  return parts.join("\n");
}

function pathsOf(command: Command, above: readonly string[]): readonly (readonly string[])[] {
  const path = [...above, command.name()];
  return [
    path,
    ...command.commands.filter((child) => child.name() !== "help").flatMap((child) => pathsOf(child, path)),
  ];
}

async function section(path: readonly string[]): Promise<string> {
  const io = fakeIo();
  expect(await main([...path, "--help"], io)).toBe(0);
  return `### outrigger ${path.join(" ")}\n\n\`\`\`text\n${io.out().trimEnd()}\n\`\`\`\n`;
}
