// Asks real shells what they complete, where they are installed; elsewhere the script is held to the same table.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandsOf } from "../../test/cli/commands-of.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { createProgram, main } from "../main.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** The words on the line → what must be offered, and what must not. */
const CASES: readonly (readonly [line: readonly string[], offered: readonly string[], not: readonly string[]])[] = [
  [["in"], ["inject", "init"], ["lint", "--version"]],
  [["clusters", ""], ["set", "remove"], ["inject"]],
  [
    ["clusters", "set", "--"],
    ["--message", "--dry-run"],
    ["--publisher-of-all", "--watch"],
  ],
  [["diff", "a", "b", "-o", ""], ["text", "json", "yaml"], ["--json"]],
  [["lint", "-o", "g"], ["github"], ["sarif"]],
  [["completion", "--"], ["--help"], ["--json"]],
  [["completion", ""], ["bash", "zsh", "fish"], ["inject"]],
  [["promote", "canary", "asked"], ["asked-channel"], ["asked-release"]],
  [["rollback", ""], ["asked-channel,release"], []],
  [["pin", "stable", "--if-serving", ""], ["asked-release"], ["asked-channel"]],
  [["inject", "--stage", "prod", "--from", ""], ["asked-tree", "in-prod"], []],
  [["new", "example", ""], ["asked-example"], []],
  [["pods", "--clusters", ""], ["asked-cluster"], ["asked-channel"]],
  [["pods", "--clusters", "shop,pay,as"], ["shop,pay,asked-cluster"], []],
];

/** A script in place of the tool: it says what it was asked for, and whether it was given the line. */
const ASKED = `#!/bin/sh
echo "asked-$3"
case "$*" in *"-- "*"--stage prod"*) echo in-prod ;; esac
`;

describe("outrigger completion", () => {
  let folder: string;
  let path: string | undefined;
  const scripts: Record<string, string> = {};
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "outrigger-completion-"));
    for (const shell of SHELLS) {
      const io = fakeIo();
      expect(await main(["completion", shell], io)).toBe(0);
      scripts[shell] = join(folder, shell);
      writeFileSync(join(folder, shell), io.out());
    }
    writeFileSync(join(folder, "outrigger"), ASKED);
    chmodSync(join(folder, "outrigger"), 0o755);
    path = process.env["PATH"];
    process.env["PATH"] = `${folder}:${path}`;
  });
  afterAll(() => {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true });
  });

  it.each(SHELLS)("is complete in %s: every command and every option", async (shell) => {
    const io = fakeIo();
    await main(["completion", shell], io);
    const flag = (long: string) => (shell === "fish" ? `-l ${long.slice(2)}` : long);
    for (const { path, command } of commandsOf(await createProgram(fakeIo()))) {
      expect(io.out()).toContain(`/${path.join("/")}`);
      for (const { long, hidden } of command.options) if (long && !hidden) expect(io.out()).toContain(flag(long));
    }
  });

  it.each(SHELLS.filter(isInstalled))("completes in %s", (shell) => {
    const answers = ASK[shell](
      scripts[shell] as string,
      CASES.map(([line]) => line),
    );
    for (const [index, [line, offered, not]] of CASES.entries()) {
      expect([line, answers[index]]).toEqual([line, expect.arrayContaining([...offered])]);
      for (const word of not) expect([line, answers[index]]).not.toEqual([line, expect.arrayContaining([word])]);
    }
  });

  it("refuses other shells", async () => {
    const io = fakeIo();
    expect(await main(["completion", "cmd"], io)).toBe(2);
    expect(io.err()).toContain("Allowed choices are bash, zsh, fish");
  });
});

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

type Ask = (script: string, lines: readonly (readonly string[])[]) => readonly (readonly string[])[];

const quoted = (word: string) => `'${word}'`;

/** The script of each shell, which asks for all lines in one process; a line `=` ends what is offered for one. */
const ASK: Readonly<Record<(typeof SHELLS)[number], Ask>> = {
  bash: (script, lines) => {
    const asked = lines.map(
      (line) =>
        `COMP_WORDS=(outrigger ${line.map(quoted).join(" ")}); COMP_CWORD=${line.length}; _outrigger; printf '%s\\n' "\${COMPREPLY[@]}" =`,
    );
    return answersOf(execFileSync("bash", ["-c", `source ${script}\n${asked.join("\n")}`], { encoding: "utf8" }));
  },
  // The completion system needs a terminal: its functions are replaced by ones that print what they are given.
  zsh: (script, lines) => {
    const asked = lines.map(
      (line) => `words=(outrigger ${line.map(quoted).join(" ")}); CURRENT=${line.length + 1}; _outrigger; print -- =`,
    );
    const shims = `compset() { before=\${words[CURRENT]%"\${words[CURRENT]##*,}"}; words[CURRENT]=\${words[CURRENT]##*,} }
_describe() { local w=\${words[CURRENT]}; for entry in \${(P)2}; do [[ \${entry%%:*} == $w* ]] && print -r -- $before\${entry%%:*}; done; before= }
compadd() { shift; local w=\${words[CURRENT]}; for entry in "$@"; do [[ $entry == $w* ]] && print -r -- $entry; done }
_files() { : }
compdef() { : }`;
    return answersOf(
      execFileSync("zsh", ["-f", "-c", `${shims}\nsource ${script}\n${asked.join("\n")}`], { encoding: "utf8" }),
    );
  },
  fish: (script, lines) => {
    const asked = lines.map((line) => `complete -C ${quoted(`outrigger ${line.join(" ")}`)}; echo =`);
    const text = execFileSync("fish", ["--no-config", "-c", `source ${script}\n${asked.join("\n")}`], {
      encoding: "utf8",
    });
    return answersOf(text.replaceAll(/\t.*$/gm, ""));
  },
};

function answersOf(text: string): readonly (readonly string[])[] {
  return text
    .split(/^=\n/m)
    .slice(0, -1)
    .map((part) => part.split("\n").filter((line) => line !== ""));
}
